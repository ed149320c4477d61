"""MIN and MAX of texts that nobody has listed: the least or greatest of those that enough units
share in a group, which is an ordinary aggregate of an answer about keys alone."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import reduce
from typing import Final

from sqlglot import exp

from hedgerow.sql.binder.scope import Scope
from hedgerow.sql.postprocessing.aggregate_extraction import ExtractedAggregates
from hedgerow.sql.postprocessing.syntax_trees import build_column

__all__ = ["ask_text_extremes"]

_GROUPS: Final = "groups"
_TEXT: Final = "text"
_COUNT: Final = "aggregate 0"

Ask = Callable[[exp.Select], exp.Expr | None]


def ask_text_extremes(
    extracted: ExtractedAggregates,
    keys: tuple[exp.Expr, ...],
    rows: Sequence[Scope],
    ask: Ask,
) -> exp.Expr | None:
    """Return a subquery with the groups of one grouping set, in which each MIN or MAX that ``ask``
    cannot answer is computed from the texts that are shared; None if that does not help. Columns
    of the ``rows`` with declared values are left out: as keys, these are complete, whether anybody
    has them or not.
    """
    known = (column for source in rows for column in source.columns)
    declared = {column.name.casefold() for column in known if column.range.values is not None}
    texts = {
        name: aggregate
        for name, aggregate in extracted.aggregates.items()
        if isinstance(aggregate, exp.Min | exp.Max)
        and isinstance(aggregate.this, exp.Column)
        and aggregate.this.name.casefold() not in declared
        and ask(replace(extracted, aggregates={name: aggregate}).build_piece(keys)) is None
    }
    rest = {name: one for name, one in extracted.aggregates.items() if name not in texts}
    counted = {**rest} or {_COUNT: extracted.count}
    groups = ask(replace(extracted, aggregates=counted).build_piece(keys)) if texts else None
    if groups is None:
        return None
    names = [name for name, key in extracted.keys.items() if key in keys]
    joins = []
    for name, aggregate in texts.items():
        shared = replace(
            extracted,
            keys={**extracted.keys, _TEXT: aggregate.this},
            aggregates={_COUNT: extracted.count},
        )
        answer = ask(shared.build_piece((*keys, aggregate.this)))
        if answer is None:
            return None
        joins.append(_join_extreme(name, type(aggregate), answer, names))
    columns = [exp.column(name, _GROUPS, quoted=True) for name in (*names, *rest)]
    columns += [exp.column(name, _name_source(name), quoted=True) for name in texts]
    query = exp.Select(
        expressions=columns, from_=exp.From(this=_name(groups, _GROUPS)), joins=joins
    )
    return _name(query, "levels")


def _join_extreme(
    name: str, extreme: type[exp.Expr], answer: exp.Expr, keys: Sequence[str]
) -> exp.Join:
    """Build the join with the extreme of each group; a group has none if no text is shared."""
    value = exp.alias_(extreme(this=build_column(_TEXT)), name, quoted=True)
    clauses: Mapping[str, exp.Expr] = (
        {"group": exp.Group(expressions=[build_column(key) for key in keys])} if keys else {}
    )
    grouped = exp.Select(
        expressions=[*(build_column(key) for key in keys), value],
        from_=exp.From(this=answer),
        **clauses,
    )
    source = _name_source(name)
    same: list[exp.Expr] = [
        exp.NullSafeEQ(
            this=exp.column(key, _GROUPS, quoted=True),
            expression=exp.column(key, source, quoted=True),
        )
        for key in keys
    ]
    if not same:
        return exp.Join(this=_name(grouped, source), kind="CROSS")
    on = reduce(lambda left, right: exp.And(this=left, expression=right), same)
    return exp.Join(this=_name(grouped, source), side="LEFT", on=on)


def _name_source(name: str) -> str:
    return f"texts of {name}"


def _name(query: exp.Expr, name: str) -> exp.Expr:
    alias = exp.TableAlias(this=exp.to_identifier(name, quoted=True))
    if isinstance(query, exp.Table):
        return exp.Table(this=query.this.copy(), alias=alias)
    return exp.Subquery(this=query, alias=alias)
