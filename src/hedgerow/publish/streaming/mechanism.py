"""What a way to tell the sums so far of a stream is, element by element; and the simplest one.

Each splits a step in two. ``measured`` sees the element and what is private of the state, and says
which whole numbers get noise. ``told`` sees the noisy numbers and what is public of the state, and
says the sum: whatever it does is post-processing. So the privacy of a way is one statement: two
streams that differ in at most ``touched`` elements, each by at most ``width`` steps, give
measurements whose difference, over the whole stream, stays within ``sensitivity``. It holds also
when elements are chosen in view of earlier answers, because it bounds the difference along every
course of the stream.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Protocol

import numpy as np

from hedgerow.accuracy.noise_sum import find_single_radius
from hedgerow.accuracy.noise_variance import compute_noise_variance
from hedgerow.mechanisms.gaussian import Gaussian
from hedgerow.mechanisms.laplace import Laplace
from hedgerow.numeric.exact_number import Number
from hedgerow.privacy.sensitivity import Sensitivity
from hedgerow.publish.strategies.strategy import AdditiveNoise, Floats

__all__ = [
    "EachPrefixMechanism",
    "StreamMechanism",
    "StreamReach",
    "StreamState",
    "calibrate_noise",
]


@dataclass(frozen=True, slots=True)
class StreamReach:
    """How far one unit reaches into a stream of ``horizon`` elements: so many elements, each by
    at most ``width`` whole steps.
    """

    horizon: int
    width: int
    touched: int = 1


@dataclass(frozen=True, slots=True)
class StreamState:
    """What a way remembers: sums that are private, and what it made of noisy numbers, which are
    not.
    """

    private: tuple[int, ...]
    public: tuple[int | float, ...]


class StreamMechanism(Protocol):
    """How the sums so far are measured and told."""

    @property
    def name(self) -> str:
        """What it does, in plain words."""

    @property
    def reach(self) -> StreamReach:
        """How far one unit reaches."""

    @property
    def noise(self) -> AdditiveNoise:
        """The noise of every measurement, on whole numbers."""

    @property
    def sensitivity(self) -> Sensitivity:
        """How far one unit moves all measurements together."""

    def initial_state(self) -> StreamState:
        """Before the first element."""

    def measure_element(
        self, private: tuple[int, ...], place: int, element: int, /
    ) -> tuple[tuple[int, ...], list[int]]:
        """The private numbers after the element at ``place`` (from 0 on), and what gets noise."""

    def estimate_sum(
        self, public: tuple[int | float, ...], place: int, noisy: list[int], /
    ) -> tuple[tuple[int | float, ...], float]:
        """The public numbers after it, and the sum so far, in steps."""

    def variances(self) -> Floats:
        """Of each sum so far, in steps squared."""

    def total_variance(self) -> float:
        """The expected squared error of all sums so far together."""

    def radii(self, beta: Number) -> Floats:
        """How far each sum so far is from the exact one, except with probability at most
        ``beta``.
        """


def calibrate_noise(
    move: Sensitivity, epsilon: Fraction | None, rho: Fraction | None
) -> AdditiveNoise:
    """The least noise on whole numbers for a pure epsilon, or for a rho."""
    if rho is not None:
        return Gaussian.calibrate(sensitivity=move, rho=rho, grid=1)
    return Laplace.calibrate(sensitivity=move, epsilon=epsilon, grid=1)


@dataclass(frozen=True)
class EachPrefixMechanism:
    """Noise on every sum so far. The first element is in all of them."""

    name = "each prefix"
    reach: StreamReach
    noise: AdditiveNoise

    @classmethod
    def plan(
        cls, reach: StreamReach, epsilon: Fraction | None, rho: Fraction | None
    ) -> EachPrefixMechanism:
        """With all that may be spent."""
        return cls(reach, calibrate_noise(cls._compute_sensitivity(reach), epsilon, rho))

    @staticmethod
    def _compute_sensitivity(reach: StreamReach) -> Sensitivity:
        return Sensitivity.each(reach.horizon, reach.touched * reach.width)

    @property
    def sensitivity(self) -> Sensitivity:
        """Every sum moves, by all that the unit has."""
        return self._compute_sensitivity(self.reach)

    def initial_state(self) -> StreamState:
        """Nothing yet."""
        return StreamState((0,), ())

    def measure_element(
        self, private: tuple[int, ...], _place: int, element: int
    ) -> tuple[tuple[int, ...], list[int]]:
        """The sum."""
        total = private[0] + element
        return (total,), [total]

    def estimate_sum(
        self, _public: tuple[int | float, ...], _place: int, noisy: list[int]
    ) -> tuple[tuple[int | float, ...], float]:
        """As it is."""
        return (), float(noisy[0])

    def variances(self) -> Floats:
        """The same everywhere."""
        return np.full(self.reach.horizon, compute_noise_variance(self.noise))

    def total_variance(self) -> float:
        """So many times the same."""
        return self.reach.horizon * compute_noise_variance(self.noise)

    def radii(self, beta: Number) -> Floats:
        """The smallest that the discrete law allows."""
        return np.full(self.reach.horizon, float(find_single_radius(self.noise, beta)))
