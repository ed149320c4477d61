"""Strategies: how a workload of linear queries is measured, and how its answers are reconstructed.

A strategy fixes its measurements, blocks of queries with their noise, before any data are read.
Cost and error are therefore known from public numbers alone, and the best of several strategies is
chosen by expected error.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final, Protocol, TypeVar

import numpy as np
import numpy.typing as npt

from hedgerow.accuracy.noise_sum import find_single_radius
from hedgerow.accuracy.noise_variance import compute_noise_variance
from hedgerow.errors import InvalidArgument
from hedgerow.numeric.exact_number import Number
from hedgerow.publish.privacy_parameters import AdditiveNoise, PrivacyParameters
from hedgerow.release.linear_queries import BinSums, QueryBlock

__all__ = [
    "AdditiveNoise",
    "CellStrategy",
    "Floats",
    "Measurement",
    "Strategy",
    "choose_strategy",
    "compute_errors",
    "compute_expected_error",
    "compute_least_squares_weights",
]

_NEGLIGIBLE_VARIANCE: Final = 1e-200  # a variance that is none

Floats = npt.NDArray[np.float64]
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
    asked: Any, seen: Any, variances: Floats, *, full: bool
) -> Floats:
    """Return the weight of each measured number in each answer: W (S'DS)^+ S'D, for queries W,
    measurements S and D = the inverse variances.

    ``full`` means that every code is measured: S'DS then has an inverse, which is computed faster.
    """
    inverse = 1 / np.sqrt(np.maximum(variances, 1e-200))
    inverse = inverse / inverse.max()
    wanted, scaled = np.asarray(asked, dtype=np.float64), np.asarray(seen) * inverse[:, None]
    if full:
        return np.asarray(np.linalg.solve(scaled.T @ scaled, wanted.T).T @ scaled.T * inverse)
    # The smallest A with A S = W, in numbers whose noise is 1.
    return np.asarray(np.linalg.lstsq(scaled.T, wanted.T, rcond=1e-12)[0].T * inverse)


def compute_expected_error(design: Strategy, weights: Floats | None = None) -> float:
    """Return the expected squared error of all answers together."""
    variances = design.variances()
    return float(variances.sum() if weights is None else variances @ weights)


def compute_errors(
    design: Strategy, terms: PrivacyParameters, beta: Number, lost: Floats
) -> tuple[Floats, Floats, float]:
    """Return the errors of a strategy in rows, with radii widened by the rows ``lost`` to rounding
    parts.
    """
    variances = design.variances() / terms.parts_per_row**2
    lacking = float((lost / np.sqrt(np.maximum(variances, _NEGLIGIBLE_VARIANCE))).max())
    return variances, design.radii(beta) / terms.parts_per_row + lost, lacking


def choose_strategy(designs: Sequence[AnyStrategy], weights: Floats | None = None) -> AnyStrategy:
    """Return the strategy of least expected squared error, the first among equals. All answer the
    same workload, whose answers count by ``weights``.
    """
    if not designs:
        raise InvalidArgument("designs", "must be at least one")
    return min(designs, key=lambda design: compute_expected_error(design, weights))


@dataclass(frozen=True, slots=True)
class CellStrategy:
    """Each cell of one table, measured directly: the histogram of the attributes at ``positions``.
    """

    name = "each cell"
    sizes: tuple[int, ...]
    positions: tuple[int, ...]
    mechanism: AdditiveNoise

    @classmethod
    def plan(
        cls, sizes: Sequence[int], places: Sequence[int], terms: PrivacyParameters
    ) -> CellStrategy:
        """Plan the measurement with the whole price."""
        if not all(0 <= place < len(sizes) for place in places):
            raise InvalidArgument("places", "must be places of attributes", places)
        block = _build_cell_block(sizes, places)
        return cls(tuple(sizes), tuple(places), terms.calibrate_all([block], [1.0])[0])

    @property
    def measurements(self) -> tuple[Measurement, ...]:
        """The one block of all cells."""
        return ((_build_cell_block(self.sizes, self.positions), self.mechanism),)

    def reconstruct(self, noisy: Sequence[Any]) -> Floats:
        """Return the cells, the last attribute fastest."""
        (cells,) = noisy
        return np.asarray(cells, dtype=np.float64).ravel()

    def variances(self) -> Floats:
        """Return the variance of the noise for every cell."""
        return np.full(self.measurements[0][0].cells, compute_noise_variance(self.mechanism))

    def radii(self, beta: Number) -> Floats:
        """Return the smallest radius that the discrete noise allows, for every cell."""
        return np.full(
            self.measurements[0][0].cells, float(find_single_radius(self.mechanism, beta))
        )


def _build_cell_block(sizes: Sequence[int], places: Sequence[int]) -> QueryBlock:
    return QueryBlock(tuple((place, BinSums(sizes[place])) for place in places))
