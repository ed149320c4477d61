"""Errors in ranks, distances and radii: a little less does not cover."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from hedgerow.mechanisms import (
    Extreme,
    InverseSensitivity,
    ProposeTestRelease,
    Quantiles,
    SparseVector,
    StabilityHistogram,
    Stable,
)
from hedgerow.sensitivity.order_statistics import Quantile
from hedgerow.sensitivity.rank_pieces import compute_rank_errors
from hedgerow.verify.laws.accuracy import error_covers
from hedgerow.verify.laws.case import LawBroken, make_case
from hedgerow.verify.laws.error_radius import _compute_rank_errors
from mechanisms import helpers_small_data_sets as tiny
from verify.laws import helpers_planted_quantiles

ONE, HALF = Fraction(1), Fraction(1, 2)


def check(mechanism: Any) -> str:
    return error_covers(make_case(mechanism, 1, 10_000, None)).figures


@pytest.mark.parametrize(
    "mechanism",
    [
        Quantiles((Fraction(1, 3),), "add-remove", ONE),
        Extreme("min", 5, HALF),
        InverseSensitivity(ONE),
        ProposeTestRelease.calibrate(bound=1, epsilon=1, delta=1e-3),
        Stable.calibrate(epsilon=0.1, delta=1e-6),
        StabilityHistogram.calibrate(epsilon=0.1, delta=1e-6, neighbours="change-one"),
        SparseVector.calibrate(sensitivity=1, epsilon=0.1, cutoff=2),
    ],
    ids=lambda x: type(x).__name__,
)
def test_good_errors(mechanism: Any) -> None:
    assert "error(0.05" in check(mechanism)


@pytest.mark.parametrize("by", [-1, 1])
@pytest.mark.parametrize(
    "base", [Stable, StabilityHistogram, ProposeTestRelease, InverseSensitivity]
)
def test_one_step_off_is_seen_both_ways(base: type, by: int) -> None:
    class Off(base):  # type: ignore[misc,valid-type]
        def error(self, beta: Any, *more: Any) -> Any:
            return max(
                (
                    super().error(beta, *more) + 1.5 * by
                    if base is InverseSensitivity
                    else super().error(beta, *more) + by
                ),
                0,
            )

    how: dict[type, dict[str, Any]] = {
        Stable: {"epsilon": 1, "delta": 1e-3},
        StabilityHistogram: {"epsilon": 1, "delta": 1e-3, "neighbours": "add-remove"},
        ProposeTestRelease: {"bound": 1, "epsilon": 1, "delta": 1e-3},
        InverseSensitivity: {"epsilon": 1},
    }
    with pytest.raises(LawBroken, match="error covers"):
        check(Off.calibrate(**how[base]))  # type: ignore[attr-defined]


def test_ranks_are_those_of_the_statistic() -> None:
    for relation in ("add-remove", "change-one"):
        for p in (HALF, Fraction(1, 5), Fraction(2, 3)):
            for rows in tiny.every(4, range(1, 5)):
                expected, _ = compute_rank_errors(
                    Quantile(p, relation), tiny.count(tiny.sample(rows, 4), [0, 1, 2, 3])
                )
                found = _compute_rank_errors(Quantiles((p,), relation, ONE), relation, rows, 3)[0]
                unit = 1 if relation == "change-one" else p.denominator
                assert found == pytest.approx(np.asarray(expected) / unit, abs=1e-8)


def test_values_beyond_an_extreme() -> None:
    assert _compute_rank_errors(Extreme("max", 1, ONE), "add-remove", (0, 1, 1, 3), 3)[
        0
    ].tolist() == [3, 1, 1, 0]
    assert _compute_rank_errors(Extreme("min", 1, ONE), "add-remove", (0, 1, 1, 3), 3)[
        0
    ].tolist() == [0, 1, 3, 3]


def test_mechanisms_without_an_error_in_ranks_say_so() -> None:
    assert check(helpers_planted_quantiles.LocalMedian(ONE)) == "no error is stated"

    class Own(helpers_planted_quantiles.LocalMedian):
        def error(self, beta: Any) -> float:
            return 1.0

    assert check(Own(ONE)) == "no error in ranks is stated"
