"""Who is protected, and which two data sets are neighbours.

A **unit** is a row, a person who owns many rows (``owner`` names the id column), or a group of k of
either. The relation is always stated:

* ``"add-remove"``: neighbours differ by one unit that is there or not, with all its rows. Turning a
  unit into another, or changing some of its rows, is two steps: it goes, and comes back different.
* ``"change-one"``: the number of units is public and fixed; neighbours differ in one unit, which is
  replaced by any other.

``distance`` runs: it is the least number of such steps between two data sets, so that "one unit
moves the answer by at most s" is a property test, |f(a) - f(b)| <= s * distance(a, b). It is a
metric on bags of rows (order is nothing): zero exactly between equal bags, symmetric, and it obeys
the triangle inequality, because it counts the edges of a shortest path.

Rows without an id (None, or NaN as data frames write it) belong to nobody and are dropped before
anything is counted. Merged into one unit they would be a unit with no bound on its rows.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass
from typing import Final, Literal

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
        """The least number of steps from ``a`` to ``b``; infinite where no number of steps leads
        there.

        A step of a group of k is k steps at once, so the steps of single units are divided by k and
        rounded up.
        """
        steps = self._count_row_steps(a, b) if self.owner == "row" else self._count_unit_steps(a, b)
        return steps if isinstance(steps, float) else -(-steps // self.group)

    def _count_row_steps(self, a: Iterable[Row], b: Iterable[Row]) -> int | float:
        left, right = Counter(map(_canonical_row, a)), Counter(map(_canonical_row, b))
        gone, come = (left - right).total(), (right - left).total()
        if self.relation == "add-remove":
            return gone + come
        return gone if gone == come else math.inf

    def _count_unit_steps(self, a: Iterable[Row], b: Iterable[Row]) -> int | float:
        left, right = self._collect_rows_by_owner(a), self._collect_rows_by_owner(b)
        # Under both relations a unit that differs has to go on one side and come on the other.
        gone = sum(bag != right.get(who) for who, bag in left.items())
        come = sum(bag != left.get(who) for who, bag in right.items())
        if self.relation == "add-remove":
            return gone + come
        return gone if gone == come else math.inf

    def _collect_rows_by_owner(self, rows: Iterable[Row]) -> dict[Hashable, Counter[Hashable]]:
        bags: defaultdict[Hashable, Counter[Hashable]] = defaultdict(Counter)
        for row in rows:
            columns, who = _canonical_row(row), self._find_owner(row)
            if who is not None and not _is_nan(who):
                bags[who][columns] += 1
        return bags

    def _find_owner(self, row: Row) -> Hashable:
        if isinstance(row, Mapping) and self.owner in row:
            return row[self.owner]
        if self.owner in getattr(row, "_fields", ()):
            owner: Hashable = getattr(row, self.owner)
            return owner
        raise InvalidArgument(
            "rows", f"must be dicts or named tuples that have the id column {self.owner!r}"
        )


def _canonical_row(row: Row) -> Hashable:
    """Equal rows give equal values: dicts forget the order of their columns, NaN equals NaN.
    Never shows a row.
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
