"""The expected error of a mean, a variance or a covariance over n rows, where n is private: c/n
with a public c.

| symbol | meaning |
|---|---|
| Z_i | the noise of the i-th number |
| W | the sum of all numbers of one row |
| w_i | the weight of the i-th number |
| m, l, v | the means of the two columns, and their covariance, on the scale from bound to bound |

The answer is a ratio of noisy sums. Noise that is small beside them moves it by the sum of w_i
Z_i/(n W), with the weights of ``ratio_intervals``: k_i - m for a mean m, for a covariance v q_i - l
k_i - m l_i + m l - v (for a variance both columns are the same). So the mean error is c/n, with c
the mean absolute value of the sum of w_i Z_i, over W. It depends on where the data lie. No possible
weights have a sum above that at the bounds: there k_i and q_i themselves are the weights. Since the
mean absolute value is a norm, c is largest there.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import product

from hedgerow.accuracy.weighted_noise import WeightedNoise
from hedgerow.accuracy.weighted_sum import compute_mean_error, compute_radius
from hedgerow.charts.number_text import format_size
from hedgerow.errors import InvalidArgument
from hedgerow.plan.measures import ClampedGrid, Measure
from hedgerow.release.noise import AdditiveNoise
from hedgerow.sql.question import AggregateCall

__all__ = ["ExpectedRatioError"]


@dataclass(frozen=True, slots=True)
class ExpectedRatioError:
    """The expected error of an AVG, VAR…, STDDEV… or COVAR…: at most about ``most``/n for n rows
    (of STDDEV: that of its square).
    """

    call: AggregateCall
    noise: AdditiveNoise | WeightedNoise
    factor: int = 1  # parts of a step in which the noise is

    @property
    def most(self) -> float:
        """n times the expected error in the worst case, with the data at the bounds."""
        return self._compute_expected(self._worst_weights)

    @property
    def middle(self) -> float:
        """n times the expected error of a mean halfway between the bounds; ``most`` for all other
        aggregates.
        """
        return (
            self._compute_expected(
                self._compute_weights(Fraction(1, 2), Fraction(1, 2), Fraction(0))
            )
            if self.call.function == "AVG"
            else self.most
        )

    def at(
        self, rows: int, mean: float, value: float | None = None, other: float | None = None
    ) -> float:
        """Return the expected error for given exact data: the number of rows, the mean, the exact
        answer (``value``, for all but AVG) and, for a covariance, the mean ``other`` of the second
        column.

        Noise has to be small beside the sums.
        """
        measure = self._measure
        if (value is None) != (self.call.function == "AVG") or (other is None) != (
            measure.second is None
        ):
            raise InvalidArgument(
                "value",
                "must be given for all but AVG, and the other mean exactly for a covariance",
                value,
            )
        exact = Fraction(0 if value is None else value)
        variance = exact**2 if self._is_root else exact
        first = _locate_in_range(mean, self._snaps[0])
        second = first if other is None else _locate_in_range(other, self._snaps[1])
        expected = (
            self._compute_expected(
                self._compute_weights(first, second, variance / self._range_width)
            )
            / rows
        )
        return expected / (2 * float(exact)) if self._is_root else expected

    @property
    def units_per_noise(self) -> float:
        """n times the move of the answer for noise of 1 in a number; of STDDEV: of its square."""
        return float(self._range_width) / self._row_total

    def describe(self, beta: Fraction) -> str:
        """Describe the expected error in words."""
        most = format_size(
            float(
                compute_radius(self.noise, self._worst_weights, beta)
                * self._range_width
                / self._row_total
            )
        )
        usual = f"{format_size(self.most)}/n" + (
            f" ({format_size(self.middle)}/n for a mean in the middle)"
            if self.call.function == "AVG"
            else ""
        )
        what = "its square for n rows" if self._is_root else "for n rows"
        return (
            f"{what} off by about {usual} or less, with {float(1 - beta):.0%} by at most about"
            f" {most}/n".replace("%", " %")
        )

    @property
    def _measure(self) -> Measure:
        assert isinstance(self.call.measure, Measure)
        return self.call.measure

    @property
    def _row_total(self) -> int:
        """The sum of all numbers of one row."""
        return self.factor * self._measure.row_total

    @property
    def _is_root(self) -> bool:
        return self.call.function.startswith("STDDEV")

    @property
    def _snaps(self) -> tuple[ClampedGrid, ClampedGrid]:
        measure = self._measure
        assert measure.grid is not None
        return measure.grid, measure.grid if measure.second is None else measure.second[1]

    @property
    def _range_width(self) -> Fraction:
        """The width from bound to bound; squared for a variance, and the product of both for a
        covariance.
        """
        first, second = ((snap.high - snap.low) * snap.step for snap in self._snaps)
        return first if self.call.function == "AVG" else first * second

    @property
    def _worst_weights(self) -> Sequence[Fraction]:
        return self._compute_weights(Fraction(0), Fraction(0), Fraction(0))

    def _compute_weights(self, mean: Fraction, other: Fraction, value: Fraction) -> list[Fraction]:
        degree = self._measure.degree
        shares = [Fraction(k, degree) for k in range(degree, -1, -1)]
        if self.call.function == "AVG":
            return [share - mean for share in shares]
        if self._measure.second is not None:
            return [(k - mean) * (m - other) - value for k, m in product(shares, shares)]
        squares = [share * (share * degree - 1) / (degree - 1) for share in shares]
        return [
            square - 2 * mean * k + mean**2 - value
            for square, k in zip(squares, shares, strict=True)
        ]

    def _compute_expected(self, weights: Sequence[Fraction]) -> float:
        return (
            compute_mean_error(self.noise, weights) * float(self._range_width) / self._row_total
            if any(weights)
            else 0.0
        )


def _locate_in_range(value: float, snap: ClampedGrid) -> Fraction:
    """Return the position of a value between the lower bound (0) and the upper one (1)."""
    if not math.isfinite(value):
        raise InvalidArgument("mean", "must be a finite number", value)
    return (Fraction(value) / snap.step - snap.low) / (snap.high - snap.low)
