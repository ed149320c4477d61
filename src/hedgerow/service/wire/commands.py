"""Commands of one session: transactions, settings, cursors, COPY, and questions.

Nothing here is asynchronous: a session calls ``run``, ``bind`` and ``describe`` in worker threads.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Final

from hedgerow.dbapi.errors import DataError
from hedgerow.dbapi.parameters import format_literal
from hedgerow.errors import HedgerowError
from hedgerow.service.accounts.records import Caller
from hedgerow.service.problems import NotAllowed
from hedgerow.service.query_service import QueryService
from hedgerow.service.wire.catalog.catalog_reader import CatalogReader
from hedgerow.service.wire.command_failure import CommandFailed
from hedgerow.service.wire.copy_output import encode_copy
from hedgerow.service.wire.parameter_types import infer_parameter_types, write_stand_ins
from hedgerow.service.wire.results import (
    WireColumn,
    WireResult,
    build_result,
    list_answer_columns,
)
from hedgerow.service.wire.session_settings import SessionSettings
from hedgerow.service.wire.statement_text import (
    CommandKind,
    ParsedCommand,
    count_parameters,
    parse_command,
    remove_public_schema,
    write_parameters,
)
from hedgerow.service.wire.values import decode_parameter

__all__ = ["CommandRunner", "Portal", "PreparedStatement"]

_TEXT_OID: Final = 25
_SETTING_WORDS: Final = {
    "transaction_isolation_level": "transaction_isolation",
}
_KEPT_MESSAGE: Final = (
    "ROLLBACK refunds nothing: questions that were asked in this transaction stay charged, and"
    " their answers are free when asked again."
)
_WRITES: Final = re.compile(
    r"(INSERT|UPDATE|DELETE|CREATE|DROP|ALTER|TRUNCATE|GRANT|COPY|DO|CALL)\b", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class PreparedStatement:
    """A statement with the types that its client declared for its parameters."""

    text: str
    oids: tuple[int, ...] = ()


@dataclass(slots=True)
class Portal:
    """A statement with its parameters written in; once it has run, its result and how many rows of
    it were sent."""

    statement: PreparedStatement
    formats: tuple[int, ...] = ()
    result: WireResult | None = None
    sent: int = 0

    @property
    def command(self) -> ParsedCommand:
        """The command by kind."""
        return parse_command(self.statement.text)


class CommandRunner:
    """The commands of one session, with its transaction and its settings."""

    def __init__(self, service: QueryService, caller: Caller) -> None:
        self._service, self._caller = service, caller
        self._settings = SessionSettings()
        self._catalog = CatalogReader(service, caller, self._settings)
        self._cursors: dict[str, Portal] = {}
        self._status = b"I"
        self._has_charged = False

    @property
    def status(self) -> bytes:
        """The state of the transaction: I (none), T, or E after a failure."""
        return self._status

    def note_failure(self) -> None:
        """Let an open transaction fail."""
        if self._status == b"T":
            self._status = b"E"

    def run(self, portal: Portal) -> WireResult:
        """Run a command."""
        command = portal.command
        if self._status == b"E" and command.kind not in (
            CommandKind.rollback,
            CommandKind.commit,
            CommandKind.savepoint,
        ):
            raise CommandFailed(
                "25P02", "The transaction has failed. Send ROLLBACK before anything else."
            )
        handlers: dict[CommandKind, Callable[[ParsedCommand], WireResult]] = {
            CommandKind.begin: lambda _: self._change_status(b"T", "BEGIN"),
            CommandKind.commit: self._commit,
            CommandKind.rollback: self._roll_back,
            CommandKind.savepoint: self._mark_savepoint,
            CommandKind.set: self._set,
            CommandKind.reset: self._reset,
            CommandKind.show: self._show,
            CommandKind.declare: self._declare,
            CommandKind.fetch: self._fetch,
            CommandKind.close: self._close_cursor,
            CommandKind.copy: self._copy,
            CommandKind.query: self._query,
        }
        handler = handlers.get(command.kind)
        if handler is None:
            return WireResult(command.text.split()[0].upper() if command.text else "")
        return handler(command)

    # Parameters and columns

    def bind(
        self,
        statement: PreparedStatement,
        values: Sequence[bytes | None],
        formats: Sequence[int],
    ) -> Portal:
        """Return a portal of a statement with its parameters written in as literals."""
        if len(values) < count_parameters(statement.text):
            raise CommandFailed("08P01", "A parameter is missing.")
        if len(values) == 0:
            return Portal(statement)
        oids = self._infer_oids(statement)
        spread = (
            list(formats) * len(values) if len(formats) == 1 else [*formats, *[0] * len(values)]
        )
        literals = []
        for place, value in enumerate(values):
            oid = oids[place] if place < len(oids) else _TEXT_OID
            literals.append(_write_parameter(decode_parameter(value, oid, spread[place])))
        return Portal(PreparedStatement(write_parameters(statement.text, literals)))

    def describe_statement(
        self, statement: PreparedStatement
    ) -> tuple[tuple[int, ...], Sequence[WireColumn] | None]:
        """Return the types of the parameters of a statement, and its columns."""
        oids = self._infer_oids(statement)
        text = write_stand_ins(statement.text, oids)
        return oids, self.describe(Portal(PreparedStatement(text)))

    def describe(self, portal: Portal) -> Sequence[WireColumn] | None:
        """Return the columns of a portal; None if it returns no rows."""
        if portal.result is not None:
            return portal.result.columns if portal.result.has_rows else None
        command = portal.command
        if command.kind is CommandKind.show:
            return self._show(command).columns
        if command.kind is CommandKind.fetch:
            return self.describe(self.find_cursor(command.name))
        if command.kind is not CommandKind.query:
            return None
        return self._describe_query(command.text)

    def _describe_query(self, sql: str) -> Sequence[WireColumn]:
        found = self._catalog.answer(sql, runs=False)
        if found is not None:
            return found.columns
        self._refuse_writes(sql)
        columns = self._service.describe(self._caller, remove_public_schema(sql))
        return list_answer_columns(columns, intervals=self._settings.intervals)

    def _infer_oids(self, statement: PreparedStatement) -> tuple[int, ...]:
        is_catalog = self._catalog.is_about_catalog(statement.text)
        return infer_parameter_types(
            statement.text, statement.oids, self._can_read, is_catalog=is_catalog
        )

    def _can_read(self, sql: str) -> bool:
        try:
            self._describe_query(sql)
        except (HedgerowError, CommandFailed):
            return False
        return True

    # Questions

    def _query(self, command: ParsedCommand) -> WireResult:
        found = self._catalog.answer(command.text)
        if found is not None:
            return found
        self._refuse_writes(command.text)
        sql = remove_public_schema(command.text)
        columns = self._service.describe(self._caller, sql)
        answer = self._service.ask(
            self._caller,
            sql,
            epsilon=self._settings.epsilon,
            delta=self._settings.delta,
        )
        self._has_charged = True
        return build_result(answer, columns, intervals=self._settings.intervals)

    def _refuse_writes(self, sql: str) -> None:
        if _WRITES.match(sql):
            raise NotAllowed("Only questions can be asked here: tables are read-only.")

    def _copy(self, command: ParsedCommand) -> WireResult:
        result = self._query(parse_command(command.value))
        return encode_copy(result, command.text)

    # Cursors

    def _declare(self, command: ParsedCommand) -> WireResult:
        self._cursors[command.name] = Portal(PreparedStatement(command.value))
        return WireResult("DECLARE CURSOR")

    def _fetch(self, command: ParsedCommand) -> WireResult:
        """Fetch rows of a cursor; its question runs, and is charged, at the first of them."""
        cursor = self.find_cursor(command.name)
        if cursor.result is None:
            cursor.result = self.run(cursor)
        words = command.value.upper().split()
        rows = cursor.result.rows
        count = len(rows) if "ALL" in words else next((int(w) for w in words if w.isdigit()), 1)
        end = min(cursor.sent + count, len(rows))
        shown = rows[cursor.sent : end]
        cursor.sent = end
        verb = command.text.split()[0].upper()
        if verb == "MOVE":
            return WireResult(f"MOVE {len(shown)}")
        return WireResult(f"FETCH {len(shown)}", cursor.result.columns, shown, (), True)

    def _close_cursor(self, command: ParsedCommand) -> WireResult:
        self._cursors.pop(command.name, None)
        return WireResult("CLOSE CURSOR")

    def find_cursor(self, name: str) -> Portal:
        """Return a cursor."""
        if name not in self._cursors:
            raise CommandFailed("34000", f"There is no cursor or portal {name}.")
        return self._cursors[name]

    # Transactions and settings

    def _change_status(self, status: bytes, tag: str) -> WireResult:
        self._status = status
        return WireResult(tag)

    def _commit(self, command: ParsedCommand) -> WireResult:  # noqa: ARG002
        tag = "ROLLBACK" if self._status == b"E" else "COMMIT"
        self._has_charged = False
        self._cursors.clear()
        return self._change_status(b"I", tag)

    def _roll_back(self, command: ParsedCommand) -> WireResult:  # noqa: ARG002
        notes = (_KEPT_MESSAGE,) if self._has_charged and self._status != b"I" else ()
        self._has_charged = False
        self._cursors.clear()
        self._status = b"I"
        return WireResult("ROLLBACK", notes=notes)

    def _mark_savepoint(self, command: ParsedCommand) -> WireResult:
        word = command.text.split()[0].upper()
        if word == "ROLLBACK" and self._status == b"E":
            self._status = b"T"
        return WireResult(word)

    def _set(self, command: ParsedCommand) -> WireResult:
        self._settings.change(command.name, command.value)
        return WireResult("SET")

    def _reset(self, command: ParsedCommand) -> WireResult:
        self._settings.reset(command.name)
        return WireResult("RESET")

    def _show(self, command: ParsedCommand) -> WireResult:
        name = command.name.replace(" ", "_")
        if name == "all":
            return _list_settings(self._settings)
        name = _SETTING_WORDS.get(name, name)
        column = WireColumn(name, _TEXT_OID)
        return WireResult("SHOW", [column], [[self._settings.read(name)]], (), True)


def _list_settings(settings: SessionSettings) -> WireResult:
    columns = [WireColumn(name, _TEXT_OID) for name in ("name", "setting", "description")]
    rows = [[name, value, ""] for name, value in settings.list().items()]
    return WireResult("SHOW", columns, rows, (), True)


def _write_parameter(value: object) -> str:
    if isinstance(value, datetime):
        plain = value.astimezone(UTC).replace(tzinfo=None) if value.tzinfo else value
        return f"TIMESTAMP '{plain.isoformat(sep=' ')}'"
    try:
        return format_literal(value)
    except DataError as error:
        raise CommandFailed("22023", str(error)) from None
