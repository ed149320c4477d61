"""Small sets of data sets for tests: which of them are neighbours, and the output distribution on
each.

An output may be anything; ``encode`` maps it to an integer, so that its distribution is an
``IntegerDistribution`` and draws can be counted. A ``MechanismUse`` without a distribution belongs
to a mechanism that states none; its claim is then tested by draws (``empirical_claims``).
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
    """The distributions of one cell on two neighbours, at the same points."""

    first: IntegerDistribution
    second: IntegerDistribution

    @cached_property
    def losses(self) -> Floats:
        """The losses ln(p/p') at each point."""
        return np.asarray(self.first.log - self.second.log)


@dataclass(frozen=True)
class NeighbourPair:
    """A pair of neighbours: independent cells, each with its count, and a description."""

    cells: tuple[tuple[DistributionPair, int], ...]
    description: str


@dataclass(frozen=True, eq=False)
class MechanismUse:
    """A use of the mechanism on one data set, the encoding of its output as an integer, and the
    distribution of that integer.
    """

    description: str
    draw: Callable[[], Any]
    encode: Callable[[Any], int]
    distribution: IntegerDistribution | None


@dataclass(frozen=True)
class NeighbourSet:
    """Neighbours with their distributions, in both orders; uses to draw from; and pairs of uses for
    mechanisms that state no distribution.
    """

    neighbours: tuple[NeighbourPair, ...]
    uses: tuple[MechanismUse, ...]
    unstated_pairs: tuple[tuple[MechanismUse, MechanismUse], ...] = ()


def make_categorical(log: Any) -> IntegerDistribution:
    """Return the distribution of 0, 1, 2, … from log-probabilities."""
    return IntegerDistribution(
        np.arange(len(log)), np.maximum(np.asarray(log, dtype=np.float64), MIN_LOG)
    )


def add_reversed(pairs: Iterable[NeighbourPair]) -> tuple[NeighbourPair, ...]:
    """Return the given pairs, and each in reverse order."""
    found = tuple(pairs)
    reversed_pairs = (
        NeighbourPair(
            tuple((DistributionPair(pair.second, pair.first), count) for pair, count in item.cells),
            item.description,
        )
        for item in found
    )
    return (*found, *reversed_pairs)


def draw_encoded(use: MechanismUse, count: int) -> Integers:
    """Draw this often and return the encoded outputs."""
    return np.array([use.encode(use.draw()) for _ in range(count)], dtype=np.int64)


def make_output_error(expected: str, found: object) -> LawBroken:
    """Build the error of an impossible output. It may show the value, which comes from a test data
    set and not from anybody's data.
    """
    return LawBroken(
        "outputs lie on the grid", expected, f"{type(found).__name__} {str(found)[:60]}"
    )
