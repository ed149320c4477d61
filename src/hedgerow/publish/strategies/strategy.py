"""Strategies: how a workload of linear queries is measured, and how its answers are reconstructed.

A strategy fixes its measurements, blocks of queries with their noise, before any data are read.
Cost and error are therefore known from public numbers alone, and the best of several strategies is
chosen by expected error.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final, Protocol, TypeVar

import numpy as np

from hedgerow.accuracy.noise_sum import bound_sum_radii, find_single_radius
from hedgerow.accuracy.noise_variance import compute_noise_variance
from hedgerow.errors import InvalidArgument
from hedgerow.numeric.exact_number import Number
from hedgerow.numeric.vectorised import Floats
from hedgerow.publish.privacy_parameters import AdditiveNoise, PrivacyParameters
from hedgerow.release.linear_queries import BinSums, QueryBlock

__all__ = [
    "MIN_VARIANCE",
    "AdditiveNoise",
    "CellStrategy",
    "Floats",
    "Measurement",
    "Strategy",
    "StrategyErrors",
    "bound_unit_weight_radii",
    "choose_strategy",
    "compute_errors",
    "compute_expected_error",
    "compute_least_squares_weights",
]

MIN_VARIANCE: Final = 1e-200  # noise that is nearly always 0 counts as very little, not as none

Measurement = tuple[QueryBlock, AdditiveNoise]


class Strategy(Protocol):
    """A way to measure and answer a workload; a frozen value."""

    @property
    def name(self) -> str:
        """A short description in plain words."""

    @property
    def measurements(self) -> tuple[Measurement, ...]:
        """The measured blocks, each with its noise."""

    def reconstruct(self, noisy: Sequence[Any], /) -> Floats:
        """Return the least-squares answers to the workload, from one array for each measurement."""

    def variances(self) -> Floats:
        """Return the variance of each answer."""

    def radii(self, beta: Number, /) -> Floats:
        """Return for each answer the distance from the exact one that is exceeded with probability
        at most ``beta``.
        """


AnyStrategy = TypeVar("AnyStrategy", bound=Strategy)


def compute_least_squares_weights(
    queries: Any, measured: Any, variances: Floats, *, full: bool
) -> Floats:
    """Return the weight of each measured number in each answer: W (S'DS)^+ S'D, for queries W,
    measurements S and D = the inverse variances.

    ``full`` means that every code is measured: S'DS then has an inverse, which is computed faster.
    """
    inverse = 1 / np.sqrt(np.maximum(variances, MIN_VARIANCE))
    inverse = inverse / inverse.max()
    wanted, scaled = np.asarray(queries, dtype=np.float64), np.asarray(measured) * inverse[:, None]
    if full:
        return np.asarray(np.linalg.solve(scaled.T @ scaled, wanted.T).T @ scaled.T * inverse)
    # The smallest A with A S = W, in units in which the noise has variance 1.
    return np.asarray(np.linalg.lstsq(scaled.T, wanted.T, rcond=1e-12)[0].T * inverse)


def compute_expected_error(strategy: Strategy, weights: Floats | None = None) -> float:
    """Return the expected squared error of all answers together."""
    variances = strategy.variances()
    return float(variances.sum() if weights is None else variances @ weights)


@dataclass(frozen=True, slots=True, eq=False)
class StrategyErrors:
    """The variance and the radius of each answer in rows, and the largest truncation of an answer
    in standard deviations of its noise.
    """

    variances: Floats
    radii: Floats
    relative_truncation: float

    @property
    def rms(self) -> float:
        """The root of the mean of the variances."""
        return math.sqrt(float(self.variances.mean()))


def compute_errors(
    strategy: Strategy, terms: PrivacyParameters, beta: Number, lost: Floats
) -> StrategyErrors:
    """Return the errors of a strategy in rows, with radii widened by the rows ``lost`` to rounding
    parts.
    """
    variances = strategy.variances() / terms.parts_per_row**2
    truncation = float((lost / np.sqrt(np.maximum(variances, MIN_VARIANCE))).max())
    return StrategyErrors(variances, strategy.radii(beta) / terms.parts_per_row + lost, truncation)


def bound_unit_weight_radii(
    variances: Floats, mechanisms: Sequence[AdditiveNoise], beta: Number
) -> Floats:
    """Bound the radius of each answer if no draw of the noise has a weight above 1 in it."""
    largest = max(map(compute_noise_variance, mechanisms))
    return bound_sum_radii(variances, mechanisms, largest, beta)


def choose_strategy(
    strategies: Sequence[AnyStrategy], weights: Floats | None = None
) -> AnyStrategy:
    """Return the strategy of least expected squared error, the first among equals. All answer the
    same workload, whose answers count by ``weights``.
    """
    if not strategies:
        raise InvalidArgument("strategies", "must contain at least one strategy")
    return min(strategies, key=lambda strategy: compute_expected_error(strategy, weights))


@dataclass(frozen=True, slots=True)
class CellStrategy:
    """Each cell of one table, measured directly: a histogram of the attributes at ``positions``.

    The cells come with the last attribute fastest, and the radius is the smallest that the discrete
    noise allows.
    """

    name = "each cell"
    sizes: tuple[int, ...]
    positions: tuple[int, ...]
    mechanism: AdditiveNoise

    @classmethod
    def plan(
        cls, sizes: Sequence[int], places: Sequence[int], terms: PrivacyParameters
    ) -> CellStrategy:
        if not all(0 <= place < len(sizes) for place in places):
            raise InvalidArgument("places", f"must be positions from 0 to {len(sizes) - 1}", places)
        block = _build_cell_block(sizes, places)
        return cls(tuple(sizes), tuple(places), terms.calibrate_all([block], [1.0])[0])

    @property
    def measurements(self) -> tuple[Measurement, ...]:
        return ((_build_cell_block(self.sizes, self.positions), self.mechanism),)

    def reconstruct(self, noisy: Sequence[Any]) -> Floats:
        (cells,) = noisy
        return np.asarray(cells, dtype=np.float64).ravel()

    def variances(self) -> Floats:
        return np.full(self.measurements[0][0].cells, compute_noise_variance(self.mechanism))

    def radii(self, beta: Number) -> Floats:
        return np.full(
            self.measurements[0][0].cells, float(find_single_radius(self.mechanism, beta))
        )


def _build_cell_block(sizes: Sequence[int], places: Sequence[int]) -> QueryBlock:
    return QueryBlock(tuple((place, BinSums(sizes[place])) for place in places))
