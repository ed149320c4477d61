"""The canonical text of plan parts: what orders them in a canonical plan, and what plan keys hash.

Keys are stored, so each word and each order here is part of a stored format. Nothing is derived
from the name of a class or a field; measure and statistic kinds, methods, types and function names
are values of the plan language, and stored as they are.
"""

from __future__ import annotations

from hedgerow.plan.canonical_expressions import encode_expression
from hedgerow.plan.contingency import Contingency
from hedgerow.plan.measures import ClampedGrid
from hedgerow.plan.nodes import AnyMeasure
from hedgerow.plan.order_statistics import OrderStatistic
from hedgerow.plan.relations import (
    Filter,
    Join,
    Project,
    RelationNode,
    Table,
    UnitAggregation,
    UnitStatistic,
)
from hedgerow.plan.scalar.expressions import find_columns
from hedgerow.plan.schema import Column, Schema

__all__ = ["encode_measure", "encode_relation", "encode_statistic"]


def encode_measure(measure: AnyMeasure) -> list[object]:
    """Return the canonical parts of a measure."""
    if isinstance(measure, Contingency):
        return [measure.kind, measure.attributes]
    grid = _encode_grid(measure.grid)
    if isinstance(measure, OrderStatistic):
        values = None if measure.values is None else list(map(str, measure.values))
        quantiles = list(map(str, measure.quantiles))
        return [
            measure.kind,
            measure.column,
            grid,
            values,
            quantiles,
            measure.method,
            measure.bound,
        ]
    second = measure.second and [measure.second[0], _encode_grid(measure.second[1])]
    return [
        measure.kind,
        measure.column,
        grid,
        measure.sum_bounds,
        measure.degree,
        second,
        *(["rest"] * measure.has_null_sum),
    ]


def encode_statistic(statistic: UnitStatistic) -> list[object]:
    """Return the canonical parts of a per-unit statistic."""
    return [statistic.kind, statistic.column, _encode_grid(statistic.grid)]


def _encode_grid(grid: ClampedGrid | None) -> list[object] | None:
    return None if grid is None else [str(grid.step), grid.low, grid.high]


def encode_relation(rows: RelationNode, used: frozenset[str] = frozenset()) -> list[object]:
    """Return the canonical parts of a relation; of a table, only the columns that are used."""
    match rows:
        case Table():
            return _encode_table(rows.schema, used)
        case Filter():
            return [
                "filter",
                encode_expression(rows.condition),
                encode_relation(rows.source, used | set(find_columns(rows.condition))),
            ]
        case Project():
            inner = frozenset(
                name for _, expression in rows.outputs for name in find_columns(expression)
            )
            return [
                "project",
                [[name, encode_expression(expression)] for name, expression in rows.outputs],
                encode_relation(rows.source, inner),
            ]
        case Join():
            second = rows.second_population
            reference = second and [
                second.id_column,
                second.other_columns,
                second.max_references,
                second.max_rows,
            ]
            return [
                "join",
                rows.on,
                rows.added_columns,
                rows.max_matches,
                rows.keeps_unmatched,
                *([reference] if reference else []),
                *(
                    ["truncate", one.max_rows_per_unit, one.max_rows_per_key]
                    for one in rows.truncations or ()
                ),
                encode_relation(rows.other),
                encode_relation(rows.source),
            ]
        case UnitAggregation():
            return [
                "fold",
                rows.keys,
                [[name, encode_statistic(statistic)] for name, statistic in rows.outputs],
                encode_relation(rows.source),
            ]
        case _:  # a Union
            return ["union", *map(encode_relation, rows.sources)]


def _encode_table(schema: Schema, used: frozenset[str]) -> list[object]:
    columns = sorted((c for c in schema.columns if c.name in used), key=lambda column: column.name)
    partition = schema.partition
    parts = partition and [_encode_named_column(schema, partition.column), partition.max_parts]
    return ["table", *_encode_owner(schema), [_encode_column(column) for column in columns], parts]


def _encode_owner(schema: Schema) -> list[object]:
    """Return the name and version of a table, and the path from its rows to their unit."""
    ids, link = schema.id_column, schema.link
    path = link and [
        _encode_named_column(schema, link.column),
        _encode_named_column(link.parent, link.key),
        _encode_owner(link.parent),
    ]
    return [schema.table, schema.version, schema.unit, None if ids is None else ids.type, path]


def _encode_named_column(schema: Schema, name: str) -> list[list[object]]:
    return [_encode_column(column) for column in schema.columns if column == schema.column(name)]


def _encode_column(c: Column) -> list[object]:
    ends = [None if end is None else str(end) for end in (c.low, c.high)]
    values = None if c.values is None else sorted(map(str, c.values))
    return [c.name, c.type, *ends, values, c.granularity]
