"""Changes of syntax trees that leave the original as it is."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

from sqlglot import exp

__all__ = ["attach_with", "build_column", "copy_value", "map_children", "replace_args"]

_Node = TypeVar("_Node", bound=exp.Expr)


def build_column(name: str) -> exp.Column:
    """Build a column by its quoted name."""
    return exp.Column(this=exp.to_identifier(name, quoted=True))


def copy_value(value: object) -> object:
    """Copy an argument of a node: a node, a list of them, or a constant."""
    if isinstance(value, list):
        return [copy_value(part) for part in value]
    return value.copy() if isinstance(value, exp.Expr) else value


def replace_args(node: _Node, **arguments: object) -> _Node:
    """Return a node of the same class with some arguments replaced, and the same position."""
    together = {**node.args, **arguments}
    found = type(node)(**{name: copy_value(value) for name, value in together.items()})
    found.meta.update(node.meta)
    return found


def map_children(node: _Node, change: Callable[[exp.Expr], exp.Expr]) -> _Node:
    """Return a node with each of its children changed."""

    def change_value(value: object) -> object:
        if isinstance(value, list):
            return [change_value(part) for part in value]
        return change(value) if isinstance(value, exp.Expr) else value

    return replace_args(node, **{name: change_value(value) for name, value in node.args.items()})


def attach_with(node: _Node, subqueries: Sequence[exp.Expr]) -> _Node:
    """Return a query with named subqueries before those of its own WITH."""
    own = node.args.get("with_")
    together = [*subqueries, *(own.expressions if own is not None else ())]
    if not together:
        return node
    return replace_args(node, with_=exp.With(expressions=copy_value(together)))
