"""Values and intervals: coverage, edges, and what noise drowned."""

from __future__ import annotations

from fractions import Fraction

import pytest

from hedgerow.answers.estimates import Linear, Mean, estimate, expected_error
from hedgerow.errors import InvalidArgument
from hedgerow.mechanisms import Gaussian, Laplace
from hedgerow.plan.measures import Measure, Snap

LAW = Laplace(Fraction(10))


def test_counts_are_whole_and_sums_are_in_their_own_size() -> None:
    count = estimate(Measure("rows"), [[7, -3]], LAW, whole=True)
    assert count.values == [7, -3]
    radius = LAW.error(Fraction(1, 20))
    assert count.intervals(0.95) == [(7 - radius, 7 + radius), (-3 - radius, -3 + radius)]
    cents = estimate(Measure("total", "v0", Snap(Fraction(1, 100), 0, 1000)), [[150]], LAW, whole=False)
    assert cents.values == [1.5]
    assert cents.intervals(0.95) == [(1.5 - radius / 100, 1.5 + radius / 100)]
    assert isinstance(estimate(Measure("total", "v0", Snap(Fraction(1), 0, 9)), [[5]], LAW, whole=True).values[0], int)
    assert estimate(Measure("total", "v0", Snap(Fraction(2), 0, 9)), [[5]], LAW, whole=True).values == [10]
    assert isinstance(estimate(Measure("total", "v0", Snap(Fraction(1, 2), 0, 9)), [[5]], LAW, whole=True).values[0], float)


def test_a_wider_level_gives_a_wider_interval() -> None:
    made = Linear([100], LAW, Fraction(1), True)
    (low, high), (lower, higher) = made.intervals(0.9)[0], made.intervals(0.999)[0]  # type: ignore[misc]
    assert lower < low < high < higher
    for level in (0, 1, 1.5, -1):
        with pytest.raises(InvalidArgument):
            made.intervals(level)


def test_the_mean_lies_between_its_bounds() -> None:
    snap = Snap(Fraction(1, 2), 20, 60)  # 10 to 30
    made = estimate(Measure("mean", "v0", snap), [[1000, -5, 4000], [3000, 50, -20]], LAW, whole=False)
    assert made.values == [15.0, 10.0, 30.0]
    for (low, high), value in zip(made.intervals(0.95), made.values, strict=True):  # type: ignore[misc]
        assert 10 <= low <= value <= high <= 30


def test_a_mean_that_noise_drowned_is_null_with_the_whole_range() -> None:
    made = Mean([-3, 5, 20], [2, -5, 3], LAW, Snap(Fraction(1), 0, 100))
    assert made.values[:2] == [None, None]
    assert made.intervals(0.95) == [(0.0, 100.0)] * 3


@pytest.mark.parametrize("mean", [0.1, 0.5, 0.98])
def test_mean_intervals_cover(mean: float) -> None:
    """2,000 draws at 80 %: fewer than 1,490 hits would be a deviation of more than six standard errors."""
    snap, rows = Snap(Fraction(1), 0, 100), 300
    above = round(rows * 100 * mean)
    law = Laplace(Fraction(400))
    drawn = Mean([law.sample(above) for _ in range(2000)], [law.sample(rows * 100 - above) for _ in range(2000)], law, snap)
    hits = sum(low <= above / rows <= high for low, high in drawn.intervals(Fraction(8, 10)))  # type: ignore[misc]
    assert hits > 1490


def test_expected_errors_are_those_of_the_laws() -> None:
    for law in (Laplace(Fraction(3)), Gaussian(Fraction(3))):
        drawn = [abs(law.sample(0)) for _ in range(20_000)]
        assert abs(sum(drawn) / len(drawn) / expected_error(law, Fraction(1)) - 1) < 0.08
        assert expected_error(law, Fraction(1, 4)) == expected_error(law, Fraction(1)) / 4
    assert expected_error(Laplace(Fraction(1, 10**6)), Fraction(1)) == 0
