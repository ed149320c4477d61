"""The mode: the most frequent value of a declared, finite domain; the first declared one wins a
tie.

Rows whose value is not in the domain count for no candidate. That is the declared rule for them, as
clamping is for numbers: each row is treated on its own, so neighbours stay neighbours. A row that
fails a filter is such a row, so all of this holds under a filter as well.

**Symbols.**

| symbol | meaning |
|---|---|
| c_z | the count of candidate z |
| [i < z] | 1 if i is declared before z, else 0 |
| v | the winner |
| g_j | the lead of the winner over j, c_v - c_j + [v < j] |
| F(t) | sum over i of max(c_i - t, 0): the rows above level t |
| k | the number of rows that must change |

z wins exactly when c_z >= c_i + [i < z] for every other i.

**Distance to instability**: v loses as soon as g_j reaches 0 for some j. At first every g_j is at
least 1. Add-remove: a row moves g_j by at most 1, and adding a row j does: min g_j. Change-one: a
row moves it by at most 2, and turning a row v into j does: half of that, rounded up. (There are
enough rows v, since g_j <= c_v + 1. If there is no row v, all counts are 0, and one row from
outside the domain is enough.) Leaving or entering the domain is no better than turning v into j.

**Inverse length** of z, the number of rows that must change before z wins. Add-remove: the largest
deficit c_i + [i < z] - c_z, since adding a row z lowers all deficits by one, and nothing lowers one
by more. Change-one: turning a row into z beats turning it into anything else. So k rows become z,
and k rows are enough exactly if the rows that must go, sum over i of max(c_i + [i < z] - t, 0) with
t = c_z + k, are at most k. Without the ties that sum is F(t), the same for all z; let k be the
least with F(c_z + k) <= k. Then z needs k rows, or k + 1 if the ties raise the sum above k: one
more row lowers F by as many as can tie at t + 1.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field
from math import inf
from typing import Any

import numpy as np

from hedgerow.errors import InvalidArgument
from hedgerow.numeric.vectorised import Integers
from hedgerow.privacy.sensitivity import LocalSensitivity
from hedgerow.sensitivity.sample import check_relation

__all__ = ["Mode", "ValueCounts"]


@dataclass(frozen=True, slots=True, eq=False)
class ValueCounts:
    """The count of each candidate, in declared order, and of all rows; hidden in repr."""

    counts: Integers = field(repr=False)
    rows: int = field(repr=False)

    @classmethod
    def from_values(cls, values: Any, domain: Sequence[Hashable]) -> ValueCounts:
        """Count the candidates in a column."""
        candidates = list(domain)
        repeated = len(set(candidates)) < len(candidates) or any(z != z for z in candidates)
        if repeated or not candidates:
            raise InvalidArgument(
                "domain", "must list at least one value, without repetition or NaN", domain
            )
        try:
            counts = Counter(values.tolist() if isinstance(values, np.ndarray) else list(values))
        except TypeError:  # Python's message would quote the data
            counts = None
        if counts is None:
            raise InvalidArgument(
                "values", "must be a list or a one-dimensional array of plain values"
            )
        return cls(np.array([counts[z] for z in candidates], dtype=np.int64), counts.total())


@dataclass(frozen=True, slots=True)
class Mode:
    """The mode under one neighbour relation. Candidates are identified by their index in the
    domain.
    """

    neighbours: str

    def __post_init__(self) -> None:
        check_relation(self.neighbours)

    def value(self, tally: ValueCounts) -> int:
        """Return the exact winner, which must not be released."""
        return int(tally.counts.argmax())

    def distance(self, tally: ValueCounts) -> float:
        """Return D >= 1, the number of rows that must change before another candidate wins.

        It is infinite if there is no other candidate.
        """
        counts, winner = tally.counts, self.value(tally)
        if counts.size == 1:
            return inf
        leads = counts[winner] - counts + (np.arange(counts.size) > winner)
        lead = int(np.delete(leads, winner).min())
        return lead if self.neighbours == "add-remove" else (lead + 1) // 2

    def local_sensitivity(self, tally: ValueCounts) -> LocalSensitivity:
        """Return 1 if some neighbour has another winner, else 0.

        For study only: it is refused as a scale of noise.
        """
        return LocalSensitivity(int(self.distance(tally) == 1))

    def inverse_lengths(self, tally: ValueCounts) -> Integers:
        """Return for each candidate the number of rows that must change before it wins.

        A length moves by at most 1 between neighbours.
        """
        counts = tally.counts
        if self.neighbours == "add-remove":
            # the largest c_i + [i < z] over all i; for z itself it is c_z, which gives 0
            before = np.maximum.accumulate(np.append(-1, counts[:-1])) + 1
            deficits: Integers = np.maximum(before, counts.max()) - counts
            return deficits
        lengths = np.zeros_like(counts)
        for count in np.unique(counts):
            k, spare = _find_needed_rows(counts, int(count))
            ties = counts >= count + k
            earlier = np.cumsum(ties) - ties
            here = counts == count
            lengths[here] = k + (earlier[here] > spare)
        return lengths


def _find_needed_rows(counts: Integers, count: int) -> tuple[int, int]:
    """Return the least k with F(count + k) <= k, and k - F(count + k)."""
    candidates = range(int(counts.max()) - count)
    k = bisect_left(candidates, True, key=lambda k: _count_excess(counts, count + k) <= k)
    return k, k - _count_excess(counts, count + k)


def _count_excess(counts: Integers, level: int) -> int:
    return int(np.maximum(counts - level, 0).sum())
