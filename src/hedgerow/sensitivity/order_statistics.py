"""Order statistics: the quantile at p is the value of rank r(n) = ceil(p n), at least 1.

Minimum, median and maximum are p = 0, 1/2, 1. The quantile of no data is the lower bound (the
minimum: the upper one). Everything is in whole grid steps.

**Symbols.**

| symbol | meaning |
|---|---|
| x_(i) | the i-th smallest value; the lower bound for i < 1, the upper bound for i > n |
| r | the rank of the quantile |
| A(x, k) | a bound on the local sensitivity within distance k of x |
| w_k | the weights of smooth sensitivity (``smooth_weights``) |
| B, T | the number of values below and above a gap |
| M | max(p, 1-p) |
| i(k), j(k) | the lowest and highest rank that k edits reach |

**Change-one**. Replacing k values can leave the r-th next to a gap that spans k+1 steps of rank,
anywhere around r: A(x, k) = max over 0 <= t <= k+1 of x_(r+t) - x_(r+t-k-1), the local sensitivity
within distance k (Nissim, Raskhodnikova, Smith 2007). So the smooth sensitivity is the maximum over
i <= r <= j, i < j, of (x_(j) - x_(i)) w_(j-i-1). It is the same under a filter, where n is private
and a move may also add or remove a value (``neighbour_moves``): to open a gap from x_(i) to x_(j),
the j-i-1 values between must change or go, one move each; and with B values below, the gap can be
crossed in one more move exactly when -1 <= B - pn < 1. A value moved across changes B - pn by 1,
and no move by more. So k moves open it exactly if j-i-1 <= k, i >= pn-k-1 and j < pn+k+2, which are
the windows above.

**Add-remove** (with or without a filter). Adding or removing one row of y moves the quantile across
one gap (y_(j), y_(j+1)), and a gap with B values below and T above can be crossed exactly when -M
<= (1-p) B - p T < M. [r(n) = ceil(pn): the gap above rank j = r is crossed if r(n+1) = r+1 or
r(n-1) = r, i.e. pn <= j < pn + M; the gap below if j + 1 = r and pn - M <= j < pn; and (1-p) B - p
T = j - pn.] From x, one edit changes (1-p) B - p T by at most M, or widens the gap by one rank. So
k edits reach from rank i(k) = ceil(pn - M (k+1)) up to rank j(k) = ceil(pn + M (k+1)), and A(x, k)
= x_(j(k)) - x_(i(k)) bounds the local sensitivity within distance k: exactly for the median, where
both ends are attained together, and within a factor 2 M elsewhere. It satisfies A(x, k) <= A(y,
k+1) for neighbours x, y, which is all that smooth sensitivity and propose-test-release need: one
row more or less moves pn by at most p and ranks by one, on the side where it was added.
"""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass
from fractions import Fraction
from math import ceil, inf

import numpy as np

from hedgerow.errors import InvalidArgument
from hedgerow.numeric.exact_number import Number, parse_exact
from hedgerow.numeric.vectorised import Floats, Integers
from hedgerow.privacy.sensitivity import LocalSensitivity
from hedgerow.sensitivity.sample import SortedSample, check_relation
from hedgerow.sensitivity.smooth_weights import (
    SmoothWeights,
    check_beta,
    find_last_distance,
    round_maximum_up,
)

__all__ = ["Quantile"]

_MARK_DISTANCE = 1 << 10
_MAX_PAIRS_AT_ONCE = 1 << 13  # pairs that are evaluated in one array


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
        """M = max(p, 1-p): the largest move of the target rank that one row can cause."""
        return max(self.p, 1 - self.p)

    def rank(self, n: int) -> int:
        """Return ceil(p n), at least 1."""
        return max(1, ceil(self.p * n))

    def value(self, sample: SortedSample) -> int:
        """Return the exact quantile, which must not be released."""
        if len(sample) == 0:
            return sample.lower if self.p else sample.upper
        return sample.value_at(self.rank(len(sample)))

    def local_sensitivity(self, sample: SortedSample) -> LocalSensitivity:
        """Return the largest move of the quantile to a neighbour of *these* data.

        For study only: it is refused as a scale of noise.
        """
        if self.neighbours == "change-one":
            return LocalSensitivity(self.sensitivity_within(sample, 0))
        middle, shift = self._compute_target_rank(len(sample)), self.max_rank_shift
        window = np.arange(ceil(middle - shift), ceil(middle + shift) + 1)
        return LocalSensitivity(int(np.diff(sample.values_at(window)).max()))

    def sensitivity_within(self, sample: SortedSample, k: int) -> int:
        """Return A(x, k), a bound on the local sensitivity of all data within distance k >= 0."""
        k = min(k, len(sample))  # at distance n it is the whole width
        if self.neighbours == "change-one":
            ends = self.rank(len(sample)) + np.arange(k + 2)
            return int((sample.values_at(ends) - sample.values_at(ends - k - 1)).max())
        return int(self._compute_widths(sample, np.array([k]))[0])

    def distance(self, sample: SortedSample, bound: int) -> float:
        """Return D, the number of rows that must change before the local sensitivity exceeds
        ``bound``.

        It is infinite if no data set exceeds it.
        """
        if bound >= sample.width:
            return inf
        # A(x, k) rises with k, and A(x, n) is the whole width
        return bisect_left(
            range(len(sample)), True, key=lambda k: self.sensitivity_within(sample, k) > bound
        )

    def smooth_sensitivity(self, sample: SortedSample, beta: Number) -> Fraction:
        """Return a beta-smooth upper bound on the local sensitivity.

        It is at least S(x) = max_k A(x, k) e^(-beta k), and larger only by rounding.
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
        # A rises and w falls, so the products between two marks are at most A at the second mark
        # times w at the first: only intervals where that exceeds ``best`` need a closer look
        worth = marks[:-1][gaps[1:] * falling[:-1] > best]
        k = np.minimum((worth[:, None] + np.arange(1, _MARK_DISTANCE)).ravel(), last)
        closer = float((self._compute_widths(sample, k) * w.at(k)).max(initial=0))
        return round_maximum_up(max(best, closer))

    def _compute_widths(self, sample: SortedSample, k: Integers) -> Integers:
        """Return A(x, k) under add-remove.

        The ranks i(k) and j(k) are computed in whole numbers: ceil of (b p n ∓ m (k+1)) / b for p =
        a/b, M = m/b.
        """
        b = self.p.denominator
        middle, m = int(b * self._compute_target_rank(len(sample))), int(b * self.max_rank_shift)
        lowest, highest = -((m * (k + 1) - middle) // b), -((-m * (k + 1) - middle) // b)
        return sample.values_at(highest) - sample.values_at(lowest)

    def _compute_target_rank(self, n: int) -> Fraction:
        """Return p n; for the minimum 1, as its rank is never 0."""
        return self.p * n if self.p else Fraction(1)


def _find_widest_window(sample: SortedSample, r: int, beta: Fraction) -> float:
    """Return the maximum over i <= r <= j, i < j, of (x_(j) - x_(i)) w_(j-i-1).

    Windows of more than ``find_last_distance`` ranks count as the whole width.
    """
    if len(sample) == 0:
        return float(sample.width)
    last = find_last_distance(beta, len(sample))
    a, down = _list_window_ends(sample.values[max(r - last - 2, 0) : r][::-1], sample.lower)
    c, up = _list_window_ends(sample.values[r - 1 : r + last + 1], sample.upper)
    weights = SmoothWeights(beta, int(a[-1] + c[-1]))

    def w(span: Integers) -> Floats:  # a span of 0 has no width, so its weight does not matter
        return weights.at(np.maximum(span - 1, 0))

    wa, wc = w(a), w(c)
    best = max(
        float((down * wa).max()),
        float((up * wc).max()),
        sample.width * float(w(np.array([last + 1]))[0]),
    )
    near_a, near_c = (
        sample.width * wa >= best,
        sample.width * wc >= best,
    )  # ends farther out cannot win
    a, down, c, up = a[near_a], down[near_a], c[near_c], up[near_c]
    if a.size * c.size <= _MAX_PAIRS_AT_ONCE:
        return max(best, float(((down[:, None] + up) * w(a[:, None] + c)).max()))
    by_span = np.append(1.0, weights.list_first(int(a[-1] + c[-1])))
    return _search_windows(down, a, up, c, by_span, best)


def _list_window_ends(outward: Integers, bound: int) -> tuple[Integers, Floats]:
    """Return where windows can end on one side, in ranks and in steps from x_(r).

    Of equal values only the nearest counts; the bound follows the last value.
    """
    at = np.concatenate([[0], np.flatnonzero(outward[1:] != outward[:-1]) + 1])
    away = np.abs(np.append(outward[at], bound) - outward[0])
    return np.append(at, outward.size), away.astype(np.float64)


def _search_windows(
    down: Floats, a: Integers, up: Floats, c: Integers, w: Floats, best: float
) -> float:
    """Return the largest (down_i + up_j) w[a_i + c_j], or ``best`` if that is larger.

    down, a, up and c rise, w falls. The best j for a given i does not rise with i: for j < j',
    (down + up_j') / (down + up_j) falls as down grows, while w[a + c_j'] / w[a + c_j] = e^(-rate
    (c_j' - c_j)) is the same for all a. So the best j of the middle i splits the search for the
    others, n log n in all, and a part whose corner is not better than the best so far is skipped.
    Doubles may mistake a near tie for the best; that loses four times the error 2^-47 of a weight
    at each of at most 32 levels, 2^-40 in all.
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
