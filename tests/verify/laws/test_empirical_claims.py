"""Mechanisms that state no law: a claim that does not hold shows in draws."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest

from hedgerow.mechanisms import Quantiles
from hedgerow.privacy.loss import Loss
from hedgerow.verify.laws import claims
from hedgerow.verify.laws.case import LawBroken, make_case
from hedgerow.verify.laws.empirical_claims import check_claim_by_draws
from verify.laws.helpers_planted_quantiles import BareQuantiles

AT = (Fraction(1, 4), Fraction(1, 2))


class WithDelta(Quantiles):
    """The same choices, with a delta beside a smaller epsilon."""

    def loss(self, rows: int = 1) -> Loss:
        return Loss(Fraction(super().loss(rows).epsilon), Fraction(1, 100))


def test_a_claim_that_holds_keeps_the_law() -> None:
    words = check_claim_by_draws(
        make_case(Quantiles(AT, "change-one", Fraction(1)), 1, 10_000, None), "law"
    )
    assert words.startswith("no probabilities are stated; 500 draws on each side")
    assert words.endswith("2 is allowed")


@pytest.mark.parametrize("claim", [None, (1, 1e-3)], ids=str)
def test_a_claim_that_fails_breaks_the_law(claim: Any) -> None:
    case = make_case(BareQuantiles(AT, "change-one", Fraction(1, 2)), 1, 10_000, claim)
    with pytest.raises(LawBroken, match="or more in draws"):
        check_claim_by_draws(case, "epsilon covers neighbours")


def test_laws_that_have_nothing_to_compute_say_so() -> None:
    pure, other = (
        make_case(cls(AT, "add-remove", Fraction(1)), 1, 10_000, None)
        for cls in (Quantiles, WithDelta)
    )
    assert claims.probabilities_sum_to_one(pure).figures == "none are stated"
    assert claims.rho_covers_neighbours(pure).figures == "no probabilities are stated"
    assert "draws on each side" in claims.epsilon_covers_neighbours(pure).figures
    assert claims.delta_covers_neighbours(pure).figures == "no delta is claimed"
    assert claims.epsilon_covers_neighbours(other).figures == "no pure epsilon is claimed"
    assert "draws on each side" in claims.delta_covers_neighbours(other).figures
