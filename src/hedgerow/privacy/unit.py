"""The protected unit, and the neighbour relation between data sets.

A **unit** is a row, a person who owns many rows (``owner`` names the id column), or a group of k of
either. The relation is always explicit:

- ``"add-remove"``: neighbours differ by the presence of one unit, with all its rows. Replacing a
  unit, or changing some of its rows, takes two steps: it is removed, and added with new rows.
- ``"change-one"``: the number of units is public and fixed; neighbours differ in one unit, which is
  replaced by any other.

``distance`` is executable: it returns the least number of such steps between two data sets, so that
"one unit moves the answer by at most s" is a property test, |f(a) - f(b)| <= s * distance(a, b). It
is a metric on multisets of rows: zero exactly between equal multisets, symmetric, and it satisfies
the triangle inequality, because it counts the edges of a shortest path.

Rows without an id (None, or NaN in data frames) belong to no unit and are dropped before counting.
Merged into one unit, they would be a unit with no bound on its rows.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass
from typing import Final, Literal, cast

import numpy as np

from hedgerow.errors import InvalidArgument
from hedgerow.numeric.exact_number import parse_whole

__all__ = ["RELATIONS", "Relation", "Row", "Unit"]

Relation = Literal["add-remove", "change-one"]
Row = tuple[Hashable, ...] | Mapping[str, Hashable]

RELATIONS: Final = ("add-remove", "change-one")
_NAN_KEY: Final = ("hedgerow", "nan")


@dataclass(frozen=True, slots=True)
class Unit:
    """The protected unit and the neighbour relation of one budget."""

    relation: Relation
    owner: str = "row"
    group: int = 1

    def __post_init__(self) -> None:
        if self.relation not in RELATIONS:
            raise InvalidArgument("relation", "must be 'add-remove' or 'change-one'", self.relation)
        if not isinstance(self.owner, str) or not self.owner:
            raise InvalidArgument("owner", "must be 'row' or the name of the id column", self.owner)
        object.__setattr__(self, "group", parse_whole(self.group, "group"))

    def distance(self, a: Iterable[Row], b: Iterable[Row]) -> int | float:
        """Return the least number of steps from ``a`` to ``b``, or infinity if there is no path.

        A step of a group of k is k steps at once, so the steps of single units are divided by k and
        rounded up.
        """
        count = self._count_changed_rows if self.owner == "row" else self._count_changed_units
        removed, added = count(a, b)
        if self.relation == "change-one" and removed != added:
            return math.inf
        steps = removed if self.relation == "change-one" else removed + added
        return -(-steps // self.group)

    def _count_changed_rows(self, a: Iterable[Row], b: Iterable[Row]) -> tuple[int, int]:
        left, right = Counter(map(_canonical_row, a)), Counter(map(_canonical_row, b))
        return (left - right).total(), (right - left).total()

    def _count_changed_units(self, a: Iterable[Row], b: Iterable[Row]) -> tuple[int, int]:
        left, right = self._collect_rows_by_owner(a), self._collect_rows_by_owner(b)
        # under both relations a unit that differs is removed on one side and added on the other
        removed = sum(rows != right.get(owner) for owner, rows in left.items())
        return removed, sum(rows != left.get(owner) for owner, rows in right.items())

    def _collect_rows_by_owner(self, rows: Iterable[Row]) -> dict[Hashable, Counter[Hashable]]:
        rows_by_owner: defaultdict[Hashable, Counter[Hashable]] = defaultdict(Counter)
        for row in rows:
            columns, owner = _canonical_row(row), self._find_owner(row)
            if owner is not None and not _is_nan(owner):
                rows_by_owner[owner][columns] += 1
        return rows_by_owner

    def _find_owner(self, row: Row) -> Hashable:
        if isinstance(row, Mapping) and self.owner in row:
            return row[self.owner]
        if self.owner in getattr(row, "_fields", ()):
            return cast(Hashable, getattr(row, self.owner))
        raise InvalidArgument(
            "rows", f"must be dicts or named tuples that have the id column {self.owner!r}"
        )


def _canonical_row(row: Row) -> Hashable:
    """Return a hashable value that is equal for equal rows, and never shown.

    Dicts ignore the order of their columns, and NaN equals NaN.
    """
    try:
        if isinstance(row, Mapping):
            columns: Hashable = frozenset(
                (name, _NAN_KEY if _is_nan(value) else value) for name, value in row.items()
            )
        elif isinstance(row, tuple):
            columns = tuple(_NAN_KEY if _is_nan(value) else value for value in row)
        else:
            raise InvalidArgument("rows", "must be tuples or dicts")
        hash(columns)
    except TypeError as error:
        raise InvalidArgument("rows", "must hold hashable values") from error
    return columns


def _is_nan(value: object) -> bool:
    return isinstance(value, (float, np.floating)) and bool(np.isnan(value))
