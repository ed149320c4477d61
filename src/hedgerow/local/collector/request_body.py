"""Bodies of requests, read within limits of time and memory."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager
from typing import TYPE_CHECKING

from hedgerow.local.collector.batch_parsing import RejectedBatch
from hedgerow.local.collector.connection_limits import suspend_deadline

if TYPE_CHECKING:
    from fastapi import Request

__all__ = [
    "MAX_BODY_BYTES",
    "PATIENCE_SECONDS",
    "ByteSemaphore",
    "enter_in_time",
    "estimate_body_bytes",
    "read_body",
]

MAX_BODY_BYTES = 4 << 20
PATIENCE_SECONDS = 30.0  # time for a request to begin, and for its body to arrive
_DISCARD_FACTOR = 16  # an oversized body is read up to this multiple of the limit
_QUEUE_PATIENCES = 2  # patiences that a large body waits for room
# patiences that a large body may pause once it has room; short, so that many silent senders are
# soon gone
_GRACE_PATIENCES = 0.1
_MIN_BYTES_PER_SECOND = 1 << 16  # average pace of a large body once it has room
_SMALL_BODY_BYTES = 1 << 16  # a body up to this size never waits for room


class ByteSemaphore:
    """A number of bytes to hold. Requests wait in order until their bytes are free, which bounds
    memory for any number and size of bodies.
    """

    def __init__(self, size: int) -> None:
        self._size = self._free = size
        self._queue_lock, self._freed = asyncio.Lock(), asyncio.Event()

    @asynccontextmanager
    async def acquire(self, size: int) -> AsyncIterator[None]:
        """Hold ``size`` bytes; a request for more than all of them holds all."""
        need = min(size, self._size)
        async with self._queue_lock:
            while self._free < need:
                self._freed.clear()
                await self._freed.wait()
            self._free -= need
        try:
            yield
        finally:
            self._free += need
            self._freed.set()


def estimate_body_bytes(request: Request, largest: int) -> int:
    """Return the number of bytes of the body that will be kept at most."""
    said = request.headers.get("Content-Length", "")
    return (
        min(int(said), largest)
        if said.isascii() and said.isdecimal() and len(said) < 16
        else largest
    )


async def enter_in_time(
    request: Request, held: AsyncExitStack, room: AbstractAsyncContextManager[None]
) -> bool:
    """Wait for the room of a large body; return False if it takes too long."""
    try:
        with suspend_deadline(request.scope):
            async with asyncio.timeout(_QUEUE_PATIENCES * PATIENCE_SECONDS):
                await held.enter_async_context(room)
    except TimeoutError:
        return False
    return True


async def read_body(request: Request, largest: int, room: Callable[[], Awaitable[bool]]) -> bytes:
    """Read the whole body, or reject one that is too slow or too large.

    A large body waits for ``room``, and its sender's time does not run meanwhile; then it must keep
    a pace, because others wait for the same room. A body that is too large or gets no room is read
    on for a while without being kept, because a sender that is still sending would not read an
    answer.
    """
    from starlette.requests import ClientDisconnect

    parts, size, kept, now = list[bytes](), 0, True, asyncio.get_running_loop().time
    began, before = 0.0, 0  # the time at which it got room, and the bytes received by then
    try:
        async with asyncio.timeout(PATIENCE_SECONDS) as limit:
            async for part in request.stream():
                if size <= _SMALL_BODY_BYTES < size + len(part):
                    limit.reschedule(None)
                    kept = await room()
                    began, before = now(), size + len(part)
                size += len(part)
                if before:
                    limit.reschedule(
                        began
                        + min(
                            PATIENCE_SECONDS,
                            _GRACE_PATIENCES * PATIENCE_SECONDS
                            + (size - before) / _MIN_BYTES_PER_SECOND,
                        )
                    )
                if kept and size <= largest:
                    parts.append(part)
                elif size > _DISCARD_FACTOR * largest:
                    break
    except ClientDisconnect:
        raise RejectedBatch(400, "Malformed", "The body was cut off. Send it again.") from None
    except TimeoutError:
        message = (
            f"The body did not arrive within {PATIENCE_SECONDS:g} seconds, or was large and came"
            f" with less than {_MIN_BYTES_PER_SECOND:,} bytes a second. Send smaller batches."
        )
        raise RejectedBatch(408, "TooSlow", message) from None
    if size > largest:
        raise RejectedBatch(
            413,
            "TooLarge",
            f"A batch has at most {largest:,} bytes. Send several, each with its own Batch-Key.",
        )
    if not kept:
        # Not "send it in parts": it may have been counted before, and only its key can show that.
        message = (
            "Other large batches are arriving. Send it again later, under the same Batch-Key."
            f" Up to {_SMALL_BODY_BYTES:,} bytes never wait."
        )
        raise RejectedBatch(503, "NoRoom", message)
    return b"".join(parts)
