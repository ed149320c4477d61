"""Re-identification: how many people of a table are unique on columns that others may know.

Rows are taken for people. Whoever knows some columns of a person, and that she is in the table,
knows her row if no other row has the same values; if s rows have them, a guess is right one time in
s.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from typing import Any, Final

from hedgerow.errors import InvalidArgument
from hedgerow.numeric.exact_number import Number, parse_exact
from hedgerow.risk.table.column_subsets import (
    ColumnSubset,
    Progress,
    check_size,
    check_subset_count,
    find_minimal_subsets,
    grow_subset,
    measure_subsets,
)
from hedgerow.risk.table.encoded_tables import encode_table
from hedgerow.risk.table.equivalence_classes import EquivalenceClasses, compute_growing_classes

__all__ = ["Attacker", "Uniqueness", "uniqueness"]

_REPORTED_K: Final = (2, 3, 5, 11)  # common choices of k in k-anonymity


@dataclass(frozen=True, slots=True)
class Attacker:
    """An attacker who knows any ``knows`` of the columns, on average and at worst over all such
    sets.

    Unique is the fraction of unique rows, risk the probability of guessing a row; ``worst`` is the
    set that makes most rows unique.
    """

    knows: int
    sets: int
    unique: Fraction
    worst_unique: Fraction
    risk: Fraction
    worst_risk: Fraction
    worst: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Uniqueness:
    """The uniqueness of a table: classes of all ``columns``, their growth, and sets of columns.

    ``subsets`` are all sets up to a size, or growing ones where ``searched`` is "greedy".
    """

    columns: tuple[str, ...]
    steps: tuple[EquivalenceClasses, ...]
    subsets: tuple[ColumnSubset, ...]
    searched: str
    share: Fraction = Fraction(1)
    notes: tuple[str, ...] = ()

    @property
    def classes(self) -> EquivalenceClasses:
        """The equivalence classes of all columns together."""
        return self.steps[-1]

    @property
    def rows(self) -> int:
        """The number of rows."""
        return self.classes.rows

    @property
    def unique_fraction(self) -> Fraction:
        """The fraction of rows that are unique on all columns together."""
        return self.classes.unique_fraction

    @property
    def identifying(self) -> tuple[ColumnSubset, ...]:
        """The minimal sets that make at least ``share`` of the rows unique.

        After a greedy search it is the first that does, and a smaller one may exist.
        """
        found = find_minimal_subsets(self.subsets, math.ceil(self.share * self.rows))
        return tuple(found[:1] if self.searched == "greedy" else found)

    @property
    def most_identifying(self) -> tuple[ColumnSubset, ...]:
        """The set of each size that makes most rows unique, and of those the one with most
        classes.
        """
        best: dict[int, ColumnSubset] = {}
        for each in self.subsets:
            size, rank = len(each.columns), (each.unique, each.classes)
            if size not in best or rank > (best[size].unique, best[size].classes):
                best[size] = each
        return tuple(best.values())

    @property
    def attackers(self) -> tuple[Attacker, ...]:
        """The attackers who know any one column, any two, and so on.

        A greedy search sees too few sets for an average, so it has none.
        """
        if self.searched == "greedy":
            return ()
        attackers = []
        for best in self.most_identifying:
            size = len(best.columns)
            same_size = [each for each in self.subsets if len(each.columns) == size]
            attackers.append(_summarise_attacker(best, same_size, self.rows))
        return tuple(attackers)

    def to_dict(self) -> dict[str, Any]:
        """Return the result as plain data; fractions are of the rows."""
        whole = self.classes
        return {
            "rows": self.rows,
            "unique_fraction": float(self.unique_fraction),
            "unique": whole.unique,
            "columns": list(self.columns),
            "k_anonymity": whole.smallest,
            "classes": [band.to_dict() for band in whole.count_bands()],
            "risk": {
                "mean": float(whole.mean_risk),
                "highest": float(whole.highest_risk),
                "below_k": {str(k): float(whole.fraction_below(k)) for k in _REPORTED_K},
            },
            "steps": [
                {
                    "adds": step.columns[-1],
                    **_counts_to_dict(step.unique, step.class_count, self.rows),
                }
                for step in self.steps
            ],
            "searched": self.searched,
            "share": float(self.share),
            "identifying": [list(each.columns) for each in self.identifying],
            "attackers": [_attacker_to_dict(each) for each in self.attackers],
            "subsets": [
                {
                    "columns": list(each.columns),
                    **_counts_to_dict(each.unique, each.classes, self.rows),
                }
                for each in self.subsets
            ],
            "notes": list(self.notes),
        }


def uniqueness(
    data: Any,
    columns: Sequence[str] | None = None,
    *,
    size: int = 3,
    search: str = "all",
    share: Number = 1,
    progress: Progress | None = None,
) -> Uniqueness:
    """Measure how unique the rows of a table are.

    ``data`` is a path (.csv, .parquet, .arrow) or a frame (Arrow, pandas, polars). ``columns`` are
    those that an attacker may know, by default all. All sets of up to ``size`` columns are
    searched, or with ``search="greedy"`` one that grows. ``share`` is the fraction of rows that an
    identifying set makes unique.
    """
    if search not in ("all", "greedy"):
        raise InvalidArgument("search", 'must be "all" or "greedy"', search)
    fraction = parse_exact(share, "share")
    if not 0 < fraction <= 1:
        raise InvalidArgument("share", "must be above 0 and at most 1", float(fraction))
    check = partial(check_subset_count if search == "all" else check_size, size=size)
    table = encode_table(data, columns, check=check)
    size = check(len(table.names))
    steps = compute_growing_classes(table)
    if search == "greedy":
        subsets, searched = grow_subset(table, size, progress=progress), "greedy"
    else:
        subsets = measure_subsets(table, size, whole=steps[-1], progress=progress)
        searched = f"all sets of up to {size}"
    return Uniqueness(table.names, tuple(steps), tuple(subsets), searched, fraction, table.notes)


def _summarise_attacker(best: ColumnSubset, found: Sequence[ColumnSubset], rows: int) -> Attacker:
    unique, risk = sum(each.unique for each in found), sum(each.classes for each in found)
    return Attacker(
        len(best.columns),
        len(found),
        Fraction(unique, rows * len(found)),
        Fraction(best.unique, rows),
        Fraction(risk, rows * len(found)),
        Fraction(max(each.classes for each in found), rows),
        best.columns,
    )


def _attacker_to_dict(each: Attacker) -> dict[str, Any]:
    return {
        "knows": each.knows,
        "sets": each.sets,
        "unique_fraction": {"average": float(each.unique), "worst": float(each.worst_unique)},
        "risk": {"average": float(each.risk), "worst": float(each.worst_risk)},
        "worst": list(each.worst),
    }


def _counts_to_dict(unique: int, number: int, rows: int) -> dict[str, Any]:
    return {"unique": unique, "unique_fraction": unique / rows, "mean_risk": number / rows}
