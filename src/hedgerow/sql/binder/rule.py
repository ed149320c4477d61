"""What a rule is: one class of node of the parser's tree, and what it becomes, or why it is
refused.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NoReturn, Protocol

from sqlglot import exp

from hedgerow.sql.aggregates.aggregate_syntax import AggregateSyntax
from hedgerow.sql.binder.typed_expression import TypedExpression
from hedgerow.sql.syntax.source_text import SourceText

__all__ = ["Binder", "Refusal", "Rule", "find_filled_args"]


class Binder(Protocol):
    """What a rule may do: read the parts of its node, apply a function of the plan, or refuse."""

    @property
    def text(self) -> SourceText:
        """What was written."""
        ...

    def bind(self, node: Any) -> TypedExpression:
        """The meaning of a part."""
        ...

    def apply(self, node: exp.Expr, function: str, *arguments: TypedExpression) -> TypedExpression:
        """A function of the plan applied to parts; refused with the node underlined where its
        types or bounds do not fit.
        """
        ...

    def bind_column(self, node: exp.Column) -> TypedExpression:
        """The column or output that is named here."""
        ...

    def bind_aggregate(self, asked: AggregateSyntax) -> TypedExpression:
        """An aggregate of the question."""
        ...

    def bind_interval(self, node: exp.Expr, argument: exp.Expr, end: str) -> TypedExpression:
        """An end of the interval of an aggregate."""
        ...

    def refuse(self, node: exp.Expr, what: str, instead: str) -> NoReturn:
        """Refuses, with the node underlined."""
        ...


@dataclass(frozen=True, slots=True)
class Rule:
    """Reads one class of node. ``takes`` names the parts that it looks at; a node with any other
    part is refused.
    """

    node: type[exp.Expr]
    bind: Callable[[Any, Binder], TypedExpression]
    allowed_args: tuple[str, ...] = ("this",)


@dataclass(frozen=True, slots=True)
class Refusal:
    """Refuses one class of node: ``what`` is wrong with it, and what to write ``instead``."""

    node: type[exp.Expr]
    problem: str
    fix: str


def find_filled_args(node: exp.Expr) -> set[str]:
    """The parts that a node has."""
    return {
        name
        for name, part in node.args.items()
        if part is not None and part is not False and part != []
    }
