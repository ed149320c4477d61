"""Advice for IN (SELECT …) and EXISTS that no join can express."""

from __future__ import annotations

from sqlglot import exp

from hedgerow.plan.nodes import list_schemas
from hedgerow.sql.binder.scope import Scope
from hedgerow.sql.syntax.quoting import quote_name

__all__ = ["suggest_public_values", "suggest_same_unit"]


def suggest_public_values(where: exp.Expr, scope: Scope) -> str:
    """Return how to replace IN or EXISTS about a public table.

    A join is suggested if a declared key ensures that no row is counted twice, or else a list of
    values.
    """
    pairs, negated = where.meta["pairs"], isinstance(where, exp.Group)
    names = [
        f"{quote_name(here.table)}.{quote_name(here.name)}" if here.table else quote_name(here.name)
        for here, _ in pairs
    ]
    keys = {there.name.casefold() for _, there in pairs}
    if not negated and any({name.casefold() for name in key} <= keys for key in scope.unique):
        both = " AND ".join(
            f"{name} = d.{quote_name(there.name)}"
            for name, (_, there) in zip(names, pairs, strict=True)
        )
        return (
            "Join the table, and put its conditions into WHERE: JOIN"
            f" {quote_name(scope.sources[0][1])} AS d ON {both}."
        )
    no = "NOT " if negated else ""
    listed = (
        f"{names[0]} {no}IN ('a', 'b')"
        if len(names) == 1
        else f"{no}({' AND '.join(f'{name} = …' for name in names)} OR …)"
    )
    return (
        f"Ask for the values first, which is free{_suggest_values_query(where, scope)};"
        f" then list them: {listed}."
    )


def _suggest_values_query(where: exp.Expr, scope: Scope) -> str:
    assert where.parent is not None
    rows = where.parent.copy()
    rows.set("expressions", [there.copy() for _, there in where.meta["pairs"]])
    rows.set("group", None)
    rows.set("distinct", exp.Distinct())
    known = {schema.table.casefold() for schema in list_schemas(scope.rows)}
    return (
        f": {scope.text.format_node(rows)}"
        if {table.name.casefold() for table in rows.find_all(exp.Table)} <= known
        else ""
    )


def suggest_same_unit(where: exp.Expr, scope: Scope, unit: str) -> str:
    """Return the condition with the privacy id compared too."""
    name = scope.sources[0][1]
    table = quote_name(name) if name in dict(scope.tables) else "…"
    both = " AND ".join(
        f"d.{quote_name(there.name)} = {here.sql()}" for here, there in where.meta["pairs"]
    )
    no = "NOT " if isinstance(where, exp.Group) else ""
    inside = f"SELECT 1 FROM {table} AS d WHERE d.{quote_name(unit)} = … AND {both}"
    return (
        "Compare the privacy id too, with the id of the outer row for the dots:"
        f" {no}EXISTS ({inside})."
    )
