"""Trees: how far apart neighbours are in them, what averaging gains, and what an element costs."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

import pytest

from hedgerow.privacy.sensitivity import Sensitivity
from hedgerow.publish.streaming.forest import Forest
from hedgerow.publish.streaming.ways import Reach
from publish.streaming.telling import HALF, SMALL, farthest, neighbours, within


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
