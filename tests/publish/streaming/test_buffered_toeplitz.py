"""The square root in buffers: how far apart neighbours are, rounding and all, and how near the
least error it is.
"""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass, replace
from fractions import Fraction

import pytest

from hedgerow.publish.streaming.binary_tree import TreeMechanism
from hedgerow.publish.streaming.buffered_toeplitz import BufferedToeplitz
from hedgerow.publish.streaming.mechanism import StreamReach
from hedgerow.publish.streaming.toeplitz_buffers import FRACTION_BITS
from publish.helpers_optimum import AT_4096
from publish.streaming.helpers_running_totals import HALF, SMALL, farthest, neighbours, within


@pytest.mark.parametrize("rho", [HALF, Fraction(1, 10**9), Fraction(1000)])
@pytest.mark.parametrize("reach", SMALL, ids=str)
def test_neighbours_are_no_farther_apart_in_buffers_than_is_said_and_hardly_nearer(
    reach: StreamReach, rho: Fraction
) -> None:
    way = BufferedToeplitz.plan(reach, rho)
    pairs = neighbours(reach)
    assert within(way, pairs)
    assert farthest(way, pairs)[3] >= Fraction(999, 1000) * way.sensitivity.l2_squared


@pytest.mark.parametrize("fine", [-3, 0, 2])
def test_rounding_to_coarse_noise_is_counted(fine: int) -> None:
    """With coarse steps rounding is not small; the bound holds all the same, and without what it
    adds for rounding it would not.
    """
    way = replace(BufferedToeplitz.plan(StreamReach(12, 3), HALF), noise_bits=fine)
    pairs = [
        (tuple(one), tuple(other))
        for base in itertools.product((0, 1, 3), repeat=5)
        for one in [[*base, 2, 0, 1, 2, 3, 2, 1]]
        for other in [[*base[:2], 3 - base[2], *base[3:], 2, 0, 1, 2, 3, 2, 1]]
    ]
    assert within(way, pairs)
    if fine <= 0:
        assert farthest(way, pairs)[3] > (3 * Fraction(2) ** fine) ** 2


@dataclass(frozen=True)
class Heavy(BufferedToeplitz):
    """A planted mistake: weights 1 % too large."""

    def _choose_weight(self, place: int) -> int:
        return super()._choose_weight(place) * 101 // 100


def test_a_planted_mistake_is_caught() -> None:
    reach = StreamReach(12, 1000)
    right = BufferedToeplitz.plan(reach, HALF)
    assert within(right, neighbours(reach))
    assert not within(Heavy(reach, right.buffers, right.noise_bits, right.noise), neighbours(reach))


def test_at_4096_it_beats_the_plain_tree_by_two_and_a_half_and_is_near_the_best() -> None:
    reach = StreamReach(4096, 1)
    plain, ours = (
        TreeMechanism.plan(reach, None, HALF, 2, 13, averaged=False),
        BufferedToeplitz.plan(reach, HALF),
    )
    assert math.sqrt(plain.total_variance() / ours.total_variance()) > 2.55
    assert AT_4096[0] <= math.sqrt(ours.total_variance() / 4096) <= 1.02 * AT_4096[0]


def test_an_element_costs_no_more_than_the_logarithm() -> None:
    """Numbers that are kept, and draws of noise, counted."""
    for power in (3, 8, 14, 20):
        way = BufferedToeplitz.plan(StreamReach(2**power, 1), HALF)
        assert (
            len(way.initial_state().private) + len(way.initial_state().public)
            <= 2 * (5 + 0.29 * power) + 1
        )
        assert len(way.measure_element(way.initial_state().private, 0, 1)[1]) == 1


@pytest.mark.parametrize("rho", [Fraction(1, 10**12), HALF, Fraction(10**4)])
@pytest.mark.parametrize("width", [1, 2**53])
def test_noise_is_fine_whatever_the_width_and_the_price(rho: Fraction, width: int) -> None:
    way = BufferedToeplitz.plan(StreamReach(1000, width), rho)
    assert way.noise.scale > 2**20
    assert way.noise_bits <= FRACTION_BITS - 16
    assert way.noise.loss(way.sensitivity).rho <= rho
    linear = width / math.sqrt(2 * rho) * 2.0**way.noise_bits
    assert linear <= way.noise.scale <= linear * 1.001
