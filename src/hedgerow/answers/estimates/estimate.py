"""Values and intervals of aggregates, from the noisy whole numbers of a release."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from fractions import Fraction
from typing import Any, Protocol

import numpy as np

from hedgerow.accuracy.ratio_intervals import compute_mean_intervals, to_matrix
from hedgerow.accuracy.weighted_noise import WeightedNoise
from hedgerow.accuracy.weighted_sum import compute_radius
from hedgerow.answers.estimates.variance import CovarianceEstimate, VarianceEstimate
from hedgerow.numeric.exact_number import Number, parse_probability
from hedgerow.plan.measures import ClampedGrid, Measure
from hedgerow.plan.order_statistics import OrderStatistic
from hedgerow.plan.scalar.dates import DATE_TRUNCATIONS
from hedgerow.plan.values import Type, Value
from hedgerow.release.candidate_selection import CalibratedSelection
from hedgerow.release.noise import AdditiveNoise, NoiseMechanism
from hedgerow.sql.predicates.date_granularity import Granularity
from hedgerow.sql.question import AggregateCall

__all__ = [
    "ConsistentEstimate",
    "Estimate",
    "Interval",
    "LinearEstimate",
    "MeanEstimate",
    "SelectedValue",
    "compute_linear_weights",
    "estimate_aggregate",
]

Interval = tuple[Any, Any] | None


class Estimate(Protocol):
    """What an aggregate is, and how far off it may be."""

    @property
    def values(self) -> list[Any]:
        """One for each group."""

    def intervals(self, level: Number) -> list[Interval]:
        """For each group the interval that holds the exact value with the probability asked for,
        or None.
        """


@dataclass(frozen=True, slots=True)
class LinearEstimate:
    """A count or a sum: the noisy numbers times their weights. What is ``whole`` is shown as a
    whole number; so is what it means, unless rows were ``scaled`` down."""

    columns: Sequence[Sequence[int | Fraction]]
    weights: tuple[Fraction, ...]
    noise: AdditiveNoise | WeightedNoise
    is_integer: bool
    is_scaled: bool = False

    @property
    def values(self) -> list[Any]:
        """One for each group."""
        return [self._round_value(value) for value in self.compute_unrounded()]

    def intervals(self, level: Number) -> list[Interval]:
        """The value, give or take what the noise leaves with probability 1 - level."""
        far = compute_radius(self.noise, self.weights, 1 - parse_probability(level, "level"))
        if self.is_integer:
            return [self._round_interval(value, far) for value in self.compute_unrounded()]
        return [
            (self._round_value(value - far), self._round_value(value + far))
            for value in self.compute_unrounded()
        ]

    def _round_interval(self, value: Fraction, far: Fraction) -> Interval:
        """The whole numbers within, where one of them is meant; elsewhere those around."""
        low, high = math.ceil(value - far), math.floor(value + far)
        if low <= high and not self.is_scaled:
            return low, high
        return math.floor(value - far), math.ceil(value + far)

    def compute_unrounded(self) -> list[Fraction]:
        """The values as fractions, each made once: there may be many groups."""
        below = math.lcm(*(weight.denominator for weight in self.weights))
        steps = [weight.numerator * (below // weight.denominator) for weight in self.weights]
        return [
            Fraction(sum(step * number for step, number in zip(steps, numbers, strict=True)), below)
            for numbers in zip(*self.columns, strict=True)
        ]

    def _round_value(self, value: Fraction) -> Any:
        # One division of whole numbers, which Python rounds correctly. A count read off moments may
        # fall between whole numbers.
        return round(value) if self.is_integer else value.numerator / value.denominator


@dataclass(frozen=True, slots=True)
class ConsistentEstimate:
    """A count or a sum that was made to add up: its ``values`` do, to the last bit, and of
    counts in whole numbers.
    """

    linear: LinearEstimate
    values: list[Any]

    def intervals(self, level: Number) -> list[Interval]:
        """As those of other sums, by the law of all the noise that came together; with the
        value, which adding up may have rounded.
        """
        known = [
            pair or (value, value)
            for pair, value in zip(self.linear.intervals(level), self.values, strict=True)
        ]
        return [
            (min(low, value), max(high, value))
            for (low, high), value in zip(known, self.values, strict=True)
        ]


@dataclass(frozen=True, slots=True)
class MeanEstimate:
    """A mean, from moments: how far the values lie above the lower bound in all, and how far below
    the upper one. Of degree 2 the middle number counts half for each."""

    columns: Sequence[Sequence[int | Fraction]]
    noise: AdditiveNoise | WeightedNoise
    snap: ClampedGrid

    @property
    def values(self) -> list[Any]:
        """One for each group; None where the noise drowned everything."""
        return [
            self._interpolate(max(a, 0), a + b) if a + b > 0 else None
            for a, b in self._combine_moments()
        ]

    def intervals(self, level: Number) -> list[Interval]:
        """The means at which what would have to be noise is not too large for it: see
        ``ratios``.
        """
        outside = 1 - parse_probability(level, "level")
        counts = np.linspace(1, 0, len(self.columns))
        ends = compute_mean_intervals(to_matrix(self.columns), counts, self.noise, float(outside))
        return [
            self._include_value(value, pair)
            for value, pair in zip(self.values, ends.tolist(), strict=True)
        ]

    def _include_value(self, value: float | None, ends: Sequence[float]) -> Interval:
        low, high = (
            float(self.snap.step) * (self.snap.low + end * (self.snap.high - self.snap.low))
            for end in ends
        )
        return (low, high) if value is None else (min(low, value), max(high, value))

    def _combine_moments(self) -> list[tuple[int | Fraction, int | Fraction]]:
        if len(self.columns) == 2:
            return list(zip(*self.columns, strict=True))
        return [
            (2 * high + both, 2 * low + both) for high, both, low in zip(*self.columns, strict=True)
        ]

    def _interpolate(self, part: int | Fraction, whole: int | Fraction) -> float:
        """The mean at this part of the way from the lower bound to the upper one; a single
        division of whole numbers.
        """
        low, width, step = self.snap.low, self.snap.high - self.snap.low, self.snap.step
        return float(
            (low * whole + min(part, whole) * width) * step.numerator / (whole * step.denominator)
        )


@dataclass(frozen=True, slots=True)
class SelectedValue:
    """A value that was chosen: None is no release. How far off it is in value depends on the data,
    and is not told.

    Dates are chosen among days. One within a month is shown as the first of it where all dates are
    first days of a month, and the same with years (``grain``): no date lies between the two, so its
    rank is as right.
    """

    steps: Sequence[int | None]
    statistic: OrderStatistic
    type: Type
    granularity: Granularity = "day"

    @property
    def values(self) -> list[Any]:
        """One for each group."""
        return [None if step is None else self._decode_step(step) for step in self.steps]

    def intervals(self, level: Number) -> list[Interval]:
        """None: what ranks are in value is private."""
        parse_probability(level, "level")
        return [None] * len(self.steps)

    def _decode_step(self, step: int) -> Value:
        if self.statistic.values is not None:
            return self.statistic.values[step]
        assert self.statistic.grid is not None
        if self.type == "date":
            day = date.fromordinal(step)
            return (
                day
                if self.granularity == "day"
                else DATE_TRUNCATIONS[f"start of {self.granularity}"](day)
            )
        size = self.statistic.grid.step
        return (
            step * size.numerator
            if self.type == "integer" and size.denominator == 1
            else step * size.numerator / size.denominator
        )


def estimate_aggregate(
    call: AggregateCall,
    numbers: Sequence[Sequence[Any]],
    law: NoiseMechanism | WeightedNoise,
    grain: Granularity = "day",
    *,
    factor: int = 1,
) -> Estimate:
    """The estimate of an aggregate: ``numbers`` are the columns of its measure, in parts of
    1/``factor`` step. All dates that it is of are first days by the ``grain``."""
    measure = call.measure
    if isinstance(measure, OrderStatistic):
        return SelectedValue(
            numbers[0 if call.probability is None else measure.quantiles.index(call.probability)],
            measure,
            call.type,
            grain,
        )
    assert not isinstance(law, CalibratedSelection)
    weights = compute_linear_weights(call, factor)
    if weights is not None:
        # Of a unit with more rows than m, COUNT(*) counts m of them: a whole number, off whichever
        # numbers it is read.
        scaled = isinstance(law, WeightedNoise) and law.bias > 0 and not call.counts_rows
        return LinearEstimate(numbers, weights, law, call.type == "integer", scaled)
    assert measure.grid is not None
    numbers = numbers[: measure.width - measure.has_null_sum]
    if call.function == "AVG":
        return MeanEstimate(numbers, law, measure.grid)
    if measure.second is None:
        return VarianceEstimate(
            numbers,
            law,
            measure.grid,
            factor * measure.row_total,
            is_sample=call.function.endswith("SAMP"),
            is_root=call.function.startswith("STDDEV"),
        )
    return CovarianceEstimate(
        numbers,
        law,
        measure.degree,
        (measure.grid, measure.second[1]),
        factor * measure.row_total,
        is_sample=call.function.endswith("SAMP"),
        is_correlation=call.function == "CORR",
    )


def compute_linear_weights(call: AggregateCall, factor: int = 1) -> tuple[Fraction, ...] | None:
    """Return what each noisy number of its measure, in parts of 1/``factor`` step, counts in a
    COUNT or SUM; None for other aggregates.

    Off the moments: all of them add up to w^d a row, and y, the steps above ``low``, is the sum of
    k/d of the number with the power k, over w^(d-1). The rest has w^d for each row without a value.
    """
    measure = call.measure
    if call.function not in ("COUNT", "SUM") or not isinstance(measure, Measure):
        return None
    if measure.kind != "moments" or measure.grid is None:
        return (Fraction(1, factor) if measure.grid is None else measure.grid.step / factor,)
    wide, degree = measure.grid.high - measure.grid.low, measure.degree
    one = Fraction(1, factor * measure.row_total)
    if call.function == "COUNT":
        return (one,) * (measure.width - measure.has_null_sum) + (
            one * call.counts_rows,
        ) * measure.has_null_sum
    each = [Fraction(k, factor * degree * wide ** (degree - 1)) for k in range(degree, -1, -1)]
    return (
        tuple((part + measure.grid.low * one) * measure.grid.step for part in each)
        + (Fraction(0),) * measure.has_null_sum
    )
