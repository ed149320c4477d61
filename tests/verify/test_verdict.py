"""Verdicts hold what shows them, and become JSON as promised."""

from __future__ import annotations

import json
import math
import sys

import pytest

from hedgerow.errors import InvalidArgument
from hedgerow.verify.verdict import NoiseCost, Verdict, VerdictKind


class Shows:
    def as_dict(self) -> dict[str, int]:
        return {"ratio": 3}


def test_nothing_is_proved_without_a_certificate() -> None:
    with pytest.raises(InvalidArgument, match="certificate"):
        Verdict("f", VerdictKind.PROVED)
    for answer in (VerdictKind.UNKNOWN, VerdictKind.REFUTED):
        with pytest.raises(InvalidArgument, match="certificate"):
            Verdict("f", answer, certificate="a proof", witness=Shows())


def test_nothing_is_refuted_without_a_witness() -> None:
    with pytest.raises(InvalidArgument, match="witness"):
        Verdict("f", VerdictKind.REFUTED)


def test_only_what_is_proved_is_true() -> None:
    assert Verdict("f", VerdictKind.PROVED, certificate="a proof")
    assert not Verdict("f", VerdictKind.UNKNOWN)
    assert not Verdict("f", VerdictKind.REFUTED, witness=Shows())


def test_json_has_the_promised_keys_and_no_others() -> None:
    plain = Verdict(
        "f", VerdictKind.REFUTED, epsilon_lower=2.0, line=7, witness=Shows(), seconds=0.12345
    ).to_dict()
    assert plain == {
        "name": "f",
        "verdict": "REFUTED",
        "claim": None,
        "reason": None,
        "costs": [],
        "unit": None,
        "epsilon_lower": 2.0,
        "epsilon_upper": None,
        "line": 7,
        "witness": {"ratio": 3},
        "seconds": 0.123,
    }
    assert Verdict("f", VerdictKind.UNKNOWN).to_dict()["line"] is None


def test_an_infinite_bound_is_the_largest_number_that_json_has() -> None:
    plain = Verdict("f", VerdictKind.REFUTED, epsilon_lower=math.inf, witness=Shows()).to_dict()
    assert plain["epsilon_lower"] == sys.float_info.max
    assert json.loads(json.dumps(plain, allow_nan=False)) == plain


def test_the_result_as_text() -> None:
    assert (
        str(Verdict("f", VerdictKind.UNKNOWN, line=3, reason="no proof was found"))
        == "UNKNOWN f (line 3): no proof was found"
    )
    assert str(Verdict("f", VerdictKind.PROVED, certificate="a proof")) == "PROVED f"


@pytest.mark.parametrize(
    ("cost", "text", "price"),
    [
        (
            NoiseCost(3, "laplace", "1", "eps / 2"),
            "line 3: laplace noise is shifted by 1",
            "; eps / 2 per unit",
        ),
        (NoiseCost(3, "bits", "noise xor m<1>"), "line 3: bits noise becomes noise xor m<1>", ""),
        (
            NoiseCost(3, "bernoulli", "x<1> != x<2>", "eps"),
            "line 3: bernoulli noise is flipped when x<1> != x<2>",
            "; eps each time",
        ),
    ],
)
def test_costs_as_text(cost: NoiseCost, text: str, price: str) -> None:
    assert str(cost) == text
    assert cost.with_unit_cost == text + price
