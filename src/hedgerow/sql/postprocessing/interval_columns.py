"""Intervals of SQL over noisy answers: each query gets two more columns for each output that has
bounds, its low and its high end.

**Statement.** If each noisy cell of the answers lies between its ends, then so does each output
with ends, computed from the exact cells instead.

Ends follow from interval arithmetic, so noise that cancels is counted twice. An output has no ends
where it depends on noise in another way: an aggregate or a window over rows that noise has chosen
(WHERE n > 10, LIMIT, undeclared groups), a rank, DISTINCT. Conditions on noisy values choose rows
of the final table as HAVING does: the intervals are about the rows that are shown.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Final

from sqlglot import exp

from hedgerow.sql.postprocessing.bounded_relations import (
    BoundedColumn,
    BoundedRelation,
    NoIntervalsError,
)
from hedgerow.sql.postprocessing.interval_arithmetic import bound_operation, build_call
from hedgerow.sql.postprocessing.syntax_trees import (
    attach_with,
    copy_value,
    map_children,
    replace_args,
)

__all__ = ["add_interval_columns"]

Ends = tuple[exp.Expr, exp.Expr]
_ADDITIVE: Final = (exp.Sum, exp.Avg, exp.Min, exp.Max)
_WINDOWED: Final = (*_ADDITIVE, exp.Lag, exp.Lead, exp.FirstValue, exp.LastValue, exp.NthValue)
_SCALAR: Final = "scalar"


Scope = Mapping[str, BoundedRelation]  # by name, in lower case


def add_interval_columns(
    query: exp.Query, tables: Scope
) -> tuple[exp.Query, tuple[BoundedColumn, ...]]:
    """Return a query with the ends of its outputs after them, and these outputs."""
    found, relation = _extend_query(query, tables)
    return found, relation.columns


def _extend_query(query: exp.Expr, scope: Scope) -> tuple[exp.Query, BoundedRelation]:
    if isinstance(query, exp.Subquery) and query.args.get("alias") is None:
        inner, relation = _extend_query(query.this, scope)
        return replace_args(query, this=inner), _limit_rows(query, relation)
    if type(query) is exp.Union and not query.args.get("distinct"):
        return _extend_union(query, scope)
    if type(query) is not exp.Select:
        raise NoIntervalsError
    return _SelectExtension(query, scope).extend()


def _extend_union(union: exp.Union, scope: Scope) -> tuple[exp.Query, BoundedRelation]:
    """Extend UNION ALL: a column has ends if it has them, or is exact, on all sides."""
    if union.args.get("by_name"):
        raise NoIntervalsError
    ctes, scope = _extend_with(union, scope)
    sides: list[exp.Expr] = []
    part: exp.Expr = union
    while type(part) is exp.Union and not part.args.get("distinct") and not _is_limited(part):
        sides.append(part.expression)
        part = part.this
        if part.args.get("with_") is not None:
            raise NoIntervalsError
    selects = [side.unnest() for side in (part, *reversed(sides))]
    if not all(type(side) is exp.Select for side in selects):
        raise NoIntervalsError
    drafts = [_SelectExtension(side, scope) for side in selects if isinstance(side, exp.Select)]
    rows = [draft.extend()[1] for draft in drafts]
    if len({len(one.columns) for one in rows}) > 1:
        raise NoIntervalsError
    columns = [
        BoundedColumn(
            first.name,
            all(one.is_exact for one in column),
            any(one.has_ends for one in column)
            and all(one.has_ends or one.is_exact for one in column),
        )
        for first, *column in zip(rows[0].columns, *(one.columns for one in rows), strict=True)
    ]
    wanted = [one.has_ends for one in columns]
    found: exp.Query = drafts[0].extend(wanted)[0]
    for draft in drafts[1:]:
        side = draft.extend(wanted)[0]
        found = exp.Union(this=found, expression=side, distinct=False)
    modifiers = {name: copy_value(union.args.get(name)) for name in ("order", "limit", "offset")}
    relation = BoundedRelation(tuple(columns), all(one.has_all_rows for one in rows))
    extended = replace_args(found, **modifiers) if len(drafts) > 1 else found
    return attach_with(extended, ctes), _limit_rows(union, relation)


def _is_limited(query: exp.Expr) -> bool:
    return any(query.args.get(name) is not None for name in ("order", "limit", "offset")) and (
        isinstance(query.parent, exp.Union)
    )


def _limit_rows(query: exp.Expr, relation: BoundedRelation) -> BoundedRelation:
    if query.args.get("limit") is None and query.args.get("offset") is None:
        return relation
    return replace(relation, has_all_rows=False)


def _extend_with(query: exp.Expr, scope: Scope) -> tuple[list[exp.Expr], Scope]:
    """Return the subqueries of WITH with their ends, and the scope with them."""
    found: list[exp.Expr] = []
    with_ = query.args.get("with_")
    for cte in [] if with_ is None else with_.expressions:
        if cte.args["alias"].args.get("columns"):
            raise NoIntervalsError
        inner, relation = _extend_query(cte.this, scope)
        found.append(replace_args(cte, this=inner))
        scope = {**scope, cte.alias.casefold(): relation}
    return found, scope


class _SelectExtension:
    """A SELECT while its outputs get ends: its sources with their ends, and what is known of its
    rows and groups."""

    def __init__(self, select: exp.Select, scope: Scope) -> None:
        self._ctes, self._scope = _extend_with(select, scope)
        self._select = select
        self._has_all_rows = self._has_exact_groups = True
        self._is_inside = False  # an aggregate
        self._sources: list[tuple[str, BoundedRelation]] = []
        self._can_expand_star = True
        self._clauses = self._extend_sources()
        conditions = [join.args.get("on") for join in select.args.get("joins") or []]
        conditions.append(select.args.get("where"))
        self._has_all_rows = all(known.has_all_rows for _, known in self._sources) and not any(
            condition is not None and self._is_noisy(condition) for condition in conditions
        )
        items = [part for item in select.expressions for part in self._expand_item(item)]
        self._items = [self._expand_stars(item) for item in items]
        for name in ("where", "having", "qualify"):
            if select.args.get(name) is not None:
                self._clauses[name] = self._expand_stars(select.args[name])
        self._is_grouped = select.args.get("group") is not None or any(
            self._has_aggregate(item) for item in self._items
        )
        self._has_exact_groups = not any(map(self._is_noisy, self._list_groups()))

    def extend(self, wanted: Sequence[bool] | None = None) -> tuple[exp.Query, BoundedRelation]:
        """Return the SELECT with the ends of its outputs, or of those that are ``wanted``, and its
        columns."""
        columns: list[BoundedColumn] = []
        added: list[exp.Expr] = []
        is_distinct = self._select.args.get("distinct") is not None
        for place, item in enumerate(self._items):
            value, name = item.unalias(), item.output_name or None
            is_exact = not self._is_noisy(value)
            ends = None if is_distinct else self._find_ends(value)
            columns.append(BoundedColumn(name, is_exact, ends is not None and not is_exact))
            if ends is not None and (not is_exact if wanted is None else wanted[place]):
                called = name or f"output {place}"
                for end, word in zip(ends, ("low", "high"), strict=True):
                    added.append(exp.alias_(end.copy(), f"{called} {word}", quoted=True))
        later = [self._select.args.get(name) for name in ("having", "qualify")]
        has_all_rows = (
            self._has_all_rows
            and self._has_exact_groups
            and not is_distinct
            and not any(part is not None and self._is_noisy(part) for part in later)
        )
        _check_names([one.name for one in columns], added)
        expressions = [*copy_value(self._items), *added]  # type: ignore[misc]
        found = replace_args(self._select, with_=None, expressions=expressions, **self._clauses)
        relation = _limit_rows(self._select, BoundedRelation(tuple(columns), has_all_rows))
        return attach_with(found, self._ctes), relation

    def _extend_sources(self) -> dict[str, object]:
        from_, clauses = self._select.args.get("from_"), dict[str, object]()
        if from_ is None:
            return clauses
        clauses["from_"] = replace_args(from_, this=self._extend_source(from_.this))
        joins = self._select.args.get("joins") or []
        clauses["joins"] = [
            replace_args(join, this=self._extend_source(join.this)) for join in joins
        ]
        for join in joins:
            if any(join.args.get(part) for part in ("using", "method")):
                self._can_expand_star = False
            # Equal noisy values choose rows, too.
            names = [one.name for one in join.args.get("using") or []]
            found = [known.find(name) for name in names for _, known in self._sources]
            if join.args.get("method") or any(one and not one.is_exact for one in found):
                raise NoIntervalsError
            if join.args.get("kind") in ("SEMI", "ANTI"):
                raise NoIntervalsError
        return clauses

    def _extend_source(self, node: exp.Expr) -> exp.Expr:
        alias = node.args.get("alias")
        if alias is not None and alias.args.get("columns"):
            raise NoIntervalsError
        if isinstance(node, exp.Subquery):
            inner, relation = _extend_query(node.this, self._scope)
            self._sources.append((node.alias, relation))
            return replace_args(node, this=inner)
        known = self._scope.get(node.name.casefold()) if isinstance(node, exp.Table) else None
        if known is None:
            raise NoIntervalsError
        self._sources.append((node.alias_or_name, known))
        return node

    def _expand_item(self, item: exp.Expr) -> list[exp.Expr]:
        """Return the columns of a star, or the item itself."""
        is_star = isinstance(item, exp.Column) and isinstance(item.this, exp.Star)
        if not is_star and not isinstance(item, exp.Star):
            return [item]
        star = item.this if is_star else item
        if not self._can_expand_star or any(star.args.values()):
            raise NoIntervalsError
        wanted = item.args["table"].name.casefold() if is_star else None
        return [
            _build_qualified(alias, column.name)
            for alias, relation in self._sources
            if wanted in (None, alias.casefold())
            for column in relation.columns
        ]

    def _expand_stars(self, node: exp.Expr) -> exp.Expr:
        """Return an expression whose subqueries name their columns: a star has ends now, too."""
        if isinstance(node, exp.Select):
            draft = _SelectExtension(node, self._scope)
            return draft.extend([False] * len(draft._items))[0]
        if node.find(exp.Select) is None:
            return node
        return map_children(node, self._expand_stars)

    def _list_groups(self) -> list[exp.Expr]:
        """List the keys of GROUP BY, with positions and aliases resolved."""
        group = self._select.args.get("group")
        if group is None:
            return []
        if group.args.get("all"):
            return [item.unalias() for item in self._items if not self._has_aggregate(item)]
        outputs = {item.alias.casefold(): item.this for item in self._items if item.alias}
        found: list[exp.Expr] = []
        for key in group.expressions:
            if isinstance(key, exp.Literal) and key.is_int:
                found.append(self._items[int(key.this) - 1].unalias())
            elif isinstance(key, exp.Column) and self._resolve(key) is None:
                found.append(outputs.get(key.name.casefold(), key))
            else:
                found.append(key)
        return found

    @staticmethod
    def _has_aggregate(item: exp.Expr) -> bool:
        """Return whether an item has an aggregate that is not a window function."""
        return any(
            isinstance(found, exp.AggFunc) and not isinstance(found.parent, exp.Window)
            for found in item.walk(prune=lambda part: isinstance(part, exp.Query))
        )

    def _resolve(self, column: exp.Column) -> tuple[str, BoundedColumn] | None:
        """Return a column and the alias of its source; None if it is unknown or ambiguous."""
        found = [
            (alias, known)
            for alias, relation in self._sources
            if column.table.casefold() in ("", alias.casefold())
            for known in [relation.find(column.name)]
            if known is not None
        ]
        if len(found) > 1 and all(known.is_exact for _, known in found):
            return found[0]
        return found[0] if len(found) == 1 else None

    def _is_noisy(self, node: exp.Expr) -> bool:
        """Return whether an expression depends on noise, or may do so."""
        if isinstance(node, exp.Column):
            found = self._resolve(node)
            return found is None or not found[1].is_exact
        if isinstance(node, exp.Query):
            return True
        if isinstance(node, exp.AggFunc | exp.Window) and not self._has_known_rows:
            return True
        return any(map(self._is_noisy, _list_children(node)))

    @property
    def _has_known_rows(self) -> bool:
        return self._has_all_rows and self._has_exact_groups

    def _find_ends(self, node: exp.Expr) -> Ends | None:
        """Return the ends of an expression; None if they are unknown."""
        if not self._is_noisy(node):
            return node, node
        if isinstance(node, exp.Column):
            found = self._resolve(node)
            if found is None or not found[1].has_ends or (self._is_grouped and not self._is_inside):
                return None
            alias, column = found
            return (
                _build_qualified(alias, f"{column.name} low"),
                _build_qualified(alias, f"{column.name} high"),
            )
        if isinstance(node, exp.Subquery):
            return self._find_scalar_ends(node)
        if isinstance(node, exp.Filter):
            function = None if self._is_noisy(node.expression) else self._find_ends(node.this)
            return function and build_call(node, function)
        if isinstance(node, exp.Window):
            return self._find_window_ends(node)
        if isinstance(node, _ADDITIVE):
            return self._find_aggregate_ends(node)
        if isinstance(node, exp.AggFunc | exp.Query):
            return None
        return bound_operation(node, self._find_ends, self._is_noisy)

    def _find_aggregate_ends(self, node: exp.Expr) -> Ends | None:
        if self._is_inside or not self._has_known_rows or isinstance(node.this, exp.Distinct):
            return None
        self._is_inside = True
        try:
            ends = self._find_ends(node.this)
        finally:
            self._is_inside = False
        return ends and build_call(node, ends)

    def _find_window_ends(self, node: exp.Window) -> Ends | None:
        others = [part for part in _list_children(node) if part is not node.this]
        others += [part for part in _list_children(node.this) if part is not node.this.this]
        having = self._select.args.get("having")
        if (
            not isinstance(node.this, _WINDOWED)
            or isinstance(node.this.this, exp.Distinct)
            or not self._has_known_rows
            or any(map(self._is_noisy, others))
            or (having is not None and self._is_noisy(having))
        ):
            return None
        inner = self._find_ends(node.this.this)
        return inner and build_call(node, build_call(node.this, inner))

    def _find_scalar_ends(self, node: exp.Subquery) -> Ends | None:
        if type(node.this) is not exp.Select or len(node.this.expressions) != 1:
            return None
        select, (item,) = node.this, node.this.expressions
        if not isinstance(item, exp.Star):
            named = exp.alias_(item.unalias().copy(), _SCALAR, quoted=True)
            select = replace_args(select, expressions=[named])
        try:
            inner, relation = _extend_query(select, self._scope)
        except NoIntervalsError:
            return None
        column = relation.columns[0]
        if len(relation.columns) > 1 or not column.has_ends or not relation.has_all_rows:
            return None
        low, high = (
            exp.Subquery(
                this=exp.Select(
                    expressions=[_build_qualified(_SCALAR, f"{column.name} {word}")],
                    from_=exp.From(
                        this=exp.Subquery(
                            this=inner.copy(),
                            alias=exp.TableAlias(this=exp.to_identifier(_SCALAR, quoted=True)),
                        )
                    ),
                )
            )
            for word in ("low", "high")
        )
        return low, high


def _check_names(names: Sequence[str | None], added: Sequence[exp.Expr]) -> None:
    """Refuse an output that is called like an end of another one."""
    if not {one.alias.casefold() for one in added}.isdisjoint(
        name.casefold() for name in names if name is not None
    ):
        raise NoIntervalsError


def _list_children(node: exp.Expr) -> list[exp.Expr]:
    return [
        part
        for value in node.args.values()
        for part in (value if isinstance(value, list) else [value])
        if isinstance(part, exp.Expr)
    ]


def _build_qualified(alias: str, name: str | None) -> exp.Column:
    if name is None:
        raise NoIntervalsError
    table = exp.to_identifier(alias, quoted=True) if alias else None
    return exp.Column(this=exp.to_identifier(name, quoted=True), table=table)
