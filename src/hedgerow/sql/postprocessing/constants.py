"""Scalar subqueries whose values become constants of a private question.

A private question cannot read other rows in its conditions, but it can compare with a number that
is known: the result of a question about public tables, or of another private question that is
released first. In a SELECT such a subquery is replaced by a named place, and later by its value.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from itertools import chain, islice, product
from typing import Any, Final

from sqlglot import exp

from hedgerow.plan.schema import Column
from hedgerow.plan.values import Type, Value
from hedgerow.sql.catalog import Catalog
from hedgerow.sql.postprocessing.syntax_trees import map_children

__all__ = [
    "QueryConstant",
    "build_literal",
    "build_place",
    "fill_places",
    "find_places",
    "list_constants",
    "list_samples",
    "replace_nodes",
]

_MAX_VALUES: Final = 12
_MAX_TRIALS: Final = 24  # of each type
_ROW_CLAUSES: Final = ("with_", "from_", "joins", "where")


@dataclass(frozen=True, eq=False, slots=True)
class QueryConstant:
    """A scalar subquery as a ``tree`` of SQL over answers and public tables. ``sample`` is a value
    with which the question around it can be bound, and has the type of the constant."""

    name: str
    tree: exp.Query
    sample: Value

    def accepts(self, type_: Type) -> bool:
        """Return whether a value of this type may take the place of the sample."""
        return _find_kind(type_) == _KINDS_OF_SAMPLES[type(self.sample)]


def list_constants(node: exp.Expr, *, is_outermost: bool = True) -> list[exp.Subquery]:
    """List the scalar subqueries of a query that are constants of its rows.

    Those that are outputs or conditions of the *outermost* SELECT are left out, except inside its
    aggregates: they can be computed from its answer.
    """
    found: list[exp.Subquery] = []
    if isinstance(node, exp.Select) and is_outermost:
        for name, value in node.args.items():
            parts = value if isinstance(value, list) else [value]
            for part in parts:
                if isinstance(part, exp.Expr):
                    found += _walk(part, inside=name in _ROW_CLAUSES)
        return found
    return list(_walk(node, inside=True))


def _walk(node: exp.Expr, *, inside: bool) -> Iterator[exp.Subquery]:
    inside = inside or isinstance(node, exp.AggFunc | exp.Filter)
    if isinstance(node, exp.Subquery) and _is_scalar(node):
        if inside:
            yield node
        return
    for value in node.args.values():
        for part in value if isinstance(value, list) else [value]:
            if isinstance(part, exp.Expr):
                yield from _walk(part, inside=inside)


def _is_scalar(node: exp.Subquery) -> bool:
    """Return whether a subquery gives one value: it has one output, and is not in FROM."""
    inner, parent = node.this, node.parent
    return (
        isinstance(inner, exp.Select)
        and len(inner.expressions) == 1
        and node.args.get("alias") is None
        and not isinstance(parent, exp.From | exp.Join | exp.SetOperation | exp.Exists | exp.CTE)
        and not (isinstance(parent, exp.In) and node.arg_key == "query")
        and not (isinstance(parent, exp.Subquery) and not _is_scalar(parent))
    )


def replace_nodes(node: exp.Expr, new: Mapping[int, exp.Expr]) -> Any:
    """Return a tree with some of its nodes, given by their ``id``, replaced."""
    found = new.get(id(node))
    if found is not None:
        found = found.copy()
        found.meta.update(node.meta)
        return found
    return map_children(node, lambda part: replace_nodes(part, new))


def build_place(name: str) -> exp.Placeholder:
    """Build the place of a constant."""
    return exp.Placeholder(this=name)


def find_places(node: exp.Expr) -> list[str]:
    """Return the names of the places of constants."""
    return list(dict.fromkeys(str(place.this) for place in node.find_all(exp.Placeholder)))


def fill_places(node: exp.Expr, values: Mapping[str, Value]) -> Any:
    """Return a tree with values in the places of constants."""
    places = node.find_all(exp.Placeholder)
    new = {id(one): build_literal(values[one.this]) for one in places if one.this in values}
    return replace_nodes(node, new) if new else node


def build_literal(value: Value) -> exp.Expr:
    """Build a value as it is written in SQL."""
    if isinstance(value, bool):
        return exp.Boolean(this=value)
    if isinstance(value, date):
        return exp.cast(exp.Literal.string(value.isoformat()), "date")
    if isinstance(value, str):
        return exp.Literal.string(value)
    if value is None or not math.isfinite(value):
        return exp.Null()
    written = f"{Decimal(repr(value) if isinstance(value, float) else str(value)):f}"
    number = exp.Literal.number(written.removeprefix("-"))
    return exp.Neg(this=number) if written.startswith("-") else number


def list_samples(catalog: Catalog, node: exp.Expr, count: int) -> Iterator[tuple[Value, ...]]:
    """List values to bind a query with: each column of its tables can be compared with one of them.

    A condition that no declared value meets is refused, so the ends of declared ranges are tried.
    """
    named = (catalog.find_table(table.name) for table in node.find_all(exp.Table))
    columns = [column for found in named if found is not None for column in found[1].columns]
    by_kind = [_list_values(columns, kind) for kind in ("number", "date", "text")] + [[True]]
    alike = (islice(product(kind, repeat=min(count, 2)), _MAX_TRIALS) for kind in by_kind)
    mixed = product([value for kind in by_kind for value in kind[:1]], repeat=min(count, 2))
    for values in chain(*alike, mixed):
        yield (*values, *(values[-1:] * (count - len(values))))


def _list_values(columns: Sequence[Column], kind: str) -> list[Value]:
    found: dict[Value, None] = {1: None} if kind == "number" else {}
    for column in columns:
        if _find_kind(column.type) == kind:
            listed = column.values or ()
            found |= dict.fromkeys((*listed[:1], *listed[-1:]))
            for end in (column.low, column.high):
                if end is not None:
                    found[date.fromordinal(int(end)) if kind == "date" else int(end)] = None
    return list(found)[:_MAX_VALUES] or list(_ANY_VALUES[kind])


def _find_kind(type_: str) -> str:
    return "number" if type_ in ("integer", "real") else type_


_ANY_VALUES: Final[Mapping[str, tuple[Value, ...]]] = {
    "date": (date(2000, 1, 1),),
    "text": ("a",),
    "number": (1,),
}
_KINDS_OF_SAMPLES: Final[Mapping[type, str]] = {
    bool: "boolean",
    int: "number",
    str: "text",
    date: "date",
}
