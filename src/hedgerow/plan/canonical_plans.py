"""Canonical plans: the same question in different words becomes one plan with one key.

    Aggregate(Group(Bound(Project(Filter(core)))))

The core is a Table, or a Join, a UnitAggregation or a Union of relations in this form.

Filters are merged into one below one Project, and unused columns are removed. The keys are called
k0, k1 … in their order and the values v0, v1 … in the order of their text; the attributes of a
contingency table keep their order. Measures, domain lists and commutative inputs are sorted. A plan
and its canonical form have the same result, cell for cell, up to the order of the measures;
``map_measures`` returns which measure has become which. One thing may differ: where two populations
are joined and several columns beside the id identify a reference, these are sorted too, and with
them which references of a unit come first. And where rows of different units are joined, which
rows come first depends on the columns that are used. The canonical form is always what runs.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Final

from hedgerow.plan.canonical_expressions import encode_expression, simplify
from hedgerow.plan.canonical_names import rename_columns, swap_sides
from hedgerow.plan.canonical_text import encode_measure, encode_relation, encode_statistic
from hedgerow.plan.contingency import Contingency
from hedgerow.plan.contribution_limits import can_exceed_group_bound, can_exceed_row_bound
from hedgerow.plan.measures import Measure
from hedgerow.plan.nodes import Aggregate, AnyMeasure, Bound, Group
from hedgerow.plan.order_statistics import OrderStatistic
from hedgerow.plan.relations import (
    Filter,
    Join,
    Project,
    RelationNode,
    Table,
    Union,
    UnitAggregation,
    UnitStatistic,
    list_inputs,
    list_schemas,
)
from hedgerow.plan.scalar.expressions import (
    Call,
    ColumnRef,
    Constant,
    Expression,
    find_columns,
    substitute_columns,
)

__all__ = ["canonicalise", "compute_plan_key", "map_measures"]

_ALWAYS: Final = Constant(True, "boolean")
_NEVER: Final = Constant(False, "boolean")


@dataclass(frozen=True, slots=True)
class _Decomposed:
    """A relation in parts: its core, the condition on its rows, and each column in terms of the
    core.
    """

    core: RelationNode
    condition: Expression
    columns: Mapping[str, Expression]

    def compose(self, outputs: tuple[tuple[str, Expression], ...]) -> RelationNode:
        """Build the relation again, with these outputs."""
        kept = self.core if self.condition == _ALWAYS else Filter(self.core, self.condition)
        return Project(kept, outputs)


def _decompose(rows: RelationNode, used: frozenset[str]) -> _Decomposed:
    """Decompose a relation; only the columns that are used matter."""
    match rows:
        case Table():
            return _Decomposed(rows, _ALWAYS, {name: ColumnRef(name) for name in used})
        case Filter():
            below = _decompose(rows.source, used | set(find_columns(rows.condition)))
            added = substitute_columns(rows.condition, below.columns)
            condition = simplify(Call("and", (below.condition, added)), below.core.columns)
            # A condition that is NULL does not hold either.
            if isinstance(condition, Constant) and condition.value is None:
                condition = _NEVER
            return replace(below, condition=condition)
        case Project():
            outputs = {name: value for name, value in rows.outputs if name in used}
            read = frozenset(name for value in outputs.values() for name in find_columns(value))
            below = _decompose(rows.source, read)
            known = below.core.columns
            columns = {
                name: simplify(substitute_columns(value, below.columns), known)
                for name, value in outputs.items()
            }
            return replace(below, columns=columns)
        case Join() if _is_inner(rows):
            return _reorder_inner_joins(rows, used)
        case Join(truncations=tuple()):
            sides = (_canonicalise_join(join, used) for join in (rows, swap_sides(rows)))
            return min(sides, key=lambda below: json.dumps(encode_relation(below.core)))
        case Join():
            return _canonicalise_join(rows, used)
        case UnitAggregation():
            return _canonicalise_unit_aggregation(rows, used)
        case _:  # a Union
            return _canonicalise_union(rows, used)


def _is_inner(join: Join) -> bool:
    return join.max_matches is None and not join.keeps_unmatched and join.truncations is None


def _canonicalise_side(
    rows: RelationNode, used: frozenset[str], letter: str
) -> tuple[RelationNode, dict[str, str]]:
    """Return an input of a core with the columns that are used, and their new names."""
    below = _decompose(rows, used)
    columns = {name: below.columns[name] for name in used}
    names = _assign_names(columns, letter)
    return below.compose(_build_outputs(names, columns)), names | {"": ""}  # the unit id


def _build_outputs(
    names: Mapping[str, str], columns: Mapping[str, Expression]
) -> tuple[tuple[str, Expression], ...]:
    outputs = {(new, columns[name]) for name, new in names.items()}
    return tuple(sorted(outputs, key=lambda output: int(output[0][1:])))


PartColumn = tuple[int, str]  # the index of a joined relation, and one of its columns


def _flatten_inner_joins(
    rows: RelationNode, parts: list[RelationNode], ties: list[tuple[PartColumn, PartColumn]]
) -> dict[str, PartColumn]:
    """Return where each column of nested inner joins comes from; collect the joined ``parts`` and
    the ``ties``, the pairs of columns that must be equal.
    """
    if isinstance(rows, Project) and all(isinstance(value, ColumnRef) for _, value in rows.outputs):
        inner = _flatten_inner_joins(rows.source, parts, ties)
        return {
            name: inner[column] for name, value in rows.outputs for column in find_columns(value)
        }
    if isinstance(rows, Join) and _is_inner(rows):
        here = _flatten_inner_joins(rows.source, parts, ties)
        there = _flatten_inner_joins(rows.other, parts, ties)
        ties.extend((there[theirs], here[own]) for own, theirs in rows.on)
        return here | {name: there[column] for name, column in rows.added_columns}
    parts.append(rows)
    return {name: (len(parts) - 1, name) for name in rows.columns}


def _reorder_inner_joins(join: Join, used: frozenset[str]) -> _Decomposed:
    """Put nested inner joins in one order: the result is the bag of all combinations that match, of
    one unit each.

    Protected relations come first, parents before their children, then by their text; public ones
    follow once something ties them. Names are as in ``_canonicalise_join``. Of two equal columns
    with the same range the first is read, but not of reals: 0.0 equals -0.0.
    """
    parts, ties = list[RelationNode](), list[tuple[PartColumn, PartColumn]]()
    places = _flatten_inner_joins(join, parts, ties)
    ties += [(there, here) for here, there in ties]
    shown = {places[name] for name in used}
    columns = [
        frozenset(name for at, name in shown.union(*ties) if at == i) for i in range(len(parts))
    ]
    sides = [_canonicalise_side(rows, own, "d") for rows, own in zip(parts, columns, strict=True)]
    texts = [json.dumps(encode_relation(rows)) for rows, _ in sides]

    def rank(i: int) -> tuple[bool, int, str, list[tuple[str, str, str]]]:
        tied = [
            (sides[i][1][name], texts[j], sides[j][1][theirs])
            for (k, name), (j, theirs) in ties
            if k == i
        ]
        return parts[i].unit is None, _count_links(parts[i]), texts[i], sorted(tied)

    def is_reachable(i: int) -> bool:
        return parts[i].unit is not None or any(a[0] == i and b in now for a, b in ties)

    first, *left = sorted(range(len(parts)), key=rank)
    rows, names = _canonicalise_side(parts[first], columns[first], "c")
    now = {(first, name): new for name, new in names.items()}
    added = 0
    while left:
        at = next(filter(is_reachable, left))
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
    """Return the number of links from the first table to the ids."""
    schema, count = list_schemas(rows)[0], 0
    while schema.link is not None:
        schema, count = schema.link.parent, count + 1
    return count


def _canonicalise_join(join: Join, used: frozenset[str]) -> _Decomposed:
    """Rename own columns to c0 …, those of the other side to d0 …, and added ones to p0 ….

    With a limit of matches all added columns stay, in their order, since they decide which matches
    come first; without, each stays once.
    """
    added = [
        (name, there)
        for name, there in join.added_columns
        if name in used or join.max_matches is not None
    ]
    second = join.second_population
    reference = () if second is None else (second.id_column, *second.other_columns)
    own = used - {name for name, _ in join.added_columns} | {own for own, _ in join.on}
    source, names = _canonicalise_side(join.source, (own | set(reference)) - {""}, "c")
    read = frozenset(there for _, there in (*join.on, *added)) - {""}
    other, theirs = _canonicalise_side(join.other, read, "d")
    order = [theirs[there] for _, there in added]
    if join.max_matches is None:
        order = sorted(set(order))
    adds = tuple((f"p{i}", there) for i, there in enumerate(order))
    on = tuple(sorted({(names[own], theirs[there]) for own, there in join.on}))
    # A column that is added twice is the same both times, so either will do.
    fresh = names | {name: f"p{order.index(theirs[there])}" for name, there in added}
    renamed = [names[name] for name in reference]
    if second is not None:
        rest = tuple(sorted({*renamed[1:]} - {renamed[0]}))
        second = replace(second, id_column=renamed[0], other_columns=rest)
    kept = join.keeps_unmatched
    core = Join(source, other, on, adds, join.max_matches, kept, second, join.truncations)
    return _Decomposed(core, _ALWAYS, {name: ColumnRef(fresh[name]) for name in used})


def _canonicalise_unit_aggregation(node: UnitAggregation, used: frozenset[str]) -> _Decomposed:
    """Rename columns to c0 … and outputs to f0 …; all keys stay, since they determine the number of
    rows.
    """
    outputs = {name: statistic for name, statistic in node.outputs if name in used}
    columns = frozenset(one.column for one in outputs.values() if one.column is not None)
    source, names = _canonicalise_side(node.source, columns | set(node.keys), "c")
    renamed = {name: _rename_statistic(one, names) for name, one in outputs.items()}
    order = sorted(set(renamed.values()), key=lambda one: json.dumps(encode_statistic(one)))
    keys = tuple(sorted({names[key] for key in node.keys}))
    fresh = {key: names[key] for key in node.keys} | {
        name: f"f{order.index(statistic)}" for name, statistic in renamed.items()
    }
    core = UnitAggregation(source, keys, tuple((f"f{i}", one) for i, one in enumerate(order)))
    return _Decomposed(core, _ALWAYS, {name: ColumnRef(fresh[name]) for name in used})


def _rename_statistic(one: UnitStatistic, names: Mapping[str, str]) -> UnitStatistic:
    return one if one.column is None else replace(one, column=names[one.column])


def _canonicalise_union(union: Union, used: frozenset[str]) -> _Decomposed:
    """Rename columns to u0 …, in the order of their texts in all sources, and sort the sources: a
    union is a bag of rows.
    """
    sides = [_decompose(source, used) for source in union.sources]

    def rank(name: str) -> tuple[list[str], int, str]:
        return sorted(encode_expression(side.columns[name]) for side in sides), len(name), name

    names = {name: f"u{i}" for i, name in enumerate(sorted(used, key=rank))}
    sources = [
        side.compose(tuple((new, side.columns[name]) for name, new in names.items()))
        for side in sides
    ]
    sources.sort(key=lambda source: json.dumps(encode_relation(source)))
    columns = {name: ColumnRef(names[name]) for name in used}
    return _Decomposed(Union(tuple(sources)), _ALWAYS, columns)


def _assign_names(columns: Mapping[str, Expression], letter: str) -> dict[str, str]:
    """Return a new name for each column: the same for equal expressions, numbered in the order of
    their texts.
    """
    order = sorted({encode_expression(expression) for expression in columns.values()})
    return {
        name: f"{letter}{order.index(encode_expression(expression))}"
        for name, expression in columns.items()
    }


def _canonicalise_once(plan: Aggregate) -> tuple[Aggregate, tuple[AnyMeasure, ...]]:
    """Rewrite a plan once, and return it with its measures in the old order."""
    columns = frozenset(name for measure in plan.measures for name in measure.columns)
    below = _decompose(plan.bound.source, columns | set(plan.bound.keys))
    names = _assign_names({name: below.columns[name] for name in columns}, "v")
    if isinstance(table := plan.measures[0], Contingency):  # two attributes may be the same
        names = {name: f"v{i}" for i, name in enumerate(table.columns)}
    moved = tuple(rename_columns(measure, names) for measure in plan.measures)
    keys = [(f"k{i}", below.columns[name]) for i, name in enumerate(plan.bound.keys)]
    domain, cells = plan.source.domain, plan.source.cells
    bound = Bound(
        below.compose((*keys, *_build_outputs(names, below.columns))),
        tuple(name for name, _ in keys),
        plan.bound.max_groups if cells is None else min(plan.bound.max_groups, cells),
        plan.bound.max_rows,
    )
    # The values of one key are of one type, and so can be sorted.
    lists = domain and tuple(tuple(sorted(values)) for values in domain)  # type: ignore[type-var]
    measures = sorted(set(moved), key=lambda measure: json.dumps(encode_measure(measure)))
    return Aggregate(Group(bound, lists), tuple(measures)), moved


def _canonicalise_fully(plan: Aggregate) -> tuple[Aggregate, tuple[AnyMeasure, ...]]:
    """Rewrite a plan until nothing changes: a simpler expression may no longer use a column further
    down.
    """
    before, mapped = plan, plan.measures
    while True:
        after, moved = _canonicalise_once(before)
        became = dict(zip(before.measures, moved, strict=True))
        mapped = tuple(became[measure] for measure in mapped)
        if after == before:
            return after, mapped
        before = after


def map_measures(plan: Aggregate) -> tuple[Measure | OrderStatistic, ...]:
    """Return for each measure of the plan the one of ``canonicalise(plan)`` that it has become.

    A contingency table is the only measure of its plan, and needs no mapping.
    """
    return tuple(
        measure for measure in _canonicalise_fully(plan)[1] if not isinstance(measure, Contingency)
    )


def canonicalise(plan: Aggregate) -> Aggregate:
    """Return the canonical form of a plan."""
    return _canonicalise_fully(plan)[0]


def compute_plan_key(plan: Aggregate) -> str:
    """Return the SHA-256 of the meaning of a plan: tables and versions, columns as read,
    conditions, keys, domain, bounds, measures.
    """
    plan = canonicalise(plan)
    domain = plan.source.domain
    # Answers of earlier versions may be far off, and are not reused, where rows can exceed a bound
    # (scaled sums were cut to whole steps, and rare values, groups and references were dropped too
    # often) or where a condition reads a column with listed values (unlisted ones passed it).
    bounded = any(
        not isinstance(measure, Measure) or measure.is_scaled or measure.kind == "distinct"
        for measure in plan.measures
    )
    differs = (
        (bounded and can_exceed_row_bound(plan))
        or can_exceed_group_bound(plan)
        or plan.population_join is not None
        or _has_listed_condition(plan.bound.source)
    )
    text = [
        "plan 3" if differs else "plan 2",
        encode_relation(plan.bound.source),
        plan.bound.keys,
        None if domain is None else [list(map(str, values)) for values in domain],
        [plan.bound.max_groups, plan.bound.max_rows],
        [encode_measure(measure) for measure in plan.measures],
    ]
    return hashlib.sha256(json.dumps(text).encode("ascii")).hexdigest()


def _has_listed_condition(rows: RelationNode) -> bool:
    """Return whether a condition in these rows reads a column whose values are listed."""
    listed = isinstance(rows, Filter) and any(
        rows.columns[name].values is not None for name in find_columns(rows.condition)
    )
    return listed or any(map(_has_listed_condition, list_inputs(rows)))
