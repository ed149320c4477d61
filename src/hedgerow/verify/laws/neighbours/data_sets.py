"""Small worlds in which a mechanism is looked at: data sets, which of them are neighbours, and the
law of the output on each.

An output may be anything; its ``code`` is a whole number, so that laws are ``IntegerDistribution``
and draws can be counted. A ``MechanismUse`` without a law belongs to a mechanism that states none;
what it claims is then held against draws (``audited``).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from hedgerow.numeric.vectorised import Floats, Integers
from hedgerow.verify.laws.case import LawBroken
from hedgerow.verify.laws.integer_distribution import MIN_LOG, IntegerDistribution

__all__ = [
    "DistributionPair",
    "MechanismUse",
    "NeighbourPair",
    "NeighbourSet",
    "add_reversed",
    "draw_encoded",
    "make_categorical",
    "make_output_error",
]


@dataclass(frozen=True)
class DistributionPair:
    """The laws of one cell on two neighbours, at the same points."""

    first: IntegerDistribution
    second: IntegerDistribution

    @cached_property
    def losses(self) -> Floats:
        """ln(one/other) at each point."""
        return np.asarray(self.first.log - self.second.log)


@dataclass(frozen=True)
class NeighbourPair:
    """Two neighbours: independent cells, each pair of laws as often as it occurs, and a
    description in words.
    """

    cells: tuple[tuple[DistributionPair, int], ...]
    description: str


@dataclass(frozen=True, eq=False)
class MechanismUse:
    """One data set: a use of the mechanism on it, the whole number that an output is counted as,
    and the law of that number.
    """

    description: str
    draw: Callable[[], Any]
    encode: Callable[[Any], int]
    distribution: IntegerDistribution | None


@dataclass(frozen=True)
class NeighbourSet:
    """Neighbours with their laws, both ways round; places to draw at; and neighbouring places,
    for mechanisms that state no law.
    """

    neighbours: tuple[NeighbourPair, ...]
    uses: tuple[MechanismUse, ...]
    unstated_pairs: tuple[tuple[MechanismUse, MechanismUse], ...] = ()


def make_categorical(log: Any) -> IntegerDistribution:
    """The law of 0, 1, 2, … from logarithms."""
    return IntegerDistribution(
        np.arange(len(log)), np.maximum(np.asarray(log, dtype=np.float64), MIN_LOG)
    )


def add_reversed(there: Iterable[NeighbourPair]) -> tuple[NeighbourPair, ...]:
    """The neighbours given, and each the other way round."""
    found = tuple(there)
    back = (
        NeighbourPair(
            tuple((DistributionPair(pair.second, pair.first), count) for pair, count in item.cells),
            item.description,
        )
        for item in found
    )
    return (*found, *back)


def draw_encoded(place: MechanismUse, count: int) -> Integers:
    """So many draws at a place, as whole numbers."""
    return np.array([place.encode(place.draw()) for _ in range(count)], dtype=np.int64)


def make_output_error(expected: str, found: object) -> LawBroken:
    """What ``code`` raises for an output that cannot be; the value is of a small world, not of
    anybody's data.
    """
    return LawBroken(
        "outputs keep to the grid", expected, f"{type(found).__name__} {str(found)[:60]}"
    )
