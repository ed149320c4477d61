"""Decoding of results from the engine process, which is not trusted: shape and types must be those
of the statement.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

import numpy as np

from hedgerow.engines.framing import ChannelBroken, Message
from hedgerow.engines.result_columns import ResultColumns, convert_wide
from hedgerow.engines.statement import Statement
from hedgerow.plan.values import Type, build_date

__all__ = ["decode_result"]


def decode_result(message: Message, statement: Statement) -> ResultColumns:
    """Decode the message of ``encode_result``, if it has the shape and types that the statement
    asks for.
    """
    header, payload = message
    try:
        keys = [
            [None if value is None else _KEY_DECODERS[kind](value) for value in column]
            for kind, column in zip(statement.keys, header["keys"], strict=True)
        ]
        long = iter([convert_wide(column) for column in header["long"]])
        count = statement.wide.count(False)
        short = iter(
            np.frombuffer(payload, "<i8").reshape(count, -1).astype(np.int64) if count else ()
        )
        numbers = [next(long if wide else short) for wide in statement.wide]
        if len({*map(len, keys), *map(len, numbers)}) > 1:
            raise ValueError
    except (KeyError, TypeError, ValueError, OverflowError, StopIteration):
        raise ChannelBroken from None
    return keys, numbers


def _require_type(kind: type) -> Callable[[Any], Any]:
    def check(value: Any) -> Any:
        if type(value) is not kind:
            raise TypeError
        return value

    return check


_KEY_DECODERS: Final[Mapping[Type, Callable[[Any], Any]]] = {
    "boolean": _require_type(bool),
    "integer": _require_type(int),
    "real": _require_type(float),
    "text": _require_type(str),
    "date": lambda value: build_date(_require_type(int)(value), "date"),
    "timestamp": lambda value: build_date(_require_type(int)(value), "timestamp"),
}
