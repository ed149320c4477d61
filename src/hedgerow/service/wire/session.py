"""One connection of the PostgreSQL protocol: startup, login, and the simple and extended protocols.

Parse, Bind and Describe touch neither data nor budget. A question runs, and is charged, at the
first Execute of its portal (or with a simple Query); fetching more of its rows and executing it
again are free.
"""

from __future__ import annotations

import asyncio
import contextlib
import secrets
import ssl
import time
from collections.abc import Callable
from typing import Any, Final, Protocol

from hedgerow.service.accounts.records import Caller
from hedgerow.service.metrics import Metrics
from hedgerow.service.problems import describe_problem, find_problem_kind
from hedgerow.service.query_service import QueryService
from hedgerow.service.question_run import allow_abandonment
from hedgerow.service.wire import messages as wire
from hedgerow.service.wire.channel import ConnectionEnds, WireChannel
from hedgerow.service.wire.command_failure import CommandFailed
from hedgerow.service.wire.commands import CommandRunner
from hedgerow.service.wire.login import log_in, negotiate_startup
from hedgerow.service.wire.messages import BodyReader, MalformedMessage
from hedgerow.service.wire.results import WireResult, build_fields
from hedgerow.service.wire.session_objects import Portal, PreparedStatement
from hedgerow.service.wire.statement_text import split_statements
from hedgerow.service.wire.values import encode_value

__all__ = ["CancelRegistry", "WireSession"]

_STARTUP_SECONDS: Final = 20.0
_IDLE_SECONDS: Final = 3600.0 * 8
_MADE_READY: Final = (b"Q", b"F", b"S")  # messages that are answered by ReadyForQuery
_COPY_IN: Final = (b"c", b"d", b"f")  # a client may still send them after a COPY has failed
_PAUSE: Final = 0.2  # seconds: longer than between the messages of one command
_SETTINGS: Final = {
    "server_version": "15.0",
    "server_encoding": "UTF8",
    "client_encoding": "UTF8",
    "DateStyle": "ISO, MDY",
    "IntervalStyle": "postgres",
    "TimeZone": "UTC",
    "integer_datetimes": "on",
    "standard_conforming_strings": "on",
    "is_superuser": "off",
    "default_transaction_read_only": "on",
    "in_hot_standby": "off",
}


class CancelRegistry(Protocol):
    """The sessions of a listener by their cancel keys, and whose they are."""

    def admit(self, caller: Caller) -> None: ...
    def register(self, key: tuple[int, bytes], cancel: Callable[[], None]) -> None: ...
    def cancel(self, key: tuple[int, bytes]) -> None: ...
    def unregister(self, key: tuple[int, bytes]) -> None: ...


class WireSession:
    """A connection from its first byte to its last."""

    def __init__(
        self,
        reader: asyncio.StreamReader,
        writer: asyncio.StreamWriter,
        service: QueryService,
        metrics: Metrics,
        registry: CancelRegistry,
        tls: ssl.SSLContext | None,
    ) -> None:
        self._channel = WireChannel(reader, writer, tls)
        self._service, self._metrics, self._registry = service, metrics, registry
        self._key = (secrets.randbits(31), secrets.token_bytes(32))
        self._cancelled = asyncio.Event()
        self._skips_to_sync = False
        self._runner: CommandRunner | None = None
        self._waits_since: float | None = None

    @property
    def is_idle(self) -> bool:
        """True if the client has sent nothing for a moment, and waits for nothing."""
        return self._waits_since is not None and time.monotonic() - self._waits_since > _PAUSE

    async def run(self) -> None:
        """Serve the connection."""
        with contextlib.suppress(
            ConnectionEnds, ConnectionError, asyncio.IncompleteReadError, ssl.SSLError
        ):
            try:
                async with asyncio.timeout(_STARTUP_SECONDS):
                    caller = await self._start()
                await self._serve(caller)
            except TimeoutError:
                return
            except MalformedMessage:
                await self._channel.end("08P01", "Malformed message.")
            finally:
                self._registry.unregister(self._key)

    async def _start(self) -> Caller:
        """Return the caller, after login and greeting."""
        channel, name = self._channel, self._service.name
        startup = await negotiate_startup(channel, self._registry.cancel)
        parameters = startup.parameters
        if startup.version < wire.NEWEST_PROTOCOL:
            self._key = (self._key[0], self._key[1][:4])
        caller = await log_in(channel, parameters.get("user", ""), self._service.accounts)
        if parameters.get("database", name) != name:
            await channel.end("3D000", f"There is one database here. Connect to {name}.")
        self._registry.admit(caller)
        self._runner = CommandRunner(self._service, caller)
        self._registry.register(self._key, self._cancelled.set)
        settings = _SETTINGS | {
            "session_authorization": caller.name,
            "application_name": parameters.get("application_name", ""),
        }
        greeting = wire.encode_authentication(0)
        for setting, value in settings.items():
            greeting += wire.encode_parameter_status(setting, value)
        greeting += wire.encode_backend_key(*self._key) + wire.encode_ready(b"I")
        await channel.send(greeting)
        return caller

    # Messages

    async def _serve(self, caller: Caller) -> None:
        handlers = {
            b"P": self._parse,
            b"B": self._bind,
            b"D": self._describe,
            b"E": self._execute,
            b"C": self._close,
            b"Q": self._run_simple,
            b"F": self._refuse_call,
            b"S": self._synchronise,
            b"H": self._flush,
            **dict.fromkeys(_COPY_IN, self._ignore),
        }
        while True:
            self._waits_since = time.monotonic()
            async with asyncio.timeout(_IDLE_SECONDS):
                kind, data = await self._channel.read_message()
            self._waits_since = None
            if kind == b"X":
                return
            if not await asyncio.to_thread(self._service.accounts.is_valid, caller):
                await self._channel.end("28000", "The token was revoked or has expired.")
            if kind not in handlers:
                raise MalformedMessage
            if kind == b"S":
                self._skips_to_sync = False
            if self._skips_to_sync:
                continue
            try:
                await handlers[kind](BodyReader(data))
            except Exception as error:
                self._skips_to_sync = kind not in _MADE_READY
                await self._send_error(error)
            if kind in _MADE_READY:
                await self._channel.send(wire.encode_ready(self._get_runner().status))

    async def _send_error(self, error: Exception) -> None:
        self._get_runner().note_failure()
        routine = error.routine if isinstance(error, CommandFailed) else ""
        if isinstance(error, MalformedMessage):
            sqlstate, text, status = "08P01", "Malformed message.", 400
        elif isinstance(error, CommandFailed):
            sqlstate, text, status = error.sqlstate, str(error), 400
        else:
            kind = find_problem_kind(error)
            sqlstate, text, status = kind.sqlstate, describe_problem(error), kind.status
        self._metrics.count_response("postgresql", status)
        await self._channel.send(wire.encode_error(sqlstate, text, routine=routine))

    def _get_runner(self) -> CommandRunner:
        assert self._runner is not None  # set before the first message
        return self._runner

    # The simple protocol

    async def _run_simple(self, body: BodyReader) -> None:
        text = body.read_text()
        body.check_end()
        statements = split_statements(text)
        if not statements:
            await self._channel.send(wire.encode_message(b"I"))
        for statement in statements:
            portal = Portal(PreparedStatement(statement))
            result = await self._run(portal)
            await self._send_notes(result)
            if result.copy is not None:
                await self._channel.send(result.copy)
            elif result.has_rows:
                fields = build_fields(result.columns, ())
                await self._channel.send(wire.encode_row_description(fields))
                await self._send_rows(portal, result, 0)
            await self._channel.send(wire.encode_command_complete(result.tag))
            self._metrics.count_response("postgresql", 200)

    async def _refuse_call(self, body: BodyReader) -> None:
        body.read_rest()
        raise CommandFailed("0A000", "Functions are called in questions only. Send a SELECT.")

    async def _synchronise(self, body: BodyReader) -> None:
        body.check_end()
        if self._get_runner().status == b"I":
            self._get_runner().objects.close_portals()

    async def _flush(self, body: BodyReader) -> None:
        body.check_end()  # nothing is held back

    async def _ignore(self, body: BodyReader) -> None:
        body.read_rest()

    async def _run(self, portal: Portal) -> WireResult:
        """Run a portal once, in a thread; a cancel request is answered at once, and the question
        stays charged."""
        if portal.result is None:
            self._cancelled.clear()
            with allow_abandonment() as abandoned:
                work = asyncio.create_task(asyncio.to_thread(self._get_runner().run, portal))
            stop = asyncio.create_task(self._cancelled.wait())
            try:
                await asyncio.wait({work, stop}, return_when=asyncio.FIRST_COMPLETED)
            finally:  # also where the connection ends first
                stop.cancel()
                if not work.done():
                    abandoned.set()  # one that is charged runs on
                    work.add_done_callback(_forget_outcome)
            if not work.done():
                raise CommandFailed(
                    "57014",
                    "Cancelled. If the question had been charged, it stays charged; ask it again"
                    " to get its answer for free.",
                )
            portal.result = work.result()
        return portal.result

    async def _send_notes(self, result: WireResult) -> None:
        for note in result.notes:
            await self._channel.send(wire.encode_notice(note))

    async def _send_rows(self, portal: Portal, result: WireResult, most: int) -> bool:
        """Send up to ``most`` rows (0: all) that were not sent; return whether more are left."""
        fields = build_fields(result.columns, portal.formats)
        end = len(result.rows) if most <= 0 else min(portal.sent + most, len(result.rows))
        parts = [
            wire.encode_data_row(
                [
                    encode_value(value, one.oid, one.format)
                    for value, one in zip(row, fields, strict=True)
                ]
            )
            for row in result.rows[portal.sent : end]
        ]
        portal.sent = end
        await self._channel.send(b"".join(parts))
        return end < len(result.rows)

    # The extended protocol

    async def _parse(self, body: BodyReader) -> None:
        name, text = body.read_text(), body.read_text()
        oids = [body.read_integer(4) for _ in range(body.read_count())]
        body.check_end()
        statements = split_statements(text)
        if len(statements) > 1:
            raise CommandFailed("42601", "A prepared statement holds one command. Send them apart.")
        prepared = PreparedStatement(statements[0] if statements else "", tuple(oids))
        self._get_runner().objects.add_statement(name, prepared)
        await self._channel.send(wire.encode_message(b"1"))

    async def _bind(self, body: BodyReader) -> None:
        portal_name, name = body.read_text(), body.read_text()
        formats = [body.read_integer(2) for _ in range(body.read_count())]
        values: list[bytes | None] = []
        for _ in range(body.read_count()):
            size = body.read_integer(4)
            values.append(None if size == -1 else body.read_bytes(size))
        result_formats = [body.read_integer(2) for _ in range(body.read_count())]
        body.check_end()
        if {*formats, *result_formats} - {0, 1}:
            raise CommandFailed("22023", "A format is 0 (text) or 1 (binary).")
        runner = self._get_runner()
        prepared = runner.objects.find_statement(name)
        bound = await asyncio.to_thread(runner.bind, prepared, values, formats)
        bound.formats = tuple(result_formats)
        runner.objects.add_portal(portal_name, bound)
        await self._channel.send(wire.encode_message(b"2"))

    async def _describe(self, body: BodyReader) -> None:
        kind, name = _read_target(body)
        runner = self._get_runner()
        if kind == b"S":
            prepared = runner.objects.find_statement(name)
            oids, columns = await asyncio.to_thread(runner.describe_statement, prepared)
            await self._channel.send(wire.encode_parameter_description(oids))
            formats: tuple[int, ...] = ()
        else:
            portal = runner.objects.find_portal(name)
            columns, formats = await asyncio.to_thread(runner.describe, portal), portal.formats
        if columns is None:
            await self._channel.send(wire.encode_message(b"n"))
        else:
            await self._channel.send(wire.encode_row_description(build_fields(columns, formats)))

    async def _execute(self, body: BodyReader) -> None:
        name, most = body.read_text(), body.read_integer(4)
        body.check_end()
        portal = self._get_runner().objects.find_portal(name)
        if not portal.statement.text:
            await self._channel.send(wire.encode_message(b"I"))
            return
        is_first = portal.result is None
        result = await self._run(portal)
        if is_first:
            await self._send_notes(result)
        if result.copy is not None:
            await self._channel.send(result.copy)
        elif result.has_rows and await self._send_rows(portal, result, most):
            await self._channel.send(wire.encode_message(b"s"))
            return
        self._metrics.count_response("postgresql", 200)
        await self._channel.send(wire.encode_command_complete(result.tag))

    async def _close(self, body: BodyReader) -> None:
        kind, name = _read_target(body)
        objects = self._get_runner().objects
        close = objects.close_statement if kind == b"S" else objects.close_portal
        close(name)
        await self._channel.send(wire.encode_message(b"3"))


def _read_target(body: BodyReader) -> tuple[bytes, str]:
    """Read the name of a statement (S) or of a portal (P)."""
    kind, name = body.read_bytes(1), body.read_text()
    body.check_end()
    if kind not in (b"S", b"P"):
        raise MalformedMessage
    return kind, name


def _forget_outcome(task: asyncio.Task[Any]) -> None:
    """Read the error of a cancelled question, so that nobody reports it later."""
    if not task.cancelled():
        task.exception()
