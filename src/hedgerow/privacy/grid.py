"""The public grid of additive mechanisms: step 1 for whole numbers, a power of two for reals.

Noise is drawn in whole grid steps and added to whole grid steps, so no floating-point sum ever
carries noise, and the low bits of an answer reveal nothing. A real value x is first snapped to the
nearest step, floor(x/h + 1/2), where h is the step.

Snapping adds less than one step to the distance of neighbours: if |x - x'| <= D then, because the
floor is monotone and commutes with whole shifts, the snapped values differ by at most ceil(D/h)
steps. The noise is calibrated to that sensitivity. (Rounding halves to even would not commute with
shifts: 0.5 and 1.5 would land two steps apart.)
"""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache
from math import ceil, floor, inf, isqrt, nextafter
from typing import Any, cast

import numpy as np

from hedgerow.errors import InvalidArgument
from hedgerow.numeric.exact_number import Number, parse_exact, parse_positive
from hedgerow.numeric.samplers.sample_pool import SamplePool
from hedgerow.numeric.validation import parse_array
from hedgerow.numeric.vectorised import Floats, Integers
from hedgerow.privacy.sensitivity import Sensitivity

__all__ = ["Grid", "get_grid"]

_FINE_BITS = 20  # a default grid has at least 2^20 steps to the sensitivity
# sensitivities for which a default grid exists
_MIN_FINE_DISTANCE, _MAX_FINE_DISTANCE = Fraction(1, 1 << 270), Fraction(1 << 80)
_MAX_STEPS = 1 << 62
_MAX_NUMBER = 1 << 1000
_MAX_FAST_DOUBLE = 2.0**999


class Grid:
    """The multiples of ``step``, with conversions between values and whole steps."""

    __slots__ = ("step", "whole")

    def __init__(self, step: Number) -> None:
        self.step = parse_positive(step, "grid")
        # a double is taken exactly: the shortest decimals of 2**-30 are not a power of two
        if isinstance(step, (float, np.floating)):
            self.step = Fraction(float(step))
        self.whole = self.step == 1
        top, bottom = self.step.numerator, self.step.denominator
        if (top & (top - 1)) or (bottom & (bottom - 1)) or not 2.0**-300 <= self.step <= 2.0**60:
            raise InvalidArgument(
                "grid",
                "must be 1 for whole numbers, or a power of two such as 2**-20 for reals",
                step,
            )

    @classmethod
    def for_sensitivity(cls, sensitivity: Sensitivity, step: Number | None) -> Grid:
        """Return the grid with this step, or a suitable one if ``step`` is None.

        The default is 1 where one unit moves a cell by a whole number, else a power of two far
        below it.
        """
        if step is None and sensitivity.linf.denominator == 1:
            step = 1
        return cls.for_distance(sensitivity.linf, "sensitivity") if step is None else cls(step)

    @classmethod
    def for_distance(cls, distance: Fraction, argument: str) -> Grid:
        """Return a grid with at least 2^20 steps to ``distance``."""
        if not _MIN_FINE_DISTANCE <= distance <= _MAX_FINE_DISTANCE:
            raise InvalidArgument(
                argument, "must lie between 2^-270 and 2^80 unless a grid is given", distance
            )
        # the binary exponent of the distance, or one more
        exponent = distance.numerator.bit_length() - distance.denominator.bit_length()
        return cls(Fraction(2) ** (exponent - (distance < Fraction(2) ** exponent) - _FINE_BITS))

    def steps(self, sensitivity: Sensitivity) -> Sensitivity:
        """Return the sensitivity of the snapped answers, in whole steps.

        A real move of v becomes at most ceil(v/h) < v/h + 1 steps in each of l0 cells: together
        less than l1/h + l0, and squared at most sum (v/h + 1)^2. Whole answers on the grid of 1 do
        not grow.
        """
        l0, extra = sensitivity.l0, 0 if self.step == 1 else 1
        linf = ceil(sensitivity.linf / self.step)
        l1, squares = sensitivity.l1 / self.step, sensitivity.l2_squared / self.step**2
        l2_squared = min(ceil(squares + extra * (2 * l1 + l0)), l0 * linf**2)
        total = max(min(ceil(l1) + extra * (l0 - 1), l0 * linf, isqrt(l0 * l2_squared)), linf)
        return Sensitivity(
            l0,
            Fraction(linf),
            Fraction(total),
            Fraction(max(min(l2_squared, total * linf), linf**2)),
        )

    def snap(self, value: Any, argument: str = "exact") -> int | Integers:
        """Snap to whole steps: an integer for a number, an array for an array or a sequence.

        A refusal says nothing about the values.
        """
        if type(value) is int and self.whole:
            return value
        if type(value) is float and not self.whole and -_MAX_FAST_DOUBLE < value < _MAX_FAST_DOUBLE:
            return self._snap_double(value)
        if isinstance(value, (list, tuple, np.ndarray)):
            return self._snap_array(parse_array(value, argument), argument)
        try:
            number = parse_exact(value, argument)
        except InvalidArgument:
            number = None
        if number is None or isinstance(value, np.longdouble):
            raise InvalidArgument(argument, "must be a finite number or an array of finite numbers")
        real = isinstance(value, (float, np.floating))
        if self.step == 1 and (real or number.denominator != 1):
            raise self._build_not_whole_error(argument)
        # ``parse_exact`` reads a float as a decimal, which is right for parameters; data are taken
        # as the exact doubles, like those of an array
        if real:
            number = Fraction(float(value))
        if self.step != 1:  # the result will be a double, so values beyond all doubles are clamped
            number = max(min(number, Fraction(_MAX_NUMBER)), Fraction(-_MAX_NUMBER))
        return floor(number / self.step + Fraction(1, 2))

    def _snap_double(self, value: float) -> int:
        # floor(x/h + 1/2), in whole numbers
        (n, d), (p, q) = value.as_integer_ratio(), self.step.as_integer_ratio()
        return (2 * n * q + d * p) // (2 * d * p)

    def _snap_array(self, array: Floats | Integers, argument: str) -> Integers:
        if array.dtype.kind == "f":
            if self.step == 1:
                raise self._build_not_whole_error(argument)
            return self._snap_doubles(cast(Floats, array))
        whole: Integers = np.clip(array, -_MAX_STEPS, _MAX_STEPS)
        # up to 2^53 every integer is a double; larger ones are clamped, which moves no
        # neighbours apart
        if self.step < 1:
            return self._snap_doubles(np.clip(whole, -(1 << 53), 1 << 53).astype(np.float64))
        step = int(self.step)
        return (whole + step // 2) // step

    def _snap_doubles(self, values: Floats) -> Integers:
        """Snap doubles, halves up.

        Scaling by a power of two and taking the fraction are exact, so nothing is rounded twice.
        """
        with np.errstate(over="ignore", under="ignore"):
            scaled = np.clip(values / float(self.step), -_MAX_STEPS, _MAX_STEPS)
        whole = np.floor(scaled)
        return whole.astype(np.int64) + (scaled - whole >= 0.5)

    def _build_not_whole_error(self, argument: str) -> InvalidArgument:
        return InvalidArgument(
            argument,
            "must hold whole numbers on the grid of 1; calibrate with a finer grid for real values,"
            " for example grid=2**-20",
        )

    def distance(self, noisy: Any, exact: Any) -> Any:
        """Return the number of steps from the snapped ``exact`` to ``noisy``, as doubles.

        The subtraction is of whole numbers: large ones lose nothing.
        """
        a, b = self.snap(noisy, "noisy"), self.snap(exact)
        if isinstance(a, int) and isinstance(b, int):
            return np.float64(max(min(a - b, _MAX_NUMBER), -_MAX_NUMBER))
        return (_clamp_steps(a) - _clamp_steps(b)).astype(np.float64)

    def add_noise(self, exact: Any, noise: SamplePool, scale: Fraction) -> Any:
        """Return ``exact``, snapped, with an independent draw of ``noise`` in every cell.

        ``scale`` has the unit of ``step``.
        """
        steps, t = self.snap(exact), scale if self.whole else scale / self.step
        if isinstance(steps, int):
            return self.to_value(noise.draw(t, steps))
        return self.to_value(steps + noise.sampler(t, steps.size).reshape(steps.shape))

    def to_value(self, steps: int | Integers) -> Any:
        """Convert steps to the released value: whole on the grid of 1, a double on any other."""
        if self.whole:
            return steps
        if isinstance(steps, int):
            # Python divides integers with a single rounding
            return steps * self.step.numerator / self.step.denominator
        return steps * float(self.step)

    def to_radius(self, steps: int) -> Any:
        """Convert a radius around the snapped value, in steps, to one around the exact value.

        For reals it is half a step more, rounded up.
        """
        if self.step == 1:
            return steps
        return nextafter(float((steps + Fraction(1, 2)) * self.step), inf)


def _clamp_steps(steps: int | Integers) -> Any:
    return np.int64(max(min(steps, _MAX_STEPS), -_MAX_STEPS)) if isinstance(steps, int) else steps


@lru_cache(maxsize=256)
def get_grid(step: Fraction) -> Grid:
    """Return the cached grid of a step that was checked before."""
    return Grid(step)
