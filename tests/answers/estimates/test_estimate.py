"""Values and intervals: coverage, edges, and what noise drowned."""

from __future__ import annotations

import math
from dataclasses import replace
from datetime import date
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from hedgerow.accuracy.weighted_noise import WeightedNoise
from hedgerow.accuracy.weighted_sum import compute_radius
from hedgerow.answers.estimates.estimate import (
    LinearEstimate,
    MeanEstimate,
    SelectedValue,
    compute_linear_weights,
    estimate_aggregate,
)
from hedgerow.errors import InvalidArgument
from hedgerow.mechanisms import Laplace
from hedgerow.plan.measures import ClampedGrid, Measure, UnitReach
from hedgerow.plan.order_statistics import OrderStatistic
from hedgerow.plan.values import Type
from hedgerow.release.candidate_selection import CalibratedSelection
from hedgerow.sql.question import AggregateCall, AggregateFunction

LAW = Laplace(Fraction(10))
ONE = (Fraction(1),)


def called(
    function: AggregateFunction,
    measure: Measure | OrderStatistic,
    type_: Type = "real",
    at: Fraction | None = None,
) -> AggregateCall:
    return AggregateCall("a0", function, measure, type_, "…", at)


def test_counts_are_whole_and_sums_are_in_their_own_size() -> None:
    count = estimate_aggregate(called("COUNT", Measure("rows"), "integer"), [[7, -3]], LAW)
    assert count.values == [7, -3]
    far = LAW.error(Fraction(1, 20))
    assert count.intervals(0.95) == [(7 - far, 7 + far), (-3 - far, -3 + far)]
    cents = estimate_aggregate(
        called("SUM", Measure("total", "v0", ClampedGrid(Fraction(1, 100), 0, 1000))), [[150]], LAW
    )
    assert cents.values == [1.5]
    assert cents.intervals(0.95) == [(1.5 - far / 100, 1.5 + far / 100)]
    for step, value in ((1, 5), (2, 10)):
        whole = estimate_aggregate(
            called("SUM", Measure("total", "v0", ClampedGrid(Fraction(step), 0, 9)), "integer"),
            [[5]],
            LAW,
        )
        assert whole.values == [value]
        assert isinstance(whole.values[0], int)


def test_a_wider_level_gives_a_wider_interval() -> None:
    made = LinearEstimate([[100]], ONE, LAW, True)
    (low, high), (lower, higher) = made.intervals(0.9)[0], made.intervals(0.999)[0]  # type: ignore[misc]
    assert lower < low < high < higher
    for level in (0, 1, 1.5, -1):
        with pytest.raises(InvalidArgument):
            made.intervals(level)


def test_whole_numbers_that_were_averaged_lie_between_whole_numbers() -> None:
    law = WeightedNoise(((LAW, Fraction(1, 5)), (Laplace(Fraction(5)), Fraction(4, 5))))
    made = LinearEstimate([[Fraction(513, 5), 7]], ONE, law, True)
    far = compute_radius(law, ONE, Fraction(1, 20))
    (low, high), (lower, higher) = made.intervals(0.95)  # type: ignore[misc]
    assert made.values == [103, 7]
    # and no whole number in there is left out:
    assert Fraction(513, 5) - far <= low <= 103 <= high <= Fraction(513, 5) + far
    assert low - 1 < Fraction(513, 5) - far
    assert high + 1 > Fraction(513, 5) + far
    assert (lower, higher) == (math.ceil(7 - far), math.floor(7 + far))
    sharp = LinearEstimate([[Fraction(5, 2)]], ONE, Laplace(Fraction(1, 1000)), True)
    assert sharp.intervals(0.95) == [(2, 3)]  # no whole number is that near
    halves = (Fraction(1, 2),) * 2  # off moments, say
    far = compute_radius(law, halves, Fraction(1, 20))
    for scaled, ends in ((False, (math.ceil, math.floor)), (True, (math.floor, math.ceil))):
        # Of rows that were scaled down, what is meant need not be whole.
        known = LinearEstimate([[Fraction(512, 5)], [0]], halves, law, True, scaled)
        assert known.intervals(0.95) == [
            (ends[0](Fraction(256, 5) - far), ends[1](Fraction(256, 5) + far))
        ]


def moments(values: Any, snap: ClampedGrid, degree: int) -> list[list[int]]:
    """The exact moments of values given in steps."""
    y, w = np.asarray(values, dtype=object) - snap.low, snap.high - snap.low
    powers = [y, w - y] if degree == 1 else [y * y, 2 * y * (w - y), (w - y) * (w - y)]
    return [[int(power.sum())] for power in powers]


@pytest.mark.parametrize("degree", [1, 2])
def test_counts_sums_and_means_are_read_off_the_moments(degree: int) -> None:
    snap = ClampedGrid(Fraction(1, 2), -20, 60)
    steps = [-20, 3, 17, 60, 60, 8]
    measure, found = Measure("moments", "v0", snap, degree=degree), moments(steps, snap, degree)
    assert estimate_aggregate(called("COUNT", measure, "integer"), found, LAW).values == [6]
    assert estimate_aggregate(called("SUM", measure), found, LAW).values == [sum(steps) / 2]
    assert estimate_aggregate(called("AVG", measure), found, LAW).values == [
        pytest.approx(sum(steps) / 2 / 6)
    ]
    assert compute_linear_weights(called("AVG", measure)) is None
    # Two rows more have no value.
    fuller, found = replace(measure, has_null_sum=True), [*found, [2 * 80**degree]]
    assert estimate_aggregate(called("COUNT", fuller, "integer"), found, LAW).values == [6]
    assert estimate_aggregate(
        replace(called("COUNT", fuller, "integer"), counts_rows=True), found, LAW
    ).values == [8]
    assert estimate_aggregate(called("SUM", fuller), found, LAW).values == [sum(steps) / 2]
    assert estimate_aggregate(called("AVG", fuller), found, LAW).values == [
        pytest.approx(sum(steps) / 2 / 6)
    ]


def test_the_mean_lies_between_its_bounds() -> None:
    snap = ClampedGrid(Fraction(1, 2), 20, 60)  # 10 to 30
    for numbers in (
        [[1000, -5, 4000], [3000, 50, -20]],
        [[500, -5, 4000], [1000, 10, 0], [2500, 30, -20]],
    ):
        made = MeanEstimate(numbers, LAW, snap)
        assert made.values == [15.0, 10.0, 30.0]
        for (low, high), value in zip(made.intervals(0.95), made.values, strict=True):  # type: ignore[misc]
            assert 10 <= low <= value <= high <= 30


def test_a_mean_that_noise_drowned_is_null_with_the_whole_range() -> None:
    made = MeanEstimate([[-3, 5, 20], [2, -5, 3]], LAW, ClampedGrid(Fraction(1), 0, 100))
    assert made.values[:2] == [None, None]
    assert made.intervals(0.95) == [(0.0, 100.0)] * 3


@pytest.mark.parametrize("degree", [1, 2])
@pytest.mark.parametrize("mean", [0.1, 0.5, 0.98])
def test_mean_intervals_cover(mean: float, degree: int) -> None:
    """2,000 draws at 80 %: fewer than 1,490 hits would be a deviation of more than six standard
    errors.
    """
    snap, rows = ClampedGrid(Fraction(1), 0, 100), 300
    steps = [100] * round(rows * mean) + [0] * (rows - round(rows * mean))
    law = Laplace(Fraction(4 * 100**degree))
    drawn = [
        [law.sample(column[0]) for _ in range(2000)] for column in moments(steps, snap, degree)
    ]
    hits = sum(
        low <= sum(steps) / rows <= high
        for low, high in MeanEstimate(drawn, law, snap).intervals(Fraction(8, 10))
    )  # type: ignore[misc]
    assert hits > 1490


def test_a_selected_value_is_shown_as_its_type() -> None:
    halves = OrderStatistic(
        "quantiles",
        "v0",
        ClampedGrid(Fraction(1, 2), 0, 100),
        quantiles=(Fraction(1, 4), Fraction(1, 2)),
    )
    law = CalibratedSelection.calibrate(halves, UnitReach(1, 1, 1, False), epsilon=Fraction(1))
    middle = estimate_aggregate(
        called("QUANTILE", halves, at=Fraction(1, 2)), [[1, 2], [3, None]], law
    )
    assert isinstance(middle, SelectedValue)
    assert middle.values == [1.5, None]
    assert middle.intervals(0.95) == [None, None]
    with pytest.raises(InvalidArgument):
        middle.intervals(2)
    whole = OrderStatistic("greatest", "v0", ClampedGrid(Fraction(4), 0, 100))
    assert estimate_aggregate(called("MAX", whole, "integer"), [[3]], law).values == [12]
    assert estimate_aggregate(
        called("MIN", OrderStatistic("least", "v0", ClampedGrid(Fraction(1), 1, 999_999)), "date"),
        [[738_000]],
        law,
    ).values == [date.fromordinal(738_000)]
    last = OrderStatistic("least", "v0", ClampedGrid(Fraction(1), 1, 999_999))
    for grain, first in (
        ("day", date(2026, 6, 29)),
        ("month", date(2026, 6, 1)),
        ("year", date(2026, 1, 1)),
    ):
        found = estimate_aggregate(
            called("MIN", last, "date"), [[date(2026, 6, 29).toordinal(), None]], law, grain
        )  # type: ignore[arg-type]
        assert found.values == [first, None]
    assert estimate_aggregate(
        called("MODE", OrderStatistic("mode", "v0", values=("a", "b")), "text"), [[1, None]], law
    ).values == ["b", None]
