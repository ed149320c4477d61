"""The square root of all sums as a way to tell them: ``buffers`` has its mathematics, and the proof of what rounding may add."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import numpy as np

from hedgerow.mechanisms.gaussian import Gaussian
from hedgerow.numeric.number import Number
from hedgerow.numeric.rounding import round_digits_up, sqrt_up
from hedgerow.privacy.sensitivity import Sensitivity
from hedgerow.publish.designs import Floats, Law, noise_variance
from hedgerow.publish.intervals import sum_radii
from hedgerow.publish.streaming.buffers import BITS, Buffers
from hedgerow.publish.streaming.ways import Reach, State

__all__ = ["Buffered"]

_FINEST = 38  # noise of up to 2^38 steps, of about 2^40 that can be drawn


@dataclass(frozen=True)
class Buffered:
    """Gaussian noise on a square root of all sums, carried on in buffers. ``fine``: noise is drawn in steps of 2^-fine."""

    reach: Reach
    buffers: Buffers
    fine: int
    law: Law

    @classmethod
    def plan(cls, reach: Reach, rho: Fraction) -> Buffered:
        """With all that may be spent. The noise is as fine as can be drawn, so that rounding to its steps costs nothing to speak of."""
        buffers = Buffers.suiting(reach.horizon)
        size = reach.width * float(cls._length(reach, buffers)) / math.sqrt(2 * rho)
        fine = min(_FINEST - math.ceil(math.log2(size)), BITS - 16)
        return cls(reach, buffers, fine, Gaussian(round_digits_up(sqrt_up(cls._move(reach, buffers, fine).l2_squared / (2 * rho)))))

    @property
    def name(self) -> str:
        """By its buffers."""
        return f"square root of sums, {len(self.buffers.gaps)} buffers"

    @staticmethod
    def _length(reach: Reach, buffers: Buffers) -> Fraction:
        return Fraction(1) if reach.touched == 1 else buffers.length(reach.touched)

    @classmethod
    def _move(cls, reach: Reach, buffers: Buffers, fine: int) -> Sensitivity:
        """The linear difference in steps of the noise; and for each of n measurements the drift, and one step for rounding."""
        each = 1 + buffers.drift * Fraction(2) ** (fine - BITS)
        linear = reach.width * cls._length(reach, buffers) * Fraction(2) ** fine
        size = math.ceil(linear + sqrt_up(Fraction(reach.horizon)) * each)
        return Sensitivity(reach.horizon, Fraction(size), Fraction(math.isqrt(reach.horizon * size**2)), Fraction(size**2))

    @property
    def sensitivity(self) -> Sensitivity:
        """Of the measurements in steps of the noise; see ``buffers`` for the proof."""
        return self._move(self.reach, self.buffers, self.fine)

    def start(self) -> State:
        """Empty buffers, twice: exact ones, and those that the reader knows, with the sum so far in units."""
        empty = (0,) * len(self.buffers.gaps)
        return State(empty, (*empty, 0))

    def _weight(self, place: int) -> int:
        """Weights make columns alike, where one of them is all that a unit can move. Of several, the first are the longest only without."""
        return self.buffers.weight(place) if self.reach.touched == 1 else 1 << BITS

    def measured(self, private: tuple[int, ...], place: int, element: int) -> tuple[tuple[int, ...], list[int]]:
        """The element, weighted, and what the buffers have; rounded to steps of the noise."""
        weighted, coarse = self._weight(place) * element, BITS - self.fine
        exact = weighted + self.buffers.predicted(private)
        return self.buffers.advanced(private, weighted), [(exact + (1 << (coarse - 1))) >> coarse]

    def told(self, public: tuple[int | float, ...], place: int, noisy: list[int]) -> tuple[tuple[int | float, ...], float]:
        """What the element, weighted, must have been; and all of them without their weights."""
        *known, total = (int(number) for number in public)
        weighted = (noisy[0] << (BITS - self.fine)) - self.buffers.predicted(tuple(known))
        total += (weighted << BITS) // self._weight(place)
        return (*self.buffers.advanced(tuple(known), weighted), total), total / (1 << BITS)

    @property
    def _scales(self) -> Floats:
        return 1 / self.buffers.weights if self.reach.touched == 1 else np.ones(self.reach.horizon)

    @cached_property
    def _variances(self) -> Floats:
        return noise_variance(self.law) * self.buffers.variances(self._scales) * 4.0**-self.fine

    def variances(self) -> Floats:
        """Those of the linear way; what rounding adds is below 2^-60 of it."""
        return self._variances.copy()

    def total(self) -> float:
        """Their sum."""
        return float(self.variances().sum())

    def radii(self, beta: Number) -> Floats:
        """The largest weight of one measurement is that of the first: scales fall, and the inverse is 1 and then negative."""
        largest = noise_variance(self.law) * 4.0**-self.fine * self._scales[0] ** 2
        return 2.0**-self.fine * sum_radii(self.variances() * 4.0**self.fine, [self.law], largest * 4.0**self.fine, beta)
