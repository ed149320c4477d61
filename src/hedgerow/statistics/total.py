"""The sum of a bounded column, and its mean where the number of rows is public.

**Change-one.** Locally the sum moves by max_i max(x_i - L, U - x_i). One row away from any data lie data with a row at
a bound, which can go to the other one: within distance 1 or more the bound is W = U - L. So S(x) = max(LS(x), W
e^-beta) is beta-smooth: it lies between W e^-beta and W. With k rows changed the sum reaches every whole number from x
less the k largest x_i - L to x plus the k largest U - x_i: the inverse length.

**Add-remove.** A row at the farther bound may always come: the local sensitivity is max(|L|, |U|) everywhere, and so is
the smooth one. k edits raise the sum by the k best of: adding U, removing a negative value. z counts as k edits away
when it lies between the least and the most that k edits reach, R_k(x). A neighbour y reaches with k + 1 edits what x
reaches with k, so this moves by at most 1 between neighbours; it is never more than the true length.

The mean of n rows under change-one is the sum over n: the same lengths, and sensitivities over n.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from hedgerow.errors import InvalidArgument
from hedgerow.numeric.chunk import Integers
from hedgerow.numeric.number import Number
from hedgerow.numeric.rounding import exp_up
from hedgerow.privacy.sensitivity import Local
from hedgerow.statistics.decay import check_beta
from hedgerow.statistics.sample import Sample, check_relation

__all__ = ["Total"]


@dataclass(frozen=True, slots=True)
class Total:
    """The sum under one neighbour relation. All results are in grid steps of the sample."""

    neighbours: str

    def __post_init__(self) -> None:
        check_relation(self.neighbours)

    def value(self, sample: Sample) -> int:
        """The sum itself: exact, and therefore not for release."""
        return int(np.sum(sample.values))

    def local(self, sample: Sample) -> Local:
        """How far one neighbour moves the sum of *these* data. For study: noise scaled to it is not private."""
        return Local(self._at(sample, 0))

    def at_distance(self, sample: Sample, k: int) -> int:
        """A(x, k): the largest local sensitivity within distance k."""
        return self._at(sample, k)

    def smooth(self, sample: Sample, beta: Number) -> Fraction:
        """The beta-smooth sensitivity, rounded up by less than a part in 10^30."""
        decay = exp_up(-check_beta(beta))
        return max(Fraction(self._at(sample, 0)), self._at(sample, 1) * min(decay, Fraction(1)))

    def lengths(self, sample: Sample, candidates: Any) -> Integers:
        """For each candidate sum, in steps: how many rows must change before the sum can be it."""
        wanted = np.asarray(candidates, dtype=np.int64)
        up, down = self._reached(sample.upper, sample.values), self._reached(-sample.lower, -sample.values)
        off = wanted - self.value(sample)
        if self.neighbours == "change-one" and np.any((off > up[-1]) | (-off > down[-1])):
            raise InvalidArgument("candidates", "must lie between the sums of as many lower and of as many upper bounds")
        least = np.where(off >= 0, _edits(off, up, sample.upper), _edits(-off, down, -sample.lower))
        return least.astype(np.int64)

    def _at(self, sample: Sample, k: int) -> int:
        if self.neighbours == "add-remove":
            return max(abs(sample.lower), abs(sample.upper))
        if len(sample) == 0:
            raise InvalidArgument("values", "must not be empty under change-one, where the number of rows is public")
        return sample.width if k else max(sample.at(len(sample)) - sample.lower, sample.upper - sample.at(1))

    def _reached(self, most: int, values: Integers) -> Integers:
        """How far 0, 1, 2, … edits raise the sum, while an edit of the data themselves is the best; ``most`` is the best row to add."""
        if self.neighbours == "change-one":
            gains = most - values
        else:
            gains = -values[-values > max(most, 0)]
        return np.concatenate([[0], np.cumsum(np.sort(gains)[::-1])])


def _edits(off: Integers, reached: Integers, most: int) -> Integers:
    """How many edits raise the sum by ``off`` or more; beyond the last gain each further row adds ``most``."""
    within = np.searchsorted(reached, off, side="left")
    beyond = np.maximum(off - reached[-1], 0)
    if most <= 0:
        return np.where(beyond > 0, np.iinfo(np.int64).max // 4, within)
    return np.where(beyond > 0, len(reached) - 1 - (-beyond // most), within)
