"""The recursion of several quantiles: order of choices, tie-breakers, and the resulting rank error.

The middle quantile is chosen first and splits the rows in two parts; the quantiles below it are
chosen among the rows up to it, those above it among the rest. Every row has a random tie-breaker,
so that a spike of equal values can be split anywhere.

**Symbols.** c and C: the errors, in rows, of the cuts at the lower and the upper end of a part (the
number of rows up to the cut, more or fewer than intended); p: a share of the part; f: the number of
tie-breakers.

The choice at share p of a part is off by at most (1-p) c + p C, plus its own error. The ends of the
range have no error. As a cut it is off by the rows that share its value and tie-breaker in
addition, all of which go to the lower part. With f tie-breakers, more than m of n rows share one
with probability at most C(n, m+1)/f^m, since any m + 1 equal rows share theirs with probability
f^-m.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from math import log

__all__ = ["Shares", "bound_rank_error", "bound_tied_rows", "count_tie_breakers", "split_at_middle"]

Shares = tuple[Fraction, ...]

MAX_TIE_BREAKERS = 1 << 20  # enough that of a million equal rows few share one


def split_at_middle(at: Shares) -> tuple[Shares, Fraction, Shares]:
    """Return the shares below the middle one, the middle share, and the shares above it.

    Those below are relative to the part below, those above relative to the part above.
    """
    p = at[len(at) // 2]
    return tuple(q / p for q in at if q < p), p, tuple((q - p) / (1 - p) for q in at if q > p)


def count_tie_breakers(points: int) -> int:
    """Return the number of tie-breakers that fit into a range of this many points."""
    return max(1, min(MAX_TIE_BREAKERS, (1 << 61) // points))


def bound_tied_rows(n: int, finer: int, level: float) -> int:
    """Bound the number of rows that share a value and one of ``finer`` tie-breakers.

    It is exceeded with probability at most ``level``, among n rows.
    """
    m = 1
    # C(n, k) <= (e n/k)^k
    while m < n and (m + 1) * (1 + log(n / (m + 1))) - m * log(finer) > log(level):
        m += 1 + m // 16
    return min(m, n)


def bound_rank_error(at: Shares, choice: Callable[[Fraction, int], float], shared: int) -> float:
    """Bound the rank error of any answer.

    ``choice(p, depth)`` bounds the error of the choice at share p of its part, at this depth.
    """

    def worst(at: Shares, low: float, high: float, depth: int) -> float:
        below, p, above = split_at_middle(at)
        error = float(1 - p) * low + float(p) * high + choice(p, depth)
        parts = ((below, low, error + shared), (above, error + shared, high))
        return max([error, *(worst(part, c, d, depth + 1) for part, c, d in parts if part)])

    return worst(at, 0.0, 0.0, 0)
