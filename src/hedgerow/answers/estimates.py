"""Values and intervals of aggregates, from the noisy whole numbers of a release."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from hedgerow.mechanisms.gaussian import Gaussian
from hedgerow.numeric.number import Number, probability
from hedgerow.numeric.rounding import sqrt_up
from hedgerow.plan.measures import Measure, Snap
from hedgerow.release import Law

__all__ = ["Interval", "Linear", "Mean", "estimate", "expected_error"]

Interval = tuple[Any, Any] | None


@dataclass(frozen=True, slots=True)
class Linear:
    """A count or a sum: the noisy number times its step."""

    numbers: Sequence[int]
    law: Law
    step: Fraction
    whole: bool

    @property
    def values(self) -> list[Any]:
        """One for each group."""
        return [self._scaled(number) for number in self.numbers]

    def intervals(self, level: Number) -> list[Interval]:
        """The noisy number, give or take what the noise leaves with probability 1 - level."""
        radius = self.law.error(1 - probability(level, "level"))
        return [(self._scaled(number - radius), self._scaled(number + radius)) for number in self.numbers]

    def _scaled(self, number: int) -> Any:
        # One division of whole numbers, which Python rounds correctly.
        return number * self.step.numerator if self.whole else number * self.step.numerator / self.step.denominator


@dataclass(frozen=True, slots=True)
class Mean:
    """A mean, from how far the values lie above the lower bound in all, and how far below the upper one."""

    above: Sequence[int]
    below: Sequence[int]
    law: Law
    snap: Snap

    @property
    def values(self) -> list[Any]:
        """One for each group; None where the noise drowned everything."""
        return [self._at(max(a, 0), a + b) if a + b > 0 else None for a, b in zip(self.above, self.below, strict=True)]

    def intervals(self, level: Number) -> list[Interval]:
        """Both totals lie within their radius with the probability asked for, and above 0: the means that such totals can have.

        The two have independent noise, so each leaves its radius with probability 1 - sqrt(level).
        """
        radius = self.law.error(1 - sqrt_up(probability(level, "level")))
        return [self._between(a, b, radius) for a, b in zip(self.above, self.below, strict=True)]

    def _between(self, above: int, below: int, radius: int) -> Interval:
        low, high = max(above - radius, 0), max(above + radius, 0)
        least, most = max(below - radius, 0), max(below + radius, 0)
        if low + least <= 0:
            return self._at(0, 1), self._at(1, 1)
        return self._at(low, low + most), self._at(high, high + least)

    def _at(self, part: int, whole: int) -> float:
        """The mean at this part of the way from the lower bound to the upper one; a single division of whole numbers."""
        low, width, step = self.snap.low, self.snap.high - self.snap.low, self.snap.step
        return (low * whole + min(part, whole) * width) * step.numerator / (whole * step.denominator)


def estimate(measure: Measure, numbers: Sequence[Sequence[int]], law: Law, *, whole: bool) -> Linear | Mean:
    """The estimate that a measure gives: ``numbers`` are its columns, ``whole`` says that its values are whole numbers."""
    if measure.kind == "mean" and measure.snap is not None:
        return Mean(numbers[0], numbers[1], law, measure.snap)
    step = Fraction(1) if measure.snap is None else measure.snap.step
    return Linear(numbers[0], law, step, whole and step.denominator == 1)


def expected_error(law: Law, step: Fraction) -> float:
    """The mean absolute error that noise brings: 1/sinh(1/t) steps for discrete Laplace noise of scale t, about sigma sqrt(2/pi) for
    discrete Gaussian noise."""
    scale = float(law.scale)
    if isinstance(law, Gaussian):
        return scale * math.sqrt(2 / math.pi) * float(step)
    return float(step) / math.sinh(1 / scale) if scale > 1 / 500 else 0.0
