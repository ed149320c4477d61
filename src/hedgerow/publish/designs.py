"""Designs: how a workload of linear questions is measured, and how the answers are read off.

A design names its measurements, blocks with the noise of each, before anything is looked at; so what it will cost and how far off it will
be are known from public numbers alone, and of several designs the best is chosen by expected error.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final, Protocol, TypeVar

import numpy as np
import numpy.typing as npt

from hedgerow.errors import InvalidArgument
from hedgerow.linear import Bins, Block
from hedgerow.mechanisms.laplace import Laplace
from hedgerow.numeric.number import Number
from hedgerow.publish.intervals import single_radius
from hedgerow.publish.terms import Law, Terms

__all__ = ["Cellwise", "Design", "Floats", "Law", "Measurement", "chosen", "errors", "expected_error", "least_squares", "noise_variance"]

_TINY: Final = 1e-200  # a variance that is none

Floats = npt.NDArray[np.float64]
Measurement = tuple[Block, Law]


class Design(Protocol):
    """How a workload is measured and answered. A frozen value."""

    @property
    def name(self) -> str:
        """What it does, in plain words."""

    @property
    def measurements(self) -> tuple[Measurement, ...]:
        """What is measured, and with which noise."""

    def answers(self, noisy: Sequence[Any], /) -> Floats:
        """The answers to the workload, from one array for each measurement: least squares."""

    def variances(self) -> Floats:
        """The variance of each answer."""

    def radii(self, beta: Number, /) -> Floats:
        """For each answer, how far it is from the exact one, except with probability at most ``beta``."""


Chosen = TypeVar("Chosen", bound=Design)


def noise_variance(law: Law) -> float:
    """The variance of one draw: 2q/(1-q)^2 = 1/(2 sinh^2(1/2t)) for discrete Laplace noise of scale t, q = e^(-1/t).

    Of discrete Gaussian noise it is the square of the scale, but for less than 10^-30 of it from a scale of 2 on (Poisson summation).
    """
    scale = float(law.scale)
    if isinstance(law, Laplace):
        return 0.5 / math.sinh(0.5 / scale) ** 2 if scale > 2e-3 else 0.0
    if scale >= 2:
        return scale**2
    z = np.arange(-80.0, 81.0)
    with np.errstate(under="ignore"):
        mass = np.exp(-((z / scale) ** 2) / 2)
    return float((mass * z**2).sum() / mass.sum())


def least_squares(asked: Any, seen: Any, variances: Floats, *, full: bool) -> Floats:
    """How much each measured number counts in each answer: W (S'DS)^+ S'D, for questions W and measurements S of these variances.

    ``full`` says that every code is measured, so that S'DS has an inverse, which is found faster.
    """
    inverse = 1 / np.sqrt(np.maximum(variances, 1e-200))
    inverse = inverse / inverse.max()
    wanted, scaled = np.asarray(asked, dtype=np.float64), np.asarray(seen) * inverse[:, None]
    if full:
        return np.asarray(np.linalg.solve(scaled.T @ scaled, wanted.T).T @ scaled.T * inverse)
    # The smallest A with A S = W, in numbers whose noise is 1.
    return np.asarray(np.linalg.lstsq(scaled.T, wanted.T, rcond=1e-12)[0].T * inverse)


def expected_error(design: Design, weights: Floats | None = None) -> float:
    """The expected squared error of all answers together."""
    variances = design.variances()
    return float(variances.sum() if weights is None else variances @ weights)


def errors(design: Design, terms: Terms, beta: Number, lost: Floats) -> tuple[Floats, Floats, float]:
    """Return the variance and the radius of each answer in rows, of a design in parts, where the radius has room for what is ``lost``; and
    the most that is, in standard deviations."""
    variances = design.variances() / terms.fine**2
    lacking = float((lost / np.sqrt(np.maximum(variances, _TINY))).max())
    return variances, design.radii(beta) / terms.fine + lost, lacking


def chosen(designs: Sequence[Chosen], weights: Floats | None = None) -> Chosen:
    """The design of least expected squared error; of equals the first. All answer the same workload, whose answers count by ``weights``."""
    if not designs:
        raise InvalidArgument("designs", "must be at least one")
    return min(designs, key=lambda design: expected_error(design, weights))


@dataclass(frozen=True, slots=True)
class Cellwise:
    """Each cell of one table, measured as it is: the histogram of the attributes at ``places``."""

    name = "each cell"
    sizes: tuple[int, ...]
    places: tuple[int, ...]
    law: Law

    @classmethod
    def plan(cls, sizes: Sequence[int], places: Sequence[int], terms: Terms) -> Cellwise:
        """With all that may be spent."""
        if not all(0 <= place < len(sizes) for place in places):
            raise InvalidArgument("places", "must be places of attributes", places)
        block = _cells(sizes, places)
        return cls(tuple(sizes), tuple(places), terms.laws([block], [1.0])[0])

    @property
    def measurements(self) -> tuple[Measurement, ...]:
        """One block."""
        return ((_cells(self.sizes, self.places), self.law),)

    def answers(self, noisy: Sequence[Any]) -> Floats:
        """The cells, the last attribute fastest."""
        (cells,) = noisy
        return np.asarray(cells, dtype=np.float64).ravel()

    def variances(self) -> Floats:
        """That of the noise, everywhere."""
        return np.full(self.measurements[0][0].cells, noise_variance(self.law))

    def radii(self, beta: Number) -> Floats:
        """The smallest that the discrete law allows."""
        return np.full(self.measurements[0][0].cells, float(single_radius(self.law, beta)))


def _cells(sizes: Sequence[int], places: Sequence[int]) -> Block:
    return Block(tuple((place, Bins(sizes[place])) for place in places))
