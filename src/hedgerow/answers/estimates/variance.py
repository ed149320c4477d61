"""Variances, covariances and correlations, from noisy moments.

The moments b_k of degree d of a column are sums of C(d, k) y^k (w - y)^(d - k); divided by their
sum n w^d they are probabilities p_k, and with t = y/w:  mean of t = sum of (k/d) p_k,  mean of t^2
= p_2 for d = 2. So the variance of t is p_0 p_2 - p_1^2/4, and of two columns with the moments b_kl
the mean of t u is the sum of (k/d)(l/d) p_kl. Intervals of variances and covariances: ``ratios``.
Of correlations: every number lies within a radius of its own with the probability asked for
together, and above 0; told are the values that such numbers can have.
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
    numbers: Sequence[int | Fraction], law: AdditiveNoise | WeightedNoise, level: Number
) -> NumberBox:
    """Where the exact numbers lie, all of them together with the probability ``level``: their
    noise is independent.
    """
    each = parse_probability(level, "level")
    for _ in range(
        max(1, (len(numbers) - 1).bit_length())
    ):  # the root of order 2, 4, 8 or 16, of which at least as many numbers as there are
        each = sqrt_up(each)
    far = compute_radius(law, (Fraction(1),), 1 - each)
    return [(max(float(number - far), 0.0), max(float(number + far), 0.0)) for number in numbers]


def _compute_variance(high: float, both: float, low: float) -> float:
    """Of t, from the three moments; between 0 and 1/4 for what moments can be."""
    total = high + both + low
    return min(max((high * low - both**2 / 4) / total**2, 0.0), 0.25) if total > 0 else 0.0


def _bound_variance(box: NumberBox) -> FloatInterval:
    """The variances of all moments in a box.

    The variance falls with the middle number as long as it is above 0. In each of the others, the
    rest fixed, it rises up to the rest plus b_1^2/2 over the other one, and falls from there: so
    the least is at a corner, and the most at a corner, at such a point on an edge, or is 1/4, where
    both are equal and the middle one is 0.
    """
    ends, middle = (box[0], box[2]), box[1]
    least = min(_compute_variance(high, middle[1], low) for high, low in itertools.product(*ends))
    found = []
    for one, other in (ends, ends[::-1]):
        for fixed in other:
            best = middle[0] + fixed + (middle[0] ** 2 / 2 / fixed if fixed > 0 else 0.0)
            found += [
                _compute_variance(high, middle[0], fixed)
                for high in (*one, min(max(best, one[0]), one[1]))
            ]
    if middle[0] == 0 and max(ends[0][0], ends[1][0]) <= min(ends[0][1], ends[1][1]):
        found.append(0.25)
    return least, max(found)


@dataclass(frozen=True, slots=True)
class VarianceEstimate:
    """A variance or (``root``) a standard deviation, of a ``sample`` with n - 1 for n; ``most``
    is what the numbers add up to for a row.
    """

    columns: Sequence[Sequence[int | Fraction]]
    noise: AdditiveNoise | WeightedNoise
    snap: ClampedGrid
    row_total: int
    is_sample: bool
    is_root: bool

    @property
    def values(self) -> list[float | None]:
        """One for each group; None where the noise drowned everything."""
        return [self._compute_value(numbers) for numbers in zip(*self.columns, strict=True)]

    def _compute_value(self, numbers: tuple[int | Fraction, ...]) -> float | None:
        rows = float(sum(numbers) / self.row_total)
        if rows <= (1 if self.is_sample else 0):
            return None
        variance = _compute_variance(*(float(max(number, 0)) for number in numbers))
        return self._scale_variance(variance * rows / (rows - 1) if self.is_sample else variance)

    def intervals(self, level: Number) -> list[FloatInterval | None]:
        """The variances at which what would have to be noise is not too large for it: see
        ``ratios``.
        """
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
        """Within what a variance can be: 1/4, of a sample of two 1/2. All of that where noise
        may have drowned it.
        """
        most = 0.5 if self.is_sample else 0.25
        ends = (
            self._scale_variance(0.0 if math.isnan(low) else max(low, 0.0)),
            self._scale_variance(most if math.isnan(high) else min(max(high, 0.0), most)),
        )
        if value is None:
            return None if self.is_sample else ends
        return min(ends[0], value), max(ends[1], value)

    def _scale_variance(self, variance: float) -> float:
        width = float((self.snap.high - self.snap.low) * self.snap.step)
        return math.sqrt(variance) * width if self.is_root else variance * width**2


@dataclass(frozen=True, slots=True)
class CovarianceEstimate:
    """A covariance or (``scaled``) a correlation, from the moments of two columns; those of the
    second run fastest.
    """

    columns: Sequence[Sequence[int | Fraction]]
    noise: AdditiveNoise | WeightedNoise
    degree: int
    snaps: tuple[ClampedGrid, ClampedGrid]
    row_total: int
    is_sample: bool
    is_correlation: bool

    @property
    def values(self) -> list[float | None]:
        """One for each group; None where the noise drowned everything, or a correlation has a
        variance of 0.
        """
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
        """Of a covariance as of a variance, see ``ratios``; of a correlation from a box that all
        numbers are in together.
        """
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
        """Within what a covariance can be: 1/4 either way, of a sample of two 1/2; all of that
        where noise may have drowned it.
        """
        most = 0.5 if self.is_sample else 0.25
        ends = (
            self._width * (-most if math.isnan(low) else max(low, -most)),
            self._width * (most if math.isnan(high) else min(high, most)),
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
        """What each number counts in the mean of t, of u and of t u."""
        powers = [k / self.degree for k in range(self.degree, -1, -1)]
        pairs = list(itertools.product(powers, powers))
        return [[a for a, _ in pairs], [b for _, b in pairs], [a * b for a, b in pairs]]

    def _sum_marginal(self, numbers: Sequence[float], *, first: bool) -> list[float]:
        """The moments of degree 2 of one column alone."""
        return [
            sum(numbers[3 * k + l] if first else numbers[3 * l + k] for l in range(3))
            for k in range(3)
        ]  # noqa: E741

    def _bound_marginal_variance(self, box: NumberBox, *, first: bool) -> FloatInterval:
        lows, highs = (self._sum_marginal([pair[i] for pair in box], first=first) for i in (0, 1))
        return _bound_variance(list(zip(lows, highs, strict=True)))

    @property
    def _width(self) -> float:
        one, other = self.snaps
        return float((one.high - one.low) * one.step * (other.high - other.low) * other.step)


def _bound_mean(weights: Sequence[float], box: NumberBox) -> FloatInterval:
    """The means that numbers in the box can have: sum w n / sum n is least where small weights have
    much and large ones little; sorted by weight, at one of the places where that turns."""
    order = sorted(zip(weights, box, strict=True))
    found = []
    for cut in range(len(order) + 1):
        for less in (True, False):
            numbers = [pair[(place < cut) == less] for place, (_, pair) in enumerate(order)]
            total = sum(numbers)
            if total > 0:
                found.append(sum(w * n for (w, _), n in zip(order, numbers, strict=True)) / total)
    return (min(found), max(found)) if found else (0.0, 1.0)
