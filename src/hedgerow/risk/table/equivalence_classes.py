"""Equivalence classes: the rows that agree on some columns.

Whoever knows those columns of a person knows her class, and no more. All work is done on whole
arrays. A class has an id below the number of rows; with one more column the class of a row is

    key = id * (different values of the column) + code of the row,

and keys are renumbered to ids. Keys that are not many more than the rows are counted in an array,
others by sorting: an array that does not fit the cache costs more than a sort, measured at about
four cells per row.
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

_CELLS_PER_ROW: Final = 4  # of the counting array, at most
_COPY_RATIO: Final = 8  # one row in this many must be unique to make a copy worthwhile
BAND_ENDS: Final = (1, 2, 5, 10, 100)  # the largest size in each band; one more band is open


def compute_keys(ids: Counts, codes: Codes, size: int) -> Counts:
    """Return one number for the class and the value of each row."""
    keys: Counts = ids * np.int64(size)
    keys += codes
    return keys


def count_keys(keys: Counts, space: int) -> tuple[int, int]:
    """Return how many keys occur once, and how many are different; all are below ``space``."""
    if not len(keys):
        return 0, 0
    if space <= _CELLS_PER_ROW * len(keys):
        counts = np.bincount(keys)
        return int(np.count_nonzero(counts == 1)), int(np.count_nonzero(counts))
    ordered = np.sort(keys)
    changes = np.concatenate(([True], ordered[1:] != ordered[:-1], [True]))
    return int(np.count_nonzero(changes[1:] & changes[:-1])), int(np.count_nonzero(changes)) - 1


def renumber_keys(keys: Counts, space: int) -> tuple[Counts, int]:
    """Return ids without gaps for the keys, and the number of ids."""
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
    """Classes by their keys: the number of unique rows and of classes.

    ``removed_count`` unique rows may have been removed; ``kept_rows`` are the others (None: all
    rows, in place). Each has an id below ``id_bound``.
    """

    unique_count: int
    class_count: int
    removed_count: int
    kept_rows: Any
    ids: Counts
    id_bound: int


def refine_classes(keys: Counts, space: int) -> Refinement:
    """Return the classes of the keys, without unique rows where that pays.

    Unique rows stay unique whatever column is added. Removing a few is not worth the copy, nor is
    closing few gaps between ids.
    """
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
    """Return the order of the keys, and the starts of new keys in it."""
    order = np.argsort(keys)
    ordered = keys[order]
    return order, np.concatenate(
        (np.ones(min(len(keys), 1), dtype=bool), ordered[1:] != ordered[:-1])
    )


@dataclass(frozen=True, slots=True)
class EquivalenceClasses:
    """The sizes of the classes of a table, in rising order, and the number of classes of each
    size.
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
        """The number of rows of the table."""
        return sum(size * count for size, count in zip(self.sizes, self.counts, strict=True))

    @property
    def class_count(self) -> int:
        """The number of classes."""
        return sum(self.counts)

    @property
    def unique(self) -> int:
        """The number of rows that are alone in their class."""
        return self.counts[0] if self.sizes[0] == 1 else 0

    @property
    def unique_fraction(self) -> Fraction:
        """The fraction of unique rows."""
        return Fraction(self.unique, self.rows)

    @property
    def smallest(self) -> int:
        """The k of k-anonymity: the size of the smallest class."""
        return self.sizes[0]

    @property
    def mean_risk(self) -> Fraction:
        """The mean probability of guessing a person's row (the prosecutor's risk).

        A row in a class of s has 1/s, so that each class adds up to 1.
        """
        return Fraction(self.class_count, self.rows)

    @property
    def highest_risk(self) -> Fraction:
        """The risk of the row that is easiest to guess."""
        return Fraction(1, self.smallest)

    def fraction_below(self, k: int) -> Fraction:
        """Return the fraction of rows in classes of fewer than ``k``."""
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
        """Return the number of rows in classes of 1, of 2, of 3 to 5 and so on."""
        rows = [size * count for size, count in zip(self.sizes, self.counts, strict=True)]
        return count_by_band(np.array(self.sizes), np.array(rows), BAND_ENDS)


@dataclass(frozen=True, slots=True)
class SizeBand:
    """The number of rows with a size from ``first`` to ``last``; without a last, of at least
    ``first``.
    """

    first: int
    last: int | None
    rows: int

    def __str__(self) -> str:
        if self.last is None:
            return f"over {self.first - 1}"
        return str(self.first) if self.first == self.last else f"{self.first}–{self.last}"

    def to_dict(self) -> dict[str, int | None]:
        """Return the band as plain data."""
        return {"from": self.first, "to": self.last, "rows": self.rows}


def count_by_band(sizes: Counts, rows: Counts, ends: Sequence[int]) -> list[SizeBand]:
    """Add up rows by the band of their size; ``ends`` are the largest sizes of the bands."""
    places = np.searchsorted(np.array(ends), sizes)
    sums = [int(rows[places == place].sum()) for place in range(len(ends) + 1)]
    firsts = [ends[0], *(end + 1 for end in ends)]
    return [
        SizeBand(first, last, count)
        for first, last, count in zip(firsts, (*ends, None), sums, strict=True)
    ]


def compute_classes(table: EncodedTable) -> EquivalenceClasses:
    """Return the classes of all columns of a table together."""
    return compute_growing_classes(table)[-1]


def compute_growing_classes(table: EncodedTable) -> list[EquivalenceClasses]:
    """Return the classes of the first column, of the first two, and so on."""
    ids, groups, unique = np.zeros(table.rows, dtype=np.int64), 1, 0
    rows: Any = None  # rows that are not removed yet; None for all
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
