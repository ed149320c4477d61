"""The sum of a bounded column. The moves are those of ``moves``; W = U - L, and H is the width of
the hull of [L, U] and 0.

**Change only.** Locally the sum moves by max_i max(x_i - L, U - x_i). One row away from any data
lie data with a row at a bound, which can go to the other one: within distance 1 or more the bound
is W. So S(x) = max(LS(x), W e^-beta) is beta-smooth: it lies between W e^-beta and W. With k rows
changed the sum reaches every whole number from x less the k largest x_i - L to x plus the k largest
U - x_i: the inverse length.

**Come and go.** A row at the farther bound may always come: the local sensitivity is max(|L|, |U|)
everywhere, and so is the smooth one. k edits raise the sum by the k best of: adding U, removing a
negative value. z counts as k edits away when it lies between the least and the most that k edits
reach, R_k(x). A neighbour y reaches with k + 1 edits what x reaches with k, so this moves by at
most 1 between neighbours; it is never more than the true length.

**All three**, under a filter. A row that fails counts as 0: it is a sum of changing rows, with the
bounds of the hull and as many zeros as needed. So locally it moves by the larger of max(|L|, |U|)
and what change alone can do, and within distance 1 or more by H; S(x) = max(LS(x), H e^-beta).
Where no row fails, LS(x) is too large, by a factor of 2 at most. k moves raise the sum by the k
best of: turning a negative value into max(U, 0), adding U. This is the length where L <= 0 <= U and
enough rows fail, and else never more than it.
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
from hedgerow.sensitivity.sample import Sample
from hedgerow.sensitivity.smooth_weights import check_beta

__all__ = ["Sum"]

# steps from 0 within which any number of rows that fits in memory has a sum below 2^62
_MAX_BOUND = 1 << 30
_UNREACHABLE = np.iinfo(np.int64).max // 4


class Sum(NeighbourMoves):
    """The sum under one neighbour relation. All results are in grid steps of the sample."""

    __slots__ = ()

    def value(self, sample: Sample) -> int:
        """The sum itself: exact, and therefore not for release."""
        # two sums that cannot overflow
        low, high = sample.values & (_MAX_BOUND - 1), sample.values >> 30
        return int(np.sum(low)) + (int(np.sum(high)) << 30)

    def local_sensitivity(self, sample: Sample) -> LocalSensitivity:
        """How far one neighbour moves the sum of *these* data. For study: noise scaled to it is
        not private.
        """
        return LocalSensitivity(self.sensitivity_within(sample, 0))

    def sensitivity_within(self, sample: Sample, k: int) -> int:
        """A(x, k): at least the local sensitivity of every data set within distance k >= 0."""
        self.check_sample(sample)
        low, high = sample.lower, sample.upper
        moves = [abs(low), abs(high)] if self.can_come_and_go else []
        if self.can_change and k:
            moves.append(sample.width)
        elif self.can_change and len(sample):
            moves.append(max(sample.value_at(len(sample)) - low, high - sample.value_at(1)))
        return max(moves)

    def smooth_sensitivity(self, sample: Sample, beta: Number) -> Fraction:
        """The beta-smooth sensitivity, rounded up by less than a part in 10^30."""
        decay = exp_up(-check_beta(beta))
        return max(
            Fraction(self.sensitivity_within(sample, 0)),
            self.sensitivity_within(sample, 1) * min(decay, Fraction(1)),
        )

    def inverse_lengths(self, sample: Sample, candidates: Any) -> Integers:
        """For each candidate sum, in steps: how many rows must change before the sum can be it."""
        if max(-sample.lower, sample.upper) > _MAX_BOUND:
            raise InvalidArgument(
                "grid", "must be so coarse that both bounds lie within 2^30 steps of 0", sample.grid
            )
        wanted = np.clip(np.asarray(candidates, dtype=np.int64), -_UNREACHABLE, _UNREACHABLE)
        up, down = (
            self._compute_gains(sample.upper, sample.values),
            self._compute_gains(-sample.lower, -sample.values),
        )
        off = wanted - self.value(sample)
        if not self.can_come_and_go and np.any((off > up[-1]) | (-off > down[-1])):
            raise InvalidArgument(
                "candidates",
                "must lie between the sums of as many lower and of as many upper bounds",
            )
        least = np.where(
            off >= 0, _count_edits(off, up, sample.upper), _count_edits(-off, down, -sample.lower)
        )
        return least.astype(np.int64)

    def _compute_gains(self, most: int, values: Integers) -> Integers:
        """How far 0, 1, 2, … moves raise the sum, while a move of the data themselves is the
        best; ``most`` is the best row to add.
        """
        if not self.can_come_and_go:
            gains = most - values
        elif self.can_change:
            gains = max(most, 0) - values[values < 0]
        else:
            gains = -values[-values > max(most, 0)]
        return np.concatenate([[0], np.cumsum(np.sort(gains)[::-1])])


def _count_edits(off: Integers, reached: Integers, most: int) -> Integers:
    """How many edits raise the sum by ``off`` or more; beyond the last gain each further row
    adds ``most``.
    """
    within = np.searchsorted(reached, off, side="left")
    beyond = np.maximum(off - reached[-1], 0)
    if most <= 0:
        return np.where(beyond > 0, _UNREACHABLE, within)
    return np.where(beyond > 0, len(reached) - 1 - (-beyond // most), within)
