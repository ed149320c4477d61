"""Commands of one session: transactions, settings, cursors, COPY, and questions.

Nothing here is asynchronous: a session calls ``run``, ``bind`` and ``describe`` in worker threads.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from typing import Final

from hedgerow.dbapi.errors import DataError
from hedgerow.dbapi.parameters import format_literal
from hedgerow.errors import HedgerowError
from hedgerow.service.accounts.records import Caller
from hedgerow.service.problems import NotAllowed
from hedgerow.service.query_service import QueryService
from hedgerow.service.statement_limits import check_statement
from hedgerow.service.wire.array_conditions import write_array_conditions
from hedgerow.service.wire.catalog.catalog_reader import CatalogReader
from hedgerow.service.wire.command_failure import CommandFailed
from hedgerow.service.wire.copy_output import encode_copy, read_copy_options
from hedgerow.service.wire.parameter_types import (
    guess_parameter_types,
    infer_parameter_types,
    write_stand_ins,
)
from hedgerow.service.wire.parameter_uses import ParameterUse, find_parameter_uses
from hedgerow.service.wire.results import (
    WireColumn,
    WireResult,
    build_result,
    list_answer_columns,
)
from hedgerow.service.wire.session_objects import Portal, PreparedStatement, SessionObjects
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

__all__ = ["CommandRunner"]

_TEXT_OID: Final = 25
_TEXT_ARRAYS: Final = (1003, 1009, 1015)
_SETTING_WORDS: Final = {
    "transaction_isolation_level": "transaction_isolation",
}
_KEPT_MESSAGE: Final = (
    "ROLLBACK refunds nothing: questions that were asked in this transaction stay charged, and"
    " their answers are free when asked again."
)
_CHANGED_MESSAGE: Final = (
    "cached plan must not change result type\nPrepare the statement again: hedgerow.intervals or"
    " the policy has changed since."
)
_CHANGED_ROUTINE: Final = "RevalidateCachedQuery"  # by which drivers know that they may try again
_LOCAL_MESSAGE: Final = "SET LOCAL changes nothing outside of a transaction. Write SET, or BEGIN."
_HOLDS: Final = re.compile(r"\bWITH\s+HOLD\b", re.IGNORECASE)
_LOCAL: Final = re.compile(r"SET\s+LOCAL\b", re.IGNORECASE)
_COPIES: Final = re.compile(r"COPY\b.*\bTO\b", re.IGNORECASE | re.DOTALL)
_WRITES: Final = re.compile(
    r"(INSERT|UPDATE|DELETE|CREATE|DROP|ALTER|TRUNCATE|GRANT|COPY|DO|CALL)\b", re.IGNORECASE
)


class CommandRunner:
    """The commands of one session, with its transaction and its settings."""

    def __init__(self, service: QueryService, caller: Caller) -> None:
        self._service, self._caller = service, caller
        self._settings = SessionSettings()
        self._catalog = CatalogReader(service, caller, self._settings)
        self.objects = SessionObjects()
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
            CommandKind.rollback_to,
        ):
            raise CommandFailed(
                "25P02", "The transaction has failed. Send ROLLBACK before anything else."
            )
        seen = portal.statement.described_under
        if command.kind is CommandKind.query and seen not in (None, self._read_conditions()):
            raise CommandFailed("0A000", _CHANGED_MESSAGE, _CHANGED_ROUTINE)
        handlers: dict[CommandKind, Callable[[ParsedCommand], WireResult]] = {
            CommandKind.begin: self._begin,
            CommandKind.commit: self._commit,
            CommandKind.rollback: self._roll_back,
            CommandKind.rollback_to: self._roll_back_to,
            CommandKind.set: self._set,
            CommandKind.reset: self._reset,
            CommandKind.show: self._show,
            CommandKind.declare: self._declare,
            CommandKind.fetch: self._fetch,
            CommandKind.close: self._close_cursor,
            CommandKind.deallocate: self._deallocate,
            CommandKind.discard: self._discard,
            CommandKind.prepare: self._refuse_prepare,
            CommandKind.copy: self._copy,
            CommandKind.query: self._query,
        }
        handler = handlers.get(command.kind)
        if handler is None:
            return WireResult(command.text.split()[0].upper() if command.text else "")
        return handler(command)

    def _read_conditions(self) -> tuple[object, ...]:
        """Return on what the columns of a question depend, beside its text."""
        return self._settings.intervals, self._service.policy_digest

    # Parameters and columns

    def bind(
        self,
        statement: PreparedStatement,
        values: Sequence[bytes | None],
        formats: Sequence[int],
    ) -> Portal:
        """Return a portal of a statement with its parameters written in as literals."""
        needed = max(count_parameters(statement.text), len(statement.oids))
        if len(values) != needed:
            raise CommandFailed("08P01", f"The statement has {needed} parameters. Bind as many.")
        if len(formats) not in (0, 1, len(values)):
            raise CommandFailed("08P01", "Give one format for all parameters, or one for each.")
        if len(values) == 0:
            return Portal(statement)
        seen = statement.described_under
        oids, uses = self._infer_parameters(statement)
        spread = (
            list(formats) * len(values) if len(formats) == 1 else [*formats, *[0] * len(values)]
        )
        literals = []
        for place, value in enumerate(values):
            oid = oids[place] if place < len(oids) else _TEXT_OID
            literal = _write_parameter(decode_parameter(value, oid, spread[place]))
            # In a question, what is inside an array of texts is no number.
            literals.append(f"{literal}::text[]" if uses and oid in _TEXT_ARRAYS else literal)
        bound = PreparedStatement(write_parameters(statement.text, literals), (), seen)
        return Portal(bound)

    def describe_statement(
        self, statement: PreparedStatement
    ) -> tuple[tuple[int, ...], Sequence[WireColumn] | None]:
        """Return the types of the parameters of a statement, and its columns."""
        oids, uses = self._infer_parameters(statement)
        text = write_stand_ins(statement.text, oids, uses)
        columns = self.describe(Portal(PreparedStatement(text)))
        statement.described_under = self._read_conditions()
        return oids, columns

    def describe(self, portal: Portal) -> Sequence[WireColumn] | None:
        """Return the columns of a portal; None if it returns no rows."""
        if portal.result is not None:
            return portal.result.columns if portal.result.has_rows else None
        command = portal.command
        if command.kind is CommandKind.show:
            return self._show(command).columns
        if command.kind is CommandKind.fetch:
            return self.describe(self.objects.find_cursor(command.name))
        if command.kind is not CommandKind.query:
            return None
        return self._describe_query(command.text)

    def _describe_query(self, sql: str) -> Sequence[WireColumn]:
        found = self._catalog.answer(sql, runs=False)
        if found is not None:
            return found.columns
        self._refuse_writes(sql)
        columns = self._service.describe(self._caller, self._read_as_question(sql))
        return list_answer_columns(columns, intervals=self._settings.intervals)

    def _infer_parameters(
        self, statement: PreparedStatement
    ) -> tuple[tuple[int, ...], Mapping[int, ParameterUse]]:
        """Return the types of the parameters of a statement, and what they are compared with."""
        text, declared = statement.text, statement.oids
        if not count_parameters(text):
            return (), {}
        if self._catalog.is_about_catalog(text):
            return guess_parameter_types(text, declared, self._can_read), {}
        check_statement(text)  # before it is parsed
        uses = find_parameter_uses(self._read_as_question(text), self._catalog.list_tables())
        return infer_parameter_types(text, declared, uses), uses

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
        sql = self._read_as_question(command.text)
        columns = self._service.describe(self._caller, sql)
        answer = self._service.ask(
            self._caller,
            sql,
            epsilon=self._settings.epsilon,
            delta=self._settings.delta,
        )
        self._has_charged = True
        return build_result(answer, columns, intervals=self._settings.intervals)

    def _read_as_question(self, sql: str) -> str:
        """Return a statement in the words that questions know."""
        return write_array_conditions(remove_public_schema(sql, self._service.name))

    def _refuse_writes(self, sql: str) -> None:
        if _COPIES.match(sql):
            raise NotAllowed("COPY takes a question here. Write COPY (SELECT …) TO STDOUT.")
        if _WRITES.match(sql):
            raise NotAllowed("Only questions can be asked here: tables are read-only.")

    def _copy(self, command: ParsedCommand) -> WireResult:
        options = read_copy_options(command.text)  # refused before anything is charged
        return encode_copy(self._query(parse_command(command.value)), options)

    # Cursors

    def _declare(self, command: ParsedCommand) -> WireResult:
        is_held = _HOLDS.search(command.text[: -len(command.value)]) is not None
        portal = Portal(PreparedStatement(command.value), is_held=is_held)
        self.objects.add_cursor(command.name, portal)
        return WireResult("DECLARE CURSOR")

    def _fetch(self, command: ParsedCommand) -> WireResult:
        """Fetch rows of a cursor; its question runs, and is charged, at the first of them."""
        cursor = self.objects.find_cursor(command.name)
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
        if command.name == "all":
            self.objects.close_cursors()
        else:
            self.objects.find_cursor(command.name)
            self.objects.close_portal(command.name)
        return WireResult("CLOSE CURSOR")

    # Prepared statements

    def _deallocate(self, command: ParsedCommand) -> WireResult:
        if command.name == "all":
            self.objects.close_statements()
        else:
            self.objects.find_statement(command.name)
            self.objects.close_statement(command.name)
        return WireResult("DEALLOCATE")

    def _refuse_prepare(self, command: ParsedCommand) -> WireResult:
        word = command.text.split()[0].upper()
        raise CommandFailed(
            "0A000",
            f"{word} is not supported in SQL. Send the question itself, or bind its parameters"
            " with your driver.",
        )

    # Transactions and settings

    def _begin(self, command: ParsedCommand) -> WireResult:  # noqa: ARG002
        if self._status == b"I":
            self._status, self._has_charged = b"T", False
            self._settings.begin()
        return WireResult("BEGIN")

    def _commit(self, command: ParsedCommand) -> WireResult:
        if self._status == b"E":
            return self._roll_back(command)
        self._status = b"I"
        self.objects.close_cursors(keeps_held=True)
        self._settings.end(keeps=True)
        return WireResult("COMMIT")

    def _roll_back(self, command: ParsedCommand) -> WireResult:  # noqa: ARG002
        notes = (_KEPT_MESSAGE,) if self._has_charged and self._status != b"I" else ()
        self._status = b"I"
        self.objects.close_cursors()
        self._settings.end(keeps=False)
        return WireResult("ROLLBACK", notes=notes)

    def _roll_back_to(self, command: ParsedCommand) -> WireResult:  # noqa: ARG002
        if self._status == b"E":
            self._status = b"T"
        return WireResult("ROLLBACK")

    def _discard(self, command: ParsedCommand) -> WireResult:
        if command.name == "all":
            self.objects.close_cursors()
            self.objects.close_statements()
            self._settings.reset("all")
        return WireResult(f"DISCARD {command.name.upper()}")

    def _set(self, command: ParsedCommand) -> WireResult:
        if not _LOCAL.match(command.text):
            self._settings.change(command.name.lower(), command.value)
        elif self._status == b"I":
            return WireResult("SET", notes=(_LOCAL_MESSAGE,))
        else:
            self._settings.change(command.name.lower(), command.value, is_local=True)
        return WireResult("SET")

    def _reset(self, command: ParsedCommand) -> WireResult:
        self._settings.reset(command.name)
        return WireResult("RESET")

    def _show(self, command: ParsedCommand) -> WireResult:
        name = command.name.replace(" ", "_")
        if name == "all":
            return _list_settings(self._settings)
        name = _SETTING_WORDS.get(name, name)
        value = self._settings.find(name)
        if value is None:
            raise CommandFailed("42704", f"There is no setting {name}. SHOW ALL lists them.")
        if name == "hedgerow.epsilon":
            value = value or self._service.default_epsilon
        column = WireColumn(name, _TEXT_OID)
        return WireResult("SHOW", [column], [[value]], (), True)


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
