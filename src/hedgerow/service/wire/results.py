"""Results of commands as tables of the protocol: columns with types, rows, notes and a tag."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from hedgerow.answers.answer import Answer
from hedgerow.answers.explanation import Explanation
from hedgerow.answers.render import describe_payment
from hedgerow.database.uncharged.exact_table import ExactTable
from hedgerow.service.query_service import AskedAnswer, OutputColumnType
from hedgerow.service.wire.messages import FieldDescription
from hedgerow.service.wire.values import OIDS, TYPE_SIZES

__all__ = ["WireColumn", "WireResult", "build_fields", "build_result", "list_answer_columns"]


@dataclass(frozen=True, slots=True)
class WireColumn:
    """A column of a result: its name, and the object id of its type."""

    name: str
    oid: int


@dataclass(frozen=True, slots=True)
class WireResult:
    """A result: its columns (none for a command without rows), its rows, notes and tag."""

    tag: str
    columns: Sequence[WireColumn] = ()
    rows: Sequence[Sequence[Any]] = ()
    notes: Sequence[str] = ()
    has_rows: bool = False
    copy: bytes | None = None  # the messages of a COPY, ready to be sent


def list_answer_columns(
    columns: Sequence[OutputColumnType], *, intervals: bool
) -> list[WireColumn]:
    """Return the columns of a result, with the ends of intervals beside noisy ones."""
    found = []
    for column in columns:
        found.append(WireColumn(column.name, OIDS[column.type]))
        if intervals and column.is_noisy:
            found += [WireColumn(f"{column.name}_{end}", OIDS["real"]) for end in ("low", "high")]
    return found


def build_fields(columns: Sequence[WireColumn], formats: Sequence[int]) -> list[FieldDescription]:
    """Return the description of columns in the formats that a client wants."""
    chosen = _spread_formats(formats, len(columns))
    return [
        FieldDescription(column.name, column.oid, TYPE_SIZES.get(column.oid, -1), chosen[place])
        for place, column in enumerate(columns)
    ]


def _spread_formats(formats: Sequence[int], count: int) -> list[int]:
    """Return a format for each column: none means text, one is that of all."""
    if len(formats) == 1:
        return [formats[0]] * count
    return [*formats, *([0] * count)][:count]


def build_result(
    answer: AskedAnswer, columns: Sequence[OutputColumnType], *, intervals: bool
) -> WireResult:
    """Return the rows of an answer, with the ends of intervals where they are wanted."""
    if isinstance(answer, Explanation):
        lines = repr(answer).splitlines()
        shown = list_answer_columns(columns, intervals=False)
        return WireResult("EXPLAIN", shown, [[line] for line in lines], (), True)
    pairs = {}
    if intervals and isinstance(answer, Answer):
        pairs = {column.name: answer.interval(column.name) for column in columns if column.is_noisy}
    rows = []
    for place, row in enumerate(answer.rows):
        cells: list[Any] = []
        for column in columns:
            cells.append(row[column.name])
            if intervals and column.is_noisy:
                pair = pairs[column.name][place] if pairs else None
                cells += [None, None] if pair is None else [float(end) for end in pair]
        rows.append(cells)
    shown = list_answer_columns(columns, intervals=intervals)
    notes = tuple(answer.notes)
    if not isinstance(answer, ExactTable):
        notes = (describe_payment(answer), *notes)
    return WireResult(f"SELECT {len(rows)}", shown, rows, notes, True)
