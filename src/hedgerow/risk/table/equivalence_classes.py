"""Classes: the rows that agree on some columns. Whoever knows those columns of a person knows in
which class she is, and no more.

All is done on whole arrays. A class has an id below the number of rows; with one more column the
class of a row is

    key = id * (different values of the column) + code of the row,

and keys are made ids again. Keys that are not many more than the rows are counted in an array,
others by sorting them; an array that does not fit the cache costs more than a sort of numbers,
measured at about four cells a row.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Final

import numpy as np

from hedgerow.errors import InvalidArgument
from hedgerow.risk.table.encoded_tables import Codes, Counts, EncodedTable

__all__ = [
    "BAND_ENDS",
    "EquivalenceClasses",
    "Refinement",
    "SizeBand",
    "compute_classes",
    "compute_growing_classes",
    "compute_keys",
    "count_by_band",
    "count_keys",
    "refine_classes",
    "renumber_keys",
]

_CELLS_PER_ROW: Final = 4  # of the array that keys are counted in, for each row
_COPY_RATIO: Final = 8  # one row in so many must be alone for a copy without them
BAND_ENDS: Final = (1, 2, 5, 10, 100)  # the last size in each band; what is larger is one more


def compute_keys(ids: Counts, codes: Codes, size: int) -> Counts:
    """One number for the class and the value of each row."""
    keys: Counts = ids * np.int64(size)
    keys += codes
    return keys


def count_keys(keys: Counts, space: int) -> tuple[int, int]:
    """How many keys are there once, and how many different ones there are; all are at least 0
    and below ``space``.
    """
    if not len(keys):
        return 0, 0
    if space <= _CELLS_PER_ROW * len(keys):
        counts = np.bincount(keys)
        return int(np.count_nonzero(counts == 1)), int(np.count_nonzero(counts))
    ordered = np.sort(keys)
    changes = np.concatenate(([True], ordered[1:] != ordered[:-1], [True]))
    return int(np.count_nonzero(changes[1:] & changes[:-1])), int(np.count_nonzero(changes)) - 1


def renumber_keys(keys: Counts, space: int) -> tuple[Counts, int]:
    """Ids without gaps instead of keys, and how many there are."""
    if space <= _CELLS_PER_ROW * len(keys):
        there = np.bincount(keys, minlength=1) > 0
        numbers: Counts = np.cumsum(there) - 1
        return numbers[keys], int(np.count_nonzero(there))
    order, starts = _sort_keys(keys)
    ids: Counts = np.empty(len(keys), dtype=np.int64)
    ids[order] = np.cumsum(starts) - 1
    return ids, int(np.count_nonzero(starts))


@dataclass(frozen=True, slots=True)
class Refinement:
    """Classes by their keys: how many rows are alone, and how many classes there are. Some of the
    lone rows may have been put ``aside``; then ``left`` says which rows remain (None: all, where
    they were). Each has its id, below ``groups``."""

    unique_count: int
    class_count: int
    removed_count: int
    kept_rows: Any
    ids: Counts
    id_bound: int


def refine_classes(keys: Counts, space: int) -> Refinement:
    """Rows that are alone stay so whatever column is added: they are put aside, unless they are too
    few to be worth the copy. Nor is it worth anything to close gaps between ids that are few."""
    if space > _CELLS_PER_ROW * len(keys):
        return _refine_by_sorting(keys)
    counts = np.bincount(keys, minlength=1)
    alone, found = int(np.count_nonzero(counts == 1)), int(np.count_nonzero(counts))
    if alone * _COPY_RATIO > len(keys):
        kept = counts > 1
        left = np.flatnonzero(kept[keys])
        return Refinement(
            alone, found, alone, left, (np.cumsum(kept) - 1)[keys[left]], found - alone
        )
    if 2 * found >= space:
        return Refinement(alone, found, 0, None, keys, space)
    return Refinement(alone, found, 0, None, (np.cumsum(counts > 0) - 1)[keys], found)


def _refine_by_sorting(keys: Counts) -> Refinement:
    order, starts = _sort_keys(keys)
    several = ~(starts & np.append(starts[1:], True))
    ids: Counts = np.cumsum(starts[several]) - 1
    alone, groups = len(keys) - len(ids), int(ids[-1]) + 1 if len(ids) else 0
    return Refinement(alone, alone + groups, alone, order[several], ids, groups)


def _sort_keys(keys: Counts) -> tuple[Any, Any]:
    """The order of the keys, and where in it a new one begins."""
    order = np.argsort(keys)
    ordered = keys[order]
    return order, np.concatenate(
        (np.ones(min(len(keys), 1), dtype=bool), ordered[1:] != ordered[:-1])
    )


@dataclass(frozen=True, slots=True)
class EquivalenceClasses:
    """How large the classes of a table are: ``sizes`` that occur, in rising order, and how many
    classes have each.
    """

    columns: tuple[str, ...]
    sizes: tuple[int, ...]
    counts: tuple[int, ...]

    def __post_init__(self) -> None:
        if (
            not self.sizes
            or len(self.sizes) != len(self.counts)
            or self.sizes[0] < 1
            or min(self.counts) < 1
        ):
            raise InvalidArgument(
                "sizes", "must be at least 1, with at least one class of each", self.sizes
            )

    @property
    def rows(self) -> int:
        """Of the table."""
        return sum(size * count for size, count in zip(self.sizes, self.counts, strict=True))

    @property
    def class_count(self) -> int:
        """How many classes there are."""
        return sum(self.counts)

    @property
    def unique(self) -> int:
        """How many rows are alone in their class."""
        return self.counts[0] if self.sizes[0] == 1 else 0

    @property
    def unique_fraction(self) -> Fraction:
        """Of all rows."""
        return Fraction(self.unique, self.rows)

    @property
    def smallest(self) -> int:
        """The k of k-anonymity: the rows of the smallest class."""
        return self.sizes[0]

    @property
    def mean_risk(self) -> Fraction:
        """The chance of guessing the row of a person who is in the table (the prosecutor's risk),
        of all rows on average: a row in a class of s has 1/s, so that each class adds up to 1."""
        return Fraction(self.class_count, self.rows)

    @property
    def highest_risk(self) -> Fraction:
        """Of the row that is easiest to guess."""
        return Fraction(1, self.smallest)

    def fraction_below(self, k: int) -> Fraction:
        """The fraction of rows in classes of fewer than ``k``."""
        if not isinstance(k, int) or k < 1:
            raise InvalidArgument("k", "must be a whole number of at least 1", k)
        return Fraction(
            sum(
                size * count
                for size, count in zip(self.sizes, self.counts, strict=True)
                if size < k
            ),
            self.rows,
        )

    def count_bands(self) -> list[SizeBand]:
        """How many rows sit in classes of 1, of 2, of 3 to 5 and so on."""
        rows = [size * count for size, count in zip(self.sizes, self.counts, strict=True)]
        return count_by_band(np.array(self.sizes), np.array(rows), BAND_ENDS)


@dataclass(frozen=True, slots=True)
class SizeBand:
    """How many rows have a size from ``first`` to ``last``, or of at least ``first`` where there
    is no last.
    """

    first: int
    last: int | None
    rows: int

    def __str__(self) -> str:
        if self.last is None:
            return f"over {self.first - 1}"
        return str(self.first) if self.first == self.last else f"{self.first}–{self.last}"

    def to_dict(self) -> dict[str, int | None]:
        """As plain data."""
        return {"from": self.first, "to": self.last, "rows": self.rows}


def count_by_band(sizes: Counts, rows: Counts, ends: Sequence[int]) -> list[SizeBand]:
    """Rows added up by the band that their size is in. ``ends`` are the last sizes of the bands;
    the first band is one size.
    """
    places = np.searchsorted(np.array(ends), sizes)
    sums = [int(rows[places == place].sum()) for place in range(len(ends) + 1)]
    firsts = [ends[0], *(end + 1 for end in ends)]
    return [
        SizeBand(first, last, many)
        for first, last, many in zip(firsts, (*ends, None), sums, strict=True)
    ]


def compute_classes(table: EncodedTable) -> EquivalenceClasses:
    """The classes of all columns of a table together."""
    return compute_growing_classes(table)[-1]


def compute_growing_classes(table: EncodedTable) -> list[EquivalenceClasses]:
    """The classes of the first column, of the first two, and so on."""
    ids, groups, unique = np.zeros(table.rows, dtype=np.int64), 1, 0
    rows: Any = None  # those that are not put aside; None for all
    found: list[EquivalenceClasses] = []
    for place, (codes, size) in enumerate(zip(table.codes, table.sizes, strict=True), 1):
        made = refine_classes(
            compute_keys(ids, codes if rows is None else codes[rows], size), groups * size
        )
        ids, groups, unique = made.ids, made.id_bound, unique + made.removed_count
        if made.kept_rows is not None:
            rows = made.kept_rows if rows is None else rows[made.kept_rows]
        tally = np.bincount(np.bincount(ids), minlength=2)
        tally[0], tally[1] = 0, tally[1] + unique  # ids may have gaps
        sizes = np.flatnonzero(tally)
        found.append(
            EquivalenceClasses(
                table.names[:place], tuple(sizes.tolist()), tuple(tally[sizes].tolist())
            )
        )
    return found
