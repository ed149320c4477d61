"""The range split into pieces of points with the same rank: the candidates of a quantile.

Between two data values, and at each of them, every candidate z has the same number B of values
below, E equal and T above. So a choice among all grid points of the range is a choice among at most
2n + 1 pieces, each weighted by its number of points: exact, and in time n log n.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from hedgerow.numeric.vectorised import Integers
from hedgerow.sensitivity.order_statistics import Quantile
from hedgerow.sensitivity.sample import SortedSample

__all__ = ["RankPieces", "build_pieces", "compute_inverse_lengths", "compute_rank_errors"]


@dataclass(frozen=True, slots=True, eq=False)
class RankPieces:
    """The pieces of a rank function: first point, number of points, and B, E, T of each.

    The pieces are in order, without gaps, from the lower to the upper bound.
    """

    first: Integers
    points: Integers
    below: Integers
    equal: Integers
    above: Integers


def build_pieces(sample: SortedSample) -> RankPieces:
    """Split the range of ``sample`` into pieces."""
    values, equal = np.unique(sample.values, return_counts=True)
    below = np.cumsum(equal) - equal
    n = len(sample)
    # before each value the gap that ends there, and one more gap after the last
    start = np.concatenate([[sample.lower], values + 1])
    end = np.concatenate([values, [sample.upper + 1]])
    gap_below = np.concatenate([below, [n]])
    first = np.empty(2 * values.size + 1, dtype=np.int64)
    first[0::2], first[1::2] = start, values
    points = np.ones_like(first)
    points[0::2] = end - start
    lower, same = np.zeros_like(first), np.zeros_like(first)
    lower[0::2], lower[1::2], same[1::2] = gap_below, below, equal
    nonempty = points > 0
    first, points, lower, same = first[nonempty], points[nonempty], lower[nonempty], same[nonempty]
    return RankPieces(first, points, lower, same, n - lower - same)


def compute_rank_errors(quantile: Quantile, parts: RankPieces) -> tuple[Integers, Fraction]:
    """Return how many ranks each piece is off the quantile, scaled, and the move of that per row.

    The scale is the denominator of p. Change-one: the number of ranks between the piece and r; one
    row moves it by 1, under a filter too (see ``compute_inverse_lengths``). Add-remove: max(0,
    (1-p) B - p (E+T), p T - (1-p) (B+E)), the excess over a fair split; a row moves B by 1 or T by
    1, and the excess by at most M.
    """
    a, b = quantile.p.numerator, quantile.p.denominator
    n = parts.below + parts.equal + parts.above
    if quantile.neighbours == "change-one":
        r = quantile.rank(int(n[0]))
        off = np.maximum(np.maximum(parts.below + 1 - r, r - parts.below - parts.equal), 0)
        return off, Fraction(1)
    low = (b - a) * parts.below - a * (parts.equal + parts.above)
    high = a * parts.above - (b - a) * (parts.below + parts.equal)
    return np.maximum(np.maximum(low, high), 0), b * quantile.max_rank_shift


def compute_inverse_lengths(quantile: Quantile, parts: RankPieces) -> Integers:
    """Return for each piece the number of rows that must change before the quantile lies on it.

    The quantile is that of non-empty data. Being a distance to a set of data sets, the length moves
    by at most 1 between neighbours. Change-one: one row for each rank the piece is off. The same
    holds under a filter: z needs E >= 1 and B < pn <= B+E, and no move changes B - pn or B+E - pn
    by more than a value turned into z, which changes them by 1. Add-remove: z must be in the data
    (E >= 1), and (1-p) B < p (E+T), p T <= (1-p) (B+E). Adding z improves the two by p and 1-p,
    removing a value below improves the first by 1-p, removing one above the second by p; the two
    are never both violated, so max(p, 1-p) per step is the best possible.
    """
    if quantile.neighbours == "change-one":
        return compute_rank_errors(quantile, parts)[0]
    missing: Integers = (parts.equal == 0).astype(np.int64)
    if quantile.p == 0:
        return missing + parts.below
    equal = parts.equal + missing
    a, b = quantile.p.numerator, quantile.p.denominator
    step = max(a, b - a)
    low = (b - a) * parts.below - a * (equal + parts.above)
    high = a * parts.above - (b - a) * (parts.below + equal)
    total: Integers = missing + np.where(low >= 0, low // step + 1, np.maximum(-(-high // step), 0))
    return total
