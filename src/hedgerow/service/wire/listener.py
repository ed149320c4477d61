"""The listener of the PostgreSQL protocol: connections up to a limit, and cancel keys."""

from __future__ import annotations

import asyncio
import contextlib
import ssl
from collections.abc import Callable

from hedgerow.service.metrics import Metrics
from hedgerow.service.query_service import QueryService
from hedgerow.service.wire.messages import encode_error
from hedgerow.service.wire.session import WireSession

__all__ = ["WireListener"]


class WireListener:
    """The open connections of one process."""

    def __init__(self, service: QueryService, metrics: Metrics, tls: ssl.SSLContext | None) -> None:
        self._service, self._metrics, self._tls = service, metrics, tls
        self._cancels: dict[tuple[int, int], Callable[[], None]] = {}
        self._tasks: set[asyncio.Task[None]] = set()

    async def start(self) -> asyncio.Server:
        """Start to accept connections."""
        settings = self._service.settings
        return await asyncio.start_server(self._accept, settings.host, settings.pg_port)

    async def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._tasks.add(task)
        try:
            if len(self._tasks) > self._service.settings.limits.connections:
                writer.write(
                    encode_error("53300", "Too many connections. Try again later.", is_fatal=True)
                )
            else:
                session = WireSession(reader, writer, self._service, self._metrics, self, self._tls)
                await session.run()
        finally:
            self._tasks.discard(task)
            writer.close()
            with contextlib.suppress(ConnectionError, ssl.SSLError):
                await writer.wait_closed()

    def stop(self) -> None:
        """End all connections."""
        for task in self._tasks:
            task.cancel()

    def register(self, key: tuple[int, int], cancel: Callable[[], None]) -> None:
        """Let a key cancel a session."""
        self._cancels[key] = cancel

    def cancel(self, key: tuple[int, int]) -> None:
        """Cancel the session of a key; nothing tells whether there is one."""
        if key in self._cancels:
            self._cancels[key]()

    def unregister(self, key: tuple[int, int]) -> None:
        """Forget a key."""
        self._cancels.pop(key, None)
