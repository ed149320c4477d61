"""Small worlds in which a mechanism is looked at: data sets, which of them are neighbours, and the law of the output on each.

An output may be anything; its ``code`` is a whole number, so that laws are ``Masses`` and draws can be counted. A ``Place`` without a law
belongs to a mechanism that states none; what it claims is then held against draws (``audited``).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from hedgerow.numeric.chunk import Floats, Integers
from hedgerow.verify.laws.case import LawBroken
from hedgerow.verify.laws.masses import FAINT, Masses

__all__ = ["Neighbours", "Pair", "Place", "World", "astray", "both", "categorical", "coded"]


@dataclass(frozen=True)
class Pair:
    """The laws of one cell on two neighbours, at the same points."""

    one: Masses
    other: Masses

    @cached_property
    def losses(self) -> Floats:
        """ln(one/other) at each point."""
        return np.asarray(self.one.log - self.other.log)


@dataclass(frozen=True)
class Neighbours:
    """Two neighbours: independent cells, each pair of laws as often as it occurs, and a description in words."""

    cells: tuple[tuple[Pair, int], ...]
    words: str


@dataclass(frozen=True, eq=False)
class Place:
    """One data set: a use of the mechanism on it, the whole number that an output is counted as, and the law of that number."""

    words: str
    draw: Callable[[], Any]
    code: Callable[[Any], int]
    law: Masses | None


@dataclass(frozen=True)
class World:
    """Neighbours with their laws, both ways round; places to draw at; and neighbouring places, for mechanisms that state no law."""

    neighbours: tuple[Neighbours, ...]
    places: tuple[Place, ...]
    unstated: tuple[tuple[Place, Place], ...] = ()


def categorical(log: Any) -> Masses:
    """The law of 0, 1, 2, … from logarithms."""
    return Masses(np.arange(len(log)), np.maximum(np.asarray(log, dtype=np.float64), FAINT))


def both(there: Iterable[Neighbours]) -> tuple[Neighbours, ...]:
    """The neighbours given, and each the other way round."""
    found = tuple(there)
    back = (Neighbours(tuple((Pair(pair.other, pair.one), count) for pair, count in item.cells), item.words) for item in found)
    return (*found, *back)


def coded(place: Place, count: int) -> Integers:
    """So many draws at a place, as whole numbers."""
    return np.array([place.code(place.draw()) for _ in range(count)], dtype=np.int64)


def astray(expected: str, found: object) -> LawBroken:
    """What ``code`` raises for an output that cannot be; the value is of a small world, not of anybody's data."""
    return LawBroken("outputs keep to the grid", expected, f"{type(found).__name__} {str(found)[:60]}")
