"""Re-identification: how many people of a table are alone with what others may know of them.

Rows are taken for people. Whoever knows the values of some columns of a person, and that she is in
the table, knows the row where no other row has the same; where s rows have them she guesses right
one time in s.
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

_REPORTED_K: Final = (2, 3, 5, 11)  # the k of k-anonymity that people ask for


@dataclass(frozen=True, slots=True)
class Attacker:
    """Somebody who knows any ``knows`` of the columns: over all such sets, which is the worst, and
    what holds on average. Unique is the fraction of rows that are alone, risk the chance of
    guessing a row; ``worst`` is the set that makes most rows unique."""

    knows: int
    sets: int
    unique: Fraction
    worst_unique: Fraction
    risk: Fraction
    worst_risk: Fraction
    worst: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Uniqueness:
    """What was found about a table: the classes of all ``columns`` together, how they grow with the
    columns in their order, and sets of columns (all up to a size, or where ``searched`` is "greedy"
    a growing one)."""

    columns: tuple[str, ...]
    steps: tuple[EquivalenceClasses, ...]
    subsets: tuple[ColumnSubset, ...]
    searched: str
    share: Fraction = Fraction(1)
    notes: tuple[str, ...] = ()

    @property
    def classes(self) -> EquivalenceClasses:
        """Of all columns together."""
        return self.steps[-1]

    @property
    def rows(self) -> int:
        """Of the table."""
        return self.classes.rows

    @property
    def unique_fraction(self) -> Fraction:
        """The fraction of rows that are unique on the columns together."""
        return self.classes.unique_fraction

    @property
    def identifying(self) -> tuple[ColumnSubset, ...]:
        """The smallest sets that make at least ``share`` of the rows unique: no column of them can
        be spared. After a greedy search it is the first that does, and a smaller one may exist."""
        found = find_minimal_subsets(self.subsets, math.ceil(self.share * self.rows))
        return tuple(found[:1] if self.searched == "greedy" else found)

    @property
    def most_identifying(self) -> tuple[ColumnSubset, ...]:
        """Of each size the set that makes most rows unique, and most classes where several do."""
        best: dict[int, ColumnSubset] = {}
        for each in self.subsets:
            many = len(each.columns)
            if many not in best or (each.unique, each.classes) > (
                best[many].unique,
                best[many].classes,
            ):
                best[many] = each
        return tuple(best.values())

    @property
    def attackers(self) -> tuple[Attacker, ...]:
        """Who knows any one column, any two, and so on; none after a greedy search, which saw
        too few sets for an average.
        """
        if self.searched == "greedy":
            return ()
        return tuple(
            _summarise_attacker(
                best,
                [each for each in self.subsets if len(each.columns) == len(best.columns)],
                self.rows,
            )
            for best in self.most_identifying
        )

    def to_dict(self) -> dict[str, Any]:
        """As plain data. Fractions are of the rows."""
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
    """How unique rows are. ``data`` is a path (.csv, .parquet, .arrow) or a frame (Arrow, pandas,
    polars); ``columns`` are what an attacker may know, all of them unless named. All sets of up to
    ``size`` of them are searched, or with ``search="greedy"`` one that grows. ``share`` is the
    fraction of rows that an identifying set makes unique."""
    if search not in ("all", "greedy"):
        raise InvalidArgument("search", 'must be "all" or "greedy"', search)
    part = parse_exact(share, "share")
    if not 0 < part <= 1:
        raise InvalidArgument("share", "must be above 0 and at most 1", float(part))
    check = (
        partial(check_subset_count, size=size)
        if search == "all"
        else partial(check_size, size=size)
    )
    table = encode_table(data, columns, check=check)
    size = check(len(table.names))
    steps = compute_growing_classes(table)
    if search == "greedy":
        found, searched = grow_subset(table, size, progress=progress), "greedy"
    else:
        found, searched = (
            measure_subsets(table, size, whole=steps[-1], progress=progress),
            f"all sets of up to {size}",
        )
    return Uniqueness(table.names, tuple(steps), tuple(found), searched, part, table.notes)


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
