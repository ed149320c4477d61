"""Names of the columns of an answer."""

from __future__ import annotations

from collections.abc import Iterable

from sqlglot import exp

from hedgerow.sql.rules.aggregates import name_of
from hedgerow.sql.scope import Scope

__all__ = ["alias_of", "output_names"]


def alias_of(item: exp.Expr) -> str | None:
    """The name that the question gives to an output."""
    return item.alias if isinstance(item, exp.Alias) else None


def output_names(items: Iterable[exp.Expr], scope: Scope) -> list[str]:
    """The alias; else the column in the policy's spelling, or count, sum, avg; else column1, column2, …. No name comes twice."""
    taken: set[str] = set()
    names = []
    for place, item in enumerate(items, 1):
        wanted = alias_of(item) or _own_name(item, scope) or f"column{place}"
        name, count = wanted, 1
        while name.casefold() in taken:
            count += 1
            name = f"{wanted}_{count}"
        taken.add(name.casefold())
        names.append(name)
    return names


def _own_name(item: exp.Expr, scope: Scope) -> str | None:
    bare = item.unnest()
    if isinstance(bare, exp.Column):
        column = scope.find(bare)
        return None if column is None else column.name
    name = name_of(bare)
    return None if name is None else name.lower()
