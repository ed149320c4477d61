"""Messages between a worker and its child: a length, a header in JSON, and bytes. Nothing that arrives is executed or unpickled."""

from __future__ import annotations

import json
import math
import os
import select
import struct
import time
from collections.abc import Callable, Mapping, Sequence
from datetime import date
from typing import Any, Final

import numpy as np

from hedgerow.engines.decode import Columns, Statement
from hedgerow.plan.values import Type, Value

__all__ = ["Broken", "Message", "decoded", "encoded", "receive", "send"]

Message = tuple[dict[str, Any], bytes]

_LENGTHS: Final = struct.Struct("<QQ")
_HEADER: Final = 2**32
_PIECE: Final = 2**20


class Broken(Exception):
    """The other side is gone, is late, or speaks nonsense."""


def send(descriptor: int, header: Mapping[str, Any], payload: bytes | memoryview = b"", until: float = math.inf) -> None:
    """Writes a message to a pipe; ``until`` is a time of the monotonic clock."""
    text = json.dumps(header).encode()
    for part in (_LENGTHS.pack(len(text), len(payload)), text, payload):
        view = memoryview(part)
        while view:
            _wait(descriptor, select.POLLOUT, until)
            try:
                view = view[os.write(descriptor, view[:_PIECE]) :]
            except BlockingIOError:
                continue
            except OSError:
                raise Broken from None


def receive(descriptor: int, until: float = math.inf) -> Message:
    """Reads a message from a pipe."""
    header, payload = _LENGTHS.unpack(_read(descriptor, _LENGTHS.size, until))
    if header > _HEADER:
        raise Broken
    try:
        found = json.loads(_read(descriptor, header, until))
    except ValueError:
        raise Broken from None
    if not isinstance(found, dict):
        raise Broken
    return found, _read(descriptor, payload, until)


def _read(descriptor: int, count: int, until: float) -> bytes:
    found = bytearray()
    while len(found) < count:
        _wait(descriptor, select.POLLIN, until)
        try:
            piece = os.read(descriptor, min(count - len(found), _PIECE))
        except BlockingIOError:
            continue
        if not piece:
            raise Broken
        found += piece
    return bytes(found)


def _wait(descriptor: int, event: int, until: float) -> None:
    """Until the pipe is ready or has ended; Broken when it is too late."""
    poll = select.poll()
    poll.register(descriptor, event)
    left = until - time.monotonic()
    if left <= 0 or not poll.poll(None if math.isinf(left) else math.ceil(left * 1000)):
        raise Broken


def encoded(found: Columns, statement: Statement) -> tuple[dict[str, Any], bytes]:
    """Keys and numbers as a message: keys and long numbers as text, the others as 64 bits each."""
    keys, numbers = found
    plain = [[_plain(value) for value in column] for column in keys]
    long = [[str(value) for value in column] for column, wide in zip(numbers, statement.wide, strict=True) if wide]
    short = [column for column, wide in zip(numbers, statement.wide, strict=True) if not wide]
    return {"keys": plain, "long": long}, b"".join(column.astype("<i8").tobytes() for column in short)


def _plain(value: Value) -> Any:
    return value.toordinal() if isinstance(value, date) else value


def decoded(message: Message, statement: Statement) -> Columns:
    """What ``encoded`` wrote, if it has the shape and the types that the statement asks for."""
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
