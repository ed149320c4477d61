"""The mean of a bounded column; the mean of no values is the lower bound L.

**Symbols.**

| symbol | meaning |
|---|---|
| L, U, W | the bounds, and W = U - L |
| n, m | the number of values, and their mean |
| A(x, k) | a bound on the local sensitivity within distance k of x |
| S(x) | the smooth sensitivity |
| rate | slightly less than beta, to make room for rounding |

**n public** (change-one without a filter): the sum divided by n; the same lengths, and
sensitivities divided by n.

**n private** (add-remove, or a filter). Adding a value moves the mean by up to max(U - m, m -
L)/(n+1), removing one by |m - x_i|/(n-1), changing one by up to max(x_i - L, U - x_i)/n. The first
and the last are at most W/n; so is the second, since m is a mean of x_i and n - 1 others: |m - x_i|
<= W (n-1)/n. From no value to one it is up to W. So A(x, k) = W / max(n - k, 1) bounds the local
sensitivity within distance k, for A(x, k) <= A(y, k+1); the local sensitivity is at least
W/(2(n+1)), so the bound is too large by a factor of at most 2 + 2/n. A(x, k) e^(-rate k) falls and
then rises again as k grows to n - 1, beyond which it falls: it is largest at 0 or at n - 1, and
S(x) = max(W/n, W e^(-rate (n-1))) is beta-smooth.

**Length**: the mean is z exactly when the sum of x_i - z is 0. So z is as many rows away as 0 is
for that sum (``sum``): exactly for public n; otherwise never more than the true length, and moving
by at most 1 between neighbours. An empty column counts as having every mean.
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
from hedgerow.sensitivity.smooth_weights import ROUNDING_MARGIN, check_beta
from hedgerow.sensitivity.sum import Sum

__all__ = ["Mean"]

_MAX_EXPONENT = 10**4  # e^-10000 times W is below W/n for any n


class Mean(NeighbourMoves):
    """The mean under one neighbour relation. All results are in grid steps of the sample."""

    __slots__ = ()

    def value(self, sample: SortedSample) -> Fraction:
        """Return the exact mean, which must not be released."""
        self.check_sample(sample)
        n = len(sample)
        return Fraction(self._sum.value(sample), n) if n else Fraction(sample.lower)

    def local_sensitivity(self, sample: SortedSample) -> LocalSensitivity:
        """Return the largest move of the mean to a neighbour of *these* data.

        For study only: noise scaled to it is not private.
        """
        m, n = self.value(sample), len(sample)
        moves = []
        if self.can_come_and_go:
            moves.append(max(sample.upper - m, m - sample.lower) / (n + 1))
            if n:
                farthest = max(m - sample.value_at(1), sample.value_at(n) - m)
                moves.append(farthest / (n - 1) if n > 1 else m - sample.lower)
        if self.can_change and n:
            changed = max(sample.value_at(n) - sample.lower, sample.upper - sample.value_at(1))
            moves.append(Fraction(changed, n))
        return LocalSensitivity(max(moves))

    def sensitivity_within(self, sample: SortedSample, k: int) -> Fraction:
        """Return A(x, k), a bound on the local sensitivity of every data set within distance k >=
        0.
        """
        self.check_sample(sample)
        if self.can_come_and_go:
            return Fraction(sample.width, max(len(sample) - k, 1))
        return Fraction(self._sum.sensitivity_within(sample, k), len(sample))

    def smooth_sensitivity(self, sample: SortedSample, beta: Number) -> Fraction:
        """Return a beta-smooth upper bound on the local sensitivity."""
        if not self.can_come_and_go:
            self.check_sample(sample)
            return self._sum.smooth_sensitivity(sample, beta) / len(sample)
        others = max(len(sample) - 1, 0)
        exponent = min((check_beta(beta) - ROUNDING_MARGIN) * others, Fraction(_MAX_EXPONENT))
        decay = exp_up(-exponent) if others else Fraction(1)
        return max(Fraction(sample.width, others + 1), sample.width * decay)

    def inverse_lengths(self, sample: SortedSample, candidates: Any) -> Integers:
        """Return for each candidate mean, in steps, the number of rows that must change for it."""
        self.check_sample(sample)
        wanted = np.asarray(candidates, dtype=np.int64)
        if np.any((wanted < sample.lower) | (wanted > sample.upper)):
            raise InvalidArgument("candidates", "must lie between the bounds")
        centred = (
            SortedSample(sample.values - z, sample.lower - z, sample.upper - z)
            for z in wanted.tolist()
        )
        lengths = [self._sum.inverse_lengths(shifted, [0])[0] for shifted in centred]
        return np.array(lengths, dtype=np.int64)

    @property
    def _sum(self) -> Sum:
        return Sum(self.neighbours, self.filtered)
