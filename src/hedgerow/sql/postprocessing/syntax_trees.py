"""Changes of syntax trees that leave the original as it is."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, TypeVar

from sqlglot import exp

__all__ = [
    "attach_with",
    "build_column",
    "copy_value",
    "expand_named_windows",
    "map_children",
    "replace_args",
]

_Node = TypeVar("_Node", bound=exp.Expr)
_WINDOW_PARTS: Final = ("partition_by", "order", "spec")


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


def expand_named_windows(node: Any) -> Any:
    """Return a tree in which each OVER has its window, instead of a name of the WINDOW clause."""
    return node if node.find(exp.Window) is None else _expand_windows(node, {})


def _expand_windows(node: exp.Expr, known: Mapping[str, exp.Expr]) -> exp.Expr:
    if isinstance(node, exp.Select):
        found: dict[str, exp.Expr] = {}
        for window in node.args.get("windows") or []:
            found[window.name.casefold()] = _fill_window(window, found)
        known, node = found, replace_args(node, windows=None) if found else node
    node = map_children(node, lambda part: _expand_windows(part, known))
    return _fill_window(node, known) if isinstance(node, exp.Window) else node


def _fill_window(window: exp.Expr, known: Mapping[str, exp.Expr]) -> exp.Expr:
    """Return a window with the parts of the named window that it starts from."""
    name = window.args.get("alias")
    found = known.get(name.name.casefold()) if isinstance(name, exp.Identifier) else None
    if found is None:
        return window
    parts = {part: window.args.get(part) or found.args.get(part) for part in _WINDOW_PARTS}
    return replace_args(window, alias=None, **parts)


def attach_with(node: _Node, subqueries: Sequence[exp.Expr]) -> _Node:
    """Return a query with named subqueries before those of its own WITH."""
    own = node.args.get("with_")
    together = [*subqueries, *(own.expressions if own is not None else ())]
    if not together:
        return node
    return replace_args(node, with_=exp.With(expressions=copy_value(together)))
