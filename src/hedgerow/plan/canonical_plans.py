"""Plans in one form, so that the same question asked twice in different words is one question.

    Aggregate(Group(Bound(Project(Filter(core)))))       core: a Table, or a Join, a Fold or a Union
    of rows in this form

Filters are merged into one below one Project; what nobody uses is gone; the keys are called k0, k1
… in their order and the values v0, v1 … in the order of their spelling, those of combinations in
their own; the measures and the lists of a domain are sorted, and so are rows that stand beside each
other. What a plan and its normal form give is the same, cell for cell, but for the order of the
measures: ``map_measures`` tells which measure has become which. One thing may differ: where two
populations meet and several columns beside ``by`` tell bonds apart, these are sorted too, and with
them which bonds of a unit come first. What runs is always the normal form.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Final

from hedgerow.plan.canonical_expressions import encode_expression, simplify
from hedgerow.plan.contingency import Contingency
from hedgerow.plan.contribution_limits import can_exceed_group_bound, can_exceed_row_bound
from hedgerow.plan.measures import ClampedGrid, Measure
from hedgerow.plan.nodes import (
    Aggregate,
    AnyMeasure,
    Bound,
    Filter,
    Group,
    Join,
    Project,
    RelationNode,
    Table,
    Union,
    UnitAggregation,
    UnitStatistic,
    list_schemas,
)
from hedgerow.plan.order_statistics import OrderStatistic
from hedgerow.plan.scalar.expressions import (
    Call,
    ColumnRef,
    Constant,
    Expression,
    find_columns,
    substitute_columns,
)
from hedgerow.plan.schema import Column, Schema

__all__ = ["canonicalise", "compute_plan_key", "map_measures"]

_ALWAYS: Final = Constant(True, "boolean")
_NEVER: Final = Constant(False, "boolean")


@dataclass(frozen=True, slots=True)
class _Decomposed:
    """Rows taken apart: where they come from, which of them are wanted, and what each column is
    in terms of the core.
    """

    core: RelationNode
    condition: Expression
    columns: Mapping[str, Expression]

    def compose(self, outputs: tuple[tuple[str, Expression], ...]) -> RelationNode:
        """Put together again, with these columns."""
        source: RelationNode = (
            self.core if self.condition == _ALWAYS else Filter(self.core, self.condition)
        )
        return Project(source, outputs)


def _decompose(rows: RelationNode, used: frozenset[str]) -> _Decomposed:
    """Only the columns that are used are looked at."""
    match rows:
        case Table():
            return _Decomposed(rows, _ALWAYS, {name: ColumnRef(name) for name in used})
        case Filter():
            work = _decompose(rows.source, used | set(find_columns(rows.condition)))
            both = Call("and", (work.condition, substitute_columns(rows.condition, work.columns)))
            condition = simplify(both, work.core.columns)
            # What is NULL does not hold either.
            return replace(
                work,
                condition=(
                    _NEVER
                    if isinstance(condition, Constant) and condition.value is None
                    else condition
                ),
            )
        case Project():
            outputs = {name: expression for name, expression in rows.outputs if name in used}
            work = _decompose(
                rows.source,
                frozenset(
                    name for expression in outputs.values() for name in find_columns(expression)
                ),
            )
            known = work.core.columns
            return replace(
                work,
                columns={
                    name: simplify(substitute_columns(e, work.columns), known)
                    for name, e in outputs.items()
                },
            )
        case Join():
            return (
                _reorder_inner_joins(rows, used)
                if rows.max_matches is None and not rows.keeps_unmatched
                else _canonicalise_join(rows, used)
            )
        case UnitAggregation():
            return _canonicalise_unit_aggregation(rows, used)
        case _:  # a Union
            return _canonicalise_union(rows, used)


def _canonicalise_side(
    rows: RelationNode, used: frozenset[str], letter: str
) -> tuple[RelationNode, dict[str, str]]:
    """Rows below a core with the columns that are used, and what those are called now."""
    work = _decompose(rows, used)
    columns = {name: work.columns[name] for name in used}
    names = _assign_names(columns, letter)
    return work.compose(_build_outputs(names, columns)), names


def _build_outputs(
    names: Mapping[str, str], columns: Mapping[str, Expression]
) -> tuple[tuple[str, Expression], ...]:
    return tuple(
        sorted(
            {(new, columns[name]) for name, new in names.items()}, key=lambda pair: int(pair[0][1:])
        )
    )


PartColumn = tuple[int, str]  # one of the rows that stand beside each other, and a column of it


def _flatten_inner_joins(
    rows: RelationNode, parts: list[RelationNode], ties: list[tuple[PartColumn, PartColumn]]
) -> dict[str, PartColumn]:
    """Where each column of rows is found that inner joins put beside each other: in which of the
    ``parts``; ``ties`` are what agrees.
    """
    if isinstance(rows, Project) and all(isinstance(value, ColumnRef) for _, value in rows.outputs):
        inner = _flatten_inner_joins(rows.source, parts, ties)
        return {
            name: inner[column] for name, value in rows.outputs for column in find_columns(value)
        }
    if isinstance(rows, Join) and rows.max_matches is None and not rows.keeps_unmatched:
        here, there = (
            _flatten_inner_joins(rows.source, parts, ties),
            _flatten_inner_joins(rows.other, parts, ties),
        )
        ties.extend((there[theirs], here[own]) for own, theirs in rows.on)
        return here | {name: there[column] for name, column in rows.added_columns}
    parts.append(rows)
    return {name: (len(parts) - 1, name) for name in rows.columns}


def _reorder_inner_joins(join: Join, used: frozenset[str]) -> _Decomposed:
    """Inner joins in one order, whichever they were written in: what they give is the bag of all
    combinations that agree, of one unit each. Protected rows come first, parents before what hangs
    on them, then by their spelling; public ones when something ties them. Names are as in
    ``_canonicalise_join``. Of two columns that agree and of which the same is known the first is
    read; but 0.0 agrees with -0.0.
    """
    parts, ties = list[RelationNode](), list[tuple[PartColumn, PartColumn]]()
    places = _flatten_inner_joins(join, parts, ties)
    ties += [(there, here) for here, there in ties]
    shown = {places[name] for name in used}
    columns = [
        frozenset(name for at, name in shown.union(*ties) if at == i) for i in range(len(parts))
    ]
    sides = [_canonicalise_side(rows, own, "d") for rows, own in zip(parts, columns, strict=True)]
    texts = [_encode_as_text(rows) for rows, _ in sides]
    tied = [
        sorted(
            (sides[i][1][name], texts[j], sides[j][1][its])
            for (k, name), (j, its) in ties
            if k == i
        )
        for i in range(len(parts))
    ]
    left = sorted(
        range(len(parts)),
        key=lambda i: (parts[i].unit is None, _count_links(parts[i]), texts[i], tied[i]),
    )
    rows, names = _canonicalise_side(parts[left[0]], columns[left[0]], "c")
    now = {(left[0], name): new for name, new in names.items()}
    del left[0]
    added = 0
    while left:
        at = next(
            i
            for i in left
            if parts[i].unit is not None
            or any(here[0] == i and there in now for here, there in ties)
        )
        left.remove(at)
        other, names = sides[at]
        on = sorted(
            {(now[there], names[here[1]]) for here, there in ties if here[0] == at and there in now}
        )
        known, theirs = rows.columns, other.columns
        fresh = {
            there: own
            for own, there in reversed(on)
            if known[own] == theirs[there] and known[own].type != "real"
        }
        more = {here for here, there in ties if there[0] in left} | shown
        adds = sorted({names[name] for i, name in more if i == at} - set(fresh))
        fresh |= {there: f"p{i}" for i, there in enumerate(adds, added)}
        added += len(adds)
        rows = Join(rows, other, tuple(on), tuple((fresh[there], there) for there in adds))
        now |= {(at, name): fresh[new] for name, new in names.items() if new in fresh}
    return _Decomposed(rows, _ALWAYS, {name: ColumnRef(now[places[name]]) for name in used})


def _count_links(rows: RelationNode) -> int:
    """How many links lead from the first of the tables to the ids."""
    schema, count = list_schemas(rows)[0], 0
    while schema.link is not None:
        schema, count = schema.link.parent, count + 1
    return count


def _canonicalise_join(join: Join, used: frozenset[str]) -> _Decomposed:
    """Own columns become c0 …, those there d0 …, and what is added p0 … With a limit of partners
    all of the latter stay, in their order, since they say which partners come first; without, each
    stays once."""
    added = [
        (name, there)
        for name, there in join.added_columns
        if name in used or join.max_matches is not None
    ]
    met = (
        ()
        if join.second_population is None
        else (join.second_population.id_column, *join.second_population.other_columns)
    )
    source, names = _canonicalise_side(
        join.source,
        (used - {name for name, _ in join.added_columns}) | {own for own, _ in join.on} | set(met),
        "c",
    )
    other, theirs = _canonicalise_side(
        join.other, frozenset(there for _, there in (*join.on, *added)), "d"
    )
    order = [theirs[there] for _, there in added]
    if join.max_matches is None:
        order = sorted(set(order))
    adds = tuple((f"p{i}", there) for i, there in enumerate(order))
    on = tuple(sorted({(names[own], theirs[there]) for own, there in join.on}))
    # A column that is added twice is the same both times, so either will do.
    fresh = names | {name: f"p{order.index(theirs[there])}" for name, there in added}
    bond = [names[name] for name in met]
    others = join.second_population and replace(
        join.second_population,
        id_column=bond[0],
        other_columns=tuple(sorted({*bond[1:]} - {bond[0]})),
    )
    return _Decomposed(
        Join(source, other, on, adds, join.max_matches, join.keeps_unmatched, others),
        _ALWAYS,
        {name: ColumnRef(fresh[name]) for name in used},
    )


def _canonicalise_unit_aggregation(fold: UnitAggregation, used: frozenset[str]) -> _Decomposed:
    """Columns become c0 …, outputs f0 …; all keys stay, since they say how many rows there are."""
    outputs = {name: folded for name, folded in fold.outputs if name in used}
    columns = frozenset(folded.column for folded in outputs.values() if folded.column is not None)
    source, names = _canonicalise_side(fold.source, columns | set(fold.keys), "c")
    moved = {name: _rename_statistic(folded, names) for name, folded in outputs.items()}
    order = sorted(set(moved.values()), key=lambda folded: json.dumps(_encode_statistic(folded)))
    keys = tuple(sorted({names[key] for key in fold.keys}))
    fresh = {key: names[key] for key in fold.keys} | {
        name: f"f{order.index(folded)}" for name, folded in moved.items()
    }
    core = UnitAggregation(source, keys, tuple((f"f{i}", folded) for i, folded in enumerate(order)))
    return _Decomposed(core, _ALWAYS, {name: ColumnRef(fresh[name]) for name in used})


def _rename_statistic(folded: UnitStatistic, names: Mapping[str, str]) -> UnitStatistic:
    return folded if folded.column is None else replace(folded, column=names[folded.column])


def _canonicalise_union(union: Union, used: frozenset[str]) -> _Decomposed:
    """Columns become u0 …, ordered by what they are in all the sources, and the sources are
    ordered too: it is a bag of rows.
    """
    works = [_decompose(source, used) for source in union.sources]
    order = sorted(
        used,
        key=lambda name: (
            sorted(encode_expression(work.columns[name]) for work in works),
            len(name),
            name,
        ),
    )
    names = {name: f"u{i}" for i, name in enumerate(order)}
    sources = [
        work.compose(tuple((names[name], work.columns[name]) for name in order)) for work in works
    ]
    return _Decomposed(
        Union(tuple(sorted(sources, key=_encode_as_text))),
        _ALWAYS,
        {name: ColumnRef(names[name]) for name in used},
    )


def _assign_names(columns: Mapping[str, Expression], letter: str) -> dict[str, str]:
    """A new name for each column: the same for the same expression, counted in the order of
    spelling.
    """
    order = sorted({encode_expression(expression) for expression in columns.values()})
    return {
        name: f"{letter}{order.index(encode_expression(expression))}"
        for name, expression in columns.items()
    }


def _rename_measure(measure: AnyMeasure, names: Mapping[str, str]) -> AnyMeasure:
    """The same, of columns that have other names now."""
    if isinstance(measure, Contingency):
        return replace(
            measure, attributes=tuple((names[name], size) for name, size in measure.attributes)
        )
    if measure.column is None:
        return measure
    if isinstance(measure, OrderStatistic) or measure.second is None:
        return replace(measure, column=names[measure.column])
    return replace(
        measure, column=names[measure.column], second=(names[measure.second[0]], measure.second[1])
    )


def _canonicalise_once(plan: Aggregate) -> tuple[Aggregate, tuple[AnyMeasure, ...]]:
    """The plan rewritten, and what its measures have become."""
    columns = frozenset(name for measure in plan.measures for name in measure.columns)
    work = _decompose(plan.bound.source, columns | set(plan.bound.keys))
    names = _assign_names({name: work.columns[name] for name in columns}, "v")
    if isinstance(cross := plan.measures[0], Contingency):  # two attributes may be the same
        names = {name: f"v{i}" for i, name in enumerate(cross.columns)}
    moved = tuple(_rename_measure(measure, names) for measure in plan.measures)

    keys = [(f"k{i}", work.columns[name]) for i, name in enumerate(plan.bound.keys)]
    domain, cells = plan.source.domain, plan.source.cells
    most = plan.bound.max_groups if cells is None else min(plan.bound.max_groups, cells)
    bound = Bound(
        work.compose((*keys, *_build_outputs(names, work.columns))),
        tuple(name for name, _ in keys),
        most,
        plan.bound.max_rows,
    )
    # The values of one key are of one type, and so can be sorted.
    lists = None if domain is None else tuple(tuple(sorted(values)) for values in domain)  # type: ignore[type-var]
    measures = sorted(set(moved), key=lambda measure: json.dumps(_encode_measure(measure)))
    return Aggregate(Group(bound, lists), tuple(measures)), moved


def _canonicalise_fully(plan: Aggregate) -> tuple[Aggregate, tuple[AnyMeasure, ...]]:
    """Again until nothing changes: an expression made simpler may no longer use a column further
    down.
    """
    before, found = plan, plan.measures
    while True:
        after, moved = _canonicalise_once(before)
        became = dict(zip(before.measures, moved, strict=True))
        found = tuple(became[measure] for measure in found)
        if after == before:
            return after, found
        before = after


def map_measures(plan: Aggregate) -> tuple[Measure | OrderStatistic, ...]:
    """For each measure of the plan, the one of ``canonicalise(plan)`` that it has become;
    combinations are alone, and need no telling.
    """
    return tuple(
        measure for measure in _canonicalise_fully(plan)[1] if not isinstance(measure, Contingency)
    )


def canonicalise(plan: Aggregate) -> Aggregate:
    """The plan in its one form."""
    return _canonicalise_fully(plan)[0]


def compute_plan_key(plan: Aggregate) -> str:
    """SHA-256 of the meaning: tables and their versions, how the columns are read, conditions,
    keys, lists, caps, measures.
    """
    plan = canonicalise(plan)
    domain = (
        None
        if plan.source.domain is None
        else [[str(value) for value in values] for values in plan.source.domain]
    )
    caps = [plan.bound.max_groups, plan.bound.max_rows]
    # Before "plan 3", what was scaled down was cut to whole steps; rare values of a unit were
    # chosen as often as frequent ones, and so were rows of a table of combinations; some groups,
    # bonds and different values were left out more often than others; and a condition on a column
    # with listed values could let others through, which are read as NULL. Such answers may be far
    # off, and are not reused.
    bounded = any(
        not isinstance(one, Measure) or one.is_scaled or one.kind == "distinct"
        for one in plan.measures
    )
    capped = (
        (bounded and can_exceed_row_bound(plan))
        or can_exceed_group_bound(plan)
        or plan.population_join is not None
    )
    differs = capped or _has_listed_condition(plan.bound.source)
    measures = [_encode_measure(measure) for measure in plan.measures]
    spelled = [
        "plan 3" if differs else "plan 2",
        _encode_relation(plan.bound.source),
        plan.bound.keys,
        domain,
        caps,
        measures,
    ]
    return hashlib.sha256(json.dumps(spelled).encode("ascii")).hexdigest()


def _has_listed_condition(rows: RelationNode) -> bool:
    """Return whether a condition anywhere in these rows is about a column whose values are
    listed.
    """
    if isinstance(rows, Table):
        return False
    if isinstance(rows, Filter) and any(
        rows.columns[name].values is not None for name in find_columns(rows.condition)
    ):
        return True
    below = (
        rows.sources
        if isinstance(rows, Union)
        else (rows.source, rows.other)
        if isinstance(rows, Join)
        else (rows.source,)
    )
    return any(map(_has_listed_condition, below))


def _encode_measure(measure: AnyMeasure) -> list[object]:
    if isinstance(measure, Contingency):
        return [measure.kind, measure.attributes]
    if isinstance(measure, OrderStatistic):
        values = None if measure.values is None else [str(value) for value in measure.values]
        shares = [str(share) for share in measure.quantiles]
        return [
            measure.kind,
            measure.column,
            _encode_grid(measure.grid),
            values,
            shares,
            measure.method,
            measure.bound,
        ]
    second = (
        None if measure.second is None else [measure.second[0], _encode_grid(measure.second[1])]
    )
    return [
        measure.kind,
        measure.column,
        _encode_grid(measure.grid),
        measure.sum_bounds,
        measure.degree,
        second,
        *(["rest"] * measure.has_null_sum),
    ]


def _encode_statistic(folded: UnitStatistic) -> list[object]:
    return [folded.kind, folded.column, _encode_grid(folded.grid)]


def _encode_grid(snap: ClampedGrid | None) -> list[object] | None:
    return None if snap is None else [str(snap.step), snap.low, snap.high]


def _encode_as_text(rows: RelationNode) -> str:
    return json.dumps(_encode_relation(rows))


def _encode_relation(rows: RelationNode, used: frozenset[str] = frozenset()) -> list[object]:
    """Rows of a normal plan, spelled out; of a table, those columns that are used, since the
    others do not matter.
    """
    match rows:
        case Table():
            return _encode_table(rows.schema, used)
        case Filter():
            return [
                "filter",
                encode_expression(rows.condition),
                _encode_relation(rows.source, used | set(find_columns(rows.condition))),
            ]
        case Project():
            inner = frozenset(
                name for _, expression in rows.outputs for name in find_columns(expression)
            )
            return [
                "project",
                [[name, encode_expression(expression)] for name, expression in rows.outputs],
                _encode_relation(rows.source, inner),
            ]
        case Join():
            met = (
                []
                if rows.second_population is None
                else [
                    [
                        rows.second_population.id_column,
                        rows.second_population.other_columns,
                        rows.second_population.max_references,
                        rows.second_population.max_rows,
                    ]
                ]
            )
            return [
                "join",
                rows.on,
                rows.added_columns,
                rows.max_matches,
                rows.keeps_unmatched,
                *met,
                _encode_relation(rows.other),
                _encode_relation(rows.source),
            ]
        case UnitAggregation():
            return [
                "fold",
                rows.keys,
                [[name, _encode_statistic(folded)] for name, folded in rows.outputs],
                _encode_relation(rows.source),
            ]
        case _:  # a Union
            return ["union", *map(_encode_relation, rows.sources)]


def _encode_table(schema: Schema, used: frozenset[str]) -> list[object]:
    columns = sorted((c for c in schema.columns if c.name in used), key=lambda column: column.name)
    part = schema.partition
    parts = None if part is None else [_encode_named_column(schema, part.column), part.max_parts]
    return ["table", *_encode_owner(schema), [_encode_column(column) for column in columns], parts]


def _encode_owner(schema: Schema) -> list[object]:
    """Which table it is, and whose its rows are."""
    ids, link = schema.id_column, schema.link
    found = (
        None
        if link is None
        else [
            _encode_named_column(schema, link.column),
            _encode_named_column(link.parent, link.key),
            _encode_owner(link.parent),
        ]
    )
    return [schema.table, schema.version, schema.unit, None if ids is None else ids.type, found]


def _encode_named_column(schema: Schema, name: str) -> list[list[object]]:
    return [_encode_column(column) for column in schema.columns if column == schema.column(name)]


def _encode_column(c: Column) -> list[object]:
    ends = [None if end is None else str(end) for end in (c.low, c.high)]
    return [
        c.name,
        c.type,
        *ends,
        None if c.values is None else sorted(map(str, c.values)),
        c.granularity,
    ]
