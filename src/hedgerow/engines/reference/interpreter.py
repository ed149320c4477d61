"""The reference interpreter: the meaning of a plan, slow and obvious, one row at a time. Every
engine must return the same integers.

A plan runs in five steps: read rows and evaluate the relation, each unit by itself; drop rows
outside the domain; keep the first groups of each unit by (rank, group); bound what a unit
contributes to a group to ``max_rows`` rows; add up, or merge samples.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any

from hedgerow.engines.reference.accumulate import (
    GroupKey,
    Rank,
    Row,
    aggregate_unit_rows,
    compute_contribution,
    compute_sum_contribution,
    merge_contributions,
    round_to_grid,
)
from hedgerow.engines.reference.column_casts import read_value
from hedgerow.plan.composite_ids import encode_id, list_id_columns
from hedgerow.plan.measures import Measure, SecondPopulation, Truncation
from hedgerow.plan.nodes import (
    Aggregate,
    AnyMeasure,
    Filter,
    Join,
    Project,
    RelationNode,
    Table,
    UnitAggregation,
)
from hedgerow.plan.scalar.expressions import Expression, evaluate, insert_casts
from hedgerow.plan.scalar.functions import FUNCTIONS
from hedgerow.plan.schema import Column, Partition, Schema

__all__ = [
    "Rank",
    "RawTables",
    "compute_sum_contribution",
    "evaluate_relation",
    "interpret_plan",
    "read_value",
    "round_to_grid",
]

RawTables = Mapping[str, Sequence[Mapping[str, object]]]
OwnedRows = Iterator[tuple[Any, Row]]


def evaluate_relation(
    node: RelationNode, tables: RawTables, rank: Rank = lambda *_: 0
) -> OwnedRows:
    """Yield (unit id, row) for each row.

    A row that is a unit of its own has a number that no other row has; a row of two populations has
    the ids of both units.
    """
    for number, (unit, row) in enumerate(_evaluate(node, tables, rank)):
        yield (number if node.unit == "row" else unit), row


def _evaluate(node: RelationNode, tables: RawTables, rank: Rank) -> OwnedRows:
    match node:
        case Table():
            yield from _read_table(node.schema, tables)
        case Filter():
            condition = _cast_condition(node)
            yield from (
                (unit, row)
                for unit, row in _evaluate(node.source, tables, rank)
                if evaluate(condition, row)
            )
        case Project():
            outputs = _cast_outputs(node)
            for unit, row in _evaluate(node.source, tables, rank):
                yield unit, {name: evaluate(expression, row) for name, expression in outputs}
        case Join(truncations=tuple() as truncations):
            yield from _evaluate_truncated_join(node, truncations, tables, rank)
        case Join():
            yield from _evaluate_join(node, tables, rank)
        case UnitAggregation():
            yield from _evaluate_unit_aggregation(node, tables, rank)
        case _:  # a Union
            for source in node.sources:
                yield from _evaluate(source, tables, rank)


@lru_cache(maxsize=256)  # many tables are compared under one plan
def _cast_condition(node: Filter) -> Expression:
    return insert_casts(node.condition, node.columns)


@lru_cache(maxsize=256)
def _cast_outputs(node: Project) -> tuple[tuple[str, Expression], ...]:
    known = node.source.columns
    return tuple((name, insert_casts(expression, known)) for name, expression in node.outputs)


def _read_table(schema: Schema, tables: RawTables) -> OwnedRows:
    found = [
        (unit, {column.name: read_value(column, raw[column.name]) for column in schema.columns})
        for unit, raw in _assign_owners(schema, tables)
    ]
    return (
        iter(found)
        if schema.partition is None
        else _keep_first_parts(found, schema, schema.partition)
    )


def _assign_owners(schema: Schema, tables: RawTables) -> Iterator[tuple[Any, Mapping[str, object]]]:
    """Yield each row of a table once for each unit that owns it; rows without an owner
    are dropped.
    """
    if schema.link is not None:
        link = schema.link
        owners: dict[Any, dict[Any, None]] = {}
        for unit, raw in _assign_owners(link.parent, tables):
            owners.setdefault(_read_named(link.parent, link.key, raw), {})[unit] = None
        owners.pop(None, None)  # a missing key has no owner
        for raw in tables[schema.table]:
            yield from (
                (unit, raw) for unit in owners.get(_read_named(schema, link.column, raw), ())
            )
        return
    for raw in tables[schema.table]:
        unit = None if schema.unit in (None, "row") else _read_unit(schema, raw)
        if schema.unit in (None, "row") or unit is not None:
            yield unit, raw


def _read_named(schema: Schema, name: str, raw: Mapping[str, object]) -> Any:
    column = schema.column(name)
    assert column is not None
    return read_value(column, raw[column.name])


def _read_unit(schema: Schema, raw: Mapping[str, object]) -> Any:
    names = list_id_columns(str(schema.unit))
    if len(names) == 1:
        return _read_id(schema.id_column, raw[names[0]])
    columns = [schema.column(name) for name in names]
    parts = [
        _read_id(declared and Column(declared.name, declared.type), raw[name])
        for name, declared in zip(names, columns, strict=True)
    ]
    return None if None in parts else encode_id(parts)


def _read_id(declared: Column | None, unit: Any) -> Any:
    """Return the unit id, read as its declared type; None where it is missing, NaN or blank."""
    # Integers are compared as they are, also beyond 64 bits.
    if declared is not None and not (declared.type == "integer" and isinstance(unit, int)):
        unit = read_value(declared, unit)
    is_missing = unit is None or unit != unit or (isinstance(unit, str) and not unit.strip())
    return None if is_missing else unit


def _keep_first_parts(
    found: Iterable[tuple[Any, Row]], schema: Schema, partition: Partition
) -> OwnedRows:
    (name,) = (
        column.name for column in schema.columns if column == schema.column(partition.column)
    )
    units: dict[Any, list[Row]] = {}
    for unit, row in found:
        units.setdefault(unit, []).append(row)
    for unit, together in units.items():
        parts = sorted({row[name] for row in together}, key=lambda value: (value is None, value))
        yield from ((unit, row) for row in together if row[name] in parts[: partition.max_parts])


def _evaluate_join(node: Join, tables: RawTables, rank: Rank) -> OwnedRows:
    """Join two relations; of more matches than ``max_matches``, the first by the added columns
    count, NULL last.
    """
    same = FUNCTIONS["="].evaluate
    there, second = list(_evaluate(node.other, tables, rank)), node.second_population
    public = node.other.unit is None
    here = _evaluate(node.source, tables, rank)
    for unit, row in here if second is None else _keep_first_references(here, second, rank):
        partners, owner_id = list[GroupKey](), row[second.id_column] if second else unit
        for owner, other in there:
            pairs = [(row[own], other[theirs]) for own, theirs in node.on]
            if (public or owner == owner_id) and all(
                a is not None and b is not None and same(a, b) for a, b in pairs
            ):
                partners.append(tuple(other[theirs] for _, theirs in node.added_columns))
        if node.keeps_unmatched and not partners:
            partners = [(None,) * len(node.added_columns)]
        for partner in sorted(
            partners, key=lambda partner: [(value is None, value) for value in partner]
        )[: node.max_matches]:
            added = {
                name: value for (name, _), value in zip(node.added_columns, partner, strict=True)
            }
            yield (unit, owner_id) if second else unit, {**row, **added}


def _evaluate_truncated_join(
    node: Join, truncations: tuple[Truncation, Truncation], tables: RawTables, rank: Rank
) -> OwnedRows:
    """Join the rows of two sides that have the same keys, whoever owns them; of each side, only
    the first rows of each unit and then of each key count.
    """
    ours, theirs = (
        _truncate_side(_evaluate(side, tables, rank), side.unit, keys, truncation, rank)
        for side, keys, truncation in zip(
            (node.source, node.other), zip(*node.on, strict=True), truncations, strict=True
        )
    )
    for key, rows in ours.items():
        for row in rows:
            for other in theirs.get(key, ()):
                yield None, {**row, **{name: other[there] for name, there in node.added_columns}}


def _truncate_side(
    found: OwnedRows,
    unit_kind: str | None,
    keys: Sequence[str],
    truncation: Truncation,
    rank: Rank,
) -> dict[GroupKey, list[Row]]:
    """Return the first rows of each unit, and of these the first with each key; 0.0 and -0.0 are
    the same.
    """
    copies: dict[tuple[Any, GroupKey], int] = {}
    ranked = []
    for unit, row in found:
        key = tuple(row[name] if name else unit for name in keys)
        if None not in key:
            same = {
                name: value + 0.0 if isinstance(value, float) else value
                for name, value in row.items()
            }
            content = tuple(same.values())
            copies[unit, content] = copy = copies.get((unit, content), 0) + 1
            order = (rank(unit, (*content, copy)), unit is not None and unit)
            ranked.append((order, _order_nulls_first(content), copy, unit, key, same))
    units, kept = dict[Any, int](), dict[GroupKey, list[Row]]()
    for _, _, _, unit, key, row in sorted(ranked, key=lambda one: one[:3]):
        units[unit] = units.get(unit, 0) + 1
        if unit_kind == "row" or units[unit] <= truncation.max_rows_per_unit:
            kept.setdefault(key, []).append(row)
    return {key: rows[: truncation.max_rows_per_key] for key, rows in kept.items()}


def _keep_first_references(found: OwnedRows, second: SecondPopulation, rank: Rank) -> OwnedRows:
    """Keep the rows of each unit's first references; a row that names nobody has none."""
    references: dict[Any, dict[GroupKey, list[Row]]] = {}
    for unit, row in found:
        if row[second.id_column] is not None:
            references.setdefault(unit, {}).setdefault(
                tuple(row[name] for name in (second.id_column, *second.other_columns)), []
            ).append(row)
    for unit, of_unit in references.items():
        yield from (
            (unit, row)
            for reference in _rank_groups(of_unit, unit, rank)[: second.max_references]
            for row in of_unit[reference]
        )


def _rank_groups(groups: Iterable[GroupKey], unit: Any, rank: Rank) -> list[GroupKey]:
    return sorted(groups, key=lambda group: (rank(unit, group), _order_nulls_first(group)))


def _evaluate_unit_aggregation(node: UnitAggregation, tables: RawTables, rank: Rank) -> OwnedRows:
    known = node.source.columns
    units: dict[tuple[Any, GroupKey], list[Row]] = {}
    for unit, row in _evaluate(node.source, tables, rank):
        units.setdefault((unit, tuple(row[key] for key in node.keys)), []).append(row)
    for (unit, keys), together in units.items():
        outputs = {
            name: aggregate_unit_rows(
                statistic, known[statistic.column].type if statistic.column else "integer", together
            )
            for name, statistic in node.outputs
        }
        yield unit, {**dict(zip(node.keys, keys, strict=True)), **outputs}


def _order_nulls_first(group: GroupKey) -> list[tuple[bool, Any]]:
    return [(value is not None, value) for value in group]


def interpret_plan(
    plan: Aggregate, tables: RawTables, rank: Rank, *, exact: bool = False
) -> dict[GroupKey, tuple[Any, ...]]:
    """Return the numbers of all measures for each group, and for all groups of a domain.

    With ``exact``, sums are in steps and fractions, which is the meaning of a plan; otherwise in
    the whole parts that engines add up.

    An order statistic has one entry, however many quantiles it asks for: the sorted sample of the
    group. Its values are ranked by (unit, (*group, value, copy)), those of a distinct count by
    (unit, (*group, value)). A contingency table has one entry, too: the count of each combination
    of codes.
    """
    bound, domain = plan.bound, plan.source.domain
    asked = None if domain is None else dict.fromkeys(itertools.product(*domain))
    units: dict[Any, dict[GroupKey, list[Row]]] = {}
    for unit, row in evaluate_relation(bound.source, tables, rank):
        group = tuple(row[key] for key in bound.keys)
        if asked is None or group in asked:
            units.setdefault(unit, {}).setdefault(group, []).append(row)

    entries: dict[GroupKey, list[tuple[Any, list[tuple[Any, ...]]]]] = {
        group: [] for group in asked or ()
    }
    for unit, groups in units.items():
        for group in _rank_groups(groups, unit, rank)[: bound.max_groups]:
            put = [
                compute_contribution(
                    measure, unit, group, groups[group], bound.max_rows, rank, exact=exact
                )
                for measure in plan.measures
            ]
            entries.setdefault(group, []).append((unit, put))
    each = {
        group: [(m, [(unit, one[i]) for unit, one in put]) for i, m in enumerate(plan.measures)]
        for group, put in entries.items()
    }
    return {
        group: tuple(
            number
            for m, put in found
            for number in merge_contributions(
                m, _clamp_second_population(plan, m, put, exact=exact)
            )
        )
        for group, found in each.items()
    }


def _clamp_second_population(
    plan: Aggregate, measure: AnyMeasure, put: Sequence[tuple[Any, tuple[Any, ...]]], *, exact: bool
) -> list[tuple[Any, ...]]:
    """Return the contributions of all units; with a second population, its units' totals, each
    number clamped.
    """
    if plan.population_join is None or not isinstance(measure, Measure):
        return [numbers for _, numbers in put]
    got: dict[Any, list[tuple[Any, ...]]] = {}
    for (_, other), numbers in put:
        got.setdefault(other, []).append(numbers)
    low, high = (
        end // measure.resolution if exact else end
        for end in measure.number_bounds(plan.population_join.population.max_rows)
    )
    return [
        tuple(min(max(sum(column), low), high) for column in zip(*each, strict=True))
        for each in got.values()
    ]
