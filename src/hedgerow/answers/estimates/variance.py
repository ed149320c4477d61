"""Estimates of variances and covariances, from noisy moments.

| symbol | meaning |
|---|---|
| y | a value, in steps above the lower bound |
| w | the width of the range, in steps |
| t, u | y/w, for one column and for a second one |
| n | the number of rows |
| d | the degree of the moments |
| b_k | the sum over all rows of C(d, k) y^k (w - y)^(d - k) |
| p_k | b_k / (n w^d) |

The b_k add up to n w^d, so the p_k are probabilities. The mean of t^j is the sum of C(k, j)/C(d, j)
p_k, so for d = 2 the variance of t is p_0 p_2 - p_1^2/4. Moments of a higher degree are turned into
those of degree 2 first. With the moments b_kl of two columns, the mean of t u is the sum of
(k/d)(l/d) p_kl.

Intervals come from ``accuracy.ratio_intervals``. Correlations and regressions are in
``regression``.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from hedgerow.accuracy.ratio_intervals import compute_covariance_intervals, to_matrix
from hedgerow.accuracy.weighted_noise import WeightedNoise
from hedgerow.answers.estimates.intervals import FloatInterval
from hedgerow.numeric.exact_number import Number, parse_probability
from hedgerow.plan.measures import ClampedGrid
from hedgerow.release.noise import AdditiveNoise

__all__ = [
    "CovarianceEstimate",
    "VarianceEstimate",
    "compute_power_weights",
]


def compute_power_weights(degree: int, power: int) -> list[float]:
    """Return the weight of each moment in the mean of t to a power: C(k, j)/C(d, j), k = d … 0."""
    whole = math.comb(degree, power)
    return [math.comb(k, power) / whole for k in range(degree, -1, -1)]


def _compute_variance(high: float, both: float, low: float) -> float:
    """Return the variance of t from its three moments, limited to 0 … 1/4."""
    total = high + both + low
    return min(max((high * low - both**2 / 4) / total**2, 0.0), 0.25) if total > 0 else 0.0


def _reduce_degree(numbers: list[float]) -> list[float]:
    """Return the moments of degree 2, or in proportion to them, from those of a higher degree."""
    if len(numbers) == 3:
        return numbers
    weights = compute_power_weights(len(numbers) - 1, 2)
    high, low = (
        sum(w * n for w, n in zip(each, numbers, strict=True))
        for each in (weights, reversed(weights))
    )
    return [high, sum(numbers) - high - low, low]


@dataclass(frozen=True, slots=True)
class VarianceEstimate:
    """A variance, or a standard deviation (``is_root``), with n - 1 in place of n for a sample
    (``is_sample``); ``row_total`` is the sum of one row's moments."""

    columns: Sequence[Sequence[int | Fraction]]
    noise: AdditiveNoise | WeightedNoise
    grid: ClampedGrid
    row_total: int
    is_sample: bool
    is_root: bool

    @property
    def values(self) -> list[float | None]:
        """The value of each group; None where the noisy count is too small."""
        return [self._compute_value(numbers) for numbers in zip(*self.columns, strict=True)]

    def _compute_value(self, numbers: tuple[int | Fraction, ...]) -> float | None:
        rows = float(sum(numbers) / self.row_total)
        if rows <= (1 if self.is_sample else 0):
            return None
        variance = _compute_variance(*_reduce_degree([float(max(n, 0)) for n in numbers]))
        return self._scale_variance(variance * rows / (rows - 1) if self.is_sample else variance)

    def intervals(self, level: Number) -> list[FloatInterval | None]:
        """Return the variances that the noise does not rule out (``accuracy.ratio_intervals``)."""
        mean, square = (compute_power_weights(len(self.columns) - 1, power) for power in (1, 2))
        return _compute_intervals(self, (mean, mean, square), level)

    def _clamp_interval(self, value: float | None, low: float, high: float) -> FloatInterval | None:
        """Clamp an interval to the possible variances: at most 1/4, or 1/2 for a sample of two. An
        end that is not a number leaves that side open."""
        limit = 0.5 if self.is_sample else 0.25
        ends = (
            self._scale_variance(0.0 if math.isnan(low) else max(low, 0.0)),
            self._scale_variance(limit if math.isnan(high) else min(max(high, 0.0), limit)),
        )
        if value is None:
            return None if self.is_sample else ends
        return min(ends[0], value), max(ends[1], value)

    def _scale_variance(self, variance: float) -> float:
        width = float((self.grid.high - self.grid.low) * self.grid.step)
        return math.sqrt(variance) * width if self.is_root else variance * width**2


@dataclass(frozen=True, slots=True)
class CovarianceEstimate:
    """A covariance from the moments of two columns; the power of the second column varies
    fastest."""

    columns: Sequence[Sequence[int | Fraction]]
    noise: AdditiveNoise | WeightedNoise
    degree: int
    grids: tuple[ClampedGrid, ClampedGrid]
    row_total: int
    is_sample: bool

    @property
    def values(self) -> list[float | None]:
        """The value of each group; None where the noisy count is too small."""
        return [
            self._compute_value([float(max(number, 0)) for number in numbers])
            for numbers in zip(*self.columns, strict=True)
        ]

    def _compute_value(self, numbers: list[float]) -> float | None:
        total = sum(numbers)
        rows = total / self.row_total
        if rows <= (1 if self.is_sample else 0):
            return None
        first, second, product = (
            sum(w * n for w, n in zip(weights, numbers, strict=True)) / total
            for weights in self._compute_moment_weights()
        )
        together = product - first * second
        return together * self._width * (rows / (rows - 1) if self.is_sample else 1)

    def intervals(self, level: Number) -> list[FloatInterval | None]:
        """Return the covariances that the noise does not rule out."""
        return _compute_intervals(self, self._compute_moment_weights(), level)

    def _clamp_interval(self, value: float | None, low: float, high: float) -> FloatInterval | None:
        """Clamp an interval to the possible covariances: 1/4 either way, or 1/2 for a sample of
        two. An end that is not a number leaves that side open."""
        limit = 0.5 if self.is_sample else 0.25
        ends = (
            self._width * (-limit if math.isnan(low) else max(low, -limit)),
            self._width * (limit if math.isnan(high) else min(high, limit)),
        )
        if value is None:
            return None if self.is_sample else ends
        return min(*ends, value), max(*ends, value)

    def _compute_moment_weights(self) -> list[list[float]]:
        """Return the weights of the moments in the means of t, of u and of t u."""
        powers = [k / self.degree for k in range(self.degree, -1, -1)]
        pairs = list(itertools.product(powers, powers))
        return [[a for a, _ in pairs], [b for _, b in pairs], [a * b for a, b in pairs]]

    @property
    def _width(self) -> float:
        return float(math.prod((grid.high - grid.low) * grid.step for grid in self.grids))


def _compute_intervals(
    estimate: VarianceEstimate | CovarianceEstimate,
    weights: Sequence[Sequence[float]],
    level: Number,
) -> list[FloatInterval | None]:
    """Return the clamped intervals of moments with these weights in both means and the product."""
    first, second, product = map(np.array, weights)
    found = compute_covariance_intervals(
        to_matrix(estimate.columns),
        (first, second, product),
        estimate.noise,
        float(1 - parse_probability(level, "level")),
        float(estimate.row_total * estimate.is_sample),
    )
    return [
        estimate._clamp_interval(value, *ends)
        for value, ends in zip(estimate.values, found.tolist(), strict=True)
    ]
