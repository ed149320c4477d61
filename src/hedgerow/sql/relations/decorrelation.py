"""Scalar subqueries that have another value for each row of the SELECT around them, as joins.

(SELECT COUNT(*) FROM orders WHERE orders.customer = c.id) becomes a LEFT JOIN with one row for each
customer. That is done where the join can be answered: the rows around it and those that it counts
belong to the same unit, or the rows around it are public.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import reduce
from typing import Final

from sqlglot import exp

from hedgerow.sql.catalog import Catalog, TableEntry
from hedgerow.sql.syntax.operator_chains import split_chain

__all__ = ["join_correlated_subqueries"]

_CLAUSES: Final = frozenset({"expressions", "from_", "joins", "where"})
_NAME: Final = "matched"
# What is not NULL, although a part of it is.
_NULL_READERS: Final = (
    *(exp.Coalesce, exp.Case, exp.If, exp.Is, exp.Least, exp.Greatest, exp.Concat),
    *(exp.ConcatWs, exp.NullSafeEQ, exp.NullSafeNEQ, exp.And, exp.Or, exp.Anonymous),
)


def join_correlated_subqueries(catalog: Catalog, tree: exp.Expr) -> exp.Expr:
    """Return a syntax tree with its correlated scalar subqueries joined."""
    found = []
    for subquery in tree.find_all(exp.Subquery):
        around = subquery.find_ancestor(exp.Select) if _is_scalar(subquery) else None
        if around is None or not _is_of_rows(around, subquery):
            continue
        correlation = _read_correlation(catalog, tree, around, subquery.this)
        if correlation is not None:
            found.append((around, subquery, correlation))
    for place, (around, subquery, correlation) in enumerate(reversed(found)):
        _join(around, subquery, correlation, f"{_NAME} {place}")
    return tree


@dataclass(frozen=True, slots=True)
class _Correlation:
    """The pairs of columns that a subquery compares, its own first, and its other conditions."""

    pairs: tuple[tuple[exp.Column, exp.Column], ...]
    conditions: tuple[exp.Expr, ...]


class _Sources:
    """The tables of one SELECT, by alias; named subqueries hold the tables that they read."""

    def __init__(self, catalog: Catalog, tree: exp.Expr, select: exp.Select) -> None:
        named = {cte.alias.casefold(): cte for cte in tree.find_all(exp.CTE)}
        self.entries: dict[str, TableEntry] = {}
        self.is_private, self.columns = False, dict[str, frozenset[str] | None]()
        for part in (select.args["from_"], *(select.args.get("joins") or [])):
            source, alias = part.this, part.this.alias_or_name.casefold()
            cte = named.get(source.name.casefold()) if isinstance(source, exp.Table) else None
            found = catalog.find_table(source.name) if isinstance(source, exp.Table) else None
            if cte is None and found is not None:
                self.entries[alias] = found[1]
                self.columns[alias] = frozenset(
                    column.name.casefold() for column in found[1].schema.columns
                ) | {str(found[1].schema.unit).casefold()}
                self.is_private |= found[1].schema.unit is not None
                continue
            query = source.this if cte is None else cte.this
            names = query.named_selects if isinstance(query, exp.Query) else ["*"]
            self.columns[alias] = (
                None if "*" in names else frozenset(name.casefold() for name in names)
            )
            tables = (source if cte is None else cte).find_all(exp.Table)
            self.is_private |= any(_is_private(catalog, named, table) for table in tables)

    def has(self, column: exp.Column) -> bool | None:
        """Return whether a column is one of these sources; None if that is not known."""
        if column.table:
            return column.table.casefold() in self.columns
        if any(names is None for names in self.columns.values()):
            return None
        return any(column.name.casefold() in (names or ()) for names in self.columns.values())

    def qualify(self, column: exp.Column) -> None:
        """Write the source of a column that only one of these has."""
        found = [
            alias
            for alias, names in self.columns.items()
            if column.name.casefold() in (names or ())
        ]
        if not column.table and len(found) == 1:
            column.set("table", exp.to_identifier(found[0]))

    def identifies_unit(self, column: exp.Column) -> bool:
        """Return whether a column is the privacy id of a table, or leads to it."""
        entries = (
            [self.entries.get(column.table.casefold())]
            if column.table
            else [
                entry
                for alias, entry in self.entries.items()
                if column.name.casefold() in (self.columns[alias] or ())
            ]
        )
        return any(entry is not None and entry.find_owner(column.name) for entry in entries)


def _is_private(catalog: Catalog, named: dict[str, exp.CTE], table: exp.Table) -> bool:
    if table.name.casefold() in named:
        return True  # at worst, a refusal that is worded otherwise
    found = catalog.find_table(table.name)
    return found is not None and found[1].schema.unit is not None


def _is_scalar(node: exp.Subquery) -> bool:
    """Return whether a subquery gives one value: an aggregate of all its rows."""
    inner, parent = node.this, node.parent
    return (
        type(inner) is exp.Select
        and {name for name, value in inner.args.items() if value} <= _CLAUSES
        and inner.args.get("from_") is not None
        and len(inner.expressions) == 1
        and inner.expressions[0].find(exp.AggFunc) is not None
        and node.args.get("alias") is None
        and not isinstance(parent, exp.From | exp.Join | exp.SetOperation | exp.Exists | exp.CTE)
        and not (isinstance(parent, exp.In) and node.arg_key == "query")
    )


def _is_of_rows(around: exp.Select, subquery: exp.Subquery) -> bool:
    """Return whether a subquery has a value for each row of the SELECT around it, and not for each
    group."""
    node: exp.Expr = subquery
    while node.parent is not around:
        if isinstance(node.parent, exp.AggFunc) or node.parent is None:
            return node.parent is not None
        node = node.parent
    has_aggregates = any(
        part.find_ancestor(exp.Select) is around
        for item in around.expressions
        for part in item.find_all(exp.AggFunc)
    )
    if node.arg_key in ("where", "joins") or not (around.args.get("group") or has_aggregates):
        return True
    return node in around.expressions and _is_key(around, node)


def _is_key(around: exp.Select, item: exp.Expr) -> bool:
    """Return whether GROUP BY names an output by its alias or position."""
    position = str(around.expressions.index(item) + 1)
    group = around.args.get("group")
    return group is not None and any(
        (isinstance(key, exp.Column) and not key.table and key.name == item.alias)
        or (isinstance(key, exp.Literal) and key.name == position)
        for key in group.expressions
    )


def _read_correlation(
    catalog: Catalog, tree: exp.Expr, around: exp.Select, inner: exp.Select
) -> _Correlation | None:
    """Return what a subquery compares with the rows around it; None if that cannot be joined."""
    if around.args.get("from_") is None:
        return None
    own, outer = _Sources(catalog, tree, inner), _Sources(catalog, tree, around)
    for column in inner.find_all(exp.Column):
        if own.has(column) is False and outer.has(column):
            outer.qualify(column)
    where = inner.args.get("where")
    pairs, conditions = [], []
    for part in split_chain(where.this) if where is not None else ():
        if not _reads_around(part, own, outer):
            conditions.append(part)
            continue
        pair = _read_pair(part.unnest(), own, outer)
        if pair is None:
            return None
        pairs.append(pair)
    rest = [*inner.expressions, inner.args["from_"], *(inner.args.get("joins") or [])]
    if not pairs or any(_reads_around(part, own, outer) for part in rest):
        return None
    if not own.is_private or (
        outer.is_private and not any(own.identifies_unit(mine) for mine, _ in pairs)
    ):
        return None
    return _Correlation(tuple(pairs), tuple(conditions))


def _reads_around(node: exp.Expr, own: _Sources, outer: _Sources) -> bool:
    return any(
        own.has(column) is False and outer.has(column) is not False
        for column in node.find_all(exp.Column)
    )


def _read_pair(
    node: exp.Expr, own: _Sources, outer: _Sources
) -> tuple[exp.Column, exp.Column] | None:
    """Return the two columns of an equality, that of the subquery first."""
    sides = (node.this, node.expression) if type(node) is exp.EQ else ()
    columns = [side for side in sides if isinstance(side, exp.Column)]
    if len(columns) < 2:
        return None
    inside = [column for column in columns if own.has(column)]
    around = [column for column in columns if own.has(column) is False and outer.has(column)]
    return (inside[0], around[0]) if len(inside) == len(around) == 1 else None


def _join(around: exp.Select, node: exp.Subquery, found: _Correlation, name: str) -> None:
    """Join the groups of a subquery, and put its value in its place."""
    inner = node.this
    value = inner.expressions[0].unalias()
    keys = [
        exp.alias_(mine.copy(), f"key {place}", quoted=True)
        for place, (mine, _) in enumerate(found.pairs)
    ]
    clauses = {part: inner.args[part] for part in ("from_", "joins") if inner.args.get(part)}
    if found.conditions:
        clauses["where"] = exp.Where(this=reduce(_combine, found.conditions))
    groups = exp.Select(
        expressions=[*keys, exp.alias_(value.copy(), "value", quoted=True)],
        group=exp.Group(expressions=[mine.copy() for mine, _ in found.pairs]),
        **clauses,
    )
    equalities: list[exp.Expr] = [
        exp.EQ(this=theirs.copy(), expression=exp.column(f"key {place}", name, quoted=True))
        for place, (_, theirs) in enumerate(found.pairs)
    ]
    alias = exp.TableAlias(this=exp.to_identifier(name, quoted=True))
    join = exp.Join(
        this=exp.Subquery(this=groups, alias=alias),
        side="LEFT",
        on=reduce(_combine, equalities),
    )
    shown = _build_value(value, exp.column("value", name, quoted=True))
    if shown is None:
        return
    node.replace(shown)
    around.append("joins", join)


def _build_value(value: exp.Expr, column: exp.Column) -> exp.Expr | None:
    """Build the value of a group, and where there is none, that of no rows: 0 for counts, else
    NULL. None where the expression makes something else of NULL."""
    if isinstance(value, exp.Coalesce) and isinstance(value.expressions[-1], exp.Literal):
        return exp.Coalesce(this=column, expressions=[value.expressions[-1].copy()])
    nothing = exp.Paren(this=value.copy())
    parts = list(_list_aggregates(nothing))
    is_counted = all(map(_is_count, parts))
    for part in parts:
        part.replace(_zero())
    if not is_counted:
        return None if nothing.find(*_NULL_READERS) else column
    return exp.Coalesce(this=column, expressions=[nothing.this])


def _combine(left: exp.Expr, right: exp.Expr) -> exp.Expr:
    return exp.And(this=left, expression=right)


def _list_aggregates(node: exp.Expr) -> Iterator[exp.Expr]:
    """List the outermost aggregates of an expression."""
    if isinstance(node, exp.AggFunc | exp.Filter | exp.WithinGroup):
        yield node
        return
    for part in list(node.iter_expressions()):
        yield from _list_aggregates(part)


def _is_count(node: exp.Expr) -> bool:
    inner = node.this if isinstance(node, exp.Filter) else node
    return isinstance(inner, exp.Count | exp.CountIf)


def _zero() -> exp.Expr:
    return exp.Literal.number(0)
