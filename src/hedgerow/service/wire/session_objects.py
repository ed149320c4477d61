"""Prepared statements, portals and cursors of a session by name, up to a size."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from hedgerow.service.wire.command_failure import CommandFailed
from hedgerow.service.wire.results import WireResult
from hedgerow.service.wire.statement_text import ParsedCommand, parse_command

__all__ = ["Portal", "PreparedStatement", "SessionObjects"]

_MAX_SIZE: Final = 4 << 20  # characters of all that a session holds
_STATEMENT_SIZE: Final = 4000  # what a small one counts
_PORTAL_SIZE: Final = 80_000  # it holds the rows of its result, too


@dataclass(slots=True)
class PreparedStatement:
    """A statement with the types that its client declared for its parameters; once it was
    described, on what its columns depend."""

    text: str
    oids: tuple[int, ...] = ()
    described_under: tuple[object, ...] | None = None


@dataclass(slots=True)
class Portal:
    """A statement with its parameters written in; once it has run, its result and how many rows of
    it were sent."""

    statement: PreparedStatement
    formats: tuple[int, ...] = ()
    result: WireResult | None = None
    sent: int = 0
    is_held: bool = False  # beyond its transaction

    @property
    def command(self) -> ParsedCommand:
        """The command by kind."""
        return parse_command(self.statement.text)


class SessionObjects:
    """The prepared statements, portals and cursors of a session."""

    def __init__(self) -> None:
        self._statements: dict[str, PreparedStatement] = {}
        self._portals: dict[str, Portal] = {}
        self._cursors: dict[str, Portal] = {}

    def add_statement(self, name: str, statement: PreparedStatement) -> None:
        """Hold a prepared statement; only the one without a name is replaced."""
        if name and name in self._statements:
            raise CommandFailed("42P05", f"There is a prepared statement {name} already.")
        self._statements.pop(name, None)
        self._check_size(statement.text)
        self._statements[name] = statement

    def add_portal(self, name: str, portal: Portal) -> None:
        """Hold a portal; only the one without a name is replaced."""
        if name and name in self._portals:
            raise CommandFailed("42P03", f"There is a portal {name} already.")
        self._portals.pop(name, None)
        self._check_size(portal.statement.text)
        self._portals[name] = portal

    def add_cursor(self, name: str, portal: Portal) -> None:
        """Hold a cursor that was declared in SQL."""
        if name in self._cursors:
            raise CommandFailed("42P03", f"There is a cursor {name} already.")
        self._check_size(portal.statement.text)
        self._cursors[name] = portal

    def find_statement(self, name: str) -> PreparedStatement:
        """Return a prepared statement."""
        if name not in self._statements:
            raise CommandFailed("26000", f"There is no prepared statement {name}.")
        return self._statements[name]

    def find_portal(self, name: str) -> Portal:
        """Return a portal; a cursor is one that was opened in SQL."""
        return self._portals[name] if name in self._portals else self.find_cursor(name)

    def find_cursor(self, name: str) -> Portal:
        """Return a cursor."""
        if name not in self._cursors:
            raise CommandFailed("34000", f"There is no cursor or portal {name}.")
        return self._cursors[name]

    def close_statement(self, name: str) -> None:
        """Forget a prepared statement, if there is one."""
        self._statements.pop(name, None)

    def close_portal(self, name: str) -> None:
        """Forget a portal or a cursor, if there is one."""
        self._portals.pop(name, None)
        self._cursors.pop(name, None)

    def close_statements(self) -> None:
        """Forget all prepared statements."""
        self._statements.clear()

    def close_portals(self) -> None:
        """Forget all portals of the protocol; those that were opened in SQL stay."""
        self._portals.clear()

    def close_cursors(self, *, keeps_held: bool = False) -> None:
        """Forget all portals and cursors, as the end of a transaction does."""
        self._portals.clear()
        kept = self._cursors.items() if keeps_held else ()
        self._cursors = {name: cursor for name, cursor in kept if cursor.is_held}

    def _check_size(self, text: str) -> None:
        """Refuse another object where the session would hold too much."""
        portals = (*self._portals.values(), *self._cursors.values())
        size = sum(_STATEMENT_SIZE + len(one.text) for one in self._statements.values())
        size += sum(_PORTAL_SIZE + len(one.statement.text) for one in portals)
        if size + len(text) > _MAX_SIZE:
            raise CommandFailed(
                "53200", "This session holds too much. Close some, or send DISCARD ALL."
            )
