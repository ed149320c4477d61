"""Names of the columns of an answer."""

from __future__ import annotations

from collections.abc import Iterable

from sqlglot import exp

from hedgerow.sql.binder.scope import Scope
from hedgerow.sql.rules.aggregates import find_aggregate_name

__all__ = ["find_alias", "name_outputs"]


def find_alias(item: exp.Expr) -> str | None:
    """Return the alias of an output."""
    return item.alias if isinstance(item, exp.Alias) else None


def name_outputs(items: Iterable[exp.Expr], scope: Scope) -> list[str]:
    """Return a unique name per output: alias, column, aggregate, or column1, column2, …."""
    taken: set[str] = set()
    names = []
    for place, item in enumerate(items, 1):
        wanted = find_alias(item) or _find_own_name(item, scope) or f"column{place}"
        name, count = wanted, 1
        while name.casefold() in taken:
            count += 1
            name = f"{wanted}_{count}"
        taken.add(name.casefold())
        names.append(name)
    return names


def _find_own_name(item: exp.Expr, scope: Scope) -> str | None:
    bare = item.unnest()
    if isinstance(bare, exp.Column):
        column = scope.find_column(bare)
        return None if column is None else column.name
    name = find_aggregate_name(bare)
    return None if name is None else name.lower()
