"""What a plan means: slow, obvious, a row at a time. Every engine must give the same whole numbers.

A plan is run in five steps: rows are read and worked on, those of each unit by themselves; rows of
groups that nobody asked for are dropped; of each unit the first groups by (rank, group) stay; what
a unit puts into each of them is cut to what ``max_rows`` rows can put in; the rest is addition, or
for a sample putting together.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Mapping, Sequence
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
from hedgerow.plan.measures import Measure, SecondPopulation
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
from hedgerow.plan.scalar.expressions import evaluate, insert_casts
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
    """(id of the unit, row) for each row; a row that is a unit of its own has a number that no
    other row has, and one that is of two units the ids of both."""
    for number, (unit, row) in enumerate(_evaluate(node, tables, rank)):
        yield (number if node.unit == "row" else unit), row


def _evaluate(node: RelationNode, tables: RawTables, rank: Rank) -> OwnedRows:
    match node:
        case Table():
            yield from _read_table(node.schema, tables)
        case Filter():
            condition = insert_casts(node.condition, node.columns)
            yield from (
                (unit, row)
                for unit, row in _evaluate(node.source, tables, rank)
                if evaluate(condition, row)
            )
        case Project():
            known = node.source.columns
            outputs = [(name, insert_casts(expression, known)) for name, expression in node.outputs]
            for unit, row in _evaluate(node.source, tables, rank):
                yield unit, {name: evaluate(expression, row) for name, expression in outputs}
        case Join():
            yield from _evaluate_join(node, tables, rank)
        case UnitAggregation():
            yield from _evaluate_unit_aggregation(node, tables, rank)
        case _:  # a Union
            for source in node.sources:
                yield from _evaluate(source, tables, rank)


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
    """Whose the rows of a table are: once for each of their owners, and those that are nobody's
    not at all.
    """
    if schema.link is not None:
        link = schema.link
        owners: dict[Any, dict[Any, None]] = {}
        for unit, raw in _assign_owners(link.parent, tables):
            owners.setdefault(_read_named(link.parent, link.key, raw), {})[unit] = None
        owners.pop(None, None)  # a key that is missing is nobody's
        for raw in tables[schema.table]:
            yield from (
                (unit, raw) for unit in owners.get(_read_named(schema, link.column, raw), ())
            )
        return
    for raw in tables[schema.table]:
        unit = (
            None
            if schema.unit in (None, "row")
            else _read_id(schema.id_column, raw[str(schema.unit)])
        )
        if schema.unit in (None, "row") or unit is not None:
            yield unit, raw


def _read_named(schema: Schema, name: str, raw: Mapping[str, object]) -> Any:
    column = _get_column(schema, name)
    return read_value(column, raw[column.name])


def _get_column(schema: Schema, name: str) -> Column:
    return next(column for column in schema.columns if column == schema.column(name))


def _read_id(declared: Column | None, unit: Any) -> Any:
    """Whose row it is: the id as its declared type reads it; None where it is missing, NaN or
    blank, since those are nobody.
    """
    # Whole numbers are what they are, also beyond 64 bits.
    if declared is not None and not (declared.type == "integer" and isinstance(unit, int)):
        unit = read_value(declared, unit)
    nobody = unit is None or unit != unit or (isinstance(unit, str) and not unit.strip())
    return None if nobody else unit


def _keep_first_parts(
    found: Iterable[tuple[Any, Row]], schema: Schema, partition: Partition
) -> OwnedRows:
    """Of each unit the rows of its first parts, NULL last."""
    name = _get_column(schema, partition.column).name
    units: dict[Any, list[Row]] = {}
    for unit, row in found:
        units.setdefault(unit, []).append(row)
    for unit, together in units.items():
        parts = sorted({row[name] for row in together}, key=lambda value: (value is None, value))
        yield from ((unit, row) for row in together if row[name] in parts[: partition.max_parts])


def _evaluate_join(node: Join, tables: RawTables, rank: Rank) -> OwnedRows:
    """Where there are more partners than ``matches``, those count that come first by what they
    add, NULL last.
    """
    same = FUNCTIONS["="].evaluate
    there, public, others = (
        list(_evaluate(node.other, tables, rank)),
        node.other.unit is None,
        node.second_population,
    )
    here = _evaluate(node.source, tables, rank)
    for unit, row in here if others is None else _keep_first_references(here, others, rank):
        partners, whose = list[GroupKey](), row[others.id_column] if others else unit
        for owner, other in there:
            pairs = [(row[own], other[theirs]) for own, theirs in node.on]
            if (public or owner == whose) and all(
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
            yield (unit, whose) if others else unit, {**row, **added}


def _keep_first_references(found: OwnedRows, others: SecondPopulation, rank: Rank) -> OwnedRows:
    """Of each unit the rows of its first bonds; those that name nobody are in none."""
    bonds: dict[Any, dict[GroupKey, list[Row]]] = {}
    for unit, row in found:
        if row[others.id_column] is not None:
            bonds.setdefault(unit, {}).setdefault(
                tuple(row[name] for name in (others.id_column, *others.other_columns)), []
            ).append(row)
    for unit, of_unit in bonds.items():
        yield from (
            (unit, row)
            for bond in _rank_groups(of_unit, unit, rank)[: others.max_references]
            for row in of_unit[bond]
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
                fold, known[fold.column].type if fold.column else "integer", together
            )
            for name, fold in node.outputs
        }
        yield unit, {**dict(zip(node.keys, keys, strict=True)), **outputs}


def _order_nulls_first(group: GroupKey) -> list[tuple[bool, Any]]:
    """NULL comes first."""
    return [(value is not None, value) for value in group]


def interpret_plan(
    plan: Aggregate, tables: RawTables, rank: Rank, *, exact: bool = False
) -> dict[GroupKey, tuple[Any, ...]]:
    """Group -> the whole numbers of all measures, one after the other. With a domain all its groups
    are there.

    With ``exact``, sums are in steps and as fractions, which is what a plan means; without, in the
    whole parts that engines add up.

    A ``Pick`` has one place among them, however many shares it asks for: a tuple of whole numbers,
    the sorted sample of the group. ``rank`` is also asked about (unit, (*group, value)), for the
    different values of a unit that count, and about (unit, (*group, value, copy)) for those of a
    sample. A ``Cross`` has one place too: how often each combination of codes is there, by the
    codes.
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
    """What all units put in; where they met others, what each of those got from all of them,
    number by number between the ends.
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
