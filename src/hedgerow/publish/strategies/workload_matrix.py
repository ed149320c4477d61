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
            raise InvalidArgument("factors", "must have a column for each code, and noise for each")

    @classmethod
    def plan(cls, place: int, matrix: Any, terms: PrivacyParameters) -> LinearQueries:
        """Return the best of the three candidates."""
        return choose_strategy(cls.list_candidates(place, matrix, terms))

    @classmethod
    def list_candidates(
        cls, place: int, matrix: Any, terms: PrivacyParameters
    ) -> list[LinearQueries]:
        """Return the three candidates: each code, the queries themselves, a tree."""
        asked = QueryMatrix(np.asarray(matrix))
        if asked.size > _MAX_CODES:
            raise Refused(
                f"Questions about {asked.size} codes do not fit: at most {_MAX_CODES} do. Use bins,"
                " or ask for ranges."
            )
        tree = RangeTree.plan(place, RangeWorkload.all_ranges(asked.size), terms)
        levels = tuple(BinSums(asked.size, width) for width in tree.widths)
        found = [
            cls(
                "each cell",
                place,
                asked.matrix,
                (BinSums(asked.size),),
                _calibrate_whole(place, BinSums(asked.size), terms),
            )
        ]
        found.append(
            cls("as asked", place, asked.matrix, (asked,), _calibrate_whole(place, asked, terms))
        )
        return (
            found
            if len(levels) == 1
            else [*found, cls(tree.name, place, asked.matrix, levels, tree.mechanisms)]
        )

    @property
    def measurements(self) -> tuple[Measurement, ...]:
        """One block for each factor."""
        return tuple(
            (QueryBlock(((self.position, factor),)), law)
            for factor, law in zip(self.factors, self.mechanisms, strict=True)
        )

    def reconstruct(self, noisy: Sequence[Any]) -> Floats:
        """Return the answer to each query."""
        told = np.concatenate([np.asarray(one, dtype=np.float64).ravel() for one in noisy])
        return np.asarray(self._compute_weights() @ told)

    def variances(self) -> Floats:
        """Return the variance of each answer."""
        return np.asarray(np.square(self._compute_weights()) @ self._list_noise_variances())

    def radii(self, beta: Number) -> Floats:
        """Return the radius of each answer."""
        weights = self._compute_weights()
        found = compute_profile_radii(
            build_profiles(weights, self.mechanisms, [factor.rows for factor in self.factors]), beta
        )
        return (
            bound_sum_radii(
                self.variances(),
                self.mechanisms,
                (np.square(weights) * self._list_noise_variances()).max(axis=1),
                beta,
            )
            if found is None
            else found
        )

    def _list_noise_variances(self) -> Floats:
        """Return the variance of each measured number."""
        return np.repeat(
            [compute_noise_variance(law) for law in self.mechanisms],
            [factor.rows for factor in self.factors],
        )

    def _compute_weights(self) -> Floats:
        """Return the weight of each measured number in each answer."""
        codes = np.eye(self.matrix.shape[1], dtype=np.int64)
        if len(self.factors) == 1 and isinstance(self.factors[0], BinSums):  # every code by itself
            return self.matrix.astype(np.float64)
        seen = np.concatenate([factor.apply(codes, 0) for factor in self.factors])
        return compute_least_squares_weights(
            self.matrix,
            seen,
            self._list_noise_variances(),
            full=any(isinstance(factor, BinSums) for factor in self.factors),
        )


def _calibrate_whole(
    place: int, factor: Factor, terms: PrivacyParameters
) -> tuple[AdditiveNoise, ...]:
    return terms.calibrate_all([QueryBlock(((place, factor),))], [1.0])
