"""The parts of IN (SELECT …) and EXISTS (SELECT …): equalities with outer columns, the rest of the
subquery, and one further comparison.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final

from sqlglot import exp

from hedgerow.sql.binder.rule import find_filled_args
from hedgerow.sql.relations.column_names import ColumnNames, Sources
from hedgerow.sql.syntax.operator_chains import split_chain

__all__ = ["Semijoin", "is_semijoin", "parse_semijoin"]

_MIRRORED: Final[dict[type[exp.Binary], type[exp.Binary]]] = {
    exp.NEQ: exp.NEQ,
    exp.LT: exp.GT,
    exp.LTE: exp.GTE,
    exp.GT: exp.LT,
    exp.GTE: exp.LTE,
}
_ROW_CLAUSES: Final = ("from_", "joins", "where")
_CLAUSES: Final = {"expressions", "distinct", *_ROW_CLAUSES}
_DERIVED: Final = "rows"  # the alias of a subquery that is aggregated first


@dataclass(frozen=True, slots=True)
class Semijoin:
    """The parts of IN or EXISTS. ``pairs`` have an outer column and an inner value that equals it,
    the last ``values`` of them from IN itself. ``rows`` is the subquery without its SELECT list.

    ``comparison`` is an operator, an inner and an outer value; ``outer_conditions`` read no column
    of the subquery.
    """

    node: exp.Expr
    rows: exp.Select
    is_public: bool
    pairs: tuple[tuple[exp.Column, exp.Expr], ...] = ()
    values: int = 0
    comparison: tuple[type[exp.Binary], exp.Expr, exp.Expr] | None = None
    outer_conditions: tuple[exp.Expr, ...] = ()

    @property
    def is_correlated(self) -> bool:
        """True if the list of IN differs between outer rows."""
        return len(self.pairs) > self.values

    def build_list(self, *, null: bool) -> Semijoin:
        """Return EXISTS for the list of IN, or for a NULL in the list."""
        rows = self.rows.copy()
        if null:
            missing = exp.Is(this=self.pairs[-1][1].copy(), expression=exp.Null())
            rows.where(missing, copy=False)
        return replace(self, rows=rows, pairs=self.pairs[: -self.values], values=0)


def is_semijoin(node: exp.Expr) -> bool:
    """Return whether a node is IN (SELECT …) or EXISTS (SELECT …)."""
    if isinstance(node, exp.In):
        return isinstance(node.args.get("query"), exp.Subquery)
    return isinstance(node, exp.Exists)


def parse_semijoin(node: exp.Expr, names: ColumnNames) -> Semijoin | None:
    """Return the parts of IN or EXISTS; None for a form that no join expresses."""
    query = (node.args["query"] if isinstance(node, exp.In) else node.this).unnest()
    if not isinstance(query, exp.Query):
        return None
    if isinstance(node, exp.In):
        operands = node.this.expressions if isinstance(node.this, exp.Tuple) else [node.this]
        columns = [operand for operand in operands if isinstance(operand, exp.Column)]
        outputs = len(query.selects)
        if len(columns) != len(operands) or outputs != len(operands) or query.is_star:
            return None
        if not _is_plain(query):
            query = _wrap_query(query)
        found = _parse_rows(node, query, names)
        values = [item.unalias() for item in query.selects]
        pairs = tuple(zip(columns, values, strict=True))
        return found and replace(found, pairs=(*found.pairs, *pairs), values=len(pairs))
    if not isinstance(query, exp.Select):
        return None
    grouped, shown = query.args.get("group"), find_filled_args(query) - {"group", "having"}
    aggregated = query.args.get("having") is not None or _has_aggregate(query)
    if not shown <= _CLAUSES or (aggregated and not grouped):
        return None  # an aggregate without keys has a row even where nothing matches
    found = _parse_rows(node, query, names)
    if found is None or not grouped:
        return found
    return None if found.comparison is not None else _group_rows(query, found)


def _is_plain(query: exp.Query) -> bool:
    distinct = query.args.get("distinct")
    return (
        isinstance(query, exp.Select)
        and find_filled_args(query) <= _CLAUSES
        and not _has_aggregate(query)
        and (distinct is None or not find_filled_args(distinct))
    )


def _has_aggregate(query: exp.Query) -> bool:
    return any(item.find(exp.AggFunc, exp.Window) is not None for item in query.selects)


def _wrap_query(query: exp.Query) -> exp.Select:
    """Return SELECT v0, v1 … FROM (query) AS rows (v0, v1 …)."""
    columns = [exp.to_identifier(f"v{i}", quoted=True) for i in range(len(query.selects))]
    alias = exp.TableAlias(this=exp.to_identifier(_DERIVED, quoted=True), columns=columns)
    source = exp.Subquery(this=query.copy(), alias=alias)
    outputs = [exp.column(column.copy(), table=_DERIVED, quoted=True) for column in columns]
    return exp.Select(expressions=outputs, from_=exp.From(this=source))


def _group_rows(query: exp.Select, found: Semijoin) -> Semijoin:
    """Return EXISTS over the groups of a subquery: the compared columns become keys, too."""
    inner = [value for _, value in found.pairs]
    rows = found.rows.copy()
    rows.set("expressions", [value.copy() for value in inner])
    group = query.args["group"].copy()
    group.set("expressions", [*group.expressions, *(value.copy() for value in inner)])
    rows.set("group", group)
    rows.set("having", query.args.get("having") and query.args["having"].copy())
    wrapped = _wrap_query(rows)
    pairs = zip((here for here, _ in found.pairs), wrapped.expressions, strict=True)
    return replace(found, rows=wrapped, pairs=tuple(pairs))


def _parse_rows(node: exp.Expr, query: exp.Query, names: ColumnNames) -> Semijoin | None:
    """Return the subquery with its conditions on outer columns taken apart."""
    assert isinstance(query, exp.Select)
    sources = names.list_sources(query)
    if sources is None or not sources:
        return None
    copied = query.copy()
    rows = exp.Select(**{name: copied.args.get(name) for name in _ROW_CLAUSES})
    conditions = list(split_chain(rows.args["where"].this)) if rows.args.get("where") else []
    for join in rows.args.get("joins") or []:
        on = join.args.get("on")
        if on is not None and not join.side and names.list_outer_columns(on, sources):
            conditions += split_chain(on)
            join.set("on", None)
    found = Semijoin(node, rows, names.is_public(query))
    kept = []
    for condition in conditions:
        if not names.list_outer_columns(condition, sources):
            kept.append(condition.copy())
            continue
        changed = _add_condition(found, condition.unnest(), names, sources)
        if changed is None:
            return None
        found = changed
    rows.set("where", exp.Where(this=exp.and_(*kept, copy=False)) if kept else None)
    return found


def _add_condition(
    found: Semijoin, condition: exp.Expr, names: ColumnNames, sources: Sources
) -> Semijoin | None:
    """Return the parts with one more condition on outer columns; None for other forms."""

    def is_outer(node: exp.Expr) -> bool:
        return len(names.list_outer_columns(node, sources)) == len(list(node.find_all(exp.Column)))

    def is_inner(node: exp.Expr) -> bool:
        return not names.list_outer_columns(node, sources) and node.find(exp.Column) is not None

    if is_outer(condition):
        return replace(found, outer_conditions=(*found.outer_conditions, condition))
    if not isinstance(condition, exp.EQ | exp.NEQ | exp.LT | exp.LTE | exp.GT | exp.GTE):
        return None
    left, right = condition.this.unnest(), condition.expression.unnest()
    kind: type[exp.Binary] = type(condition)
    if is_outer(left) and is_inner(right):
        left, right, kind = right, left, _MIRRORED.get(kind, kind)
    if not (is_inner(left) and is_outer(right)):
        return None
    if kind is exp.EQ:
        pair = (right, left)
        return replace(found, pairs=(*found.pairs, pair)) if isinstance(right, exp.Column) else None
    if found.comparison is not None or found.is_public:
        return None
    return replace(found, comparison=(kind, left, right))
