"""The mean of a bounded column. Of no values at all it is the lower bound L. W = U - L.

**n public** (change-one without a filter): the sum over n; the same lengths, and sensitivities over
n.

**n private** (add-remove, or a filter). With m the mean, a value that comes moves it by up to max(U
- m, m - L)/(n+1), one that goes by
|m - x_i|/(n-1), one that changes by up to max(x_i - L, U - x_i)/n. The first and the last are at most W/n; so is the second, since m is
a mean of x_i and n - 1 others: |m - x_i| <= W (n-1)/n. From none to one it is up to W. So A(x, k) =
W / max(n - k, 1) bounds the local sensitivity within distance k, for A(x, k) <= A(y, k+1); being at
least W/(2(n+1)), the local one is smaller by a factor of 2 + 2/n at most. A(x, k) e^(-rate k) falls
and then rises again as k grows to n - 1, beyond which it falls: it is largest at 0 or at n - 1, and
S(x) = max(W/n, W e^(-rate (n-1))) is beta-smooth. The rate is a little less than beta, which pays
for rounding.

**Length**: the mean is z exactly when the sum of x_i - z is 0. So z is as many rows away as 0 is
for that sum (``total``): exactly for n public; else never more than the truth, and moving by at
most 1 between neighbours. No values at all count as having every mean.
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
from hedgerow.sensitivity.smooth_weights import ROUNDING_MARGIN, check_beta
from hedgerow.sensitivity.sum import Sum

__all__ = ["Mean"]

_MAX_EXPONENT = 10**4  # e^-10000 is below W/n for any n


class Mean(NeighbourMoves):
    """The mean under one neighbour relation. All results are in grid steps of the sample."""

    __slots__ = ()

    def value(self, sample: Sample) -> Fraction:
        """The mean itself: exact, and therefore not for release."""
        self.check_sample(sample)
        return (
            Fraction(self._sum.value(sample), len(sample))
            if len(sample)
            else Fraction(sample.lower)
        )

    def local_sensitivity(self, sample: Sample) -> LocalSensitivity:
        """How far one neighbour moves the mean of *these* data. For study: noise scaled to it is
        not private.
        """
        m, n = self.value(sample), len(sample)
        moves = []
        if self.can_come_and_go:
            moves.append(max(sample.upper - m, m - sample.lower) / (n + 1))
            if n:
                moves.append(
                    max(m - sample.value_at(1), sample.value_at(n) - m) / (n - 1)
                    if n > 1
                    else m - sample.lower
                )
        if self.can_change and n:
            moves.append(
                Fraction(
                    max(sample.value_at(n) - sample.lower, sample.upper - sample.value_at(1)), n
                )
            )
        return LocalSensitivity(max(moves))

    def sensitivity_within(self, sample: Sample, k: int) -> Fraction:
        """A(x, k): at least the local sensitivity of every data set within distance k >= 0."""
        self.check_sample(sample)
        if self.can_come_and_go:
            return Fraction(sample.width, max(len(sample) - k, 1))
        return Fraction(self._sum.sensitivity_within(sample, k), len(sample))

    def smooth_sensitivity(self, sample: Sample, beta: Number) -> Fraction:
        """A beta-smooth upper bound on the local sensitivity."""
        if not self.can_come_and_go:
            self.check_sample(sample)
            return self._sum.smooth_sensitivity(sample, beta) / len(sample)
        others = max(len(sample) - 1, 0)
        least = (
            exp_up(-min((check_beta(beta) - ROUNDING_MARGIN) * others, Fraction(_MAX_EXPONENT)))
            if others
            else Fraction(1)
        )
        return max(Fraction(sample.width, others + 1), sample.width * least)

    def inverse_lengths(self, sample: Sample, candidates: Any) -> Integers:
        """For each candidate mean, in steps: how many rows must change before the mean can be
        it.
        """
        self.check_sample(sample)
        wanted = np.asarray(candidates, dtype=np.int64)
        if np.any((wanted < sample.lower) | (wanted > sample.upper)):
            raise InvalidArgument("candidates", "must lie between the bounds")
        total, x = self._sum, sample
        away = [
            total.inverse_lengths(Sample(x.values - z, x.lower - z, x.upper - z), [0])[0]
            for z in wanted.tolist()
        ]
        return np.array(away, dtype=np.int64)

    @property
    def _sum(self) -> Sum:
        return Sum(self.neighbours, self.filtered)
