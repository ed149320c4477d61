"""Streams and neighbours, measured and told by the very code of a way. Nothing is drawn."""

from __future__ import annotations

import itertools
from fractions import Fraction

import numpy as np

from hedgerow.publish.streaming.binary_tree import TreeMechanism
from hedgerow.publish.streaming.buffered_toeplitz import BufferedToeplitz
from hedgerow.publish.streaming.mechanism import EachPrefixMechanism, StreamMechanism, StreamReach

HALF = Fraction(1, 2)


def measurements(way: StreamMechanism, stream: tuple[int, ...]) -> list[int]:
    """All that gets noise."""
    private, found = way.initial_state().private, list[int]()
    for place, element in enumerate(stream):
        private, exact = way.measure_element(private, place, element)
        found += exact
    return found


def told(way: StreamMechanism, noise: list[list[int]], stream: tuple[int, ...]) -> list[float]:
    """What is said of a stream when the noise is this."""
    state, found = way.initial_state(), list[float]()
    private, public = state.private, state.public
    for place, element in enumerate(stream):
        private, exact = way.measure_element(private, place, element)
        public, value = way.estimate_sum(
            public, place, [a + b for a, b in zip(exact, noise[place], strict=True)]
        )
        found.append(value)
    return found


def farthest(
    way: StreamMechanism, streams: list[tuple[tuple[int, ...], tuple[int, ...]]]
) -> tuple[int, int, int, int]:
    """Over pairs of streams: most cells that move, farthest cell, l1, l2 squared."""
    moves = [
        np.array(measurements(way, a), dtype=object) - np.array(measurements(way, b), dtype=object)
        for a, b in streams
    ]
    return (
        max(int((move != 0).sum()) for move in moves),
        max(abs(move).max() for move in moves),
        max(abs(move).sum() for move in moves),
        max((move**2).sum() for move in moves),
    )


def neighbours(reach: StreamReach) -> list[tuple[tuple[int, ...], tuple[int, ...]]]:
    """Streams that differ in up to so many elements, from one end of the bounds to the other,
    around several backgrounds.
    """
    n, width = reach.horizon, reach.width
    backgrounds = [(0,) * n, (width,) * n, tuple((7 * k * k) % (width + 1) for k in range(n))]
    found = []
    for base in backgrounds:
        for places in itertools.combinations(range(n), reach.touched):
            for signs in set(itertools.product((0, width), repeat=reach.touched)):
                one, other = list(base), list(base)
                for place, end in zip(places, signs, strict=True):
                    one[place], other[place] = end, width - end
                found.append((tuple(one), tuple(other)))
    return found


def within(way: StreamMechanism, pairs: list[tuple[tuple[int, ...], tuple[int, ...]]]) -> bool:
    said = way.sensitivity
    l0, linf, l1, squares = farthest(way, pairs)
    return l0 <= said.l0 and linf <= said.linf and l1 <= said.l1 and squares <= said.l2_squared


SMALL = [
    StreamReach(1, 5),
    StreamReach(7, 3),
    StreamReach(12, 1000),
    StreamReach(6, 9, 2),
    StreamReach(9, 4, 3),
]


def ways(reach: StreamReach) -> list[StreamMechanism]:
    return [
        EachPrefixMechanism.plan(reach, None, HALF),
        TreeMechanism.plan(reach, Fraction(1), None),
        TreeMechanism.plan(reach, Fraction(1), None, 2, 3),
        TreeMechanism.plan(reach, None, HALF, 3, 3),
        TreeMechanism.plan(reach, None, HALF, 2, 5, averaged=False),
        BufferedToeplitz.plan(reach, HALF),
    ]
