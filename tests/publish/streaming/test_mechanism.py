"""The ways to tell sums: what is told without noise, what noise does to it, and noise on every
sum.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import pytest

from goodness import FAR
from hedgerow.accuracy.noise_variance import compute_noise_variance
from hedgerow.mechanisms.gaussian import Gaussian
from hedgerow.mechanisms.laplace import Laplace
from hedgerow.publish.streaming.binary_tree import TreeMechanism
from hedgerow.publish.streaming.buffered_toeplitz import BufferedToeplitz
from hedgerow.publish.streaming.mechanism import EachPrefixMechanism, StreamMechanism, StreamReach
from publish.streaming.helpers_running_totals import (
    HALF,
    SMALL,
    farthest,
    neighbours,
    told,
    ways,
    within,
)


@pytest.mark.parametrize("reach", SMALL, ids=str)
def test_neighbours_are_as_far_apart_in_all_sums_as_is_said(reach: StreamReach) -> None:
    way = EachPrefixMechanism.plan(reach, Fraction(1), None)
    assert within(way, neighbours(reach))
    if reach.touched == 1:
        assert farthest(way, neighbours(reach))[2:] == (
            way.sensitivity.l1,
            way.sensitivity.l2_squared,
        )


@dataclass(frozen=True)
class Unclamped(EachPrefixMechanism):
    """A planted mistake: the first element counts twice."""

    def measure_element(
        self, private: tuple[int, ...], place: int, element: int
    ) -> tuple[tuple[int, ...], list[int]]:
        return super().measure_element(private, place, element * (2 if place == 0 else 1))


def test_a_planted_mistake_is_caught() -> None:
    reach = StreamReach(12, 1000)
    assert not within(
        Unclamped(reach, EachPrefixMechanism.plan(reach, HALF, None).noise), neighbours(reach)
    )


REACHES = [StreamReach(1, 1), StreamReach(20, 50), StreamReach(20, 50, 3)]
ALL = [way for reach in REACHES for way in ways(reach)]


@pytest.mark.parametrize("way", ALL, ids=lambda way: f"{way.name}, {way.reach}")
def test_without_noise_the_sums_are_exact(way: StreamMechanism) -> None:
    stream = tuple((13 * k * k) % (way.reach.width + 1) for k in range(way.reach.horizon))
    silent = [
        [0] * len(way.measure_element(way.initial_state().private, place, 0)[1])
        for place in range(len(stream))
    ]
    assert np.allclose(told(way, silent, stream), np.cumsum(stream), rtol=0, atol=1e-6)


@pytest.mark.parametrize("way", ALL, ids=lambda way: f"{way.name}, {way.reach}")
def test_variances_follow_from_what_each_draw_of_noise_does(way: StreamMechanism) -> None:
    """What is told is linear in the noise: one large draw at a time shows every weight."""
    n, large = way.reach.horizon, 2**50
    silent = [
        [0] * len(way.measure_element(way.initial_state().private, place, 0)[1])
        for place in range(n)
    ]
    squares, most = np.zeros(n), 0.0
    for place, cells in enumerate(silent):
        for cell in range(len(cells)):
            noise = [list(row) for row in silent]
            noise[place][cell] = large
            weights = np.array(told(way, noise, (0,) * n)) / large
            squares += weights**2
            most = max(most, float(np.abs(weights).max()))
    variance = compute_noise_variance(way.noise)
    assert np.allclose(way.variances(), variance * squares, rtol=1e-9)
    assert math.isclose(way.total_variance(), float(way.variances().sum()), rel_tol=1e-12)
    scale = way._scales[0] * 2.0**-way.noise_bits if isinstance(way, BufferedToeplitz) else 1
    assert most <= scale * (1 + 1e-9)  # what the radii are computed with


@pytest.mark.long
@pytest.mark.parametrize("way", ways(StreamReach(20, 50))[1:], ids=lambda way: way.name)
def test_measured_errors_are_those_predicted(way: StreamMechanism) -> None:
    """Live noise. The mean of squares over their expectation, with its standard error from the
    fourth moments as they were seen. Below, where squares that happen to be small make that error
    small as well, the limit is fixed: Chernoff's bound for 0.7 is at most 6e-11."""
    runs, stream = 500, tuple((31 * k) % 51 for k in range(20))
    exact, ratios, inside = np.cumsum(stream), np.empty(runs), np.zeros(20)
    radii, spread = way.radii(0.05), way.variances()
    for run in range(runs):
        noise = [
            [
                way.noise.sample(0)
                for _ in way.measure_element(way.initial_state().private, place, 0)[1]
            ]
            for place in range(20)
        ]
        off = np.array(told(way, noise, stream)) - exact
        ratios[run] = (off**2 / spread).mean()
        inside += np.abs(off) <= radii
    assert 0.7 < ratios.mean() <= 1 + FAR * ratios.std() / math.sqrt(runs)
    # of a binomial law so skewed, below 1e-11
    assert (inside / runs >= 0.95 - 8 * math.sqrt(0.05 * 0.95 / runs)).all()


def test_radii_of_all_sums_are_the_smallest() -> None:
    way = EachPrefixMechanism.plan(StreamReach(4, 3), Fraction(1), None)
    assert (way.radii(0.05) == way.noise.error(0.05)).all()


def test_noise_is_of_the_kind_that_is_paid() -> None:
    assert isinstance(TreeMechanism.plan(StreamReach(4, 1), HALF, None).noise, Laplace)
    assert isinstance(TreeMechanism.plan(StreamReach(4, 1), None, HALF).noise, Gaussian)
    assert [way.name for way in ways(StreamReach(20, 1))] == [
        "each prefix",
        "each element",
        "tree of 2, 3 levels",
        "tree of 3, 3 levels",
        "plain tree of 2, 5 levels",
        "square root of sums, 6 buffers",
    ]
