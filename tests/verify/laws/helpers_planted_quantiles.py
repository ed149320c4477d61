"""Broken quantiles and broken bounds, which the laws must catch."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import log
from typing import Any, ClassVar

import numpy as np

from hedgerow.errors import InvalidArgument
from hedgerow.mechanisms import (
    Laplace,
    Quantiles,
)
from hedgerow.privacy.loss import Loss
from hedgerow.sensitivity.order_statistics import Quantile
from hedgerow.sensitivity.sample import SortedSample

MEDIAN = Quantile(Fraction(1, 2), "change-one")


def column(values: Any, lower: Any, upper: Any) -> SortedSample:
    found = (
        values
        if isinstance(values, SortedSample)
        else SortedSample.from_values(values, lower=lower, upper=upper)
    )
    if not len(found):
        raise InvalidArgument("values", "must not be empty")
    return found


@dataclass(frozen=True)
class LocalMedian:
    """The median with Laplace noise scaled to its local sensitivity, cut to the range."""

    shape: ClassVar[str] = "point"
    neighbours: ClassVar[str] = "change-one"
    epsilon: Fraction

    def loss(self, rows: Any = 1) -> Loss:
        return Loss(self.epsilon * rows)

    def _noise(self, data: SortedSample) -> Laplace:
        return Laplace(
            max(Fraction(int(MEDIAN.local_sensitivity(data))), Fraction(1, 4)) / self.epsilon
        )

    def sample(self, values: Any, *, lower: Any = None, upper: Any = None) -> int:
        data = column(values, lower, upper)
        return int(np.clip(self._noise(data).sample(MEDIAN.value(data)), data.lower, data.upper))

    def log_prob(self, point: int, values: Any) -> float:
        exact = MEDIAN.value(values)
        ends = {
            values.lower: range(-2000, values.lower + 1),
            values.upper: range(values.upper, 2000),
        }
        law = self._noise(values).log_prob(
            np.array(ends.get(point, range(point, point + 1))), exact
        )
        return float(np.logaddexp.reduce(law))


class SmoothMedian(LocalMedian):
    """The same with a smooth bound and a delta, which is as it should be: nothing but the scale
    was wrong.
    """

    def loss(self, rows: Any = 1) -> Loss:
        return Loss(self.epsilon, Fraction(1, 50)).group(rows)

    def _noise(self, data: SortedSample) -> Laplace:
        beta = self.epsilon / 2 / Fraction(log(2 / 0.02))
        return Laplace(MEDIAN.smooth_sensitivity(data, beta) * 2 / self.epsilon)


class BoundsFromData(Quantiles):
    """Takes the smallest and the largest value for the bounds."""

    @staticmethod
    def _within_data(data: SortedSample) -> SortedSample:
        ends = (
            (int(data.values[0]), int(data.values[-1])) if len(data) else (data.lower, data.upper)
        )
        return SortedSample(data.values, *ends)

    def sample(self, values: Any, **bounds: Any) -> Any:
        data = (
            values
            if isinstance(values, SortedSample)
            else SortedSample.from_values(values, **bounds)
        )
        return super().sample(self._within_data(data))

    def log_prob(self, point: Any, values: Any, **bounds: Any) -> float:
        data = self._within_data(values)
        return super().log_prob(point, data) if data.lower <= point <= data.upper else -np.inf


class HalfUtility(Quantiles):
    """Takes ranks for half as sensitive as they are: half the loss for the same choice."""

    def loss(self, rows: int = 1) -> Loss:
        return Loss(Fraction(super().loss(rows).epsilon) / 2)


class SharpQuantiles(Quantiles):
    """Draws with twice the epsilon it states."""

    def sample(self, values: Any, **bounds: Any) -> Any:
        return Quantiles(self.at, self.neighbours, 2 * self.epsilon).sample(values, **bounds)


class BareQuantiles(Quantiles):
    """Several quantiles, as they are."""

    def sample(self, values: Any, **bounds: Any) -> Any:
        super().sample(values, **bounds)
        data = (
            values
            if isinstance(values, SortedSample)
            else SortedSample.from_values(values, **bounds)
        )
        return [data.value_at(Quantile(p, self.neighbours).rank(len(data))) for p in self.at]


class LostQuantiles(Quantiles):
    """Several quantiles, each anywhere, with the error of good ones."""

    def sample(self, values: Any, **bounds: Any) -> Any:
        super().sample(values, **bounds)
        return sorted(
            int(z) for z in np.random.default_rng().integers(0, values.upper + 1, len(self.at))
        )

    def error(self, beta: Any, width: int) -> float:
        return 0.5


class TightQuantiles(Quantiles):
    """A tenth of the ranks."""

    def error(self, beta: Any, width: int) -> float:
        return super().error(beta, width) / 10
