"""Linear queries about the codes of one attribute, given as a matrix of integers.

| symbol | meaning |
|---|---|
| W | the queries |
| S | the measurements |
| D | the inverse variances of the noise |
| y | the noisy measurements |

Statement
    The answers W (S'DS)^+ S'D y have the least variance among all unbiased linear ones, the
    diagonal of W (S'DS)^+ W', if the rows of W lie in the span of those of S.

Proof
    Gauss and Markov. For the span: two of the candidates measure every code, and in the third S is
    W itself. []

Three candidates are compared by expected error: each code, the queries themselves, and a tree. The
best one depends on the neighbour relation: three marginal sums over {0, 1}^3 have the variance
8/epsilon^2 from the codes and 18 measured directly under add-remove, but 32 and 18 under
change-one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from hedgerow.accuracy.noise_profile import build_profiles, compute_profile_radii
from hedgerow.accuracy.noise_sum import bound_sum_radii
from hedgerow.accuracy.noise_variance import compute_noise_variance
from hedgerow.errors import InvalidArgument, Refused
from hedgerow.numeric.exact_number import Number
from hedgerow.publish.privacy_parameters import PrivacyParameters
from hedgerow.publish.strategies.hierarchical_tree import RangeTree, RangeWorkload
from hedgerow.publish.strategies.strategy import (
    AdditiveNoise,
    Floats,
    Measurement,
    choose_strategy,
    compute_least_squares_weights,
)
from hedgerow.release.linear_queries import BinSums, Factor, QueryBlock, QueryMatrix

__all__ = ["LinearQueries"]

_MAX_CODES: Final = 1024  # the matrices are dense


@dataclass(frozen=True, slots=True, eq=False)
class LinearQueries:
    """The queries ``matrix`` about the attribute at ``position``, from its measurements
    ``factors``, each with its noise.
    """

    name: str
    position: int
    matrix: npt.NDArray[np.int64]
    factors: tuple[Factor, ...]
    mechanisms: tuple[AdditiveNoise, ...]

    def __post_init__(self) -> None:
        if len(self.factors) != len(self.mechanisms) or any(
            factor.size != np.shape(self.matrix)[1] for factor in self.factors
        ):
            raise InvalidArgument(
                "factors", "must have a column for each code, and each a noise mechanism"
            )

    @classmethod
    def plan(cls, place: int, matrix: Any, terms: PrivacyParameters) -> LinearQueries:
        return choose_strategy(cls.list_candidates(place, matrix, terms))

    @classmethod
    def list_candidates(
        cls, place: int, matrix: Any, terms: PrivacyParameters
    ) -> list[LinearQueries]:
        """Return the three candidates: each code, the queries themselves, a tree."""
        queries = QueryMatrix(np.asarray(matrix))
        if queries.size > _MAX_CODES:
            raise Refused(
                f"These questions are about {queries.size:,} codes; the limit is {_MAX_CODES:,}."
                " Use fewer bins, or publish a cdf."
            )
        tree = RangeTree.plan(place, RangeWorkload.all_ranges(queries.size), terms)
        levels = tuple(BinSums(queries.size, width) for width in tree.widths)
        candidates = []
        for name, factor in (("each cell", BinSums(queries.size)), ("as asked", queries)):
            mechanisms = terms.calibrate_all([QueryBlock(((place, factor),))], [1.0])
            candidates.append(cls(name, place, queries.matrix, (factor,), mechanisms))
        if len(levels) > 1:
            candidates.append(cls(tree.name, place, queries.matrix, levels, tree.mechanisms))
        return candidates

    @property
    def measurements(self) -> tuple[Measurement, ...]:
        return tuple(
            (QueryBlock(((self.position, factor),)), mechanism)
            for factor, mechanism in zip(self.factors, self.mechanisms, strict=True)
        )

    def reconstruct(self, noisy: Sequence[Any]) -> Floats:
        values = np.concatenate([np.asarray(one, dtype=np.float64).ravel() for one in noisy])
        return np.asarray(self._compute_weights() @ values)

    def variances(self) -> Floats:
        return np.asarray(np.square(self._compute_weights()) @ self._list_noise_variances())

    def radii(self, beta: Number) -> Floats:
        weights = self._compute_weights()
        rows = [factor.rows for factor in self.factors]
        radii = compute_profile_radii(build_profiles(weights, self.mechanisms, rows), beta)
        if radii is None:
            largest = (np.square(weights) * self._list_noise_variances()).max(axis=1)
            radii = bound_sum_radii(self.variances(), self.mechanisms, largest, beta)
        return radii

    def _list_noise_variances(self) -> Floats:
        return np.repeat(
            [compute_noise_variance(mechanism) for mechanism in self.mechanisms],
            [factor.rows for factor in self.factors],
        )

    def _compute_weights(self) -> Floats:
        """Return the weight of each measured number in each answer."""
        codes = np.eye(self.matrix.shape[1], dtype=np.int64)
        if len(self.factors) == 1 and isinstance(self.factors[0], BinSums):  # every code by itself
            return self.matrix.astype(np.float64)
        measured = np.concatenate([factor.apply(codes, 0) for factor in self.factors])
        return compute_least_squares_weights(
            self.matrix,
            measured,
            self._list_noise_variances(),
            full=any(isinstance(factor, BinSums) for factor in self.factors),
        )
