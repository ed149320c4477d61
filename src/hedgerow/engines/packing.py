"""What a statement found as a message: keys and long numbers in the header, the others as 64 bits each in the payload.

A child starts and answers without numpy, which takes as long to load as the engine. Only many rows are worth it, or a tally.
"""

from __future__ import annotations

import struct
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from hedgerow.engines.statement import Statement

if TYPE_CHECKING:
    import _duckdb as duckdb

__all__ = ["FEW", "packed"]

FEW: Final = 2048  # what the engine hands out at a time


class _Part(NamedTuple):
    """Some rows by their columns: keys, long numbers as text, and the others as bytes."""

    keys: list[list[Any]]
    long: list[list[str]]
    short: list[bytes]

    def followed_by(self, other: _Part) -> _Part:
        """The columns of both, one below the other."""
        keys = [[*first, *more] for first, more in zip(self.keys, other.keys, strict=True)]
        long = [[*first, *more] for first, more in zip(self.long, other.long, strict=True)]
        return _Part(keys, long, [first + more for first, more in zip(self.short, other.short, strict=True)])


def packed(result: duckdb.DuckDBPyConnection, statement: Statement) -> tuple[dict[str, Any], bytes]:
    """Header and payload, which ``unpacked`` reads again."""
    if statement.tally is not None:
        part = _of_arrays(result, statement)
    else:
        rows = result.fetchmany(FEW)
        part = _of_rows(rows, statement)
        if len(rows) == FEW:
            part = part.followed_by(_of_arrays(result, statement))
    return {"keys": part.keys, "long": part.long}, b"".join(part.short)


def _of_rows(rows: Sequence[tuple[Any, ...]], statement: Statement) -> _Part:
    columns = list(zip(*rows, strict=True)) or [()] * (len(statement.keys) + len(statement.wide))
    numbers = list(zip(columns[len(statement.keys) :], statement.wide, strict=False))  # what nobody asked for stays behind
    return _Part(
        [_plain(column) if type_ == "date" else list(column) for column, type_ in zip(columns, statement.keys, strict=False)],
        [_digits(column) for column, wide in numbers if wide],
        [struct.pack(f"<{len(column)}q", *column) for column, wide in numbers if not wide],  # of anything but whole numbers: an error
    )


def _of_arrays(result: duckdb.DuckDBPyConnection, statement: Statement) -> _Part:
    from hedgerow.engines.fetch import fetched

    keys, numbers = fetched(result.fetchnumpy(), statement)
    return _Part(
        [_plain(column) if type_ == "date" else column for column, type_ in zip(keys, statement.keys, strict=True)],
        [[str(value) for value in column] for column, wide in zip(numbers, statement.wide, strict=True) if wide],
        [column.astype("<i8").tobytes() for column, wide in zip(numbers, statement.wide, strict=True) if not wide],
    )


def _plain(days: Sequence[Any]) -> list[int | None]:
    return [None if day is None else day.toordinal() for day in days]


def _digits(column: Sequence[Any]) -> list[str]:
    """Numbers of any length, of which the engine made text. One that is missing or was rounded on the way is none."""
    if not all(isinstance(value, str) for value in column):
        raise TypeError("numbers must be whole")
    return [str(int(value)) for value in column]
