"""Intervals of means over noisy counts: they hold the mean as often as they say, and are not
much wider than they must be.
"""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest

from hedgerow.accuracy.histogram_mean import BinNoise, BinPoints, compute_bin_mean_intervals
from hedgerow.mechanisms import Gaussian, Laplace
from hedgerow.publish.strategies.strategy import AdditiveNoise

COUNTS = np.array([40, 90, 25, 10, 3])
POINTS = np.linspace(-1, 1, 5)
RUNS = 20_000
LAWS = [Laplace(Fraction(1)), Laplace(Fraction(8)), Gaussian(Fraction(3, 2)), Gaussian(Fraction(8))]


def at_most(beta: float) -> float:
    """The most misses of ``RUNS`` at this rate; more, by chance, once in 10^9: six and a half
    standard deviations.
    """
    return RUNS * beta + 6.5 * math.sqrt(RUNS * beta * (1 - beta))


def misses(
    law: AdditiveNoise,
    beta: float,
    exact: float,
    low: np.ndarray,
    high: np.ndarray,
    draws: int = 1,
    shrink: float = 1.0,
) -> tuple[int, float]:
    counts = COUNTS + law.sample(np.zeros((RUNS, draws, 5), dtype=np.int64)).sum(axis=1).astype(
        float
    )
    start, stop = compute_bin_mean_intervals(
        BinPoints.from_points(low, counts),
        BinPoints.from_points(high, counts),
        counts,
        BinNoise(law, draws, Fraction(beta)),
    )
    middle, half = (start + stop) / 2, (stop - start) / 2 * shrink
    return int(((exact < middle - half) | (exact > middle + half)).sum()), float(2 * half.mean())


@pytest.mark.parametrize("law", LAWS, ids=str)
@pytest.mark.parametrize("draws", [1, 3])
def test_the_mean_of_points_is_inside_as_often_as_promised(law: AdditiveNoise, draws: int) -> None:
    exact = float(POINTS @ COUNTS / COUNTS.sum())
    missed, width = misses(law, 0.1, exact, POINTS, POINTS, draws)
    assert missed <= at_most(0.1)
    # A normal interval, which would be about right, is not much narrower.
    spread = float(law.scale) * math.sqrt(2 if isinstance(law, Laplace) else 1)
    normal = (
        2
        * 1.645
        * spread
        * math.sqrt(draws * float(np.square(POINTS - exact).sum()))
        / COUNTS.sum()
    )
    assert width < 1.9 * normal


def test_an_interval_of_half_the_width_is_caught() -> None:
    missed, _ = misses(
        Laplace(Fraction(4)), 0.1, float(POINTS @ COUNTS / COUNTS.sum()), POINTS, POINTS, shrink=0.5
    )
    assert missed > at_most(0.1)


@pytest.mark.parametrize("where", [0.0, 1.0])
def test_values_anywhere_in_their_bins_are_covered(where: float) -> None:
    low, high = POINTS - 0.25, POINTS + 0.25
    exact = float((low + where * (high - low)) @ COUNTS / COUNTS.sum())
    missed, _ = misses(Laplace(Fraction(4)), 0.1, exact, low, high)
    assert missed <= at_most(0.1)
    # What forgets the bins misses.
    forgot, _ = misses(Laplace(Fraction(4)), 0.1, exact, POINTS, POINTS)
    assert forgot > at_most(0.1)


def test_pure_noise_gives_the_whole_range() -> None:
    counts = np.array([3.0, -4.0, 1.0, 0.0, -2.0])
    points = BinPoints.from_points(POINTS, counts)
    start, stop = compute_bin_mean_intervals(
        points, points, counts, BinNoise(Laplace(Fraction(50)), 1, Fraction(1, 20))
    )
    assert (start[0], stop[0]) == (-1, 1)


def test_several_means_at_once_equal_each_mean_alone() -> None:
    rows, counts = np.stack([POINTS, POINTS**2, np.eye(5)[1]]), COUNTS + 1.0
    noise = BinNoise(Laplace(Fraction(2)), 1, Fraction(1, 20))
    together = compute_bin_mean_intervals(
        BinPoints.from_points(rows, counts), BinPoints.from_points(rows, counts), counts, noise
    )
    for place, row in enumerate(rows):
        alone = compute_bin_mean_intervals(
            BinPoints.from_points(row, counts), BinPoints.from_points(row, counts), counts, noise
        )
        assert (together[0][place], together[1][place]) == pytest.approx(
            (alone[0][0], alone[1][0]), abs=1e-9
        )


def test_the_bins_that_share_noise_are_a_lower_bound_at_every_mean() -> None:
    for points in (
        POINTS,
        POINTS**2,
        np.array([0.0, 0, 0, 1]),
        np.array([2.0]),
        np.arange(30.0) ** 2,
    ):
        least = BinPoints.from_points(points, np.ones(len(points))).variance_sharers[0]
        for at in np.linspace(points.min() - 1, points.max() + 1, 401):
            squares, most = np.square(points - at).sum(), np.abs(points - at).max()
            assert least * most**2 <= squares + 1e-9


def test_ends_are_where_the_test_starts_to_reject() -> None:
    """Against a fine grid of all means."""
    counts = COUNTS + np.array([2.0, -1, 0, 3, -2])
    noise = BinNoise(Gaussian(Fraction(5)), 1, Fraction(1, 20))
    low, high = (
        BinPoints.from_points(POINTS - 0.1, counts),
        BinPoints.from_points(POINTS + 0.1, counts),
    )
    start, stop = compute_bin_mean_intervals(low, high, counts, noise)
    tried = np.linspace(-1.1, 1.1, 20_001)
    ones = noise.compute_factors(np.ones(1))
    passed = [
        t
        for t in tried
        if low.weighted[0] - t * counts.sum() <= low.compute_radii(np.array([t]), noise, ones)[0]
        and high.weighted[0] - t * counts.sum()
        >= -high.compute_radii(np.array([t]), noise, ones)[0]
    ]
    assert start[0] == pytest.approx(passed[0], abs=2e-4)
    assert stop[0] == pytest.approx(passed[-1], abs=2e-4)
