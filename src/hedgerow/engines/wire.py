"""Messages between a worker and its child: a length, a header in JSON, and bytes. Nothing that arrives is executed or unpickled."""

from __future__ import annotations

import json
import math
import os
import select
import struct
import time
from collections.abc import Mapping
from typing import Any, Final

__all__ = ["Broken", "Message", "receive", "send"]

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
