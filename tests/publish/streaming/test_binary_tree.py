"""Trees: how far apart neighbours are in them, what averaging gains, and what an element costs."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import pytest

from accuracy.test_noise_sum import beyond, masses
from hedgerow.accuracy.noise_sum import find_sum_radius
from hedgerow.mechanisms.laplace import Laplace
from hedgerow.privacy.sensitivity import Sensitivity
from hedgerow.publish.streaming.binary_tree import TreeMechanism
from hedgerow.publish.streaming.mechanism import StreamReach
from publish.streaming.helpers_running_totals import HALF, SMALL, farthest, neighbours, within


@pytest.mark.parametrize("reach", SMALL, ids=str)
@pytest.mark.parametrize("shape", [(2, 1), (2, 2), (2, 4), (3, 3)])
def test_neighbours_are_as_far_apart_in_a_tree_as_is_said_and_no_farther(
    reach: StreamReach, shape: tuple[int, int]
) -> None:
    way = TreeMechanism.plan(reach, Fraction(1), None, *shape)
    pairs = neighbours(reach)
    assert within(way, pairs)
    if reach.horizon == 12:  # long enough for every level to be complete above some element
        assert farthest(way, pairs)[2:] == (way.sensitivity.l1, way.sensitivity.l2_squared)


@dataclass(frozen=True)
class Light(TreeMechanism):
    """A planted mistake: the sum of all was forgotten in the price."""

    @property
    def sensitivity(self) -> Sensitivity:
        return self._compute_sensitivity(self.reach, self.branching, self.levels - 1)


def test_a_planted_mistake_is_caught() -> None:
    reach = StreamReach(12, 1000)
    assert not within(
        Light(reach, 2, 4, TreeMechanism.plan(reach, HALF, None, 2, 4).noise), neighbours(reach)
    )


def test_averaging_halves_the_variance_of_large_sums() -> None:
    reach = StreamReach(4096, 1)
    plain, averaged = (
        TreeMechanism.plan(reach, None, HALF, 2, 13, averaged=averaged)
        for averaged in (False, True)
    )
    # not of single elements
    assert 1.3 < math.sqrt(plain.total_variance() / averaged.total_variance()) < 1.42
    assert math.isclose(averaged.variances()[4095], plain.variances()[4095] / 2, rel_tol=1e-3)


def test_an_element_costs_no_more_than_the_logarithm() -> None:
    """Numbers that are kept, and draws of noise, counted."""
    for power in (3, 8, 14):
        tree = TreeMechanism.plan(StreamReach(2**power, 1), HALF, None, 2, power + 1)
        assert len(tree.initial_state().private) + len(tree.initial_state().public) == 2 * (
            power + 1
        )
        draws = [
            len(tree.measure_element(tree.initial_state().private, place, 1)[1])
            for place in range(2**power)
        ]
        assert max(draws) == power + 1
        assert sum(draws) == 2 * 2**power - 1


def test_the_best_shape_in_pure_epsilon_has_more_than_two_parts() -> None:
    reach = StreamReach(4096, 1)
    two, sixteen = (
        TreeMechanism.plan(reach, Fraction(1), None, 2, 11),
        TreeMechanism.plan(reach, Fraction(1), None, 16, 3),
    )
    assert math.sqrt(two.total_variance() / sixteen.total_variance()) > 1.3


# of complete sums in a tree of 2 with 3 levels, in parts of 21
WEIGHTS = {0: (21,), 1: (14, 7, 7), 2: (12, 6, 6, 3, 3, 3, 3)}


@pytest.mark.parametrize("epsilon", [3, 1, Fraction(1, 4)], ids=str)
def test_radii_follow_from_the_law_of_each_sum(epsilon: Fraction) -> None:
    """Exactly: all weights are multiples of 1/21, so the law of a sum so far is found by adding
    up draws, one after another.
    """
    way = TreeMechanism.plan(StreamReach(9, 1), Fraction(epsilon), None, 2, 3)
    laws = {level: masses(way.noise, 1, weights) for level, weights in WEIGHTS.items()}
    outside = []
    for number, radius in enumerate(way.radii(0.05), start=1):
        mass = np.ones(1)
        for level, many in enumerate((number % 2, number // 2 % 2, number // 4)):
            for _ in range(many):
                size = len(mass) + len(laws[level]) - 1
                mass = np.fft.irfft(np.fft.rfft(mass, size) * np.fft.rfft(laws[level], size), size)
        outside.append(beyond(mass, 21 * radius))
        assert outside[-1] <= 0.05
        assert beyond(mass, 21 * 0.96 * radius) > 0.05 - 1e-9
    if epsilon <= 1:
        assert np.mean(outside[1:]) > 0.044  # the first is one draw, in whole steps


def test_radii_of_plain_trees_and_of_elements_are_the_smallest() -> None:
    law = Laplace(Fraction(3))
    plain, each = (
        TreeMechanism(StreamReach(12, 1), 2, 3, law, False),
        TreeMechanism(StreamReach(12, 1), 2, 1, law),
    )
    assert plain.radii(0.05)[[0, 2, 6, 10]].tolist() == [
        find_sum_radius(law, many, 0.05) for many in (1, 2, 3, 4)
    ]
    assert each.radii(0.05).tolist() == [find_sum_radius(law, many, 0.05) for many in range(1, 13)]


def test_long_streams_get_a_bound() -> None:
    way = TreeMechanism.plan(StreamReach(4097, 1), Fraction(1), None, 16, 3)
    far, few = way.radii(0.05), TreeMechanism(StreamReach(100, 1), 16, 3, way.noise).radii(0.05)
    assert (far[:100] >= few).all()
    assert (far[:100] <= 1.3 * few).all()
