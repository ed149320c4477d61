"""The most frequent value of a declared, finite domain; of several equally frequent ones, the first
in declared order.

Rows whose value is not in the domain count for no candidate. That is the declared rule for them, as
clamping is for numbers: a row still stands for itself alone, so neighbours stay neighbours. A row
that fails a filter is such a row: all this holds under a filter as well. c_z is the count of
candidate z, and [i < z] is 1 if i is declared before z, else 0: z wins exactly when c_z >= c_i + [i
< z] for every other i.

**Distance to instability**, from the winner v: it falls as soon as g_j = c_v - c_j + [v < j]
reaches 0 for some j. At first every g_j is at least 1. Add-remove: a row moves g_j by at most 1,
and a row j added does: min g_j. Change-one: a row moves it by at most 2, and a row v turned into j
does: half of that, rounded up. (There are enough rows v, since g_j <= c_v + 1. Where there is none,
no candidate has any, and one row from outside the domain is enough.) Leaving the domain, or
entering it, is no better than v into j.

**Inverse length** of z, the number of rows that must change before z wins. Add-remove: the largest
deficit c_i + [i < z] - c_z, since a row z added lowers all deficits by one, and nothing lowers one
by more. Change-one: turning a row into z beats turning it into anything else, so k rows come to z,
and k are enough exactly if those that must go, sum over i of (c_i + [i < z] - t)^+ with t = c_z +
k, are at most k. Without the ties that sum is F(t) = sum (c_i - t)^+, the same for all z; let k be
the least with F(c_z + k) <= k. Then z needs k rows, or k + 1 if the ties bring the sum above k: one
row more lowers F by as many as can tie at t + 1.
"""

from __future__ import annotations

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
    """How often each candidate occurs, in declared order, and the number of all rows. It does
    not show them.
    """

    counts: Integers = field(repr=False)
    rows: int = field(repr=False)

    @classmethod
    def from_values(cls, values: Any, domain: Sequence[Hashable]) -> ValueCounts:
        """Count a column."""
        candidates = list(domain)
        if (
            not candidates
            or len(set(candidates)) < len(candidates)
            or any(z != z for z in candidates)
        ):
            raise InvalidArgument(
                "domain", "must name at least one value, and none of them twice", domain
            )
        try:
            found = Counter(values.tolist() if isinstance(values, np.ndarray) else list(values))
        except TypeError:  # the reason would quote the data
            found = None
        if found is None:
            raise InvalidArgument(
                "values", "must be a list or a one-dimensional array of plain values"
            )
        return cls(np.array([found[z] for z in candidates], dtype=np.int64), found.total())


@dataclass(frozen=True, slots=True)
class Mode:
    """The mode under one neighbour relation. Candidates are named by their place in the domain."""

    neighbours: str

    def __post_init__(self) -> None:
        check_relation(self.neighbours)

    def value(self, tally: ValueCounts) -> int:
        """The winner itself: exact, and therefore not for release."""
        return int(tally.counts.argmax())

    def distance(self, tally: ValueCounts) -> float:
        """D >= 1: how many rows lie between these data and some with another winner; infinite if
        there is no other candidate.
        """
        counts, winner = tally.counts, self.value(tally)
        if counts.size == 1:
            return inf
        lead = int(
            np.delete(counts[winner] - counts + (np.arange(counts.size) > winner), winner).min()
        )
        return lead if self.neighbours == "add-remove" else (lead + 1) // 2

    def local_sensitivity(self, tally: ValueCounts) -> LocalSensitivity:
        """1 if one neighbour has another winner, else 0. For study: as a scale of noise it is
        refused.
        """
        return LocalSensitivity(int(self.distance(tally) == 1))

    def inverse_lengths(self, tally: ValueCounts) -> Integers:
        """For each candidate, how many rows must change before it wins. Moves by at most 1
        between neighbours.
        """
        counts = tally.counts
        if self.neighbours == "add-remove":
            # The largest c_i + [i < z] over all i; for z itself it is c_z, which gives 0.
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
    """The least k with F(count + k) <= k, and k - F(count + k)."""
    low, high = -1, int(counts.max()) - count
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (
            (low, middle) if _count_excess(counts, count + middle) <= middle else (middle, high)
        )
    return high, high - _count_excess(counts, count + high)


def _count_excess(counts: Integers, level: int) -> int:
    """F(level)."""
    return int(np.maximum(counts - level, 0).sum())
