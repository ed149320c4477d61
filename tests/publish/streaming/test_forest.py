"""Trees: how far apart neighbours are in them, what averaging gains, and what an element costs."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import pytest

from hedgerow.mechanisms.laplace import Laplace
from hedgerow.privacy.sensitivity import Sensitivity
from hedgerow.publish.intervals import sum_radius
from hedgerow.publish.streaming.forest import Forest
from hedgerow.publish.streaming.ways import Reach
from publish.streaming.telling import HALF, SMALL, farthest, neighbours, within
from publish.test_intervals import beyond, masses


@pytest.mark.parametrize("reach", SMALL, ids=str)
@pytest.mark.parametrize("shape", [(2, 1), (2, 2), (2, 4), (3, 3)])
def test_neighbours_are_as_far_apart_in_a_tree_as_is_said_and_no_farther(reach: Reach, shape: tuple[int, int]) -> None:
    way = Forest.plan(reach, Fraction(1), None, *shape)
    pairs = neighbours(reach)
    assert within(way, pairs)
    if reach.horizon == 12:  # long enough for every level to be complete above some element
        assert farthest(way, pairs)[2:] == (way.sensitivity.l1, way.sensitivity.l2_squared)


@dataclass(frozen=True)
class Light(Forest):
    """A planted mistake: the sum of all was forgotten in the price."""

    @property
    def sensitivity(self) -> Sensitivity:
        return self._move(self.reach, self.branching, self.levels - 1)


def test_a_planted_mistake_is_caught() -> None:
    reach = Reach(12, 1000)
    assert not within(Light(reach, 2, 4, Forest.plan(reach, HALF, None, 2, 4).law), neighbours(reach))


def test_averaging_halves_the_variance_of_large_sums() -> None:
    reach = Reach(4096, 1)
    plain, averaged = (Forest.plan(reach, None, HALF, 2, 13, averaged=averaged) for averaged in (False, True))
    assert 1.3 < math.sqrt(plain.total() / averaged.total()) < 1.42  # not of single elements
    assert math.isclose(averaged.variances()[4095], plain.variances()[4095] / 2, rel_tol=1e-3)


def test_an_element_costs_no_more_than_the_logarithm() -> None:
    """Numbers that are kept, and draws of noise, counted."""
    for power in (3, 8, 14):
        tree = Forest.plan(Reach(2**power, 1), HALF, None, 2, power + 1)
        assert len(tree.start().private) + len(tree.start().public) == 2 * (power + 1)
        draws = [len(tree.measured(tree.start().private, place, 1)[1]) for place in range(2**power)]
        assert max(draws) == power + 1
        assert sum(draws) == 2 * 2**power - 1


def test_the_best_shape_in_pure_epsilon_has_more_than_two_parts() -> None:
    reach = Reach(4096, 1)
    two, sixteen = Forest.plan(reach, Fraction(1), None, 2, 11), Forest.plan(reach, Fraction(1), None, 16, 3)
    assert math.sqrt(two.total() / sixteen.total()) > 1.3


WEIGHTS = {0: (21,), 1: (14, 7, 7), 2: (12, 6, 6, 3, 3, 3, 3)}  # of complete sums in a tree of 2 with 3 levels, in parts of 21


@pytest.mark.parametrize("epsilon", [3, 1, Fraction(1, 4)], ids=str)
def test_radii_follow_from_the_law_of_each_sum(epsilon: Fraction) -> None:
    """Exactly: all weights are multiples of 1/21, so the law of a sum so far is found by adding up draws, one after another."""
    way = Forest.plan(Reach(9, 1), Fraction(epsilon), None, 2, 3)
    laws = {level: masses(way.law, 1, weights) for level, weights in WEIGHTS.items()}
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
    plain, each = Forest(Reach(12, 1), 2, 3, law, False), Forest(Reach(12, 1), 2, 1, law)
    assert plain.radii(0.05)[[0, 2, 6, 10]].tolist() == [sum_radius(law, many, 0.05) for many in (1, 2, 3, 4)]
    assert each.radii(0.05).tolist() == [sum_radius(law, many, 0.05) for many in range(1, 13)]


def test_long_streams_get_a_bound() -> None:
    way = Forest.plan(Reach(4097, 1), Fraction(1), None, 16, 3)
    far, few = way.radii(0.05), Forest(Reach(100, 1), 16, 3, way.law).radii(0.05)
    assert (far[:100] >= few).all()
    assert (far[:100] <= 1.3 * few).all()
