"""Linkage: people of one file who are also in a second file, found by the columns that both
have.

Rows that agree on the shared columns form a class. In a class of one row from each file the two are
the same person for certain, if that person is in both; in other classes an attacker can only guess.
Rows with a missing value are not linked: two missing values are no agreement.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from hedgerow.errors import InvalidArgument
from hedgerow.risk.table.column_matching import compile_common_terms
from hedgerow.risk.table.encoded_tables import Codes, Counts, open_tables, resolve_columns
from hedgerow.risk.table.equivalence_classes import (
    SizeBand,
    compute_keys,
    count_by_band,
    renumber_keys,
)

__all__ = ["MATCH_BAND_ENDS", "Linkage", "linkage"]

MATCH_BAND_ENDS: Final = (
    0,
    1,
    2,
    5,
    10,
    100,
)  # the largest number of possible matches in each band


@dataclass(frozen=True, slots=True)
class Linkage:
    """Two files linked on the columns ``on``.

    ``pairs`` are the certain matches, by the index of the row in each file, from 0. ``match_bands``
    counts the rows of the first file by their number of possible matches in the second.
    """

    on: tuple[str, ...]
    rows: tuple[int, int]
    incomplete: tuple[int, int]
    match_bands: tuple[SizeBand, ...]
    expected_correct: float
    pairs: npt.NDArray[np.int64] = field(repr=False, compare=False)

    @property
    def certain_count(self) -> int:
        """The number of rows that are unique in both files and agree."""
        return len(self.pairs)

    @property
    def linked_count(self) -> int:
        """The number of rows of the first file with a possible match in the second."""
        return sum(band.rows for band in self.match_bands[1:])

    def to_dict(self) -> dict[str, Any]:
        """Return the result as plain data, without the certain pairs."""
        return {
            "on": list(self.on),
            "rows": self.rows[0],
            "other_rows": self.rows[1],
            "incomplete": list(self.incomplete),
            "certain": self.certain_count,
            "certain_fraction": self.certain_count / self.rows[0],
            "linked": self.linked_count,
            "expected_correct": self.expected_correct,
            "possible": [band.to_dict() for band in self.match_bands],
        }


def linkage(first: Any, second: Any, on: Sequence[str] | None = None) -> Linkage:
    """Link two tables, each a path or a frame, on the columns that both have or on some of
    those.

    Values are compared by meaning where the files store them differently: 21 is 21.0 and "21".

    ``expected_correct`` is the mean number of right one-to-one guesses: in a class of m rows here
    and n there, an attacker who pairs them at random has min(m, n) / max(m, n) right, if everybody
    on the smaller side is on the other too. Where fewer are, it is fewer.
    """
    with open_tables(first, second) as opened:
        sides = opened.list_columns(0), opened.list_columns(1)
        names = _match_column_names([tuple(name for name, _ in side) for side in sides], on)
        terms = compile_common_terms(opened, sides, names)
        relations = [opened.load_terms(place, terms[place]) for place in (0, 1)]
        codes, sizes, missing = opened.encode_columns(relations, len(names))
    whole = [_find_complete_rows(side, missing) for side in codes]
    ids, groups = _number_joint_classes(
        [[column[rows] for column in side] for side, rows in zip(codes, whole, strict=True)], sizes
    )
    here, there = ids[: len(whole[0])], ids[len(whole[0]) :]
    counts = np.bincount(here, minlength=groups), np.bincount(there, minlength=groups)
    rows = len(codes[0][0]), len(codes[1][0])
    lacking = rows[0] - len(whole[0]), rows[1] - len(whole[1])
    faced = np.concatenate((counts[1][here], np.zeros(lacking[0], dtype=np.int64)))
    bands = count_by_band(faced, np.ones(len(faced), dtype=np.int64), MATCH_BAND_ENDS)
    smaller, larger = np.minimum(*counts), np.maximum(*counts)
    return Linkage(
        tuple(name for name, _ in names),
        rows,
        lacking,
        tuple(bands),
        float((smaller / np.maximum(larger, 1)).sum()),
        _find_certain_pairs(counts, here, there, whole),
    )


def _find_certain_pairs(
    counts: tuple[Counts, Counts], here: Counts, there: Counts, whole: Sequence[Counts]
) -> npt.NDArray[np.int64]:
    """Return the rows that are alone in their class on both sides, in the order of the first
    file.
    """
    alone = (counts[0] == 1) & (counts[1] == 1)
    places = np.full(len(alone), -1, dtype=np.int64)
    places[there[alone[there]]] = whole[1][alone[there]]
    mine = alone[here]
    return np.stack((whole[0][mine], places[here[mine]]), axis=1)


def _find_complete_rows(columns: Sequence[Codes], missing: Sequence[int]) -> Counts:
    """Return the rows without missing values."""
    complete = np.ones(len(columns[0]), dtype=bool)
    for codes, null in zip(columns, missing, strict=True):
        if null >= 0:
            complete &= codes != null
    return np.flatnonzero(complete)


def _number_joint_classes(
    sides: Sequence[Sequence[Codes]], sizes: Sequence[int]
) -> tuple[Counts, int]:
    """Return class ids for the rows of both files, one file after the other, and their number."""
    ids, groups = np.zeros(sum(len(side[0]) for side in sides), dtype=np.int64), 1
    for place, size in enumerate(sizes):
        ids, groups = renumber_keys(
            compute_keys(ids, np.concatenate([side[place] for side in sides]), size), groups * size
        )
    return ids, groups


def _match_column_names(
    there: Sequence[tuple[str, ...]], on: Sequence[str] | None
) -> list[tuple[str, str]]:
    """Return the names of each shared column in both files."""
    if on is None:
        folded = {name.casefold(): name for name in there[1]}
        both = [(name, folded[name.casefold()]) for name in there[0] if name.casefold() in folded]
        if not both:
            raise InvalidArgument(
                "on",
                "must name columns of both files, but they have none in common; rename columns in"
                " one of them",
            )
        return both
    return list(
        zip(resolve_columns(on, there[0], "on"), resolve_columns(on, there[1], "on"), strict=True)
    )
