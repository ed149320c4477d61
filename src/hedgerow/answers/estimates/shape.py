"""Estimates of SKEWNESS and KURTOSIS, from noisy moments of degree 3 or 4.

| symbol | meaning |
|---|---|
| t | a value on the scale from bound to bound |
| e_j | the mean of t^j (``variance``) |
| m_j | the mean of (t - e_1)^j |
| n | the number of rows |

SKEWNESS is sqrt(n (n - 1))/(n - 2) m_3/m_2^1.5, and KURTOSIS is (n - 1)/((n - 2)(n - 3)) ((n + 1)
m_4/m_2^2 - 3 (n - 1)): the estimates from a sample that most databases give. KURTOSIS_POP is
m_4/m_2^2 - 3.

**Intervals.** The e_j and n each lie in an interval (``accuracy.ratio_intervals``), which may fail
with an equal part of the probability. Over all such values m_2 is least at the least e_2 and the
largest e_1. m_3 = e_3 - 3 e_1 e_2 + 2 e_1^3 rises with e_3 and falls with e_2; in e_1 it is convex,
with its minimum at e_1^2 = e_2/2. m_4 = e_4 - 4 e_1 e_3 + 6 e_1^2 e_2 - 3 e_1^4 rises with e_4 and
e_2 and falls with e_3; in e_1 its extremes are at the ends or at roots of its derivative. The
factors fall with n. So the ends are found exactly, and are combined as intervals. There is none
where m_2 may be 0, or n too small. []
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise

import numpy as np

from hedgerow.accuracy.ratio_intervals import compute_mean_intervals, to_matrix
from hedgerow.accuracy.weighted_noise import WeightedNoise
from hedgerow.accuracy.weighted_sum import compute_radius
from hedgerow.answers.estimates.intervals import FloatInterval, divide, include_value, multiply
from hedgerow.answers.estimates.variance import compute_power_weights
from hedgerow.numeric.exact_number import Number, parse_probability
from hedgerow.release.noise import AdditiveNoise

__all__ = ["ShapeEstimate"]

_LEAST_VARIANCE = 1e-14  # smaller ones are rounding errors of doubles
_LEAST_ROWS = {"SKEWNESS": 2, "KURTOSIS": 3, "KURTOSIS_POP": 0}  # there must be more


@dataclass(frozen=True, slots=True)
class ShapeEstimate:
    """A SKEWNESS, KURTOSIS or KURTOSIS_POP: the ``function``."""

    function: str
    columns: Sequence[Sequence[int | Fraction]]
    noise: AdditiveNoise | WeightedNoise
    row_total: int

    @property
    def values(self) -> list[float | None]:
        """The value of each group; None where rows are too few, or do not vary."""
        return [self._compute_value(numbers) for numbers in zip(*self.columns, strict=True)]

    @property
    def _powers(self) -> range:
        return range(1, 4 if self.function == "SKEWNESS" else 5)

    def _compute_value(self, numbers: tuple[int | Fraction, ...]) -> float | None:
        rows = float(sum(numbers) / self.row_total)
        moments = [float(max(number, 0)) for number in numbers]
        total = sum(moments)
        if rows <= _LEAST_ROWS[self.function] or total <= 0:
            return None
        means = []
        for power in self._powers:
            weights = compute_power_weights(len(numbers) - 1, power)
            mean = sum(w * n for w, n in zip(weights, moments, strict=True)) / total
            means.append((mean, mean))
        found = self._bound_shape(means, (rows, rows))
        return None if found is None else found[0]

    def intervals(self, level: Number) -> list[FloatInterval | None]:
        """Return for each group the values that the noise does not rule out, or None."""
        outside = (1 - parse_probability(level, "level")) / (len(self._powers) + 1)
        matrix = to_matrix(self.columns)
        means = [
            compute_mean_intervals(
                matrix,
                np.array(compute_power_weights(len(self.columns) - 1, power)),
                self.noise,
                float(outside),
            ).tolist()
            for power in self._powers
        ]
        weights = (Fraction(1, self.row_total),) * len(self.columns)
        radius = float(compute_radius(self.noise, weights, outside))
        found: list[FloatInterval | None] = []
        for place, value in enumerate(self.values):
            rows = float(sum(column[place] for column in self.columns) / self.row_total)
            box = [tuple(ends[place]) for ends in means]
            ends = self._bound_shape(box, (rows - radius, rows + radius))
            found.append(None if value is None or ends is None else include_value(ends, value))
        return found

    def _bound_shape(
        self, means: Sequence[FloatInterval], rows: FloatInterval
    ) -> FloatInterval | None:
        """Bound the function over all means and numbers of rows in intervals."""
        first, second = means[:2]
        spread = second[0] - first[1] ** 2, min(second[1] - first[0] ** 2, 0.25)
        if spread[0] <= _LEAST_VARIANCE or rows[0] <= _LEAST_ROWS[self.function]:
            return None
        if self.function == "SKEWNESS":
            ratio = divide(_bound_third(means), (spread[0] ** 1.5, spread[1] ** 1.5))
            return multiply(ratio, (_correct_skewness(rows[1]), _correct_skewness(rows[0])))
        low, high = divide(_bound_fourth(means), (spread[0] ** 2, spread[1] ** 2))
        ratio = max(low, 1.0), max(high, 1.0)  # never below
        if self.function == "KURTOSIS_POP":
            return ratio[0] - 3, ratio[1] - 3
        if rows[0] == rows[1]:
            return _correct_kurtosis(rows[0], ratio[0]), _correct_kurtosis(rows[0], ratio[1])
        most, least = map(_weigh_kurtosis, rows)
        return least[0] * ratio[0] - most[1], most[0] * ratio[1] - least[1]


def _correct_skewness(rows: float) -> float:
    return math.sqrt(rows * (rows - 1)) / (rows - 2)


def _weigh_kurtosis(rows: float) -> tuple[float, float]:
    """Return the factor of m_4/m_2^2 in KURTOSIS, and what is subtracted."""
    both = (rows - 1) / ((rows - 2) * (rows - 3))
    return both * (rows + 1), both * 3 * (rows - 1)


def _correct_kurtosis(rows: float, ratio: float) -> float:
    factor, less = _weigh_kurtosis(rows)
    return factor * ratio - less


def _bound_third(means: Sequence[FloatInterval]) -> FloatInterval:
    first, second, third = means[:3]

    def compute(e1: float, e2: float, e3: float) -> float:
        return e3 - 3 * e1 * e2 + 2 * e1**3

    low = _find_extremes(first, lambda e1: compute(e1, second[1], third[0]), [2, 0, -second[1]])
    high = _find_extremes(first, lambda e1: compute(e1, second[0], third[1]), [2, 0, -second[0]])
    return low[0], high[1]


def _bound_fourth(means: Sequence[FloatInterval]) -> FloatInterval:
    first, second, third, fourth = means

    def bound(e2: float, e3: float, e4: float) -> FloatInterval:
        return _find_extremes(
            first,
            lambda e1: e4 - 4 * e1 * e3 + 6 * e1**2 * e2 - 3 * e1**4,
            [-3, 0, 3 * e2, -e3],
        )

    return bound(second[0], third[1], fourth[0])[0], bound(second[1], third[0], fourth[1])[1]


def _find_extremes(
    ends: FloatInterval, compute: Callable[[float], float], derivative: Sequence[float]
) -> FloatInterval:
    """Return the least and the largest value between two ends, given a derivative in proportion."""
    if ends[0] == ends[1]:
        return compute(ends[0]), compute(ends[0])
    roots = [float(root.real) for root in np.roots(derivative) if abs(root.imag) < 1e-6]
    inside = sorted([*ends, *(root for root in roots if ends[0] < root < ends[1])])
    values = [compute(point) for point in inside]
    # Between two points it is monotone, but for the rounding of the roots.
    slack = max((abs(a - b) for a, b in pairwise(values)), default=0.0) * 1e-9
    return min(values) - slack, max(values) + slack
