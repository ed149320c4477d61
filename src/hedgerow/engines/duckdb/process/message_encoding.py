"""Encoding of results in the engine process: keys and wide numbers in the header, other numbers as
64 bits each in the payload.

The process starts and answers without numpy, which takes as long to load as the engine. Only many
rows, or a tally, are worth it.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from hedgerow.engines.statement import Statement

if TYPE_CHECKING:
    import _duckdb as duckdb

__all__ = ["FETCH_ROWS", "encode_result"]

FETCH_ROWS: Final = 2048  # the size of a chunk of DuckDB


class _ColumnBlock(NamedTuple):
    """A block of rows by column: keys, wide numbers as text, and the others as bytes."""

    keys: list[list[Any]]
    long: list[list[str]]
    short: list[bytes]

    def concatenate(self, other: _ColumnBlock) -> _ColumnBlock:
        """Append the columns of another block."""
        keys = [[*first, *more] for first, more in zip(self.keys, other.keys, strict=True)]
        long = [[*first, *more] for first, more in zip(self.long, other.long, strict=True)]
        return _ColumnBlock(
            keys, long, [first + more for first, more in zip(self.short, other.short, strict=True)]
        )


def encode_result(
    result: duckdb.DuckDBPyConnection, statement: Statement
) -> tuple[dict[str, Any], bytes]:
    """Encode a result as a header and a payload, for ``decode_result``."""
    if statement.tally is not None:
        part = _encode_arrays(result, statement)
    else:
        rows = result.fetchmany(FETCH_ROWS)
        part = _encode_rows(rows, statement)
        if len(rows) == FETCH_ROWS:
            part = part.concatenate(_encode_arrays(result, statement))
    return {"keys": part.keys, "long": part.long}, b"".join(part.short)


def _encode_rows(rows: Sequence[tuple[Any, ...]], statement: Statement) -> _ColumnBlock:
    columns = list(zip(*rows, strict=True)) or [()] * (len(statement.keys) + len(statement.wide))
    # further columns are dropped
    numbers = list(zip(columns[len(statement.keys) :], statement.wide, strict=False))
    return _ColumnBlock(
        [
            _KEY_ENCODERS.get(type_, list)(column)
            for column, type_ in zip(columns, statement.keys, strict=False)
        ],
        [_encode_wide(column) for column, wide in numbers if wide],
        # fails on anything but integers
        [struct.pack(f"<{len(column)}q", *column) for column, wide in numbers if not wide],
    )


def _encode_arrays(result: duckdb.DuckDBPyConnection, statement: Statement) -> _ColumnBlock:
    from hedgerow.engines.result_columns import convert_result

    keys, numbers = convert_result(result.fetchnumpy(), statement)
    return _ColumnBlock(
        [
            _KEY_ENCODERS.get(type_, list)(column)
            for column, type_ in zip(keys, statement.keys, strict=True)
        ],
        [
            [str(value) for value in column]
            for column, wide in zip(numbers, statement.wide, strict=True)
            if wide
        ],
        [
            column.astype("<i8").tobytes()
            for column, wide in zip(numbers, statement.wide, strict=True)
            if not wide
        ],
    )


def _encode_dates(days: Sequence[Any]) -> list[int | None]:
    return [None if day is None else day.toordinal() for day in days]


def _encode_timestamps(times: Sequence[Any]) -> list[int | None]:
    """Encode timestamps by their numbers in a plan, whose modules are not loaded here."""
    return [None if time is None else _number_timestamp(time) for time in times]


def _number_timestamp(time: Any) -> int:
    seconds = ((time.toordinal() * 24 + time.hour) * 60 + time.minute) * 60 + time.second
    return int(seconds * 1_000_000 + time.microsecond)


_KEY_ENCODERS: Final[dict[str, Callable[[Sequence[Any]], list[Any]]]] = {
    "date": _encode_dates,
    "timestamp": _encode_timestamps,
}


def _encode_wide(column: Sequence[Any]) -> list[str]:
    """Encode numbers of any length, which DuckDB returned as text; refuse one that is missing or
    was rounded.
    """
    if not all(isinstance(value, str) for value in column):
        raise TypeError("numbers must be integers")
    return [str(int(value)) for value in column]
