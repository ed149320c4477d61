"""The atoms of some conditions: the groups of people that the conditions tell apart, and no
finer.

Each column falls into pieces: the constants it is compared with, the intervals between and beyond
them, and the missing value. A condition is a union of boxes (a set of pieces for each column it
names). The columns are processed one by one; two paths that leave the same boxes possible are
merged, so the product of all columns is never built. In the end each atom is the set of conditions
that hold in it.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Final

from hedgerow.errors import InvalidArgument, Unsupported
from hedgerow.risk.answers.conditions import (
    And,
    Comparison,
    Condition,
    Constant,
    Not,
    Or,
    iterate_comparisons,
)

__all__ = ["MAX_ATOMS", "MAX_BOXES", "Atoms", "ColumnPieces", "compute_atoms"]

MAX_ATOMS: Final = 20_000
MAX_BOXES: Final = 2_000  # of one condition

# Public knowledge about a column: its numbers are whole, or a list of all its values.
KnownColumns = Mapping[str, str | Sequence[Constant]]
# ("missing", None, None), ("value", v, v), ("between", low or None, high or None),
# ("other", None, None)
Piece = tuple[str, Any, Any]
Box = tuple[tuple[str, int], ...]  # for each column named, a bit for each piece allowed


@dataclass(frozen=True, slots=True)
class Atoms:
    """The number of atoms, and for each condition the atoms that it counts, as bits."""

    count: int
    members: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class ColumnPieces:
    """The pieces of a column."""

    name: str
    pieces: tuple[Piece, ...]

    @classmethod
    def of(
        cls, name: str, given: Sequence[Comparison], known: str | Sequence[Constant] | None = None
    ) -> ColumnPieces:
        """Build the pieces from the comparisons with a column and what is known of its values."""
        listed = () if known is None or isinstance(known, str) else tuple(known)
        values = {value for test in given for value in test.values} | set(listed)
        if len({type(value) for value in values}) > 1:
            kinds = sorted({_KIND_NAMES[type(value)] for value in values})
            raise InvalidArgument(
                f"column '{name}'",
                f"must be compared with values of one kind, not with {' and '.join(kinds)}",
            )
        pieces: list[Piece] = [
            *([] if listed else [("missing", None, None)]),
            *(("value", value, value) for value in sorted(values)),
        ]
        if bool in map(type, values) and not listed:
            pieces[1:] = [("value", value, value) for value in (False, True)]
        elif not listed:
            pieces += (
                _list_open_intervals(sorted(values), whole=known == "integer")
                if _has_order_tests(given)
                else [("other", None, None)]
            )
        return cls(name, tuple(pieces))

    def find_pieces(self, test: Comparison, truth: bool) -> int:
        """Return the pieces in which a comparison is true, or false, as bits; unknown is
        neither.
        """
        return sum(
            1 << place
            for place, piece in enumerate(self.pieces)
            if _evaluate_test(test, piece) is truth
        )


_KIND_NAMES: Final = {Fraction: "numbers", str: "texts", bool: "truth values"}


def _has_order_tests(given: Iterable[Comparison]) -> bool:
    return any(test.operator in ("<", "<=", ">", ">=") for test in given)


def _list_open_intervals(values: list[Any], *, whole: bool) -> list[Piece]:
    """Return the open intervals between constants; whole numbers leave none between neighbours."""
    ends = [None, *values, None]
    pairs = itertools.pairwise(ends)
    return [
        ("between", a, b)
        for a, b in pairs
        if not (whole and a is not None and b is not None and a // 1 + 1 >= b)
    ]


def _evaluate_test(test: Comparison, piece: Piece) -> bool | None:
    """Return whether a comparison holds in a piece; None if it is unknown."""
    kind, low, high = piece
    if test.operator == "null" or (test.operator == "is" and not test.values):
        return kind == "missing"
    if kind == "missing":
        return False if test.operator == "is" else None
    if test.operator in ("=", "in", "is"):
        return kind == "value" and low in test.values
    bound: Any = test.values[0]
    if kind == "value":
        return bool(
            {"<": low < bound, "<=": low <= bound, ">": low > bound, ">=": low >= bound}[
                test.operator
            ]
        )
    # Every constant is a piece of its own, so an open interval lies wholly on one side of it.
    below = high is not None and high <= bound
    return below if test.operator in ("<", "<=") else not below


def compute_atoms(conditions: Sequence[Condition], known: KnownColumns | None = None) -> Atoms:
    """Compute the atoms of some conditions, or refuse if there are too many."""
    columns = _build_columns(conditions, known or {})
    boxes: dict[Box, int] = {}
    made: list[tuple[int, int]] = []
    for condition in conditions:
        within, without = _split_negations(condition)
        sides = (
            _build_boxes(within, columns, truth=True),
            [box for part in without for box in _build_boxes(part, columns, truth=True)],
        )
        held, barred = (
            sum({1 << boxes.setdefault(box, len(boxes)) for box in side}) for side in sides
        )
        made.append((held, barred))
    ways = _enumerate_box_sets(list(boxes), columns)
    signatures: dict[tuple[int, ...], None] = {}
    for way in sorted(ways):
        signatures[
            tuple(
                place
                for place, (held, barred) in enumerate(made)
                if way & held and not way & barred
            )
        ] = None
    members = [0] * len(conditions)
    for place, signature in enumerate(signatures):
        for condition_place in signature:
            members[condition_place] |= 1 << place
    return Atoms(len(signatures), tuple(members))


def _split_negations(condition: Condition) -> tuple[Condition, list[Condition]]:
    """Split a condition into "this, and none of those".

    If those are never unknown, whoever is in none of their boxes is outside all of them. So the
    rest of a large GROUP BY need not be written as a union of boxes, which would be far too many.
    """
    parts = condition.parts if isinstance(condition, And) else (condition,)
    without = [
        part.part
        for part in parts
        if isinstance(part, Not)
        and all(test.operator in ("is", "null") for test in iterate_comparisons(part))
    ]
    within = [part for part in parts if not (isinstance(part, Not) and part.part in without)]
    return And(tuple(within)), without


def _build_columns(conditions: Sequence[Condition], known: KnownColumns) -> dict[str, ColumnPieces]:
    found: dict[str, list[Comparison]] = {}
    for condition in conditions:
        for test in iterate_comparisons(condition):
            found.setdefault(test.column, []).append(test)
    made = [ColumnPieces.of(name, given, known.get(name)) for name, given in found.items()]
    # Few pieces first: the ways stay few for as long as possible.
    return {
        column.name: column
        for column in sorted(made, key=lambda column: (len(column.pieces), column.name))
    }


def _enumerate_box_sets(boxes: Sequence[Box], columns: Mapping[str, ColumnPieces]) -> set[int]:
    """Return each possible set of boxes that a person may lie in, as bits."""
    ways = {(1 << len(boxes)) - 1}
    allowed = [dict(box) for box in boxes]
    for name, column in columns.items():
        masks = set()
        for piece in range(len(column.pieces)):
            masks.add(
                sum(
                    1 << place
                    for place, box in enumerate(allowed)
                    if box.get(name, -1) >> piece & 1
                )
            )
        ways = {way & mask for way in ways for mask in masks}
        if len(ways) > MAX_ATOMS:
            raise Unsupported(
                f"These questions divide people into more than {MAX_ATOMS:,} groups (the columns"
                f" are {', '.join(columns)}). Give fewer questions at a time, such as those about"
                " a few columns."
            )
    return ways


def _build_boxes(
    condition: Condition, columns: Mapping[str, ColumnPieces], *, truth: bool
) -> list[Box]:
    """Return the boxes in which a condition is true, or false.

    NOT moves down to the comparisons, as three-valued logic allows.
    """
    match condition:
        case Comparison():
            column = columns[condition.column]
            mask = column.find_pieces(condition, truth)
            return [((column.name, mask),)] if mask else []
        case Not(part):
            return _build_boxes(part, columns, truth=not truth)
        case And(parts) | Or(parts):
            each = [_build_boxes(part, columns, truth=truth) for part in parts]
            return (
                _intersect_boxes(each)
                if isinstance(condition, And) is truth
                else list(dict.fromkeys(box for found in each for box in found))
            )


def _intersect_boxes(each: Sequence[list[Box]]) -> list[Box]:
    """Return the boxes that lie in one box of each list."""
    found: list[dict[str, int]] = [{}]
    for boxes in each:
        joined = []
        for left, right in itertools.product(found, boxes):
            meet = {**left, **{name: left.get(name, -1) & mask for name, mask in right}}
            if all(meet.values()):
                joined.append(meet)
        if len(joined) > MAX_BOXES:
            raise Unsupported(
                f"A condition has more than {MAX_BOXES:,} cases. Split it into several answers."
            )
        found = joined
    return list(dict.fromkeys(tuple(sorted(box.items())) for box in found))
