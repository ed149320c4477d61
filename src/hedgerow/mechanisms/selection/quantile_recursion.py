"""Several quantiles, one inside the other: which is chosen when, how ties are broken, and how far
off the answers may be.

The middle one is chosen first and cuts the rows in two parts; those below it are chosen among the
rows up to it, those above it among the rest. So that a spike can be cut anywhere, every row has a
random tie-breaker.

Let the cut at the lower end of a part be off by at most c rows, that at its upper end by C: so many
more or fewer rows lie up to it than should. Then what lies at share p of the part is off by (1-p) c
+ p C at most, and what is chosen by its own choice more. The ends of the range are not off. As a
cut it is off by the rows that share its value and tie-breaker more, all of which go to the lower
part. With f tie-breakers, more than m of n rows share one with probability at most C(n, m+1)/f^m,
since each m + 1 equal rows share theirs with probability f^-m.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from math import log

__all__ = ["Shares", "bound_rank_error", "bound_tied_rows", "count_tie_breakers", "split_at_middle"]

Shares = tuple[Fraction, ...]

MAX_TIE_BREAKERS = 1 << 20  # so many that of a million equal rows few share one


def split_at_middle(at: Shares) -> tuple[Shares, Fraction, Shares]:
    """The middle share, those below it as shares of what lies below it, and those above it as
    shares of the rest.
    """
    p = at[len(at) // 2]
    return tuple(q / p for q in at if q < p), p, tuple((q - p) / (1 - p) for q in at if q > p)


def count_tie_breakers(points: int) -> int:
    """How many of them there is room for in a range of so many points."""
    return max(1, min(MAX_TIE_BREAKERS, (1 << 61) // points))


def bound_tied_rows(n: int, finer: int, level: float) -> int:
    """So many of n rows share a value and one of ``finer`` tie-breakers at most, except with
    probability ``level``.
    """
    m = 1
    # C(n, k) <= (e n/k)^k
    while m < n and (m + 1) * (1 + log(n / (m + 1))) - m * log(finer) > log(level):
        m += 1 + m // 16
    return min(m, n)


def bound_rank_error(at: Shares, choice: Callable[[Fraction, int], float], shared: int) -> float:
    """How far off any answer may be, if the choice at share p of its part and at some level is
    off by at most ``choice(p, level)``.
    """

    def worst(at: Shares, low: float, high: float, level: int) -> float:
        below, p, above = split_at_middle(at)
        off = float(1 - p) * low + float(p) * high + choice(p, level)
        parts = ((below, low, off + shared), (above, off + shared, high))
        return max(
            [off, *(worst(part, first, last, level + 1) for part, first, last in parts if part)]
        )

    return worst(at, 0.0, 0.0, 0)
