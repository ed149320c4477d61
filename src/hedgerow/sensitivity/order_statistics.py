"""Order statistics: the quantile at p is the value of rank r(n) = ceil(p n), at least 1; minimum,
median and maximum are p = 0, 1/2, 1.

Of no data at all the quantile is the lower bound (the minimum: the upper one). x_(i) is the lower
bound for i < 1 and the upper bound for i > n. Everything is in whole grid steps.

**Change-one**. Replacing k values lets the r-th be followed by a gap that spans k+1 steps of rank,
anywhere around r: A(x, k) = max over 0 <= t <= k+1 of x_(r+t) - x_(r+t-k-1), the local sensitivity
within distance k (Nissim, Raskhodnikova, Smith 2007). So the smooth sensitivity is the maximum over
i <= r <= j, i < j, of (x_(j) - x_(i)) w_(j-i-1). It is the same under a filter, where n is private
and a move may also add or remove a value (``moves``): to open a gap from x_(i) to x_(j), the j-i-1
values between must change or go, one move each; and with B values below it can be crossed in one
more move exactly when -1 <= B - pn < 1. A value moved across changes B - pn by 1, and no move by
more. So k moves open it exactly if j-i-1 <= k, i >= pn-k-1 and j < pn+k+2, which are the windows
above.

**Add-remove** (with a filter or without). Adding or removing one row of y moves the quantile across
one gap (y_(j), y_(j+1)), and a gap with B values below and T above can be crossed exactly when -M
<= (1-p) B - p T < M, M = max(p, 1-p). [r(n) = ceil(pn): the gap above rank j = r is crossed if
r(n+1) = r+1 or r(n-1) = r, i.e. pn <= j < pn + M; the gap below if j + 1 = r and pn - M <= j < pn;
and (1-p) B - p T = j - pn.] From x, one edit changes (1-p) B - p T by at most M, or widens the gap
by one rank. So k edits reach from rank i(k) = ceil(pn - M (k+1)) up to rank j(k) = ceil(pn + M
(k+1)), and A(x, k) = x_(j(k)) - x_(i(k)) bounds the local sensitivity within distance k: exactly
for the median, where both ends can be had at once, and by at most a factor 2 M elsewhere. It
satisfies A(x, k) <= A(y, k+1) for neighbours x, y, which is all that smooth sensitivity and
propose-test-release ask for: one row more or less moves pn by p or less and ranks by one, on the
side where it was put.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import ceil, inf

import numpy as np

from hedgerow.errors import InvalidArgument
from hedgerow.numeric.exact_number import Number, parse_exact
from hedgerow.numeric.vectorised import Floats, Integers
from hedgerow.privacy.sensitivity import LocalSensitivity
from hedgerow.sensitivity.sample import Sample, check_relation
from hedgerow.sensitivity.smooth_weights import (
    SmoothWeights,
    check_beta,
    find_last_distance,
    round_maximum_up,
)

__all__ = ["Quantile"]

_MARK_DISTANCE = 1 << 10
_MAX_PAIRS_AT_ONCE = 1 << 13  # pairs that are looked at all at once


@dataclass(frozen=True, slots=True)
class Quantile:
    """The quantile at ``p`` under one neighbour relation. All results are in grid steps of the
    sample.
    """

    p: Fraction
    neighbours: str

    def __post_init__(self) -> None:
        p = parse_exact(self.p, "p")
        if not 0 <= p <= 1 or p.denominator > 10**6:
            raise InvalidArgument(
                "p",
                "must be a fraction between 0 and 1 with a denominator of at most a million",
                self.p,
            )
        object.__setattr__(self, "p", p)
        check_relation(self.neighbours)

    @property
    def max_rank_shift(self) -> Fraction:
        """M = max(p, 1-p): how far one row moves the target rank."""
        return max(self.p, 1 - self.p)

    def rank(self, n: int) -> int:
        """ceil(p n), at least 1."""
        return max(1, ceil(self.p * n))

    def value(self, sample: Sample) -> int:
        """The quantile itself: exact, and therefore not for release."""
        if len(sample) == 0:
            return sample.lower if self.p else sample.upper
        return sample.value_at(self.rank(len(sample)))

    def local_sensitivity(self, sample: Sample) -> LocalSensitivity:
        """How far one neighbour moves the quantile of *these* data. For study: as a scale of
        noise it is refused.
        """
        if self.neighbours == "change-one":
            return LocalSensitivity(self.sensitivity_within(sample, 0))
        middle = self._compute_target_rank(len(sample))
        window = np.arange(
            ceil(middle - self.max_rank_shift), ceil(middle + self.max_rank_shift) + 1
        )
        return LocalSensitivity(int(np.diff(sample.values_at(window)).max()))

    def sensitivity_within(self, sample: Sample, k: int) -> int:
        """A(x, k): at least the local sensitivity of every data set within distance k >= 0."""
        k = min(k, len(sample))  # where it is the whole width
        if self.neighbours == "change-one":
            ends = self.rank(len(sample)) + np.arange(k + 2)
            return int((sample.values_at(ends) - sample.values_at(ends - k - 1)).max())
        return int(self._compute_widths(sample, np.array([k]))[0])

    def distance(self, sample: Sample, bound: int) -> float:
        """D: how many rows lie between these data and some whose local sensitivity exceeds
        ``bound``; infinite if none does.
        """
        if bound >= sample.width:
            return inf
        low, high = -1, len(sample)  # A(x, n) is the whole width
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (
                (low, middle) if self.sensitivity_within(sample, middle) > bound else (middle, high)
            )
        return high

    def smooth_sensitivity(self, sample: Sample, beta: Number) -> Fraction:
        """A beta-smooth upper bound on the local sensitivity: at least S(x) = max_k A(x, k)
        e^(-beta k), and above it by a trifle.
        """
        decay = check_beta(beta)
        if self.neighbours == "change-one":
            return round_maximum_up(_find_widest_window(sample, self.rank(len(sample)), decay))
        last = find_last_distance(decay, len(sample))
        w = SmoothWeights(decay, last)
        marks = np.append(np.arange(0, last, _MARK_DISTANCE), last)
        gaps, falling = self._compute_widths(sample, marks), w.at(marks)
        gaps[-1] = sample.width
        best = float((gaps * falling).max())
        # A rises and w falls, so what lies between two marks is below A at the second times w at
        # the first.
        worth = marks[:-1][gaps[1:] * falling[:-1] > best]
        k = np.minimum((worth[:, None] + np.arange(1, _MARK_DISTANCE)).ravel(), last)
        return round_maximum_up(
            max(best, float((self._compute_widths(sample, k) * w.at(k)).max(initial=0)))
        )

    def _compute_widths(self, sample: Sample, k: Integers) -> Integers:
        """A(x, k) under add-remove. The ranks i(k) and j(k) in whole numbers: ceil of (b p n ∓ m
        (k+1)) / b for p = a/b, M = m/b.
        """
        b = self.p.denominator
        middle, m = int(b * self._compute_target_rank(len(sample))), int(b * self.max_rank_shift)
        return sample.values_at(-((-m * (k + 1) - middle) // b)) - sample.values_at(
            -((m * (k + 1) - middle) // b)
        )

    def _compute_target_rank(self, n: int) -> Fraction:
        """p n; the minimum aims at rank 1, as its rank is never 0."""
        return self.p * n if self.p else Fraction(1)


def _find_widest_window(sample: Sample, r: int, beta: Fraction) -> float:
    """max over i <= r <= j, i < j, of (x_(j) - x_(i)) w_(j-i-1), where windows of more than
    ``find_last_distance`` ranks count as the whole width.
    """
    if len(sample) == 0:
        return float(sample.width)
    last = find_last_distance(beta, len(sample))
    a, down = _list_window_ends(sample.values[max(r - last - 2, 0) : r][::-1], sample.lower)
    c, up = _list_window_ends(sample.values[r - 1 : r + last + 1], sample.upper)
    weights = SmoothWeights(beta, int(a[-1] + c[-1]))

    def w(span: Integers) -> Floats:  # a span of 0 has no width, so its weight is all the same
        return weights.at(np.maximum(span - 1, 0))

    wa, wc = w(a), w(c)
    best = max(
        float((down * wa).max()),
        float((up * wc).max()),
        sample.width * float(w(np.array([last + 1]))[0]),
    )
    near_a, near_c = sample.width * wa >= best, sample.width * wc >= best  # farther ends cannot win
    a, down, c, up = a[near_a], down[near_a], c[near_c], up[near_c]
    if a.size * c.size <= _MAX_PAIRS_AT_ONCE:
        return max(best, float(((down[:, None] + up) * w(a[:, None] + c)).max()))
    return _search_windows(
        down, a, up, c, np.append(1.0, weights.list_first(int(a[-1] + c[-1]))), best
    )


def _list_window_ends(outward: Integers, bound: int) -> tuple[Integers, Floats]:
    """Where windows can end on one side, in ranks and in steps from x_(r): of equal values the
    nearest, and the bound after the last.
    """
    at = np.concatenate([[0], np.flatnonzero(outward[1:] != outward[:-1]) + 1])
    away = np.abs(np.append(outward[at], bound) - outward[0])
    return np.append(at, outward.size), away.astype(np.float64)


def _search_windows(
    down: Floats, a: Integers, up: Floats, c: Integers, w: Floats, best: float
) -> float:
    """The largest (down_i + up_j) w[a_i + c_j], or ``best`` if that is larger; down, a, up and c
    rise, w falls.

    The best j for a given i does not rise with i: for j < j', (down + up_j') / (down + up_j) falls
    as down grows, while w[a + c_j'] / w[a + c_j] = e^(-rate (c_j' - c_j)) is the same for all a. So
    the best j of the middle i splits the search for the others, n log n in all, and a part whose
    corner is not better than the best so far is left out. Doubles may mistake a near tie for the
    best; that loses four times the error 2^-47 of a weight at each of at most 32 levels, 2^-40 in
    all.
    """
    waiting = [(0, len(a), 0, len(c))]
    while waiting:
        i, end, j, stop = waiting.pop()
        if i == end or (down[end - 1] + up[stop - 1]) * w[a[i] + c[j]] <= best:
            continue
        if (end - i) * (stop - j) <= _MAX_PAIRS_AT_ONCE:
            values = (down[i:end, None] + up[j:stop]) * w[a[i:end, None] + c[j:stop]]
            best = max(best, float(values.max()))
            continue
        middle = (i + end) // 2
        row = (down[middle] + up[j:stop]) * w[a[middle] + c[j:stop]]
        top = int(row.argmax())
        best = max(best, float(row[top]))
        waiting += [(middle + 1, end, j, j + top + 1), (i, middle, j + top, stop)]
    return best
