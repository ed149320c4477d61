"""Rewriting of IN (SELECT …) and EXISTS (SELECT …) in WHERE as joins.

    id IN (SELECT id FROM t WHERE …)                 JOIN (SELECT DISTINCT id …) x ON id = x.id
    EXISTS (SELECT … FROM t WHERE t.k = a.k AND …)   JOIN (SELECT DISTINCT k …) x ON a.k = x.k
    NOT …   LEFT JOIN (SELECT k, COUNT(*) AS "others" … GROUP BY k) x WHERE x."others" IS NULL

The join binder decides whether the join is about the same unit, so nothing is allowed here that it
would refuse. Other forms stay as they are, and are refused where they are bound.
"""

from __future__ import annotations

from collections.abc import Sequence

from sqlglot import exp

from hedgerow.sql.catalog import Catalog
from hedgerow.sql.syntax.operator_chains import split_chain

__all__ = ["rewrite_semijoins"]

_COUNT_ALIAS = "others"


def rewrite_semijoins(select: exp.Select, catalog: Catalog) -> exp.Select:
    """Rewrite the conditions of a SELECT that have this form as joins."""
    where = select.args.get("where")
    if where is None or where.this is None or not any(where.find_all(exp.Exists, exp.In)):
        return select
    kept: list[exp.Expr] = []
    joins: list[exp.Join] = []
    for condition in (part.unnest() for part in split_chain(where.this)):
        rewritten = _build_join(select, condition, catalog, f"in {len(joins)}")
        if rewritten is None:
            kept.append(condition)
        else:
            join, left = rewritten
            joins.append(join)
            if left is not None:
                kept.append(left)
    if not joins:
        return select
    found = select.copy()
    found.set("joins", [*(found.args.get("joins") or []), *joins])
    found.set("where", exp.Where(this=exp.and_(*kept)) if kept else None)
    return found


def _build_join(
    select: exp.Select, condition: exp.Expr, catalog: Catalog, alias: str
) -> tuple[exp.Join, exp.Expr | None] | None:
    """Build the join of a condition and the test that remains; None for another form."""
    negated = isinstance(condition, exp.Not)
    inner = condition.this.unnest() if negated else condition
    if isinstance(inner, exp.In) and isinstance(inner.args.get("query"), exp.Subquery):
        pairs, rows = _parse_in(select, inner)
    elif isinstance(inner, exp.Exists) and isinstance(inner.this.unnest(), exp.Select):
        pairs, rows = _parse_exists(inner.this.unnest(), catalog)
    else:
        return None
    if not pairs or rows is None:
        return None
    keys = [there for _, there in pairs]
    rows.set(
        "expressions",
        [key.copy() for key in keys]
        + ([exp.alias_(exp.Count(this=exp.Star()), _COUNT_ALIAS, quoted=True)] if negated else []),
    )
    if negated:
        rows.set("group", exp.Group(expressions=[key.copy() for key in keys]))
    else:
        rows.set("distinct", exp.Distinct())
    # Refusals underline the condition as written, instead of this GROUP BY or DISTINCT.
    rows.args["group" if negated else "distinct"].meta.update(
        condition=condition, pairs=tuple(pairs)
    )
    name = exp.to_identifier(alias, quoted=True)
    beside = exp.Subquery(this=rows, alias=exp.TableAlias(this=name))
    agree = exp.and_(
        *(
            exp.EQ(this=here.copy(), expression=exp.column(there.name, alias, quoted=True))
            for here, there in pairs
        )
    )
    join = (
        exp.Join(this=beside, on=agree, side="LEFT") if negated else exp.Join(this=beside, on=agree)
    )
    if not negated:
        return join, None
    none: exp.Expr = exp.Is(
        this=exp.column(_COUNT_ALIAS, alias, quoted=True), expression=exp.Null()
    )
    here = pairs[0][0]
    if isinstance(inner, exp.In) and not _is_privacy_id(select, here, catalog):
        # NULL is neither in a list nor outside it. A privacy id is never NULL, and no condition
        # may read it.
        none = exp.and_(none, exp.Not(this=exp.Is(this=here.copy(), expression=exp.Null())))
    return join, none


def _is_privacy_id(select: exp.Select, column: exp.Column, catalog: Catalog) -> bool:
    """Return whether a column is the privacy id of its source, or of any table."""
    source = next(
        (
            source
            for source in _list_sources(select)
            if source.alias_or_name.casefold() == column.table.casefold()
        ),
        None,
    )
    named = (
        {}
        if source is None
        else {table.name: catalog.find_table(table.name) for table in source.find_all(exp.Table)}
    )
    known = [found[1] for found in named.values() if found is not None]
    return any(entry.is_privacy_id(column.name) for entry in known or catalog.tables.values())


def _list_sources(select: exp.Select) -> list[exp.Expr]:
    return [select.args["from_"].this, *(join.this for join in select.args.get("joins") or [])]


ColumnPairs = Sequence[tuple[exp.Column, exp.Column]]


def _parse_in(select: exp.Select, inner: exp.In) -> tuple[ColumnPairs, exp.Select | None]:
    rows = inner.args["query"].this
    plain = (
        isinstance(rows, exp.Select)
        and len(rows.expressions) == 1
        and not (rows.args.get("group") or rows.args.get("having"))
    )
    if (
        not plain
        or not isinstance(inner.this, exp.Column)
        or not isinstance(rows.expressions[0], exp.Column)
    ):
        return (), None
    here = inner.this.copy()
    sources = _list_sources(select)
    if "table" not in here.args or here.args["table"] is None:
        if len(sources) != 1:
            return (), None
        here.set("table", exp.to_identifier(sources[0].alias_or_name, quoted=True))
    return [(here, rows.expressions[0])], rows.copy()


def _has_aggregate(rows: exp.Select) -> bool:
    """Return whether a subquery has an aggregate without keys.

    It has a row even where nothing matches, which a join would lose.
    """
    return rows.args.get("having") is not None or any(
        any(item.find_all(exp.AggFunc)) for item in rows.expressions
    )


def _parse_exists(rows: exp.Select, catalog: Catalog) -> tuple[ColumnPairs, exp.Select | None]:
    """Return the equalities with outer columns, for the join, and the subquery without them."""
    table = rows.args["from_"].this if rows.args.get("from_") else None
    found = catalog.find_table(table.name) if isinstance(table, exp.Table) else None
    where = rows.args.get("where")
    if (
        found is None
        or table is None
        or where is None
        or rows.args.get("joins")
        or rows.args.get("group")
        or _has_aggregate(rows)
    ):
        return (), None
    names = {column.name.casefold() for column in found[1].columns} | {
        str(found[1].schema.unit).casefold()
    }

    def inside(column: exp.Expr) -> bool:
        written = column.args.get("table")
        return (
            column.name.casefold() in names
            if written is None
            else written.name.casefold() == table.alias_or_name.casefold()
        )

    pairs, kept = [], []
    for condition in (part.unnest() for part in split_chain(where.this)):
        sides = [condition.this, condition.expression] if isinstance(condition, exp.EQ) else []
        if all(isinstance(side, exp.Column) for side in sides) and [
            inside(side) for side in sides
        ] in ([True, False], [False, True]):
            here, there = sorted(sides, key=inside)
            pairs.append((here, there))
        elif all(inside(column) for column in condition.find_all(exp.Column)):
            kept.append(condition.copy())
        else:
            return (), None
    copied = rows.copy()
    copied.set("where", exp.Where(this=exp.and_(*kept)) if kept else None)
    return pairs, copied
