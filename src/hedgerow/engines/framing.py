"""Messages over a pipe to a child process: two lengths, a header in JSON, and bytes.

Nothing that arrives is executed or unpickled.
"""

from __future__ import annotations

import json
import math
import os
import select
import struct
import time
from collections.abc import Mapping
from typing import Any, Final

__all__ = ["ChannelBroken", "Message", "receive_message", "send_message"]

Message = tuple[dict[str, Any], bytes]

_LENGTHS: Final = struct.Struct("<QQ")
_MAX_HEADER_BYTES: Final = 2**32
_CHUNK_BYTES: Final = 2**20


class ChannelBroken(Exception):
    """The other side of the pipe is gone, too late, or sent a malformed message."""


def send_message(
    descriptor: int,
    header: Mapping[str, Any],
    payload: bytes | memoryview = b"",
    until: float = math.inf,
) -> None:
    """Write a message to a pipe until a time of the monotonic clock."""
    text = json.dumps(header).encode()
    for part in (_LENGTHS.pack(len(text), len(payload)), text, payload):
        view = memoryview(part)
        while view:
            _wait_ready(descriptor, select.POLLOUT, until)
            try:
                view = view[os.write(descriptor, view[:_CHUNK_BYTES]) :]
            except BlockingIOError:
                continue
            except OSError:
                raise ChannelBroken from None


def receive_message(descriptor: int, until: float = math.inf) -> Message:
    """Read a message from a pipe until a time of the monotonic clock."""
    header, payload = _LENGTHS.unpack(_read_exactly(descriptor, _LENGTHS.size, until))
    if header > _MAX_HEADER_BYTES:
        raise ChannelBroken
    try:
        found = json.loads(_read_exactly(descriptor, header, until))
    except ValueError:
        raise ChannelBroken from None
    if not isinstance(found, dict):
        raise ChannelBroken
    return found, _read_exactly(descriptor, payload, until)


def _read_exactly(descriptor: int, count: int, until: float) -> bytes:
    found = bytearray()
    while len(found) < count:
        _wait_ready(descriptor, select.POLLIN, until)
        try:
            piece = os.read(descriptor, min(count - len(found), _CHUNK_BYTES))
        except BlockingIOError:
            continue
        if not piece:
            raise ChannelBroken
        found += piece
    return bytes(found)


def _wait_ready(descriptor: int, event: int, until: float) -> None:
    poll = select.poll()
    poll.register(descriptor, event)
    left = until - time.monotonic()
    if left <= 0 or not poll.poll(None if math.isinf(left) else math.ceil(left * 1000)):
        raise ChannelBroken
