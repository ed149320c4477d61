"""How long a connection to the collector may take, and how much it may send besides the bodies of
its requests.

The server underneath waits for ever for a request to begin, keeps its head however long it becomes,
and waits for ever for somebody who does not read. A few dozen silent connections would keep all
others out; one that sends nothing but headers would fill the memory.
"""

# Annotations are evaluated here, unlike elsewhere: the class is made inside a function, because the
# server is an extra.
import asyncio
import math
from collections.abc import Iterator, MutableMapping
from contextlib import contextmanager
from typing import Any

__all__ = ["MAX_HEADER_BYTES", "build_limited_protocol", "suspend_deadline"]

# bytes of a request that are not its body; with a long body, as many again as that has
MAX_HEADER_BYTES = 1 << 16
_HEADER_OVERHEAD_BYTES = 64  # bytes that a header takes besides its text
_MAX_REQUEST_PATIENCES = 4  # patiences in which a request must be answered, and its answer read
_WAITING_KEY = "hedgerow.in_line"  # what the state of a request has while it waits for others


@contextmanager
def suspend_deadline(scope: MutableMapping[str, Any]) -> Iterator[None]:
    """While this lasts the clock of the request's connection stands still: it is others that are
    slow. Whoever waits limits the time.
    """
    state = scope.setdefault("state", {})
    state[_WAITING_KEY] = True
    try:
        yield
    finally:
        del state[_WAITING_KEY]


def build_limited_protocol(patience: float) -> type[asyncio.Protocol]:
    """The server's own protocol, with limits: so many seconds for a request to begin, and for
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
                self.send_400_response("This has too much besides a body.")

        def on_message_begin(self) -> None:
            super().on_message_begin()
            self._spare = self._headers = MAX_HEADER_BYTES

        def on_header(self, name: bytes, value: bytes) -> None:
            self._headers -= len(name) + len(value) + _HEADER_OVERHEAD_BYTES
            if self._headers < 0:
                raise ValueError  # the parser stops, and the sender hears that this is no request
            super().on_header(name, value)

        def on_body(self, body: bytes) -> None:
            self._spare += 2 * len(body)
            super().on_body(body)

        def _watch(self, seen: tuple[Any, float], turns: int) -> None:
            self._clock = self.loop.call_later(patience, self._look, seen, turns)

        def _look(self, before: tuple[Any, float], turns: int) -> None:
            """Hang up where no request has begun since the last look, or the same one is still at
            work after many. One that was at work at the last look and is answered now has been idle
            for less than a patience: the count begins anew."""
            seen = self.cycle, self._turns()
            turns = turns + 1 if seen == before else 0
            if turns >= seen[1]:
                self.transport.abort()
            else:
                self._watch(seen, turns)

        def _turns(self) -> float:
            return _count_patiences(self.cycle, self.transport)

    return Limited


def _count_patiences(cycle: Any, transport: Any) -> float:
    """Return for how many patiences a connection may stay as it is. An answer is not over while its
    reader has not taken it.
    """
    if cycle is None or (cycle.response_complete and not transport.get_write_buffer_size()):
        return 1
    return math.inf if _WAITING_KEY in cycle.scope["state"] else _MAX_REQUEST_PATIENCES
