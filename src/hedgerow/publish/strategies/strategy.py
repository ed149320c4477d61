"""Designs: how a workload of linear questions is measured, and how the answers are read off.

A design names its measurements, blocks with the noise of each, before anything is looked at; so
what it will cost and how far off it will be are known from public numbers alone, and of several
designs the best is chosen by expected error.
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
    """How a workload is measured and answered. A frozen value."""

    @property
    def name(self) -> str:
        """What it does, in plain words."""

    @property
    def measurements(self) -> tuple[Measurement, ...]:
        """What is measured, and with which noise."""

    def reconstruct(self, noisy: Sequence[Any], /) -> Floats:
        """The answers to the workload, from one array for each measurement: least squares."""

    def variances(self) -> Floats:
        """The variance of each answer."""

    def radii(self, beta: Number, /) -> Floats:
        """For each answer, how far it is from the exact one, except with probability at most
        ``beta``.
        """


AnyStrategy = TypeVar("AnyStrategy", bound=Strategy)


def compute_least_squares_weights(
    asked: Any, seen: Any, variances: Floats, *, full: bool
) -> Floats:
    """How much each measured number counts in each answer: W (S'DS)^+ S'D, for questions W and
    measurements S of these variances.

    ``full`` says that every code is measured, so that S'DS has an inverse, which is found faster.
    """
    inverse = 1 / np.sqrt(np.maximum(variances, 1e-200))
    inverse = inverse / inverse.max()
    wanted, scaled = np.asarray(asked, dtype=np.float64), np.asarray(seen) * inverse[:, None]
    if full:
        return np.asarray(np.linalg.solve(scaled.T @ scaled, wanted.T).T @ scaled.T * inverse)
    # The smallest A with A S = W, in numbers whose noise is 1.
    return np.asarray(np.linalg.lstsq(scaled.T, wanted.T, rcond=1e-12)[0].T * inverse)


def compute_expected_error(design: Strategy, weights: Floats | None = None) -> float:
    """The expected squared error of all answers together."""
    variances = design.variances()
    return float(variances.sum() if weights is None else variances @ weights)


def compute_errors(
    design: Strategy, terms: PrivacyParameters, beta: Number, lost: Floats
) -> tuple[Floats, Floats, float]:
    """Return the variance and the radius of each answer in rows, of a design in parts, where the
    radius has room for what is ``lost``; and the most that is, in standard deviations."""
    variances = design.variances() / terms.parts_per_row**2
    lacking = float((lost / np.sqrt(np.maximum(variances, _NEGLIGIBLE_VARIANCE))).max())
    return variances, design.radii(beta) / terms.parts_per_row + lost, lacking


def choose_strategy(designs: Sequence[AnyStrategy], weights: Floats | None = None) -> AnyStrategy:
    """The design of least expected squared error; of equals the first. All answer the same
    workload, whose answers count by ``weights``.
    """
    if not designs:
        raise InvalidArgument("designs", "must be at least one")
    return min(designs, key=lambda design: compute_expected_error(design, weights))


@dataclass(frozen=True, slots=True)
class CellStrategy:
    """Each cell of one table, measured as it is: the histogram of the attributes at ``places``."""

    name = "each cell"
    sizes: tuple[int, ...]
    positions: tuple[int, ...]
    mechanism: AdditiveNoise

    @classmethod
    def plan(
        cls, sizes: Sequence[int], places: Sequence[int], terms: PrivacyParameters
    ) -> CellStrategy:
        """With all that may be spent."""
        if not all(0 <= place < len(sizes) for place in places):
            raise InvalidArgument("places", "must be places of attributes", places)
        block = _build_cell_block(sizes, places)
        return cls(tuple(sizes), tuple(places), terms.calibrate_all([block], [1.0])[0])

    @property
    def measurements(self) -> tuple[Measurement, ...]:
        """One block."""
        return ((_build_cell_block(self.sizes, self.positions), self.mechanism),)

    def reconstruct(self, noisy: Sequence[Any]) -> Floats:
        """The cells, the last attribute fastest."""
        (cells,) = noisy
        return np.asarray(cells, dtype=np.float64).ravel()

    def variances(self) -> Floats:
        """That of the noise, everywhere."""
        return np.full(self.measurements[0][0].cells, compute_noise_variance(self.mechanism))

    def radii(self, beta: Number) -> Floats:
        """The smallest that the discrete law allows."""
        return np.full(
            self.measurements[0][0].cells, float(find_single_radius(self.mechanism, beta))
        )


def _build_cell_block(sizes: Sequence[int], places: Sequence[int]) -> QueryBlock:
    return QueryBlock(tuple((place, BinSums(sizes[place])) for place in places))
