"""Every set of columns up to a size: how many rows each makes unique, and how many classes it makes.

The sets are walked as a tree, each with one more column than the one above it, whose classes it refines. What makes that fast is exact:

- Rows that agree on all columns count for two at most: a third changes neither what is unique nor how many classes there are. The same
  holds for the part of the tree that no longer asks for the first columns, whose rows are fewer still.
- Rows that are alone on a set are alone on every larger one, and are put aside. Columns of many values come first, so that this is soon.
- A set that tells apart whatever all columns together tell apart leaves nothing for larger ones to do.
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
from hedgerow.numeric.number import whole
from hedgerow.risk.table.classes import Classes, Refined, classes, count_keys, dense, keys_of, refined
from hedgerow.risk.table.sources import Coded, Codes, Counts

__all__ = ["MOST", "Progress", "Subset", "check_number", "check_size", "greedy", "minimal", "subsets"]

_THIN: Final = 4  # rows for each combination of what is still to come that make it worth to drop some
MOST: Final = 50_000  # sets of columns that are worth a walk
_REMEMBERED: Final = 256  # sets that identify; more of them cost more to look through than they save
Progress = Callable[[int, int], None]


@dataclass(frozen=True, slots=True)
class Subset:
    """A set of columns: the rows that are unique on it, and its classes. Classes over rows is the mean risk of an attacker who knows
    these columns of somebody in the table."""

    columns: tuple[str, ...]
    unique: int
    classes: int


@dataclass(frozen=True, slots=True)
class _Rows:
    """Rows with the class that they are in, those put aside as a number, and the codes of the columns to come."""

    ids: Counts
    groups: int
    aside: int
    codes: Sequence[Codes]

    def with_column(self, place: int, size: int) -> tuple[Counts, int]:
        """Keys of the classes by one more column, and below what they are."""
        return keys_of(self.ids, self.codes[place], size), self.groups * size

    def after(self, found: Refined) -> _Rows:
        """The rows in their new classes."""
        codes = self.codes if found.left is None else [column[found.left] for column in self.codes]
        return _Rows(found.ids, found.groups, self.aside + found.aside, codes)

    def thinned(self, place: int, sizes: Sequence[int]) -> _Rows:
        """Two rows at most of those that agree on all columns from this place on, where that leaves few."""
        space = self.groups * math.prod(sizes[place:])
        if space * _THIN >= len(self.ids):
            return self
        keys = self.ids
        for column, size in zip(self.codes[place:], sizes[place:], strict=True):
            keys = keys_of(keys, column, size)
        rows = _two_of_each(keys, space)
        return _Rows(self.ids[rows], self.groups, self.aside, [column[rows] for column in self.codes])


def number_of(columns: int, size: int) -> int:
    """How many sets of up to ``size`` of so many columns there are."""
    return sum(math.comb(columns, each) for each in range(1, size + 1))


def check_size(columns: int, size: int) -> int:
    """No more than there are columns."""
    return min(whole(size, "size"), columns)


def check_number(columns: int, size: int, most: int = MOST) -> int:
    """The size to search up to, no more than there are columns. Refuses more sets than anybody would wait for."""
    size = check_size(columns, size)
    total = number_of(columns, size)
    if total <= most:
        return size
    fewer = max(each for each in range(1, columns + 1) if number_of(each, min(size, each)) <= most)
    smaller = max((each for each in range(1, size) if number_of(columns, each) <= most), default=0)
    ways = [
        f"name at most {fewer} columns (--columns)",
        *([f"search sets of up to {smaller} (--size {smaller})"] if smaller else []),
        "grow one set, a column at a time (--greedy)",
    ]
    raise Unsupported(
        f"{columns:,} columns have {total:,} sets of up to {size}, and {most:,} can be searched. "
        f"You can {', '.join(ways[:-1])}, or {ways[-1]}."
    )


def subsets(table: Coded, size: int, *, whole: Classes | None = None, progress: Progress | None = None) -> list[Subset]:
    """Every set of up to ``size`` columns, small ones first, each in the order of the table. ``whole`` are the classes of all columns
    together, if they are known already."""
    size = check_number(len(table.names), size)
    known = classes(table) if whole is None else whole
    walk = _Walk(table, size, (known.unique, known.number), progress)
    walk.run()
    places = [place for many in range(1, size + 1) for place in itertools.combinations(range(len(table.names)), many)]
    return [Subset(tuple(table.names[i] for i in each), *walk.found[sum(1 << i for i in each)]) for each in places]


@dataclass(slots=True)
class _Walk:
    """The walk over the tree. Sets are numbers with a bit for each column of the table; columns are walked by falling size."""

    table: Coded
    size: int
    whole: tuple[int, int]  # unique rows and classes of all columns together
    progress: Progress | None
    found: dict[int, tuple[int, int]] = field(default_factory=dict)
    _complete: list[int] = field(default_factory=list)
    _bits: Sequence[int] = ()
    _sizes: Sequence[int] = ()

    def run(self) -> None:
        """From the last column to the first: the sets that begin with it need no column before it."""
        order = sorted(range(len(self.table.names)), key=lambda place: -self.table.sizes[place])
        codes, sizes = [self.table.codes[place] for place in order], [self.table.sizes[place] for place in order]
        tail, groups = np.zeros(self.table.rows, dtype=np.int64), 1
        every, worth = np.arange(self.table.rows), True
        for first in reversed(range(len(order))):
            rows = every
            if worth:  # with each column there are more classes
                tail, groups = dense(keys_of(tail, codes[first], sizes[first]), groups * sizes[first])
                worth = groups * _THIN < len(tail)
                rows = _two_of_each(tail, groups) if worth else every
            # By the first column: what is counted then lies close together in memory, for all sets that begin with it.
            rows = rows[np.argsort(codes[first][rows], kind="stable")]
            later = codes[first:] if self.size > 1 else codes[first : first + 1]
            top = _Rows(np.zeros(len(rows), dtype=np.int64), 1, 0, [column[rows] for column in later])
            self._bits, self._sizes = [1 << place for place in order[first:]], sizes[first:]
            self._enter(top, 0, 1, 0)

    def _enter(self, above: _Rows, mask: int, depth: int, place: int) -> None:
        """Count the set with the column at this place, then all those that go on from it."""
        mask |= self._bits[place]
        ends = depth == self.size or place + 1 == len(self._bits)
        here = above
        if any(mask & each == each for each in self._complete):
            self.found[mask] = self.whole
        else:
            keys, space = above.with_column(place, self._sizes[place])
            if ends:
                unique, groups = count_keys(keys, space)
            else:
                made = refined(keys, space)
                here = above.after(made).thinned(place + 1, self._sizes)
                unique, groups = made.alone, made.classes
            self.found[mask] = above.aside + unique, above.aside + groups
            if self.found[mask] == self.whole and len(self._complete) < _REMEMBERED:
                self._complete.append(mask)
        if self.progress is not None:
            self.progress(len(self.found), number_of(len(self.table.names), self.size))
        if not ends:
            for later in range(place + 1, len(self._bits)):
                self._enter(here, mask, depth + 1, later)


def _two_of_each(ids: Counts, groups: int) -> Counts:
    """Two rows of each class, or the only one it has."""
    every, some, kept = np.arange(len(ids)), np.full(groups, -1), np.zeros(len(ids), dtype=bool)
    for way in (1, -1):  # the last row of each class, then the first
        some[ids[::way]] = every[::way]
        kept[some[some >= 0]] = True
    return np.flatnonzero(kept)


def minimal(found: Sequence[Subset], needed: int) -> list[Subset]:
    """The sets that make at least so many rows unique, and of which no column can be spared."""
    enough = {frozenset(subset.columns) for subset in found if subset.unique >= needed}
    return [
        subset
        for subset in found
        if subset.unique >= needed and not any(frozenset(subset.columns) - {column} in enough for column in subset.columns)
    ]


def greedy(table: Coded, size: int, *, progress: Progress | None = None) -> list[Subset]:
    """Sets that grow by the column that makes most rows unique (and most classes, where several do), until nothing is gained. Each is
    as good as the best of its size or worse; for many columns it is what can be done."""
    size = check_size(len(table.names), size)
    rows = _Rows(np.zeros(table.rows, dtype=np.int64), 1, 0, table.codes)
    left, found, taken = list(range(len(table.names))), list[Subset](), list[int]()
    total, done = sum(len(left) - step for step in range(size)), 0
    while len(taken) < size:
        counts = []
        for place in left:
            unique, groups = count_keys(*rows.with_column(place, table.sizes[place]))
            counts.append((rows.aside + unique, rows.aside + groups, -place))
            done += 1
            if progress is not None:
                progress(done, total)
        unique, groups, best = max(counts)
        if found and (unique, groups) == (found[-1].unique, found[-1].classes):
            break
        rows = rows.after(refined(*rows.with_column(-best, table.sizes[-best])))
        taken.append(-best)
        left.remove(-best)
        found.append(Subset(tuple(table.names[i] for i in taken), unique, groups))
    return found
