"""The interface between the writer of catalogue statements and its rules for expressions.

A rule knows every argument of its node, and a node without a rule is refused: what reaches the
embedded database consists of words of ours, quoted names and quoted literals.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, NoReturn, Protocol

from sqlglot import exp

from hedgerow.engines.compile.quoting import quote_text
from hedgerow.service.wire.command_failure import CommandFailed

__all__ = [
    "ExpressionWriter",
    "Rule",
    "UnsupportedCatalogSyntax",
    "read_name",
    "refuse_syntax",
    "write_literal",
]


class UnsupportedCatalogSyntax(Exception):
    """A part of SQL that catalogue statements cannot have here."""


class ExpressionWriter(Protocol):
    """The interface that rules use: write parts of a node, and ask about the session."""

    def write(self, node: Any) -> str:
        """Write an expression."""

    def write_all(self, nodes: Iterable[Any]) -> str:
        """Write expressions with commas between them."""

    def write_query(self, node: Any) -> str:
        """Write a SELECT, UNION or VALUES."""

    def write_order(self, node: Any) -> str:
        """Write an ORDER BY."""

    def read_fact(self, name: str) -> str | bool | int | None:
        """Return a fact about the session, such as current_user."""

    def read_setting(self, name: str) -> str | None:
        """Return a setting of the session; None if it has none of this name."""

    def change_setting(self, name: str, value: str) -> None:
        """Set a setting of the session."""

    def find_class(self, name: str) -> int | None:
        """Return the object id of a relation."""

    def find_system_column(self, node: Any) -> str | None:
        """Return the value of a column such as tableoid; None for a plain column."""


Rule = Callable[[Any, ExpressionWriter], str]


def refuse_syntax(node: object) -> NoReturn:
    """Refuse a part of a statement that no rule knows."""
    raise UnsupportedCatalogSyntax(type(node).__name__)


def write_literal(value: str | bool | int | None) -> str:
    """Write a value of ours, or a string of the client."""
    if value is None:
        return "NULL"
    if isinstance(value, bool):
        return "TRUE" if value else "FALSE"
    if isinstance(value, int):
        return str(value)
    if "\0" in value:
        raise CommandFailed("22021", "Text must not contain zero bytes.")
    return quote_text(value)


def read_name(node: object) -> str:
    """Return a name as PostgreSQL reads it: in lower case unless it is quoted."""
    if not isinstance(node, exp.Identifier) or not isinstance(node.this, str):
        refuse_syntax(node)
    return node.this if node.args.get("quoted") else node.this.lower()
