"""The listener of the PostgreSQL protocol: connections up to a limit, revocations, cancel keys."""

from __future__ import annotations

import asyncio
import contextlib
import ssl
import time
from collections.abc import Callable, Iterable
from typing import Any, Final

from hedgerow.errors import HedgerowError
from hedgerow.service.accounts.account_file import AccountFile
from hedgerow.service.accounts.records import Caller
from hedgerow.service.metrics import Metrics
from hedgerow.service.operations.connection_places import ConnectionPlaces
from hedgerow.service.query_service import QueryService
from hedgerow.service.wire.messages import encode_error
from hedgerow.service.wire.session import WireSession

__all__ = ["WireListener"]

Task = asyncio.Task[Any]
_WATCH_SECONDS: Final = 0.4
_REVOKED: Final = ("28000", "The token was revoked or has expired, or its account is disabled.")
_STOPPED: Final = ("57P01", "The service is stopping. Connect again later.")
_CROWDED: Final = ("53300", "Too many connections. Try again later.")


class WireListener:
    """The open connections of one process."""

    def __init__(self, service: QueryService, metrics: Metrics, tls: ssl.SSLContext | None) -> None:
        self._service, self._metrics, self._tls = service, metrics, tls
        limits = service.settings.limits
        self._half_open = ConnectionPlaces(limits.half_open, limits.half_open_per_address)
        self._cancels: dict[tuple[int, bytes], Callable[[], None]] = {}
        self._sessions: dict[Task, WireSession] = {}
        self._callers: dict[Task, Caller] = {}
        self._reasons: dict[Task, tuple[str, str]] = {}
        self._server: asyncio.Server | None = None
        self._watching: Task | None = None

    async def start(self) -> asyncio.Server:
        """Start to accept connections."""
        settings = self._service.settings
        self._server = await asyncio.start_server(self._accept, settings.host, settings.pg_port)
        self._watching = asyncio.create_task(self._watch_revocations())
        return self._server

    async def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        session = WireSession(reader, writer, self._service, self._metrics, self, self._tls)
        self._sessions[task] = session
        address = str((writer.get_extra_info("peername") or [""])[0])
        self._half_open.enter(task, address, lambda: _cancel(task))
        try:
            await session.run()
        except asyncio.CancelledError:
            if task not in self._reasons:
                return  # it gave way to a newcomer, without a word
            with contextlib.suppress(ConnectionError, ssl.SSLError):
                writer.write(encode_error(*self._reasons[task], is_fatal=True))
        finally:
            self._half_open.leave(task)
            self._sessions.pop(task, None)
            self._callers.pop(task, None)
            self._reasons.pop(task, None)
            writer.close()
            with contextlib.suppress(ConnectionError, ssl.SSLError, TimeoutError):
                await writer.wait_closed()

    def admit(self, caller: Caller) -> None:
        """Count the running connection as one of a caller; refuse one too many."""
        task = asyncio.current_task()
        assert task is not None
        self._half_open.leave(task)
        limits = self._service.settings.limits
        own = sum(other.name == caller.name for other in self._callers.values())
        self._callers[task] = caller
        if len(self._callers) > limits.connections or own >= limits.connections_per_caller:
            self._end(task, _CROWDED)

    async def _watch_revocations(self) -> None:
        """End the connections of whoever lost their account or their token, also idle ones."""
        accounts, seen = self._service.accounts, -1
        while True:
            await asyncio.sleep(_WATCH_SECONDS)
            now, callers = time.time(), dict(self._callers)
            try:
                revision = await asyncio.to_thread(accounts.read_revision)
                changed, seen = revision != seen, revision
                checked = {
                    task: caller
                    for task, caller in callers.items()
                    if changed or (caller.token is not None and caller.token.expires <= now)
                }
                held = await asyncio.to_thread(_find_valid, accounts, set(checked.values()))
            except HedgerowError:
                continue  # every message of a connection checks its caller too
            for task, caller in checked.items():
                if caller not in held:
                    self._end(task, _REVOKED)

    def _end(self, task: Task, reason: tuple[str, str]) -> None:
        if task in self._sessions:
            self._reasons[task] = reason
            task.cancel()

    async def drain(self, seconds: float) -> None:
        """End idle connections now, and the others once their question is answered."""
        if self._server is not None:
            self._server.close()
        if self._watching is not None:
            self._watching.cancel()
        until = time.monotonic() + seconds
        while self._sessions:
            is_over = time.monotonic() > until
            for task, session in list(self._sessions.items()):
                if (is_over or session.is_idle) and task not in self._reasons:
                    self._end(task, _STOPPED)
            await asyncio.sleep(0.05)

    def register(self, key: tuple[int, bytes], cancel: Callable[[], None]) -> None:
        """Let a key cancel a session."""
        self._cancels[key] = cancel

    def cancel(self, key: tuple[int, bytes]) -> None:
        """Cancel the session of a key; nothing tells whether there is one."""
        if key in self._cancels:
            self._cancels[key]()

    def unregister(self, key: tuple[int, bytes]) -> None:
        """Forget a key."""
        self._cancels.pop(key, None)


def _cancel(task: Task) -> None:
    task.cancel()


def _find_valid(accounts: AccountFile, callers: Iterable[Caller]) -> set[Caller]:
    return {caller for caller in callers if accounts.is_valid(caller)}
