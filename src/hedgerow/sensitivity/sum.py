"""The sum of a bounded column.

**Symbols.**

| symbol | meaning |
|---|---|
| L, U, W | the bounds, and W = U - L |
| H | the width of the hull of [L, U] and 0 |
| LS(x), S(x) | the local and the smooth sensitivity |
| R_k(x) | the range of sums that k edits of x reach |

The moves are those of ``neighbour_moves``.

**Change only.** Locally the sum moves by max_i max(x_i - L, U - x_i). One row away from any data
set are data sets with a row at a bound, which can move to the other bound: within distance 1 or
more the bound is W. So S(x) = max(LS(x), W e^-beta) is beta-smooth: it lies between W e^-beta and
W. With k rows changed, the sum reaches every whole number from x less the k largest x_i - L to x
plus the k largest U - x_i: the inverse length.

**Add and remove.** A row at the farther bound may always be added: the local sensitivity is
max(|L|, |U|) everywhere, and so is the smooth one. k edits raise the sum by the k best of: adding
U, removing a negative value. z counts as k edits away when it lies in R_k(x), between the least and
the largest sum that k edits reach. A neighbour y reaches with k + 1 edits what x reaches with k, so
this moves by at most 1 between neighbours; it is never more than the true length.

**All three**, under a filter. A row that fails counts as 0: the statistic is a sum of changing
rows, with the bounds of the hull and as many zeros as needed. So locally it moves by the larger of
max(|L|, |U|) and what change alone can do, and within distance 1 or more by H; S(x) = max(LS(x), H
e^-beta). Where no row fails, LS(x) is too large, by a factor of at most 2. k moves raise the sum by
the k best of: turning a negative value into max(U, 0), adding U. This is the length where L <= 0 <=
U and enough rows fail, and otherwise never more than it.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np

from hedgerow.errors import InvalidArgument
from hedgerow.numeric.exact_number import Number
from hedgerow.numeric.rounding import exp_up
from hedgerow.numeric.vectorised import Integers
from hedgerow.privacy.sensitivity import LocalSensitivity
from hedgerow.sensitivity.neighbour_moves import NeighbourMoves
from hedgerow.sensitivity.sample import SortedSample
from hedgerow.sensitivity.smooth_weights import check_beta

__all__ = ["Sum"]

# in steps; within it, any number of rows that fits in memory has a sum below 2^62
_MAX_BOUND = 1 << 30
_UNREACHABLE = np.iinfo(np.int64).max // 4


class Sum(NeighbourMoves):
    """The sum under one neighbour relation. All results are in grid steps of the sample."""

    __slots__ = ()

    def value(self, sample: SortedSample) -> int:
        """Return the exact sum, which must not be released."""
        # low and high bits are summed separately, so that neither sum can overflow
        low, high = sample.values & (_MAX_BOUND - 1), sample.values >> 30
        return int(np.sum(low)) + (int(np.sum(high)) << 30)

    def local_sensitivity(self, sample: SortedSample) -> LocalSensitivity:
        """Return the largest move of the sum to a neighbour of *these* data.

        For study only: noise scaled to it is not private.
        """
        return LocalSensitivity(self.sensitivity_within(sample, 0))

    def sensitivity_within(self, sample: SortedSample, k: int) -> int:
        """Return A(x, k), a bound on the local sensitivity of every data set within distance k >=
        0.
        """
        self.check_sample(sample)
        low, high = sample.lower, sample.upper
        moves = [abs(low), abs(high)] if self.can_come_and_go else []
        if self.can_change and k:
            moves.append(sample.width)
        elif self.can_change and len(sample):
            moves.append(max(sample.value_at(len(sample)) - low, high - sample.value_at(1)))
        return max(moves)

    def smooth_sensitivity(self, sample: SortedSample, beta: Number) -> Fraction:
        """Return the beta-smooth sensitivity, rounded up by less than one part in 10^30."""
        decay = exp_up(-check_beta(beta))
        return max(
            Fraction(self.sensitivity_within(sample, 0)),
            self.sensitivity_within(sample, 1) * min(decay, Fraction(1)),
        )

    def inverse_lengths(self, sample: SortedSample, candidates: Any) -> Integers:
        """Return for each candidate sum, in steps, the number of rows that must change for it."""
        if max(-sample.lower, sample.upper) > _MAX_BOUND:
            raise InvalidArgument(
                "grid", "must be coarser: both bounds must lie within 2^30 steps of 0", sample.grid
            )
        wanted = np.clip(np.asarray(candidates, dtype=np.int64), -_UNREACHABLE, _UNREACHABLE)
        up = self._compute_gains(sample.upper, sample.values)
        down = self._compute_gains(-sample.lower, -sample.values)
        offset = wanted - self.value(sample)
        if not self.can_come_and_go and np.any((offset > up[-1]) | (-offset > down[-1])):
            raise InvalidArgument(
                "candidates", "must lie between n * lower and n * upper, for n rows"
            )
        raised = _count_edits(offset, up, sample.upper)
        lowered = _count_edits(-offset, down, -sample.lower)
        return np.where(offset >= 0, raised, lowered).astype(np.int64)

    def _compute_gains(self, highest: int, values: Integers) -> Integers:
        """Return how far 0, 1, 2, … moves of existing values raise the sum, best moves first.

        They end where adding ``highest``, the best new row, is at least as good.
        """
        if not self.can_come_and_go:
            gains = highest - values
        elif self.can_change:
            gains = max(highest, 0) - values[values < 0]
        else:
            gains = -values[-values > max(highest, 0)]
        return np.concatenate([[0], np.cumsum(np.sort(gains)[::-1])])


def _count_edits(offset: Integers, reached: Integers, highest: int) -> Integers:
    """Return the number of edits that raise the sum by ``offset`` or more.

    Beyond the last gain, each further row adds ``highest``.
    """
    within = np.searchsorted(reached, offset, side="left")
    beyond = np.maximum(offset - reached[-1], 0)
    if highest <= 0:
        return np.where(beyond > 0, _UNREACHABLE, within)
    return np.where(beyond > 0, len(reached) - 1 - (-beyond // highest), within)
