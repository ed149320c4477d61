"""Limits on a connection to the collector: its time, and the bytes it sends besides bodies.

The server underneath waits for ever for a request to begin or an answer to be read, and keeps
headers of any length. A few dozen silent connections would keep all others out, and one connection
that sends only headers would fill the memory.
"""

# Annotations are evaluated here, unlike elsewhere: the class is built inside a function, because
# the server is an extra.
import asyncio
import math
from collections.abc import Iterator, MutableMapping
from contextlib import contextmanager
from typing import Any

__all__ = ["MAX_HEADER_BYTES", "build_limited_protocol", "suspend_deadline"]

# bytes of a request besides its body, plus as many as the body has
MAX_HEADER_BYTES = 1 << 16
_HEADER_OVERHEAD_BYTES = 64  # memory of a header besides its text
_MAX_REQUEST_PATIENCES = 4  # patiences for a request to be answered and its answer to be read
_WAITING_KEY = "hedgerow.in_line"  # set in the state of a request while it waits for others


@contextmanager
def suspend_deadline(scope: MutableMapping[str, Any]) -> Iterator[None]:
    """Stop the clock of the request's connection while it waits for other requests; the caller
    limits that time.
    """
    state = scope.setdefault("state", {})
    state[_WAITING_KEY] = True
    try:
        yield
    finally:
        del state[_WAITING_KEY]


def build_limited_protocol(patience: float) -> type[asyncio.Protocol]:
    """Build the server's protocol with limits: ``patience`` seconds for a request to begin and for
    its head to arrive.
    """
    from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

    class Limited(HttpToolsProtocol):
        _spare = _headers = MAX_HEADER_BYTES
        _clock: asyncio.TimerHandle | None = None

        def connection_made(self, transport: Any) -> None:
            super().connection_made(transport)
            self._watch((None, 1), 0)

        def connection_lost(self, exc: Exception | None) -> None:
            if self._clock is not None:
                self._clock.cancel()
            super().connection_lost(exc)

        def data_received(self, data: bytes) -> None:
            self._spare -= len(data)
            super().data_received(data)
            if self._spare < 0 and not self.transport.is_closing():
                self.send_400_response(
                    "The request has too many bytes besides its body. Send fewer headers."
                )

        def on_message_begin(self) -> None:
            super().on_message_begin()
            self._spare = self._headers = MAX_HEADER_BYTES

        def on_header(self, name: bytes, value: bytes) -> None:
            self._headers -= len(name) + len(value) + _HEADER_OVERHEAD_BYTES
            if self._headers < 0:
                raise ValueError  # the parser stops, and the sender gets status 400
            super().on_header(name, value)

        def on_body(self, body: bytes) -> None:
            self._spare += 2 * len(body)
            super().on_body(body)

        def _watch(self, seen: tuple[Any, float], turns: int) -> None:
            self._clock = self.loop.call_later(patience, self._look, seen, turns)

        def _look(self, before: tuple[Any, float], turns: int) -> None:
            """Abort the connection if no request has begun since the last look, or the same one is
            still running after many looks.

            A request that was running at the last look and is answered now has been idle for less
            than a patience, so the count starts again.
            """
            seen = self.cycle, _count_allowed_turns(self.cycle, self.transport)
            turns = turns + 1 if seen == before else 0
            if turns >= seen[1]:
                self.transport.abort()
            else:
                self._watch(seen, turns)

    return Limited


def _count_allowed_turns(cycle: Any, transport: Any) -> float:
    """Return the number of patiences that a connection may stay as it is; an unread answer counts
    as running.
    """
    if cycle is None or (cycle.response_complete and not transport.get_write_buffer_size()):
        return 1
    return math.inf if _WAITING_KEY in cycle.scope["state"] else _MAX_REQUEST_PATIENCES
