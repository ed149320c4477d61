"""Estimates of aggregates: values and intervals, from the noisy integers of a release."""

from __future__ import annotations

import math
import operator
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from fractions import Fraction
from typing import Any, Protocol

import numpy as np

from hedgerow.accuracy.ratio_intervals import compute_mean_intervals, to_matrix
from hedgerow.accuracy.weighted_noise import WeightedNoise
from hedgerow.accuracy.weighted_sum import compute_radius
from hedgerow.answers.estimates.regression import RegressionEstimate
from hedgerow.answers.estimates.shape import ShapeEstimate
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
    """The estimate of an aggregate in each group."""

    @property
    def values(self) -> list[Any]:
        """The value of each group."""

    def intervals(self, level: Number) -> list[Interval]:
        """Return for each group an interval that holds the exact value with probability
        ``level``, or None."""


@dataclass(frozen=True, slots=True)
class LinearEstimate:
    """A count or a sum: the noisy numbers times their weights.

    An ``is_integer`` estimate is shown as an integer. The exact value is one too, unless rows were
    scaled down (``is_scaled``).
    """

    columns: Sequence[Sequence[int | Fraction]]
    weights: tuple[Fraction, ...]
    noise: AdditiveNoise | WeightedNoise
    is_integer: bool
    is_scaled: bool = False

    @property
    def values(self) -> list[Any]:
        """The rounded value of each group."""
        return [self._round_value(value) for value in self.compute_unrounded()]

    def intervals(self, level: Number) -> list[Interval]:
        """Return each value plus and minus the radius that the noise exceeds with probability
        1 - level."""
        radius = compute_radius(self.noise, self.weights, 1 - parse_probability(level, "level"))
        return [self._build_interval(value, radius) for value in self.compute_unrounded()]

    def _build_interval(self, value: Fraction, radius: Fraction) -> Interval:
        if not self.is_integer:
            return self._round_value(value - radius), self._round_value(value + radius)
        low, high = math.ceil(value - radius), math.floor(value + radius)
        # An exact integer within the radius is one of these; a scaled sum may lie between them.
        if low <= high and not self.is_scaled:
            return low, high
        return math.floor(value - radius), math.ceil(value + radius)

    def compute_unrounded(self) -> list[Fraction]:
        """Return the value of each group as a fraction."""
        # One common denominator, so that each of many groups makes one fraction only.
        common = math.lcm(*(weight.denominator for weight in self.weights))
        steps = [weight.numerator * (common // weight.denominator) for weight in self.weights]
        return [
            Fraction(sum(map(operator.mul, steps, numbers)), common)
            for numbers in zip(*self.columns, strict=True)
        ]

    def _round_value(self, value: Fraction) -> Any:
        # One division of integers, which Python rounds correctly. A count that is read off moments
        # may fall between integers.
        return round(value) if self.is_integer else value.numerator / value.denominator


@dataclass(frozen=True, slots=True)
class ConsistentEstimate:
    """A reconciled count or sum: its ``values`` add up to the last bit, and counts are integers."""

    linear: LinearEstimate
    values: list[Any]

    def intervals(self, level: Number) -> list[Interval]:
        """Return the intervals of the combined noise, extended to the value, which reconciliation
        may have rounded."""
        pairs = zip(self.linear.intervals(level), self.values, strict=True)
        return [
            (min(low, value), max(high, value))
            for (low, high), value in ((pair or (value, value), value) for pair, value in pairs)
        ]


@dataclass(frozen=True, slots=True)
class MeanEstimate:
    """A mean, from two moments: the total distance of the values from the lower bound, and the one
    from the upper bound. With moments of degree 2 the middle one counts half for each."""

    columns: Sequence[Sequence[int | Fraction]]
    noise: AdditiveNoise | WeightedNoise
    grid: ClampedGrid

    @property
    def values(self) -> list[Any]:
        """The mean of each group; None where the noisy count is not positive."""
        return [
            self._interpolate(max(a, 0), a + b) if a + b > 0 else None
            for a, b in self._combine_moments()
        ]

    def intervals(self, level: Number) -> list[Interval]:
        """Return the means that the noise does not rule out (``accuracy.ratio_intervals``)."""
        outside = 1 - parse_probability(level, "level")
        counts = np.linspace(1, 0, len(self.columns))
        ends = compute_mean_intervals(to_matrix(self.columns), counts, self.noise, float(outside))
        return [
            self._include_value(value, pair)
            for value, pair in zip(self.values, ends.tolist(), strict=True)
        ]

    def _include_value(self, value: float | None, ends: Sequence[float]) -> Interval:
        width = self.grid.high - self.grid.low
        low, high = (float(self.grid.step) * (self.grid.low + end * width) for end in ends)
        return (low, high) if value is None else (min(low, value), max(high, value))

    def _combine_moments(self) -> list[tuple[int | Fraction, int | Fraction]]:
        degree = len(self.columns) - 1
        return [
            (
                sum((degree - place) * number for place, number in enumerate(numbers)),
                sum(place * number for place, number in enumerate(numbers)),
            )
            for numbers in zip(*self.columns, strict=True)
        ]

    def _interpolate(self, part: int | Fraction, whole: int | Fraction) -> float:
        """Return the mean at ``part/whole`` of the range, with a single division of integers."""
        low, width, step = self.grid.low, self.grid.high - self.grid.low, self.grid.step
        return float(
            (low * whole + min(part, whole) * width) * step.numerator / (whole * step.denominator)
        )


@dataclass(frozen=True, slots=True)
class SelectedValue:
    """A selected value in each group; None is no release. Its error in value depends on the data,
    so it is private.

    Dates are selected among days. Where all dates are the first day of their month (or year:
    ``granularity``), a selected day is shown as the first day of its month. No date lies between
    the two, so the rank is the same.
    """

    steps: Sequence[int | None]
    statistic: OrderStatistic
    type: Type
    granularity: Granularity = "day"

    @property
    def values(self) -> list[Any]:
        """The selected value of each group."""
        return [None if step is None else self._decode_step(step) for step in self.steps]

    def intervals(self, level: Number) -> list[Interval]:
        """Return None for each group: the error in value is private."""
        parse_probability(level, "level")
        return [None] * len(self.steps)

    def _decode_step(self, step: int) -> Value:
        if self.statistic.values is not None:
            return self.statistic.values[step]
        assert self.statistic.grid is not None
        if self.type == "date":
            day = date.fromordinal(step)
            if self.granularity == "day":
                return day
            return DATE_TRUNCATIONS[f"start of {self.granularity}"](day)
        size = self.statistic.grid.step
        if self.type == "integer" and size.denominator == 1:
            return step * size.numerator
        return step * size.numerator / size.denominator


def estimate_aggregate(
    call: AggregateCall,
    numbers: Sequence[Sequence[Any]],
    noise: NoiseMechanism | WeightedNoise,
    granularity: Granularity = "day",
    *,
    factor: int = 1,
) -> Estimate:
    """Estimate an aggregate from the columns of its measure, ``numbers``, in parts of 1/``factor``
    step; ``granularity`` is that of its dates."""
    measure = call.measure
    if isinstance(measure, OrderStatistic):
        return SelectedValue(
            numbers[0 if call.probability is None else measure.quantiles.index(call.probability)],
            measure,
            call.type,
            granularity,
        )
    assert not isinstance(noise, CalibratedSelection)
    weights = compute_linear_weights(call, factor)
    if weights is not None:
        # COUNT(*) counts at most max_rows rows of a unit: always an integer, whichever numbers it
        # is read from.
        scaled = isinstance(noise, WeightedNoise) and noise.bias > 0 and not call.counts_rows
        return LinearEstimate(numbers, weights, noise, call.type == "integer", scaled)
    assert measure.grid is not None
    numbers = numbers[: measure.width - measure.has_null_sum]
    if call.function == "AVG":
        return MeanEstimate(numbers, noise, measure.grid)
    total = factor * measure.row_total
    if call.function in ("SKEWNESS", "KURTOSIS", "KURTOSIS_POP"):
        return ShapeEstimate(call.function, numbers, noise, total)
    if call.function.startswith(("REGR", "CORR")):
        assert measure.second is not None
        grids = (measure.grid, measure.second[1])
        return RegressionEstimate(call.function, numbers, noise, grids, total)
    if measure.second is None:
        return VarianceEstimate(
            numbers,
            noise,
            measure.grid,
            total,
            is_sample=call.function.endswith("SAMP"),
            is_root=call.function.startswith("STDDEV"),
        )
    return CovarianceEstimate(
        numbers,
        noise,
        measure.degree,
        (measure.grid, measure.second[1]),
        total,
        is_sample=call.function.endswith("SAMP"),
    )


def compute_linear_weights(call: AggregateCall, factor: int = 1) -> tuple[Fraction, ...] | None:
    """Return the weight of each noisy number, in parts of 1/``factor`` step, in a COUNT or SUM;
    None for other aggregates.

    With moments of degree d on a grid of width w: the moments of a row add up to w^d, and the
    number y of steps above the lower bound is the sum over k of k/d times the moment with power k,
    divided by w^(d-1). The last column has w^d for each row without a value.
    """
    measure = call.measure
    if call.function not in ("COUNT", "SUM") or not isinstance(measure, Measure):
        return None
    if measure.kind != "moments" or measure.grid is None:
        return (Fraction(1, factor) if measure.grid is None else measure.grid.step / factor,)
    width, degree = measure.grid.high - measure.grid.low, measure.degree
    row = Fraction(1, factor * measure.row_total)
    if call.function == "COUNT":
        nulls = (row * call.counts_rows,) * measure.has_null_sum
        return (row,) * (measure.width - measure.has_null_sum) + nulls
    powers = [Fraction(k, factor * degree * width ** (degree - 1)) for k in range(degree, -1, -1)]
    sums = tuple((power + measure.grid.low * row) * measure.grid.step for power in powers)
    return sums + (Fraction(0),) * measure.has_null_sum
