"""The square root of all running totals as a stream mechanism; ``toeplitz_buffers`` has its
mathematics and the bound on rounding.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import numpy as np

from hedgerow.accuracy.noise_sum import bound_sum_radii
from hedgerow.accuracy.noise_variance import compute_noise_variance
from hedgerow.mechanisms.gaussian import Gaussian
from hedgerow.numeric.exact_number import Number
from hedgerow.numeric.rounding import round_digits_up, sqrt_up
from hedgerow.privacy.sensitivity import Sensitivity
from hedgerow.publish.strategies.strategy import AdditiveNoise, Floats
from hedgerow.publish.streaming.mechanism import StreamReach, StreamState
from hedgerow.publish.streaming.toeplitz_buffers import (
    FRACTION_BITS,
    MAX_SCALE_BITS,
    ToeplitzBuffers,
)

__all__ = ["BufferedToeplitz"]


@dataclass(frozen=True)
class BufferedToeplitz:
    """Gaussian noise on a square root of all running totals, carried on in buffers. The noise is
    drawn in steps of 2^-``noise_bits``.
    """

    reach: StreamReach
    buffers: ToeplitzBuffers
    noise_bits: int
    noise: AdditiveNoise

    @classmethod
    def plan(cls, reach: StreamReach, rho: Fraction) -> BufferedToeplitz:
        """Plan the noise with the whole price, in the finest steps that can be drawn, so that
        rounding to them costs next to nothing.
        """
        buffers = ToeplitzBuffers.for_horizon(reach.horizon)
        size = reach.width * float(cls._compute_norm(reach, buffers)) / math.sqrt(2 * rho)
        noise_bits = min(MAX_SCALE_BITS - math.ceil(math.log2(size)), FRACTION_BITS - 16)
        squared = cls._compute_sensitivity(reach, buffers, noise_bits).l2_squared
        noise = Gaussian(round_digits_up(sqrt_up(squared / (2 * rho))))
        return cls(reach, buffers, noise_bits, noise)

    @property
    def name(self) -> str:
        return f"square root of sums, {len(self.buffers.gaps)} buffers"

    @staticmethod
    def _compute_norm(reach: StreamReach, buffers: ToeplitzBuffers) -> Fraction:
        return Fraction(1) if reach.touched == 1 else buffers.column_sum_norm(reach.touched)

    @classmethod
    def _compute_sensitivity(
        cls, reach: StreamReach, buffers: ToeplitzBuffers, noise_bits: int
    ) -> Sensitivity:
        """Return the sensitivity: the linear difference in steps of the noise and, for each of n
        measurements, the drift and one step for rounding.
        """
        each = 1 + buffers.drift * Fraction(2) ** (noise_bits - FRACTION_BITS)
        linear = reach.width * cls._compute_norm(reach, buffers) * Fraction(2) ** noise_bits
        size = math.ceil(linear + sqrt_up(Fraction(reach.horizon)) * each)
        return Sensitivity(
            reach.horizon,
            Fraction(size),
            Fraction(math.isqrt(reach.horizon * size**2)),
            Fraction(size**2),
        )

    @property
    def sensitivity(self) -> Sensitivity:
        """The sensitivity of the measurements in steps of the noise; ``toeplitz_buffers`` has the
        proof.
        """
        return self._compute_sensitivity(self.reach, self.buffers, self.noise_bits)

    def initial_state(self) -> StreamState:
        """Return empty buffers, twice: the exact ones, and the public ones with the running total
        in units.
        """
        empty = (0,) * len(self.buffers.gaps)
        return StreamState(empty, (*empty, 0))

    def _choose_weight(self, place: int) -> int:
        """Return the weight of an element. Weights make all columns equally long, if a unit changes
        one element; for several elements the first columns are the longest only without weights.
        """
        return self.buffers.weight(place) if self.reach.touched == 1 else 1 << FRACTION_BITS

    def measure_element(
        self, private: tuple[int, ...], place: int, element: int
    ) -> tuple[tuple[int, ...], list[int]]:
        """Return the weighted element plus the prediction, rounded to steps of the noise."""
        weighted, coarse = self._choose_weight(place) * element, FRACTION_BITS - self.noise_bits
        exact = weighted + self.buffers.predict(private)
        return self.buffers.advance(private, weighted), [(exact + (1 << (coarse - 1))) >> coarse]

    def estimate_sum(
        self, public: tuple[int | float, ...], place: int, noisy: list[int]
    ) -> tuple[tuple[int | float, ...], float]:
        """Recover the weighted element from its noisy measurement, divide by its weight and add it
        up.
        """
        *known, total = (int(number) for number in public)
        weighted = (noisy[0] << (FRACTION_BITS - self.noise_bits)) - self.buffers.predict(
            tuple(known)
        )
        total += (weighted << FRACTION_BITS) // self._choose_weight(place)
        return (*self.buffers.advance(tuple(known), weighted), total), total / (1 << FRACTION_BITS)

    @property
    def _scales(self) -> Floats:
        return 1 / self.buffers.weights if self.reach.touched == 1 else np.ones(self.reach.horizon)

    @cached_property
    def _cached_variances(self) -> Floats:
        return (
            compute_noise_variance(self.noise)
            * self.buffers.variances(self._scales)
            * 4.0**-self.noise_bits
        )

    def variances(self) -> Floats:
        """Return the variances of the linear mechanism; rounding adds less than 2^-60 of them."""
        return self._cached_variances.copy()

    def total_variance(self) -> float:
        return float(self.variances().sum())

    def radii(self, beta: Number) -> Floats:
        """Return the radii. The largest weight of a measurement is that of the first: scales fall,
        and the inverse is 1 and then negative.
        """
        largest = compute_noise_variance(self.noise) * 4.0**-self.noise_bits * self._scales[0] ** 2
        return 2.0**-self.noise_bits * bound_sum_radii(
            self.variances() * 4.0**self.noise_bits,
            [self.noise],
            largest * 4.0**self.noise_bits,
            beta,
        )
