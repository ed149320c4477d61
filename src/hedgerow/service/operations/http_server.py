"""The HTTP server: uvicorn with deadlines for requests and limits of connections, which it has not.

A connection is half-open until a whole request has arrived, and again after its answer. It is
closed after a time, and it gives way to newcomers where too many of them wait.
"""

from __future__ import annotations

import asyncio
from typing import Any, Final

import h11
import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol

from hedgerow.service.operations.connection_places import ConnectionPlaces
from hedgerow.service.settings import RequestLimits

__all__ = ["HttpServer"]

_HANDSHAKE_SECONDS: Final = 10.0
_LATE: Final = (
    b"HTTP/1.1 408 Request Timeout\r\nConnection: close\r\nContent-Length: 0\r\n"
    b"Cache-Control: no-store\r\n\r\n"
)


class HttpServer(uvicorn.Server):
    """A server whose connections share places: ``half_open`` for those that have shown nothing
    yet, ``idle`` for those that were answered as somebody and may ask again."""

    def __init__(self, config: uvicorn.Config, limits: RequestLimits) -> None:
        super().__init__(config)
        self._half_open = ConnectionPlaces(limits.half_open, limits.half_open_per_address)
        self._idle = ConnectionPlaces(limits.connections, limits.connections)
        self._request_seconds = limits.request_seconds

    async def startup(self, sockets: list[Any] | None = None) -> None:  # noqa: ARG002
        """Start to accept connections."""

        def build_protocol() -> asyncio.Protocol:
            return _GuardedProtocol(
                self.config, self.server_state, self._half_open, self._idle, self._request_seconds
            )

        config = self.config
        has_tls = config.ssl is not None
        listening = await asyncio.get_running_loop().create_server(
            build_protocol,
            config.host,
            config.port,
            ssl=config.ssl,
            ssl_handshake_timeout=_HANDSHAKE_SECONDS if has_tls else None,
            backlog=config.backlog,
        )
        self.servers = [listening]
        self.started = True

    def stop_at_once(self) -> None:
        """Stop without waiting for anybody."""
        for listening in self.servers:
            listening.close()
        for connection in list(self.server_state.connections):
            connection.transport.abort()


class _GuardedProtocol(H11Protocol):
    """A connection with a deadline for each request."""

    def __init__(
        self,
        config: uvicorn.Config,
        state: Any,
        half_open: ConnectionPlaces,
        idle: ConnectionPlaces,
        request_seconds: float,
    ) -> None:
        super().__init__(config, state, {})
        self._half_open, self._idle = half_open, idle
        self._request_seconds = request_seconds
        self._deadline: asyncio.TimerHandle | None = None
        self._writing: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Take a place."""
        super().connection_made(transport)
        self._wait_for_request(self._half_open)

    def connection_lost(self, exc: Exception | None) -> None:
        """Give the place back."""
        self._leave()
        super().connection_lost(exc)  # it resumes writing, which ends that timer too

    def data_received(self, data: bytes) -> None:
        """Read, and give the place back once the request is whole."""
        super().data_received(data)
        if self.conn.their_state not in (h11.IDLE, h11.SEND_BODY):
            self._leave()

    def on_response_complete(self) -> None:
        """Take a place again: as somebody, or as one of the crowd."""
        is_known = self.scope["state"].get("caller") is not None
        self._wait_for_request(self._idle if is_known else self._half_open)
        super().on_response_complete()  # which may find the next request in its buffer
        if self.conn.their_state not in (h11.IDLE, h11.SEND_BODY):
            self._leave()

    def pause_writing(self) -> None:
        """Give a client that does not read its answer some time."""
        super().pause_writing()
        self._writing = self.loop.call_later(self._request_seconds, self.transport.abort)

    def resume_writing(self) -> None:
        """Allow a client more time that reads again."""
        super().resume_writing()
        if self._writing is not None:
            self._writing.cancel()
            self._writing = None

    def _wait_for_request(self, places: ConnectionPlaces) -> None:
        self._leave()
        if self.transport.is_closing():
            return
        places.enter(self, self.client[0] if self.client else "", self._close)
        seconds = self._request_seconds
        if places is self._idle:
            seconds += self.timeout_keep_alive
        self._deadline = self.loop.call_later(seconds, self._end_late)

    def _leave(self) -> None:
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None
        self._half_open.leave(self)
        self._idle.leave(self)

    def _end_late(self) -> None:
        """End a connection whose request did not arrive in time."""
        self._leave()
        has_sent = self.cycle is not None and self.cycle.response_started
        if not has_sent and not self.transport.is_closing():
            self.transport.write(_LATE)
        self._close()

    def _close(self) -> None:
        self.transport.close()
