"""Rules: how one class of syntax node is bound, or why it is refused."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import date
from typing import Any, NoReturn, Protocol

from sqlglot import exp

from hedgerow.sql.aggregates.aggregate_syntax import AggregateSyntax
from hedgerow.sql.binder.typed_expression import TypedExpression
from hedgerow.sql.syntax.source_text import SourceText

__all__ = ["Binder", "Refusal", "Rule", "find_filled_args"]


class Binder(Protocol):
    """The interface that rules use: bind parts, apply functions of the plan, or refuse."""

    @property
    def text(self) -> SourceText:
        """The source text."""

    def bind(self, node: Any) -> TypedExpression:
        """Bind a part of a node."""

    def apply(self, node: exp.Expr, function: str, *arguments: TypedExpression) -> TypedExpression:
        """Apply a function of the plan; refuse arguments whose types or bounds do not fit."""

    def bind_column(self, node: exp.Column) -> TypedExpression:
        """Bind a column or an output."""

    def bind_presence(self, node: exp.Expr) -> TypedExpression:
        """Bind an operand of IS NULL, which may be the privacy id: NULL where the operand is."""

    def bind_aggregate(self, asked: AggregateSyntax) -> TypedExpression:
        """Bind an aggregate."""

    def bind_interval(self, node: exp.Expr, argument: exp.Expr, end: str) -> TypedExpression:
        """Bind an end of the interval of an aggregate."""

    def find_as_of(self, node: exp.Expr) -> date:
        """Return the moment that the policy declares as the present of the tables."""

    def find_max_length(self, text: TypedExpression) -> int | None:
        """Return the declared length of the texts of a column."""

    def refuse(self, node: exp.Expr, problem: str, fix: str) -> NoReturn:
        """Raise a refusal that underlines the node."""


@dataclass(frozen=True, slots=True)
class Rule:
    """The binding of one class of node; arguments other than ``allowed_args`` are refused."""

    node: type[exp.Expr]
    bind: Callable[[Any, Binder], TypedExpression]
    allowed_args: tuple[str, ...] = ("this",)


@dataclass(frozen=True, slots=True)
class Refusal:
    """The refusal of one class of node: the ``problem``, and the ``fix`` to write instead."""

    node: type[exp.Expr]
    problem: str
    fix: str


def find_filled_args(node: exp.Expr) -> set[str]:
    """Return the names of the arguments that a node has."""
    return {
        name
        for name, part in node.args.items()
        if part is not None and part is not False and part != []
    }
