"""What a rule is: one class of node of the parser's tree, and what it becomes, or why it is refused."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NoReturn, Protocol

from sqlglot import exp

from hedgerow.sql.asked import Asked
from hedgerow.sql.text import Text
from hedgerow.sql.typed import Typed

__all__ = ["Reader", "Refusal", "Rule", "filled"]


class Reader(Protocol):
    """What a rule may do: read the parts of its node, apply a function of the plan, or refuse."""

    @property
    def text(self) -> Text:
        """What was written."""
        ...

    def read(self, node: Any) -> Typed:
        """The meaning of a part."""
        ...

    def call(self, node: exp.Expr, function: str, *arguments: Typed) -> Typed:
        """A function of the plan applied to parts; refused with the node underlined where its types or bounds do not fit."""
        ...

    def column(self, node: exp.Column) -> Typed:
        """The column or output that is named here."""
        ...

    def aggregate(self, asked: Asked) -> Typed:
        """An aggregate of the question."""
        ...

    def interval(self, node: exp.Expr, argument: exp.Expr, end: str) -> Typed:
        """An end of the interval of an aggregate."""
        ...

    def refuse(self, node: exp.Expr, what: str, instead: str) -> NoReturn:
        """Refuses, with the node underlined."""
        ...


@dataclass(frozen=True, slots=True)
class Rule:
    """Reads one class of node. ``takes`` names the parts that it looks at; a node with any other part is refused."""

    node: type[exp.Expr]
    read: Callable[[Any, Reader], Typed]
    takes: tuple[str, ...] = ("this",)


@dataclass(frozen=True, slots=True)
class Refusal:
    """Refuses one class of node: ``what`` is wrong with it, and what to write ``instead``."""

    node: type[exp.Expr]
    what: str
    instead: str


def filled(node: exp.Expr) -> set[str]:
    """The parts that a node has."""
    return {name for name, part in node.args.items() if part is not None and part is not False and part != []}
