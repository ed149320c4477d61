"""Every set of columns up to a size: how many rows each makes unique, and how many classes it
has.

The sets are walked as a tree, each with one more column than its parent, whose classes it refines.
Exact shortcuts make that fast:

- Of rows that agree on all columns two are enough: a third changes neither the unique rows nor the
  number of classes. The same holds for the part of the tree that no longer uses the first columns,
  whose rows are fewer still.
- Rows that are unique on a set are unique on every larger one, and are removed. Columns with many
  values come first, so that this happens soon.
- A set that separates whatever all columns together separate leaves nothing for larger ones to do.
- The last column of a set of the full size is counted, and no ids are made for it.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Final

import numpy as np

from hedgerow.errors import Unsupported
from hedgerow.numeric.exact_number import parse_whole
from hedgerow.risk.table.encoded_tables import Codes, Counts, EncodedTable
from hedgerow.risk.table.equivalence_classes import (
    EquivalenceClasses,
    Refinement,
    compute_classes,
    compute_keys,
    count_keys,
    refine_classes,
    renumber_keys,
)

__all__ = [
    "MAX_SUBSETS",
    "ColumnSubset",
    "Progress",
    "check_size",
    "check_subset_count",
    "find_minimal_subsets",
    "grow_subset",
    "measure_subsets",
]

# Duplicates are dropped when there are this many rows per combination of later columns.
_THINNING_RATIO: Final = 4
MAX_SUBSETS: Final = 50_000
# complete sets to remember; looking through more costs more than it saves
_MAX_REMEMBERED_SUBSETS: Final = 256
Progress = Callable[[int, int], None]


@dataclass(frozen=True, slots=True)
class ColumnSubset:
    """A set of columns, with its number of unique rows and of classes.

    Classes over rows is the mean risk from an attacker who knows these columns of somebody in the
    table.
    """

    columns: tuple[str, ...]
    unique: int
    classes: int


@dataclass(frozen=True, slots=True)
class _RefinedRows:
    """Rows with their class ids, the number of removed rows, and the codes of later columns."""

    ids: Counts
    groups: int
    removed_count: int
    codes: Sequence[Codes]

    def compute_keys(self, place: int, size: int) -> tuple[Counts, int]:
        """Return the keys of the classes by one more column, and their bound."""
        return compute_keys(self.ids, self.codes[place], size), self.groups * size

    def apply_refinement(self, found: Refinement) -> _RefinedRows:
        """Return the rows in their new classes."""
        codes = (
            self.codes
            if found.kept_rows is None
            else [column[found.kept_rows] for column in self.codes]
        )
        return _RefinedRows(
            found.ids, found.id_bound, self.removed_count + found.removed_count, codes
        )

    def drop_duplicates(self, place: int, sizes: Sequence[int]) -> _RefinedRows:
        """Keep two rows of those that agree on all columns from this place on, where that pays."""
        space = self.groups * math.prod(sizes[place:])
        if space * _THINNING_RATIO >= len(self.ids):
            return self
        keys = self.ids
        for column, size in zip(self.codes[place:], sizes[place:], strict=True):
            keys = compute_keys(keys, column, size)
        rows = _keep_two_of_each(keys, space)
        return _RefinedRows(
            self.ids[rows], self.groups, self.removed_count, [column[rows] for column in self.codes]
        )


def count_subsets(columns: int, size: int) -> int:
    """Return the number of sets of up to ``size`` columns."""
    return sum(math.comb(columns, each) for each in range(1, size + 1))


def check_size(columns: int, size: int) -> int:
    """Return the size, at most the number of columns."""
    return min(parse_whole(size, "size"), columns)


def check_subset_count(columns: int, size: int, limit: int = MAX_SUBSETS) -> int:
    """Return the size to search up to; refuse more sets than anybody would wait for."""
    size = check_size(columns, size)
    total = count_subsets(columns, size)
    if total <= limit:
        return size
    fewer = max(
        each for each in range(1, columns + 1) if count_subsets(each, min(size, each)) <= limit
    )
    smaller = max(
        (each for each in range(1, size) if count_subsets(columns, each) <= limit), default=0
    )
    options = [
        f"name at most {fewer} columns (--columns)",
        *([f"search sets of up to {smaller} (--size {smaller})"] if smaller else []),
        "grow one set, a column at a time (--greedy)",
    ]
    raise Unsupported(
        f"{columns:,} columns have {total:,} sets of up to {size}, and at most {limit:,} can be"
        f" searched. You can {', '.join(options[:-1])}, or {options[-1]}."
    )


def measure_subsets(
    table: EncodedTable,
    size: int,
    *,
    whole: EquivalenceClasses | None = None,
    progress: Progress | None = None,
) -> list[ColumnSubset]:
    """Measure every set of up to ``size`` columns, small ones first, each in the order of the
    table.

    ``whole`` are the classes of all columns together, if they are known already.
    """
    size = check_subset_count(len(table.names), size)
    known = compute_classes(table) if whole is None else whole
    walk = _SubsetWalk(table, size, (known.unique, known.class_count), progress)
    walk.run()
    places = [
        place
        for count in range(1, size + 1)
        for place in itertools.combinations(range(len(table.names)), count)
    ]
    return [
        ColumnSubset(tuple(table.names[i] for i in each), *walk.found[sum(1 << i for i in each)])
        for each in places
    ]


@dataclass(slots=True)
class _SubsetWalk:
    """The walk over the tree of column sets.

    Sets are numbers with a bit for each column of the table; columns are walked by falling size.
    """

    table: EncodedTable
    size: int
    whole: tuple[int, int]  # unique rows and classes of all columns together
    progress: Progress | None
    found: dict[int, tuple[int, int]] = field(default_factory=dict)
    _complete: list[int] = field(default_factory=list)
    _bits: Sequence[int] = ()
    _sizes: Sequence[int] = ()

    def run(self) -> None:
        """Walk from the last column to the first: sets that begin with it need no column before
        it.
        """
        order = sorted(range(len(self.table.names)), key=lambda place: -self.table.sizes[place])
        codes, sizes = (
            [self.table.codes[place] for place in order],
            [self.table.sizes[place] for place in order],
        )
        tail, groups = np.zeros(self.table.rows, dtype=np.int64), 1
        every, worth = np.arange(self.table.rows), True
        for first in reversed(range(len(order))):
            rows = every
            if worth:  # classes only become more, so it is not worth it again later
                tail, groups = renumber_keys(
                    compute_keys(tail, codes[first], sizes[first]), groups * sizes[first]
                )
                worth = groups * _THINNING_RATIO < len(tail)
                rows = _keep_two_of_each(tail, groups) if worth else every
            # Sorted by the first column, so that counters lie close together in memory.
            rows = rows[np.argsort(codes[first][rows], kind="stable")]
            later = codes[first:] if self.size > 1 else codes[first : first + 1]
            top = _RefinedRows(
                np.zeros(len(rows), dtype=np.int64), 1, 0, [column[rows] for column in later]
            )
            self._bits, self._sizes = [1 << place for place in order[first:]], sizes[first:]
            self._visit(top, 0, 1, 0)

    def _visit(self, above: _RefinedRows, mask: int, depth: int, place: int) -> None:
        """Count the set with the column at this place, then all sets that extend it."""
        mask |= self._bits[place]
        ends = depth == self.size or place + 1 == len(self._bits)
        here = above
        if any(mask & each == each for each in self._complete):
            self.found[mask] = self.whole
        else:
            keys, space = above.compute_keys(place, self._sizes[place])
            if ends:
                unique, groups = count_keys(keys, space)
            else:
                made = refine_classes(keys, space)
                here = above.apply_refinement(made).drop_duplicates(place + 1, self._sizes)
                unique, groups = made.unique_count, made.class_count
            self.found[mask] = above.removed_count + unique, above.removed_count + groups
            if self.found[mask] == self.whole and len(self._complete) < _MAX_REMEMBERED_SUBSETS:
                self._complete.append(mask)
        if self.progress is not None:
            self.progress(len(self.found), count_subsets(len(self.table.names), self.size))
        if not ends:
            for later in range(place + 1, len(self._bits)):
                self._visit(here, mask, depth + 1, later)


def _keep_two_of_each(ids: Counts, groups: int) -> Counts:
    """Return two rows of each class, or its only one."""
    every, some, kept = np.arange(len(ids)), np.full(groups, -1), np.zeros(len(ids), dtype=bool)
    for step in (1, -1):  # the last row of each class, then the first
        some[ids[::step]] = every[::step]
        kept[some[some >= 0]] = True
    return np.flatnonzero(kept)


def find_minimal_subsets(found: Sequence[ColumnSubset], needed: int) -> list[ColumnSubset]:
    """Return the sets that make at least ``needed`` rows unique, and lose that without any
    column.
    """
    enough = {frozenset(subset.columns) for subset in found if subset.unique >= needed}
    return [
        subset
        for subset in found
        if subset.unique >= needed
        and not any(frozenset(subset.columns) - {column} in enough for column in subset.columns)
    ]


def grow_subset(
    table: EncodedTable, size: int, *, progress: Progress | None = None
) -> list[ColumnSubset]:
    """Grow a set by the column that makes most rows unique, until nothing is gained.

    Ties go to the column with most classes. Each set is at most as good as the best of its size;
    for many columns it is what can be done.
    """
    size = check_size(len(table.names), size)
    rows = _RefinedRows(np.zeros(table.rows, dtype=np.int64), 1, 0, table.codes)
    left, found, taken = list(range(len(table.names))), list[ColumnSubset](), list[int]()
    total, done = sum(len(left) - step for step in range(size)), 0
    while len(taken) < size:
        counts = []
        for place in left:
            unique, groups = count_keys(*rows.compute_keys(place, table.sizes[place]))
            counts.append((rows.removed_count + unique, rows.removed_count + groups, -place))
            done += 1
            if progress is not None:
                progress(done, total)
        unique, groups, best = max(counts)
        if found and (unique, groups) == (found[-1].unique, found[-1].classes):
            break
        rows = rows.apply_refinement(refine_classes(*rows.compute_keys(-best, table.sizes[-best])))
        taken.append(-best)
        left.remove(-best)
        found.append(ColumnSubset(tuple(table.names[i] for i in taken), unique, groups))
    return found
