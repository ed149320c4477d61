"""Values and intervals of aggregates, from the noisy whole numbers of a release."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from fractions import Fraction
from typing import Any, Protocol

import numpy as np

from hedgerow.answers.blend import Blend
from hedgerow.answers.radius import radius
from hedgerow.answers.ratios import floats, mean_ends
from hedgerow.answers.spread import Joint, Spread
from hedgerow.numeric.number import Number, probability
from hedgerow.picking import Picking
from hedgerow.plan.dates import STARTS
from hedgerow.plan.measures import Measure, Snap
from hedgerow.plan.picks import Pick
from hedgerow.plan.values import Type, Value
from hedgerow.release import Additive, Law
from hedgerow.sql.grain import Grain
from hedgerow.sql.question import AggregateCall

__all__ = ["Consistent", "Estimate", "Interval", "Linear", "Mean", "Picked", "estimate", "linear_weights"]

Interval = tuple[Any, Any] | None


class Estimate(Protocol):
    """What an aggregate is, and how far off it may be."""

    @property
    def values(self) -> list[Any]:
        """One for each group."""

    def intervals(self, level: Number) -> list[Interval]:
        """For each group the interval that holds the exact value with the probability asked for, or None."""


@dataclass(frozen=True, slots=True)
class Linear:
    """A count or a sum: the noisy numbers times their weights. What is ``whole`` is shown as a whole number; so is what it means, unless
    rows were ``scaled`` down."""

    columns: Sequence[Sequence[int | Fraction]]
    weights: tuple[Fraction, ...]
    law: Additive | Blend
    whole: bool
    scaled: bool = False

    @property
    def values(self) -> list[Any]:
        """One for each group."""
        return [self._shown(value) for value in self.unrounded()]

    def intervals(self, level: Number) -> list[Interval]:
        """The value, give or take what the noise leaves with probability 1 - level."""
        far = radius(self.law, self.weights, 1 - probability(level, "level"))
        if self.whole:
            return [self._whole(value, far) for value in self.unrounded()]
        return [(self._shown(value - far), self._shown(value + far)) for value in self.unrounded()]

    def _whole(self, value: Fraction, far: Fraction) -> Interval:
        """The whole numbers within, where one of them is meant; elsewhere those around."""
        low, high = math.ceil(value - far), math.floor(value + far)
        if low <= high and not self.scaled:
            return low, high
        return math.floor(value - far), math.ceil(value + far)

    def unrounded(self) -> list[Fraction]:
        """The values as fractions, each made once: there may be many groups."""
        below = math.lcm(*(weight.denominator for weight in self.weights))
        steps = [weight.numerator * (below // weight.denominator) for weight in self.weights]
        return [
            Fraction(sum(step * number for step, number in zip(steps, numbers, strict=True)), below)
            for numbers in zip(*self.columns, strict=True)
        ]

    def _shown(self, value: Fraction) -> Any:
        # One division of whole numbers, which Python rounds correctly. A count read off moments may fall between whole numbers.
        return round(value) if self.whole else value.numerator / value.denominator


@dataclass(frozen=True, slots=True)
class Consistent:
    """A count or a sum that was made to add up: its ``values`` do, to the last bit, and of counts in whole numbers."""

    linear: Linear
    values: list[Any]

    def intervals(self, level: Number) -> list[Interval]:
        """As those of other sums, by the law of all the noise that came together; with the value, which adding up may have rounded."""
        known = [pair or (value, value) for pair, value in zip(self.linear.intervals(level), self.values, strict=True)]
        return [(min(low, value), max(high, value)) for (low, high), value in zip(known, self.values, strict=True)]


@dataclass(frozen=True, slots=True)
class Mean:
    """A mean, from moments: how far the values lie above the lower bound in all, and how far below the upper one. Of degree 2 the
    middle number counts half for each."""

    columns: Sequence[Sequence[int | Fraction]]
    law: Additive | Blend
    snap: Snap

    @property
    def values(self) -> list[Any]:
        """One for each group; None where the noise drowned everything."""
        return [self._at(max(a, 0), a + b) if a + b > 0 else None for a, b in self._ends()]

    def intervals(self, level: Number) -> list[Interval]:
        """The means at which what would have to be noise is not too large for it: see ``ratios``."""
        outside = 1 - probability(level, "level")
        counts = np.linspace(1, 0, len(self.columns))
        ends = mean_ends(floats(self.columns), counts, self.law, float(outside))
        return [self._around(value, pair) for value, pair in zip(self.values, ends.tolist(), strict=True)]

    def _around(self, value: float | None, ends: Sequence[float]) -> Interval:
        low, high = (float(self.snap.step) * (self.snap.low + end * (self.snap.high - self.snap.low)) for end in ends)
        return (low, high) if value is None else (min(low, value), max(high, value))

    def _ends(self) -> list[tuple[int | Fraction, int | Fraction]]:
        if len(self.columns) == 2:
            return list(zip(*self.columns, strict=True))
        return [(2 * high + both, 2 * low + both) for high, both, low in zip(*self.columns, strict=True)]

    def _at(self, part: int | Fraction, whole: int | Fraction) -> float:
        """The mean at this part of the way from the lower bound to the upper one; a single division of whole numbers."""
        low, width, step = self.snap.low, self.snap.high - self.snap.low, self.snap.step
        return float((low * whole + min(part, whole) * width) * step.numerator / (whole * step.denominator))


@dataclass(frozen=True, slots=True)
class Picked:
    """A value that was chosen: None is no release. How far off it is in value depends on the data, and is not told.

    Dates are chosen among days. One within a month is shown as the first of it where all dates are first days of a month, and the same
    with years (``grain``): no date lies between the two, so its rank is as right.
    """

    steps: Sequence[int | None]
    pick: Pick
    type: Type
    grain: Grain = "day"

    @property
    def values(self) -> list[Any]:
        """One for each group."""
        return [None if step is None else self._value(step) for step in self.steps]

    def intervals(self, level: Number) -> list[Interval]:
        """None: what ranks are in value is private."""
        probability(level, "level")
        return [None] * len(self.steps)

    def _value(self, step: int) -> Value:
        if self.pick.values is not None:
            return self.pick.values[step]
        assert self.pick.snap is not None
        if self.type == "date":
            day = date.fromordinal(step)
            return day if self.grain == "day" else STARTS[f"start of {self.grain}"](day)
        size = self.pick.snap.step
        return step * size.numerator if self.type == "integer" and size.denominator == 1 else step * size.numerator / size.denominator


def estimate(call: AggregateCall, numbers: Sequence[Sequence[Any]], law: Law | Blend, grain: Grain = "day", *, factor: int = 1) -> Estimate:
    """The estimate of an aggregate: ``numbers`` are the columns of its measure, in parts of 1/``factor`` step. All dates that it is of are
    first days by the ``grain``."""
    measure = call.measure
    if isinstance(measure, Pick):
        return Picked(numbers[0 if call.at is None else measure.at.index(call.at)], measure, call.type, grain)
    assert not isinstance(law, Picking)
    weights = linear_weights(call, factor)
    if weights is not None:
        # Of a unit with more rows than m, COUNT(*) counts m of them: a whole number, off whichever numbers it is read.
        scaled = isinstance(law, Blend) and law.bias > 0 and not call.rows
        return Linear(numbers, weights, law, call.type == "integer", scaled)
    assert measure.snap is not None
    numbers = numbers[: measure.width - measure.rest]
    if call.function == "AVG":
        return Mean(numbers, law, measure.snap)
    if measure.second is None:
        return Spread(
            numbers,
            law,
            measure.snap,
            factor * measure.most,
            sample=call.function.endswith("SAMP"),
            root=call.function.startswith("STDDEV"),
        )
    return Joint(
        numbers,
        law,
        measure.degree,
        (measure.snap, measure.second[1]),
        factor * measure.most,
        sample=call.function.endswith("SAMP"),
        scaled=call.function == "CORR",
    )


def linear_weights(call: AggregateCall, factor: int = 1) -> tuple[Fraction, ...] | None:
    """Return what each noisy number of its measure, in parts of 1/``factor`` step, counts in a COUNT or SUM; None for other aggregates.

    Off the moments: all of them add up to w^d a row, and y, the steps above ``low``, is the sum of k/d of the number with the power k, over
    w^(d-1). The rest has w^d for each row without a value.
    """
    measure = call.measure
    if call.function not in ("COUNT", "SUM") or not isinstance(measure, Measure):
        return None
    if measure.kind != "moments" or measure.snap is None:
        return (Fraction(1, factor) if measure.snap is None else measure.snap.step / factor,)
    wide, degree = measure.snap.high - measure.snap.low, measure.degree
    one = Fraction(1, factor * measure.most)
    if call.function == "COUNT":
        return (one,) * (measure.width - measure.rest) + (one * call.rows,) * measure.rest
    each = [Fraction(k, factor * degree * wide ** (degree - 1)) for k in range(degree, -1, -1)]
    return tuple((part + measure.snap.low * one) * measure.snap.step for part in each) + (Fraction(0),) * measure.rest
