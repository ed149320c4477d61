"""Keys and numbers from the message of a child, which is believed in nothing: shape and types must be those that were asked for."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import date
from typing import Any, Final

import numpy as np

from hedgerow.engines.fetch import Columns
from hedgerow.engines.statement import Statement
from hedgerow.engines.wire import Broken, Message
from hedgerow.plan.values import Type

__all__ = ["unpacked"]


def unpacked(message: Message, statement: Statement) -> Columns:
    """What ``packed`` wrote, if it has the shape and the types that the statement asks for."""
    header, payload = message
    try:
        keys = [[None if value is None else _KINDS[kind](value) for value in column] for kind, column in _paired(statement, header)]
        long = iter([_long(column) for column in header["long"]])
        count = statement.wide.count(False)
        short = iter(np.frombuffer(payload, "<i8").reshape(count, -1).astype(np.int64) if count else ())
        numbers = [next(long if wide else short) for wide in statement.wide]
        if len({*map(len, keys), *map(len, numbers)}) > 1:
            raise ValueError
    except (KeyError, TypeError, ValueError, OverflowError, StopIteration):
        raise Broken from None
    return keys, numbers


def _paired(statement: Statement, header: Mapping[str, Any]) -> list[tuple[Type, Sequence[Any]]]:
    return list(zip(statement.keys, header["keys"], strict=True))


def _long(column: Sequence[str]) -> Any:
    found = np.empty(len(column), dtype=object)
    found[:] = [int(value) for value in column]
    return found


def _exactly(kind: type) -> Callable[[Any], Any]:
    def check(value: Any) -> Any:
        if type(value) is not kind:
            raise TypeError
        return value

    return check


_KINDS: Final[Mapping[Type, Callable[[Any], Any]]] = {
    "boolean": _exactly(bool),
    "integer": _exactly(int),
    "real": _exactly(float),
    "text": _exactly(str),
    "date": lambda value: date.fromordinal(_exactly(int)(value)),
}
