"""Marginals, and what each adds to the smaller ones inside it.

**Statement.** Let P = I - 11'/m for an attribute of m codes, and let the *rest* of a set A of attributes be r_A = (product of P over A)
x_A, where x_A is the marginal of A. Then every marginal is a sum over the subsets of its attributes W,

    x_W = sum over A within W of  r_A, spread evenly over the attributes of W outside A,

and if the r_A are estimated without bias, without correlation between different A, each with covariance s_A^2 (product of P), then every
cell of the estimate of x_W has the same variance,

    sum over A within W of  s_A^2  prod over A of (1 - 1/m)  prod over W outside A of 1/m^2.

**Proof.** I = P + 11'/m for every attribute; multiply out. P is centred, so 11' removes it: the term of A depends on x_A alone, and
11'/m spreads the sum over a summed-out attribute evenly. The diagonal of P is 1 - 1/m throughout. []

Summed over all cells and all marginals that are wanted, by weight, the factor of s_A^2 is its *importance*: the sum over W around A of
weight_W prod over A of (m - 1) prod over W outside A of 1/m.
"""

from __future__ import annotations

import itertools
import math
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Final

import numpy as np

from hedgerow.errors import InvalidArgument, Refused
from hedgerow.numeric.number import positive, whole
from hedgerow.publish.designs import Floats

__all__ = ["Marginals", "Places", "Rested", "centred", "within"]

Places = tuple[int, ...]

_MOST: Final = 2**20  # sets of attributes


def within(places: Places) -> Iterator[Places]:
    """All subsets, the empty one first."""
    return itertools.chain.from_iterable(itertools.combinations(places, many) for many in range(len(places) + 1))


def centred(table: Any) -> Floats:
    """The table less its mean along every axis."""
    found = np.array(table, dtype=np.float64)
    for axis in range(found.ndim):
        found -= found.mean(axis=axis, keepdims=True)
    return found


@dataclass(frozen=True, slots=True)
class Marginals:
    """The marginals that are ``wanted``, each the places of its attributes in rising order, with the weight of its errors."""

    sizes: tuple[int, ...]
    wanted: tuple[tuple[Places, Fraction], ...]

    def __post_init__(self) -> None:
        object.__setattr__(self, "sizes", tuple(whole(size, "sizes") for size in self.sizes))
        sets = [places for places, _ in self.wanted]
        if not sets or len(set(sets)) != len(sets):
            raise InvalidArgument("wanted", "must be different sets of attributes, at least one", sets)
        for places in sets:
            if list(places) != sorted(set(places)) or not all(0 <= place < len(self.sizes) for place in places):
                raise InvalidArgument("wanted", "must be places of attributes, rising", places)
        object.__setattr__(self, "wanted", tuple((places, positive(weight, "weight")) for places, weight in self.wanted))
        many = sum(2 ** len(places) for places in sets)
        if many > _MOST:
            raise Refused(f"These marginals have {many} parts in all; at most {_MOST} are kept apart. Ask for fewer attributes at a time.")

    @classmethod
    def up_to(cls, sizes: Sequence[int], ways: int, *, least: int = 1) -> Marginals:
        """All marginals of ``least`` up to ``ways`` attributes, of equal weight."""
        if not 0 <= least <= ways <= len(sizes):
            raise InvalidArgument("ways", "must be at least the least number of attributes, and no more than there are", ways)
        sets = [places for many in range(least, ways + 1) for places in itertools.combinations(range(len(sizes)), many)]
        return cls(tuple(sizes), tuple((places, Fraction(1)) for places in sets))

    def shape(self, places: Places) -> tuple[int, ...]:
        """How many codes each of these attributes has."""
        return tuple(self.sizes[place] for place in places)

    def cells(self, places: Sequence[int]) -> int:
        """How many cells their marginal has."""
        return math.prod(self.sizes[place] for place in places)

    def parts(self, places: Places) -> Iterator[Places]:
        """The sets whose rests make up a marginal. An attribute of one code has no rest."""
        return within(tuple(place for place in places if self.sizes[place] > 1))

    def share(self, places: Places, part: Places) -> float:
        """What a cell of the marginal has of the variance s_A^2 of one part."""
        return self.weight(places, part) * self.cells(part) / self.cells(places)

    def weight(self, places: Places, part: Places) -> float:
        """What a cell of the marginal has of its own cell in the part before it is centred; of other cells it has less, as m >= 2."""
        return math.prod(1 - 1 / self.sizes[place] for place in part) * self.cells(part) / self.cells(places)

    def importances(self) -> dict[Places, float]:
        """For each set whose rest is needed, smallest sets first, the factor of s_A^2 in the weighted sum of all variances."""
        found: dict[Places, float] = {}
        for places, weight in self.wanted:
            factor = float(weight) * self.cells(places)
            for part in self.parts(places):
                found[part] = found.get(part, 0.0) + factor * self.share(places, part)
        return dict(sorted(found.items(), key=lambda item: (len(item[0]), item[0])))

    def variance(self, places: Places, spreads: Mapping[Places, float]) -> float:
        """The variance of every cell of a marginal, from the s_A^2."""
        return sum(spreads[part] * self.share(places, part) for part in self.parts(places))

    def variances(self, spreads: Mapping[Places, float]) -> Floats:
        """Those of all cells that are wanted, one marginal after another."""
        return self.each([self.variance(places, spreads) for places, _ in self.wanted])

    def error(self, spreads: Mapping[Places, float]) -> float:
        """The weighted sum of the variances of all cells that are wanted."""
        return sum(importance * spreads[part] for part, importance in self.importances().items())

    def table(self, places: Places, rests: Mapping[Places, Floats]) -> Floats:
        """A marginal, put together from its rests."""
        found = np.zeros(self.shape(places))
        for part in self.parts(places):
            kept = [self.sizes[place] if place in part else 1 for place in places]
            found += rests[part].reshape(kept) / (self.cells(places) // self.cells(part))
        return found

    def joined(self, rests: Mapping[Places, Floats]) -> Floats:
        """All cells that are wanted, one marginal after another."""
        found = np.empty(sum(self.cells(places) for places, _ in self.wanted))
        start = 0
        for places, _ in self.wanted:
            found[start : (start := start + self.cells(places))] = self.table(places, rests).ravel()
        return found

    def each(self, values: Sequence[float] | Floats) -> Floats:
        """One value for each marginal, repeated in its cells."""
        return np.repeat(np.asarray(values, dtype=np.float64), [self.cells(places) for places, _ in self.wanted])


class Rested(ABC):
    """A design of ``marginals`` that estimates the rests of their parts: what any such design answers, and how far off it is."""

    __slots__ = ()
    marginals: Marginals

    def tables(self, noisy: Sequence[Any]) -> Iterator[tuple[Places, Floats]]:
        """The wanted marginals one by one. They agree wherever they overlap, since they share their parts."""
        rests = self._rests(noisy)
        return ((places, self.marginals.table(places, rests)) for places, _ in self.marginals.wanted)

    def answers(self, noisy: Sequence[Any]) -> Floats:
        """The cells of all wanted marginals, one after another."""
        return self.marginals.joined(self._rests(noisy))

    def variances(self) -> Floats:
        """For each of these cells; all of one marginal have the same."""
        return self.marginals.variances(self.spreads())

    @abstractmethod
    def spreads(self) -> dict[Places, float]:
        """The s_A^2."""

    @abstractmethod
    def _rests(self, noisy: Sequence[Any]) -> dict[Places, Floats]:
        """The estimated rests."""
