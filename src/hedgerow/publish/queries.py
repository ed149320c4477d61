"""Any few linear questions about the codes of one attribute, given as a matrix of whole numbers.

Statement
    Let the rows of S be what is measured, D the inverse variances of the noise, W the questions. The answers W (S'DS)^+ S'D y have the
    least variance among all linear ones without bias, the diagonal of W (S'DS)^+ W', if the rows of W lie in the span of those of S.

Proof
    Gauss and Markov. The span: every code is measured in two of the ways that are tried, and in the third S is W itself. []

Three ways to measure are compared by expected error: each code, the questions themselves, and a tree. Which is best depends on the
relation: three shares of {0, 1}^3 have the variance 8/epsilon^2 from the codes and 18 as asked where people come and go, but 32 and 18
where one becomes another.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from hedgerow.errors import InvalidArgument, Refused
from hedgerow.linear import Bins, Block, Factor, Rows
from hedgerow.numeric.number import Number
from hedgerow.publish.designs import Floats, Law, Measurement, chosen, least_squares, noise_variance
from hedgerow.publish.intervals import sum_radii
from hedgerow.publish.profile import profiles_of, radii
from hedgerow.publish.terms import Terms
from hedgerow.publish.tree import Ranges, Tree

__all__ = ["Queries"]

_CODES: Final = 1024  # the matrices are dense


@dataclass(frozen=True, slots=True, eq=False)
class Queries:
    """The questions ``matrix`` about the attribute at ``place``, from the measurements ``factors`` of it, each with its noise."""

    name: str
    place: int
    matrix: npt.NDArray[np.int64]
    factors: tuple[Factor, ...]
    laws: tuple[Law, ...]

    def __post_init__(self) -> None:
        if len(self.factors) != len(self.laws) or any(factor.size != np.shape(self.matrix)[1] for factor in self.factors):
            raise InvalidArgument("factors", "must have a column for each code, and noise for each")

    @classmethod
    def plan(cls, place: int, matrix: Any, terms: Terms) -> Queries:
        """The best of the three ways."""
        return chosen(cls.ways(place, matrix, terms))

    @classmethod
    def ways(cls, place: int, matrix: Any, terms: Terms) -> list[Queries]:
        """Each code, the questions themselves, a tree."""
        asked = Rows(np.asarray(matrix))
        if asked.size > _CODES:
            raise Refused(f"Questions about {asked.size} codes do not fit: at most {_CODES} do. Use bins, or ask for ranges.")
        tree = Tree.plan(place, Ranges.all(asked.size), terms)
        levels = tuple(Bins(asked.size, width) for width in tree.widths)
        found = [cls("each cell", place, asked.matrix, (Bins(asked.size),), _whole(place, Bins(asked.size), terms))]
        found.append(cls("as asked", place, asked.matrix, (asked,), _whole(place, asked, terms)))
        return found if len(levels) == 1 else [*found, cls(tree.name, place, asked.matrix, levels, tree.laws)]

    @property
    def measurements(self) -> tuple[Measurement, ...]:
        """One block for each factor."""
        return tuple((Block(((self.place, factor),)), law) for factor, law in zip(self.factors, self.laws, strict=True))

    def answers(self, noisy: Sequence[Any]) -> Floats:
        """One for each question."""
        told = np.concatenate([np.asarray(one, dtype=np.float64).ravel() for one in noisy])
        return np.asarray(self._weights() @ told)

    def variances(self) -> Floats:
        """One for each question."""
        return np.asarray(np.square(self._weights()) @ self._noise())

    def radii(self, beta: Number) -> Floats:
        """One for each question."""
        weights = self._weights()
        found = radii(profiles_of(weights, self.laws, [factor.rows for factor in self.factors]), beta)
        return sum_radii(self.variances(), self.laws, (np.square(weights) * self._noise()).max(axis=1), beta) if found is None else found

    def _noise(self) -> Floats:
        """The variance of each measured number."""
        return np.repeat([noise_variance(law) for law in self.laws], [factor.rows for factor in self.factors])

    def _weights(self) -> Floats:
        """How much each measured number counts in each answer."""
        codes = np.eye(self.matrix.shape[1], dtype=np.int64)
        if len(self.factors) == 1 and isinstance(self.factors[0], Bins):  # every code by itself
            return self.matrix.astype(np.float64)
        seen = np.concatenate([factor.apply(codes, 0) for factor in self.factors])
        return least_squares(self.matrix, seen, self._noise(), full=any(isinstance(factor, Bins) for factor in self.factors))


def _whole(place: int, factor: Factor, terms: Terms) -> tuple[Law, ...]:
    return terms.laws([Block(((place, factor),))], [1.0])
