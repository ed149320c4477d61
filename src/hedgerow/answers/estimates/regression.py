"""Estimates of correlations, and of a regression of y on x, from the noisy moments of both columns.

The moments are those of ``variance``, of degree 2, with y as the first column. On the scale from
bound to bound, the slope is the covariance over the variance of x, and the line goes through the
means. Where x does not vary there is no line; where y alone does not, R2 is 1, as in other
databases. A correlation is the covariance over the root of both variances.

Intervals: a covariance, variances, means and the count each lie in an interval of their own
(``accuracy.ratio_intervals``), which may fail with an equal part of the probability; the interval
of the aggregate has all values that such parts allow. Where the variance of x may be 0 a line has
no interval; where either may be, a correlation has the whole range.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from hedgerow.accuracy.ratio_intervals import (
    compute_covariance_intervals,
    compute_mean_intervals,
    to_matrix,
)
from hedgerow.accuracy.weighted_noise import WeightedNoise
from hedgerow.accuracy.weighted_sum import compute_radius
from hedgerow.answers.estimates.intervals import FloatInterval, divide, include_value, multiply
from hedgerow.answers.estimates.variance import compute_power_weights
from hedgerow.numeric.exact_number import Number, parse_probability
from hedgerow.numeric.vectorised import Floats
from hedgerow.plan.measures import ClampedGrid
from hedgerow.release.noise import AdditiveNoise

__all__ = ["RegressionEstimate"]

_LEAST_VARIANCE = 1e-14  # smaller ones are rounding errors of doubles
# The parts of each aggregate, and so of its interval: counts, means, variances and covariances.
_PARTS = {
    "CORR": ("xy", "xx", "yy"),
    "REGR_SLOPE": ("xy", "xx"),
    "REGR_INTERCEPT": ("xy", "xx", "x", "y"),
    "REGR_R2": ("xy", "xx", "yy"),
    "REGR_AVGX": ("x",),
    "REGR_AVGY": ("y",),
    "REGR_SXX": ("n", "xx"),
    "REGR_SYY": ("n", "yy"),
    "REGR_SXY": ("n", "xy"),
}
_WHOLE_RANGES = {"CORR": (-1.0, 1.0), "REGR_R2": (0.0, 1.0)}
_LIMITS = {"x": (0.0, 1.0), "y": (0.0, 1.0), "xx": (0.0, 0.25), "yy": (0.0, 0.25)}


@dataclass(frozen=True, slots=True)
class RegressionEstimate:
    """A CORR or REGR aggregate, ``function``, of the columns y and x with the ``grids``."""

    function: str
    columns: Sequence[Sequence[int | Fraction]]
    noise: AdditiveNoise | WeightedNoise
    grids: tuple[ClampedGrid, ClampedGrid]
    row_total: int

    @property
    def values(self) -> list[float | None]:
        """The value of each group; None without rows, or where x does not vary."""
        return [self._compute_value(numbers) for numbers in zip(*self.columns, strict=True)]

    def _compute_value(self, numbers: tuple[int | Fraction, ...]) -> float | None:
        rows = float(sum(numbers) / self.row_total)
        moments = [float(max(number, 0)) for number in numbers]
        total = sum(moments)
        if rows <= 0 or total <= 0:
            return None
        means = {
            name: sum(w * n for w, n in zip(weights, moments, strict=True)) / total
            for name, weights in _list_weights().items()
        }
        parts = {"n": rows, "x": means["x"], "y": means["y"]}
        for name in ("xx", "yy"):
            parts[name] = max(means[name] - means[name[0]] ** 2, 0.0)
        most = math.sqrt(parts["xx"] * parts["yy"])
        parts["xy"] = min(max(means["xy"] - means["x"] * means["y"], -most), most)
        if self._has_line and parts["xx"] <= _LEAST_VARIANCE:
            return None
        if parts["yy"] <= _LEAST_VARIANCE and self.function in _WHOLE_RANGES:
            return 1.0 if self.function == "REGR_R2" else None
        return self._combine({name: (part, part) for name, part in parts.items()})[0]

    @property
    def _has_line(self) -> bool:
        return "xx" in _PARTS[self.function] and self.function != "REGR_SXX"

    def intervals(self, level: Number) -> list[FloatInterval | None]:
        """Return for each group the values that the noise does not rule out, or None."""
        names = _PARTS[self.function]
        outside = float(1 - parse_probability(level, "level")) / len(names)
        matrix = to_matrix(self.columns)
        found = {name: self._bound_part(name, matrix, outside).tolist() for name in names}
        return [
            self._bound_value(value, {name: tuple(found[name][place]) for name in names})
            for place, value in enumerate(self.values)
        ]

    def _bound_part(self, name: str, matrix: Floats, outside: float) -> Floats:
        """Return the interval of one part in each group."""
        if name == "n":
            weights = (Fraction(1, self.row_total),) * len(self.columns)
            radius = float(compute_radius(self.noise, weights, Fraction(outside)))
            rows = matrix.sum(axis=1) / self.row_total
            return np.stack([np.maximum(rows - radius, 0.0), np.maximum(rows + radius, 0.0)], 1)
        weighted = {key: np.array(weights) for key, weights in _list_weights().items()}
        if len(name) == 1:
            return compute_mean_intervals(matrix, weighted[name], self.noise, outside)
        first, second = weighted[name[0]], weighted[name[1]]
        if name[0] == name[1]:
            second = first  # the same array: a variance
        counts = first, second, weighted[name]
        ends = compute_covariance_intervals(matrix, counts, self.noise, outside)
        low, high = _LIMITS.get(name, (-0.25, 0.25))
        return np.stack(
            [
                np.where(np.isnan(ends[:, 0]), low, np.maximum(ends[:, 0], low)),
                np.where(np.isnan(ends[:, 1]), high, np.minimum(ends[:, 1], high)),
            ],
            axis=1,
        )

    def _bound_value(
        self, value: float | None, parts: dict[str, FloatInterval]
    ) -> FloatInterval | None:
        if self.function in _WHOLE_RANGES and min(parts["xx"][0], parts["yy"][0]) <= 0:
            return _WHOLE_RANGES[self.function]
        if value is None or (self._has_line and parts["xx"][0] <= 0):
            return None
        return include_value(self._combine(parts), value)

    def _combine(self, parts: dict[str, FloatInterval]) -> FloatInterval:
        """Combine intervals of the parts, or single values, into that of the aggregate."""
        y, x = self.grids
        wide_y, wide_x = (float((grid.high - grid.low) * grid.step) for grid in (y, x))
        scale = {"x": wide_x, "y": wide_y, "n": 1.0}
        if self.function in ("REGR_AVGX", "REGR_AVGY"):
            return self._locate_mean(self.function[-1].lower(), parts)
        if not self._has_line:
            names = _PARTS[self.function]
            factor = scale[names[1][0]] * scale[names[1][1]]
            low, high = multiply(parts["n"], parts[names[1]])
            return low * factor, high * factor
        if self.function == "CORR":
            low, high = parts["xx"][0] * parts["yy"][0], parts["xx"][1] * parts["yy"][1]
            low, high = divide(parts["xy"], (math.sqrt(low), math.sqrt(high)))
            return max(low, -1.0), min(high, 1.0)
        if self.function == "REGR_R2":
            squared = multiply(parts["xy"], parts["xy"])
            low, high = divide(
                (0.0 if parts["xy"][0] <= 0 <= parts["xy"][1] else squared[0], squared[1]),
                multiply(parts["xx"], parts["yy"]),
            )
            return min(low, 1.0), min(high, 1.0)
        slope = divide(parts["xy"], parts["xx"])
        slope = slope[0] * wide_y / wide_x, slope[1] * wide_y / wide_x
        if self.function == "REGR_SLOPE":
            return slope
        means = {name: self._locate_mean(name, parts) for name in ("x", "y")}
        low, high = multiply(slope, means["x"])
        return means["y"][0] - high, means["y"][1] - low

    def _locate_mean(self, name: str, parts: dict[str, FloatInterval]) -> FloatInterval:
        grid = self.grids[0 if name == "y" else 1]
        wide = grid.high - grid.low
        low, high = (float(grid.step) * (grid.low + end * wide) for end in parts[name])
        return low, high


def _list_weights() -> dict[str, list[float]]:
    """Return the weight of each moment in the means of x, y, x^2, y^2 and x y; y runs slowest."""
    one, square = compute_power_weights(2, 1), compute_power_weights(2, 2)
    pairs = list(itertools.product(range(3), range(3)))
    return {
        "x": [one[j] for _, j in pairs],
        "y": [one[i] for i, _ in pairs],
        "xx": [square[j] for _, j in pairs],
        "yy": [square[i] for i, _ in pairs],
        "xy": [one[i] * one[j] for i, j in pairs],
    }
