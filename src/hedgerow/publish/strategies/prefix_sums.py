"""All prefix sums of a list of cells, published at once: a cumulative distribution or running
totals.

Five strategies, each with its error known beforehand:

* **each prefix**: noise on every sum. One row is in up to n of them.
* **each element**: noise on every cell, then added up: the error grows with the root of the number
  of cells.
* **plain tree**: noise on sums of 1, 2, 4, … cells; a prefix takes at most one of each size.
* **tree**: sums of 1, b, b^2, … cells, and least squares over all of them: much better, and the
  best under Laplace noise.
* **square root**: of the matrix of all sums (``square_root``); the best known under Gaussian noise.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from hedgerow.accuracy.noise_profile import (
    NoiseProfile,
    build_profiles,
    compute_equal_radii,
    compute_profile_radii,
)
from hedgerow.accuracy.noise_sum import find_single_radius
from hedgerow.accuracy.noise_variance import compute_noise_variance
from hedgerow.errors import Refused
from hedgerow.numeric.exact_number import Number, parse_whole
from hedgerow.publish.privacy_parameters import PrivacyParameters
from hedgerow.publish.strategies.square_root import SquareRootStrategy
from hedgerow.publish.strategies.strategy import (
    AdditiveNoise,
    Floats,
    Measurement,
    Strategy,
    bound_unit_weight_radii,
    compute_expected_error,
)
from hedgerow.release.linear_queries import BinSums, PrefixSums, QueryBlock

__all__ = [
    "BinaryTree",
    "ElementNoise",
    "LeastSquaresTree",
    "PrefixNoise",
    "list_prefix_strategies",
]

_TRIED_BRANCHINGS = (2, 3, 4, 6, 8, 10, 12, 16, 24, 32)
_MAX_SQUARE_ROOT_SIZE = 2**16  # cells up to which the triangle is multiplied out
_MAX_EACH_PREFIX_SIZE = 2**12  # cells up to which noise on every sum is a candidate
_MAX_WEIGHED_CELLS = 128  # cells up to which every weight of a tree is computed


def list_prefix_strategies(
    size: int, terms: PrivacyParameters, place: int = 0
) -> tuple[Strategy, ...]:
    """Return the strategies for all prefix sums of the ``size`` codes of an attribute, by expected
    squared error.
    """
    n = parse_whole(size, "size")
    strategies: list[Strategy] = [
        ElementNoise(n, place, terms.calibrate(_build_block(place, BinSums(n))))
    ]
    if n <= _MAX_EACH_PREFIX_SIZE:
        prefixes = _build_block(place, PrefixSums.unweighted(n))
        strategies.append(PrefixNoise(n, place, terms.calibrate(prefixes)))
    if n > 1:
        strategies.append(
            BinaryTree(n, place, _calibrate_levels(n, 2, n.bit_length(), terms, place))
        )
        strategies.append(
            min(
                (
                    LeastSquaresTree(n, place, b, _calibrate_levels(n, b, deep, terms, place))
                    for b, deep in _list_tree_shapes(n)
                ),
                key=compute_expected_error,
            )
        )
    if n <= _MAX_SQUARE_ROOT_SIZE and terms.is_gaussian:
        with suppress(Refused):
            strategies.append(SquareRootStrategy.plan(n, terms, place))
    return tuple(sorted(strategies, key=compute_expected_error))


def _list_tree_shapes(n: int) -> list[tuple[int, int]]:
    """Return branchings and numbers of levels: with the sum of all, without it, and one less."""
    shapes = {
        (b, deep)
        for b in _TRIED_BRANCHINGS
        for full in [_count_levels(n, b)]
        for deep in (full - 2, full - 1, full)
        if deep > 1
    }
    return sorted(shapes | {(2, 2)})


def _count_levels(n: int, branching: int) -> int:
    return next(levels for levels in itertools.count(1) if branching ** (levels - 1) >= n)


def _build_block(place: int, factor: Any) -> QueryBlock:
    return QueryBlock(((place, factor),))


def _calibrate_levels(
    n: int, branching: int, levels: int, terms: PrivacyParameters, place: int
) -> tuple[AdditiveNoise, ...]:
    return terms.calibrate_all(
        [_build_block(place, BinSums(n, branching**level)) for level in range(levels)],
        [1.0] * levels,
    )


@dataclass(frozen=True, slots=True)
class PrefixNoise:
    """Noise on every sum."""

    name = "each prefix"
    size: int
    position: int
    mechanism: AdditiveNoise

    @property
    def measurements(self) -> tuple[Measurement, ...]:
        return ((_build_block(self.position, PrefixSums.unweighted(self.size)), self.mechanism),)

    def reconstruct(self, noisy: Sequence[Any]) -> Floats:
        (sums,) = noisy
        return np.asarray(sums, dtype=np.float64)

    def variances(self) -> Floats:
        return np.full(self.size, compute_noise_variance(self.mechanism))

    def radii(self, beta: Number) -> Floats:
        return np.full(self.size, float(find_single_radius(self.mechanism, beta)))


@dataclass(frozen=True, slots=True)
class ElementNoise:
    """Noise on every cell."""

    name = "each element"
    size: int
    position: int
    mechanism: AdditiveNoise

    @property
    def measurements(self) -> tuple[Measurement, ...]:
        return ((_build_block(self.position, BinSums(self.size)), self.mechanism),)

    def reconstruct(self, noisy: Sequence[Any]) -> Floats:
        (cells,) = noisy
        return np.asarray(np.cumsum(cells), dtype=np.float64)

    def variances(self) -> Floats:
        return compute_noise_variance(self.mechanism) * np.arange(1.0, self.size + 1)

    def radii(self, beta: Number) -> Floats:
        return compute_equal_radii(self.mechanism, np.arange(1, self.size + 1), beta)


@dataclass(frozen=True)
class BinaryTree:
    """Noise on sums of 1, 2, 4, … cells, and each prefix from as few of them as possible."""

    size: int
    position: int
    mechanisms: tuple[AdditiveNoise, ...]

    @property
    def name(self) -> str:
        return f"plain tree of 2, {len(self.mechanisms)} levels"

    @property
    def measurements(self) -> tuple[Measurement, ...]:
        return tuple(
            (_build_block(self.position, BinSums(self.size, 2**level)), mechanism)
            for level, mechanism in enumerate(self.mechanisms)
        )

    def reconstruct(self, noisy: Sequence[Any]) -> Floats:
        """Return the prefixes. The binary digits of a number select the sums of its prefix: the sum
        of level l ends where the lower digits begin.
        """
        counts, prefixes = np.arange(1, self.size + 1), np.zeros(self.size)
        for level, sums in enumerate(noisy):
            parts = counts >> level
            prefixes += np.where(
                parts & 1, np.asarray(sums, dtype=np.float64)[np.maximum(parts - 1, 0)], 0.0
            )
        return prefixes

    def variances(self) -> Floats:
        """Return the variances: one noise variance for every binary digit that is set."""
        counts, variances = np.arange(1, self.size + 1), np.zeros(self.size)
        for level, mechanism in enumerate(self.mechanisms):
            variances += compute_noise_variance(mechanism) * (counts >> level & 1)
        return variances

    def radii(self, beta: Number) -> Floats:
        """Return the radii; all weights are 1, and usually all levels have the same noise."""
        if len(set(self.mechanisms)) == 1:
            digits = np.arange(1, self.size + 1)[:, None] >> np.arange(len(self.mechanisms)) & 1
            return compute_equal_radii(self.mechanisms[0], digits.sum(axis=1), beta)
        return bound_unit_weight_radii(self.variances(), self.mechanisms, beta)


@dataclass(frozen=True)
class LeastSquaresTree:
    """Noise on sums of 1, b, b^2, … cells; each prefix by least squares over all of them.

    The pass upwards keeps for every sum its best estimate from what is below, and for every cell
    the best estimate of the prefix within its current sum, with the variance of each and their
    covariance. Neighbours join: totals and earlier prefixes add up. The sum's own measurement then
    corrects both, the total by its share and the prefix by its covariance. At the top all
    measurements have been used: this is least squares.
    """

    size: int
    position: int
    branching: int
    mechanisms: tuple[AdditiveNoise, ...]

    @property
    def name(self) -> str:
        return f"tree of {self.branching}, {len(self.mechanisms)} levels, least squares"

    @property
    def measurements(self) -> tuple[Measurement, ...]:
        return tuple(
            (_build_block(self.position, BinSums(self.size, self.branching**level)), mechanism)
            for level, mechanism in enumerate(self.mechanisms)
        )

    @cached_property
    def _gains(self) -> tuple[tuple[tuple[Floats, Floats], ...], Floats]:
        """The corrections of each total and each prefix, for each level above the lowest, and the
        variances of all prefixes.
        """
        noise = [compute_noise_variance(mechanism) for mechanism in self.mechanisms]
        total = np.full(self.size, noise[0])
        prefix, shared = total.copy(), total.copy()
        where, gains = np.arange(self.size), []
        for level in range(1, len(noise)):
            before, joined, parents = _join_neighbours(total, self.branching)
            prefix, shared = prefix + before[where], shared + before[where]
            where, total = parents[where], joined
            share = total / (total + noise[level])
            moves = shared / (total + noise[level])[where]
            prefix, shared, total = (
                prefix - moves * shared,
                shared - moves * total[where],
                noise[level] * share,
            )
            gains.append((share, moves))
        return tuple(gains), prefix + (np.cumsum(total) - total)[where]

    def reconstruct(self, noisy: Sequence[Any]) -> Floats:
        arrays = [np.asarray(level, dtype=np.float64) for level in noisy]
        total = arrays[0]
        prefix, where = total.copy(), np.arange(self.size)
        for own, (share, moves) in zip(arrays[1:], self._gains[0], strict=True):
            before, joined, parents = _join_neighbours(total, self.branching)
            prefix, where = prefix + before[where], parents[where]
            off = own - joined
            prefix, total = prefix + moves * off[where], joined + share * off
        return prefix + (np.cumsum(total) - total)[where]

    def variances(self) -> Floats:
        return self._gains[1].copy()

    def radii(self, beta: Number) -> Floats:
        """Return the radii. The weight of a measurement is the covariance, given all measurements,
        of its sum and the prefix, divided by its noise variance. If the sum were larger by one,
        what is inside would be larger by 0 to 1, and all else smaller by 0 to 1, so no weight
        exceeds 1. Up to 128 cells all weights are computed exactly.
        """
        bound = bound_unit_weight_radii(self.variances(), self.mechanisms, beta)
        if self.size > _MAX_WEIGHED_CELLS:
            return bound
        known = compute_profile_radii(self._build_profiles(), beta)
        return bound if known is None else np.minimum(known, bound)

    def _build_profiles(self) -> list[NoiseProfile]:
        """Return all weights, from one draw of noise at a time."""
        counts = [block.shape[0] for block, _ in self.measurements]
        cuts = np.cumsum(counts)[:-1]
        weights = np.stack(
            [self.reconstruct(np.split(draw, cuts)) for draw in np.eye(sum(counts))], axis=1
        )
        return build_profiles(weights, self.mechanisms, counts)


def _join_neighbours(values: Floats, branching: int) -> tuple[Floats, Floats, Any]:
    """Join neighbouring sums: return the part before each within its new sum, the new sums, and the
    index of each one's new sum.
    """
    starts = np.arange(0, len(values), branching)
    parents = np.arange(len(values)) // branching
    first = np.cumsum(values) - values
    return first - first[starts][parents], np.add.reduceat(values, starts), parents
