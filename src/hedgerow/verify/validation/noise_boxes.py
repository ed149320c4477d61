"""Noise in boxes: each draw lies in an interval, whose probability is a difference of distribution
functions.

Probabilities are floats. Their relative error is far below ``MARGIN``, by which every bound of the
evaluator is widened.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from itertools import pairwise
from typing import Final, TypeAlias

from hedgerow.verify.language.program import Noise

__all__ = ["MARGIN", "NoiseBox", "NoiseEnd", "draw_whole_box"]

MARGIN: Final = 1e-9
NoiseEnd: TypeAlias = Fraction | float
"""An end of an interval: a rational, or plus or minus infinity."""


@dataclass(frozen=True)
class NoiseBox:
    """One draw, known to lie between ``low`` and ``high``; integer noise includes both ends."""

    noise: Noise
    scale: Fraction
    low: NoiseEnd
    high: NoiseEnd
    start: Fraction = Fraction(0)  # of uniform noise, whose scale is its width
    is_cell: bool = False  # not to be cut into cells again

    @property
    def is_integer(self) -> bool:
        return self.noise is Noise.GEOMETRIC

    @property
    def is_point(self) -> bool:
        return self.low == self.high

    @property
    def width(self) -> NoiseEnd:
        return self.high - self.low

    @cached_property
    def probability(self) -> float:
        """The probability of the interval, computed without cancellation."""
        low = float((self.low - self.start) / self.scale)
        high = float((self.high - self.start) / self.scale)
        match self.noise:
            case Noise.UNIFORM:
                return max(0.0, min(high, 1.0) - max(low, 0.0))
            case Noise.EXPONENTIAL:
                return _exponential(max(low, 0.0), self._relative_width)
            case Noise.GEOMETRIC:
                return self._sum_integers()
        if low < 0 < high:
            return self._central(-low) + self._central(high)
        near, far = (low, high) if low >= 0 else (-high, -low)
        if self.noise is Noise.GAUSSIAN:
            return (math.erfc(near / math.sqrt(2)) - math.erfc(far / math.sqrt(2))) / 2
        return _exponential(near, self._relative_width) / 2

    @property
    def _relative_width(self) -> float:
        return float(self.width / self.scale)

    def _central(self, distance: float) -> float:
        """Return the probability from the centre to this distance on one side."""
        if self.noise is Noise.GAUSSIAN:
            return math.erf(distance / math.sqrt(2)) / 2
        return -math.expm1(-distance) / 2

    def _sum_integers(self) -> float:
        """Sum the two-sided geometric distribution over the integers of the interval."""
        step = 1 / float(self.scale)
        low, high = float(self.low), float(self.high)
        if low > high:
            return 0.0
        share = 1 / (1 + math.exp(-step))
        if low <= 0 <= high:
            sides = _exponential(step, -low * step) + _exponential(step, high * step)
            return math.tanh(step / 2) + share * sides
        near, far = (low, high) if low > 0 else (-high, -low)
        return share * _exponential(near * step, (far - near + 1) * step)

    def cut_at(self, point: Fraction) -> tuple[NoiseBox, ...]:
        """Split the interval at a point; integers below, at and above it are three parts."""
        if not self.is_integer:
            return tuple(self._keep(((self.low, point), (point, self.high))))
        below, above = Fraction(math.ceil(point) - 1), Fraction(math.floor(point) + 1)
        middle = ((point, point),) if point.denominator == 1 else ()
        return tuple(self._keep(((self.low, below), *middle, (above, self.high))))

    def keep_below(self, end: NoiseEnd) -> NoiseBox | None:
        """Return the part up to ``end``; None if it is empty."""
        if self.is_integer and math.isfinite(end):
            end = Fraction(math.floor(end))
        return next(self._keep(((self.low, end),)), None)

    def keep_above(self, end: NoiseEnd) -> NoiseBox | None:
        """Return the part from ``end`` on; None if it is empty."""
        if self.is_integer and math.isfinite(end):
            end = Fraction(math.ceil(end))
        return next(self._keep(((end, self.high),)), None)

    def cut_into_cells(self, count: int) -> tuple[NoiseBox, ...]:
        """Split the interval into about ``count`` cells, finer where the probability is."""
        low = max(Fraction(self.low), self.start) if self.low > -math.inf else None
        high = min(Fraction(self.high), self.start) if self.high < math.inf else None
        if self.noise is Noise.UNIFORM:
            assert isinstance(self.low, Fraction)
            ends = [self.low + self.width * Fraction(n, count) for n in range(1, count)]
        elif low is not None and self.low >= self.start:
            ends = [low + one for one in self._list_steps(count)]
        elif high is not None and self.high <= self.start:
            ends = [high - one for one in self._list_steps(count)]
        else:
            steps = self._list_steps(count // 2)
            ends = [*(self.start - one for one in steps), self.start]
            ends += [self.start + one for one in steps]
        if self.is_integer:
            ends = [Fraction(math.floor(one)) for one in ends]
        bounds = [self.low, *sorted({one for one in ends if self.low < one < self.high}), self.high]
        pairs = list(pairwise(bounds))
        if self.is_integer:
            pairs = list(
                zip(bounds[:1] + [one + 1 for one in bounds[1:-1]], bounds[1:], strict=True)
            )
        return tuple(replace(one, is_cell=True) for one in self._keep(pairs))

    def _list_steps(self, count: int) -> list[Fraction]:
        """List distances from the dense end: quantiles of a distribution with longer tails."""
        stretch = 2 if self.noise is Noise.GAUSSIAN else 4
        floats = (-stretch * math.log1p(-n / count) for n in range(1, count))
        return [self.scale * Fraction(round(one * 2**20), 2**20) for one in floats]

    def _keep(self, pairs: Iterable[tuple[NoiseEnd, NoiseEnd]]) -> Iterator[NoiseBox]:
        for low, high in pairs:
            bottom, top = max(low, self.low), min(high, self.high)
            if bottom < top or (self.is_integer and bottom == top):
                yield replace(self, low=bottom, high=top)


def draw_whole_box(noise: Noise, parameters: tuple[Fraction, ...]) -> NoiseBox:
    """Return a draw about which nothing is known yet."""
    match noise:
        case Noise.UNIFORM:
            low, high = parameters
            return NoiseBox(noise, high - low, low, high, start=low)
        case Noise.EXPONENTIAL:
            return NoiseBox(noise, parameters[0], Fraction(0), math.inf)
    return NoiseBox(noise, parameters[0], -math.inf, math.inf)


def _exponential(near: float, width: float) -> float:
    """Return the probability of an interval on the positive side, up to a constant factor."""
    return -math.exp(-near) * math.expm1(-width) if near < math.inf else 0.0
