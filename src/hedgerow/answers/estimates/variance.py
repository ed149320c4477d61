"""Estimates of variances, covariances and correlations, from noisy moments.

| symbol | meaning |
|---|---|
| y | a value, in steps above the lower bound |
| w | the width of the range, in steps |
| t, u | y/w, for one column and for a second one |
| n | the number of rows |
| d | the degree of the moments |
| b_k | the sum over all rows of C(d, k) y^k (w - y)^(d - k) |
| p_k | b_k / (n w^d) |

The b_k add up to n w^d, so the p_k are probabilities. The mean of t is the sum of (k/d) p_k, and
for d = 2 the mean of t^2 is p_2. So the variance of t is p_0 p_2 - p_1^2/4. With the moments b_kl
of two columns, the mean of t u is the sum of (k/d)(l/d) p_kl.

Intervals of variances and covariances come from ``accuracy.ratio_intervals``. For a correlation,
every moment lies within its own radius, all jointly with the probability asked for, and is not
negative; the interval has all correlations that such moments allow.
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
from hedgerow.accuracy.weighted_sum import compute_radius
from hedgerow.numeric.exact_number import Number, parse_probability
from hedgerow.numeric.rounding import sqrt_up
from hedgerow.plan.measures import ClampedGrid
from hedgerow.release.noise import AdditiveNoise

__all__ = ["CovarianceEstimate", "VarianceEstimate"]

NumberBox = list[tuple[float, float]]
FloatInterval = tuple[float, float]


def _bound_numbers(
    numbers: Sequence[int | Fraction], noise: AdditiveNoise | WeightedNoise, level: Number
) -> NumberBox:
    """Bound all exact numbers jointly with probability ``level``; their noise is independent."""
    each = parse_probability(level, "level")
    # The root of order 2, 4, 8 or 16, whichever is the first that is not below len(numbers).
    for _ in range(max(1, (len(numbers) - 1).bit_length())):
        each = sqrt_up(each)
    radius = compute_radius(noise, (Fraction(1),), 1 - each)
    return [(max(float(n - radius), 0.0), max(float(n + radius), 0.0)) for n in numbers]


def _compute_variance(high: float, both: float, low: float) -> float:
    """Return the variance of t from its three moments, limited to 0 … 1/4."""
    total = high + both + low
    return min(max((high * low - both**2 / 4) / total**2, 0.0), 0.25) if total > 0 else 0.0


def _bound_variance(box: NumberBox) -> FloatInterval:
    """Bound the variance over all moments in a box.

    The variance falls with the middle moment while it is positive. In each outer moment, with the
    others fixed, it rises up to the sum of the others plus b_1^2/2 over the other outer one, and
    then falls. So the minimum is at a corner. The maximum is at a corner, at such a point on an
    edge, or is 1/4, where both outer moments are equal and the middle one is 0.
    """
    ends, middle = (box[0], box[2]), box[1]
    least = min(_compute_variance(high, middle[1], low) for high, low in itertools.product(*ends))
    candidates = []
    for free, other in (ends, ends[::-1]):
        for fixed in other:
            best = middle[0] + fixed + (middle[0] ** 2 / 2 / fixed if fixed > 0 else 0.0)
            candidates += [
                _compute_variance(high, middle[0], fixed)
                for high in (*free, min(max(best, free[0]), free[1]))
            ]
    if middle[0] == 0 and max(ends[0][0], ends[1][0]) <= min(ends[0][1], ends[1][1]):
        candidates.append(0.25)
    return least, max(candidates)


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
        variance = _compute_variance(*(float(max(number, 0)) for number in numbers))
        return self._scale_variance(variance * rows / (rows - 1) if self.is_sample else variance)

    def intervals(self, level: Number) -> list[FloatInterval | None]:
        """Return the variances that the noise does not rule out (``accuracy.ratio_intervals``)."""
        outside = float(1 - parse_probability(level, "level"))
        mean = np.array([1.0, 0.5, 0.0])
        found = compute_covariance_intervals(
            to_matrix(self.columns),
            (mean, mean, np.array([1.0, 0.0, 0.0])),
            self.noise,
            outside,
            float(self.row_total * self.is_sample),
        )
        return [
            self._clamp_interval(value, *ends)
            for value, ends in zip(self.values, found.tolist(), strict=True)
        ]

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
    """A covariance, or a correlation (``is_correlation``), from the moments of two columns; the
    power of the second column varies fastest."""

    columns: Sequence[Sequence[int | Fraction]]
    noise: AdditiveNoise | WeightedNoise
    degree: int
    grids: tuple[ClampedGrid, ClampedGrid]
    row_total: int
    is_sample: bool
    is_correlation: bool

    @property
    def values(self) -> list[float | None]:
        """The value of each group; None where the noisy count is too small, or where a variance
        under a correlation is 0."""
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
        if not self.is_correlation:
            return together * self._width * (rows / (rows - 1) if self.is_sample else 1)
        spread = math.sqrt(
            _compute_variance(*self._sum_marginal(numbers, first=True))
            * _compute_variance(*self._sum_marginal(numbers, first=False))
        )
        return min(max(together / spread, -1.0), 1.0) if spread > 0 else None

    def intervals(self, level: Number) -> list[FloatInterval | None]:
        """Return the covariances that the noise does not rule out, or the correlations that a
        joint box of all moments allows."""
        if self.is_correlation:
            return [
                self._bound_correlation(_bound_numbers(numbers, self.noise, level))
                for numbers in zip(*self.columns, strict=True)
            ]
        outside = float(1 - parse_probability(level, "level"))
        first, second, both = (np.array(weights) for weights in self._compute_moment_weights())
        found = compute_covariance_intervals(
            to_matrix(self.columns),
            (first, second, both),
            self.noise,
            outside,
            float(self.row_total * self.is_sample),
        )
        return [
            self._clamp_interval(value, *ends)
            for value, ends in zip(self.values, found.tolist(), strict=True)
        ]

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

    def _bound_correlation(self, box: NumberBox) -> FloatInterval:
        first, second, product = (
            _bound_mean(weights, box) for weights in self._compute_moment_weights()
        )
        ends = (
            max(product[0] - first[1] * second[1], -0.25),
            min(product[1] - first[0] * second[0], 0.25),
        )
        spreads = [self._bound_marginal_variance(box, first=which) for which in (True, False)]
        least, most = (math.sqrt(spreads[0][i] * spreads[1][i]) for i in (0, 1))
        if least == 0:
            return -1.0, 1.0
        low, high = (
            ends[0] / (least if ends[0] < 0 else most),
            ends[1] / (least if ends[1] > 0 else most),
        )
        return max(low, -1.0), min(high, 1.0)

    def _compute_moment_weights(self) -> list[list[float]]:
        """Return the weights of the moments in the means of t, of u and of t u."""
        powers = [k / self.degree for k in range(self.degree, -1, -1)]
        pairs = list(itertools.product(powers, powers))
        return [[a for a, _ in pairs], [b for _, b in pairs], [a * b for a, b in pairs]]

    def _sum_marginal(self, numbers: Sequence[float], *, first: bool) -> list[float]:
        """Return the moments of degree 2 of one column."""
        return [
            sum(numbers[3 * k + j] if first else numbers[3 * j + k] for j in range(3))
            for k in range(3)
        ]

    def _bound_marginal_variance(self, box: NumberBox, *, first: bool) -> FloatInterval:
        lows, highs = (self._sum_marginal([pair[i] for pair in box], first=first) for i in (0, 1))
        return _bound_variance(list(zip(lows, highs, strict=True)))

    @property
    def _width(self) -> float:
        return float(math.prod((grid.high - grid.low) * grid.step for grid in self.grids))


def _bound_mean(weights: Sequence[float], box: NumberBox) -> FloatInterval:
    """Bound the weighted mean sum w n / sum n over all numbers n in a box.

    It is least where numbers with small weights are large and the others small: sorted by weight,
    at one of the cuts between the two.
    """
    order = sorted(zip(weights, box, strict=True))
    found = []
    for cut in range(len(order) + 1):
        for less in (True, False):
            numbers = [pair[(place < cut) == less] for place, (_, pair) in enumerate(order)]
            total = sum(numbers)
            if total > 0:
                found.append(sum(w * n for (w, _), n in zip(order, numbers, strict=True)) / total)
    return (min(found), max(found)) if found else (0.0, 1.0)
