"""The interface of stream mechanisms, which release running totals element by element, and the
simplest one.

Each step has two halves. ``measure_element`` sees the element and the private part of the state,
and returns the integers that get noise. ``estimate_sum`` sees the noisy numbers and the public part
of the state, and returns the total: it is post-processing. The privacy of a mechanism is therefore
one statement: for two streams that differ in at most ``touched`` elements, each by at most
``width`` steps, the difference of all measurements over the whole stream stays within
``sensitivity``. It also holds if elements are chosen in view of earlier answers, because it bounds
the difference along every course of the stream.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Protocol

import numpy as np

from hedgerow.accuracy.noise_sum import find_single_radius
from hedgerow.accuracy.noise_variance import compute_noise_variance
from hedgerow.numeric.exact_number import Number
from hedgerow.numeric.vectorised import Floats
from hedgerow.privacy.sensitivity import Sensitivity
from hedgerow.publish.privacy_parameters import AdditiveNoise, calibrate_noise

__all__ = [
    "EachPrefixMechanism",
    "StreamMechanism",
    "StreamReach",
    "StreamState",
]


@dataclass(frozen=True, slots=True)
class StreamReach:
    """The reach of one unit in a stream of ``horizon`` elements: at most ``touched`` elements, each
    by at most ``width`` integer steps.
    """

    horizon: int
    width: int
    touched: int = 1


@dataclass(frozen=True, slots=True)
class StreamState:
    """The state of a mechanism: private sums, and public numbers computed from noisy ones."""

    private: tuple[int, ...]
    public: tuple[int | float, ...]


class StreamMechanism(Protocol):
    """A way to measure and estimate the running totals."""

    @property
    def name(self) -> str:
        """A short description in plain words."""

    @property
    def reach(self) -> StreamReach:
        """The reach of one unit."""

    @property
    def noise(self) -> AdditiveNoise:
        """The noise of every measurement, on integers."""

    @property
    def sensitivity(self) -> Sensitivity:
        """The sensitivity of all measurements together to one unit."""

    def initial_state(self) -> StreamState:
        """Return the state before the first element."""

    def measure_element(
        self, private: tuple[int, ...], place: int, element: int, /
    ) -> tuple[tuple[int, ...], list[int]]:
        """Return the private state after the element at ``place`` (from 0 on), and the integers
        that get noise.
        """

    def estimate_sum(
        self, public: tuple[int | float, ...], place: int, noisy: list[int], /
    ) -> tuple[tuple[int | float, ...], float]:
        """Return the public state after it, and the running total in steps."""

    def variances(self) -> Floats:
        """Return the variance of each running total, in steps squared."""

    def total_variance(self) -> float:
        """Return the expected squared error of all running totals together."""

    def radii(self, beta: Number) -> Floats:
        """Return for each running total the distance from the exact one that is exceeded with
        probability at most ``beta``.
        """


@dataclass(frozen=True)
class EachPrefixMechanism:
    """Noise on every running total. The first element is in all of them."""

    name = "each prefix"
    reach: StreamReach
    noise: AdditiveNoise

    @classmethod
    def plan(
        cls, reach: StreamReach, epsilon: Fraction | None, rho: Fraction | None
    ) -> EachPrefixMechanism:
        return cls(reach, calibrate_noise(cls._compute_sensitivity(reach), epsilon, rho))

    @staticmethod
    def _compute_sensitivity(reach: StreamReach) -> Sensitivity:
        return Sensitivity.each(reach.horizon, reach.touched * reach.width)

    @property
    def sensitivity(self) -> Sensitivity:
        return self._compute_sensitivity(self.reach)

    def initial_state(self) -> StreamState:
        return StreamState((0,), ())

    def measure_element(
        self, private: tuple[int, ...], _place: int, element: int
    ) -> tuple[tuple[int, ...], list[int]]:
        total = private[0] + element
        return (total,), [total]

    def estimate_sum(
        self, _public: tuple[int | float, ...], _place: int, noisy: list[int]
    ) -> tuple[tuple[int | float, ...], float]:
        return (), float(noisy[0])

    def variances(self) -> Floats:
        return np.full(self.reach.horizon, compute_noise_variance(self.noise))

    def total_variance(self) -> float:
        return self.reach.horizon * compute_noise_variance(self.noise)

    def radii(self, beta: Number) -> Floats:
        return np.full(self.reach.horizon, float(find_single_radius(self.noise, beta)))
