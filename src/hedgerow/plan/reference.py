"""What a plan means: slow, obvious, a row at a time. Every engine must give the same whole numbers.

A plan is run in five steps: rows are read and worked on one by one; rows of groups that nobody asked for are dropped; of each unit the
first groups by (rank, group) stay; what a unit puts into each of them is cut to what ``max_rows`` rows can put in; the rest is addition.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Any

from hedgerow.plan.expressions import evaluate, typed
from hedgerow.plan.functions import FUNCTIONS, half_away
from hedgerow.plan.measures import Measure, Snap
from hedgerow.plan.nodes import Aggregate, Filter, Join, Project, Rows, Table
from hedgerow.plan.reading import read
from hedgerow.plan.schema import Column
from hedgerow.plan.values import Value

__all__ = ["Rank", "Tables", "read", "rows", "run", "snapped"]

Row = Mapping[str, Value]
Group = tuple[Value, ...]
Tables = Mapping[str, Sequence[Mapping[str, object]]]
Rank = Callable[[Value, Group], int]


def rows(node: Rows, tables: Tables) -> Iterator[tuple[Any, Row]]:
    """(id of the unit, row) for each row; a row that is a unit of its own has a number that no other row has."""
    for number, (unit, row) in enumerate(_rows(node, tables)):
        yield (number if node.unit == "row" else unit), row


def _rows(node: Rows, tables: Tables) -> Iterator[tuple[Any, Row]]:
    match node:
        case Table():
            yield from _table(node, tables)
        case Filter():
            condition = typed(node.condition, node.columns)
            yield from ((unit, row) for unit, row in _rows(node.source, tables) if evaluate(condition, row))
        case Project():
            known = node.source.columns
            outputs = [(name, typed(expression, known)) for name, expression in node.outputs]
            for unit, row in _rows(node.source, tables):
                yield unit, {name: evaluate(expression, row) for name, expression in outputs}
        case Join():
            yield from _join(node, tables)
        case _:  # a Union
            for source in node.sources:
                yield from _rows(source, tables)


def _table(node: Table, tables: Tables) -> Iterator[tuple[Any, Row]]:
    schema = node.schema
    for raw in tables[schema.table]:
        unit = None if schema.unit in (None, "row") else _id(schema.id, raw[str(schema.unit)])
        if schema.unit in (None, "row") or unit is not None:
            yield unit, {column.name: read(column, raw[column.name]) for column in schema.columns}


def _id(declared: Column | None, unit: Any) -> Any:
    """Whose row it is: the id as its declared type reads it; None where it is missing, NaN or blank, since those are nobody."""
    # Whole numbers are what they are, also beyond 64 bits.
    if declared is not None and not (declared.type == "integer" and isinstance(unit, int)):
        unit = read(declared, unit)
    nobody = unit is None or unit != unit or (isinstance(unit, str) and not unit.strip())
    return None if nobody else unit


def _join(node: Join, tables: Tables) -> Iterator[tuple[Any, Row]]:
    """Where the public table has more partners than declared, the first ``matches`` count, by what they add."""
    same = FUNCTIONS["="].evaluate
    there = [row for _, row in _rows(node.public, tables)]
    for unit, row in _rows(node.source, tables):
        partners = []
        for other in there:
            pairs = [(row[own], other[theirs]) for own, theirs in node.on]
            if all(a is not None and b is not None and same(a, b) for a, b in pairs):
                partners.append(tuple(other[theirs] for _, theirs in node.adds))
        for partner in sorted(partners, key=_order)[: node.matches]:
            yield unit, {**row, **{name: value for (name, _), value in zip(node.adds, partner, strict=True)}}


def _order(group: Group) -> list[tuple[bool, Any]]:
    """NULL comes first."""
    return [(value is not None, value) for value in group]


def run(plan: Aggregate, tables: Tables, rank: Rank) -> dict[Group, tuple[int, ...]]:
    """Group -> the whole numbers of all measures, one after the other. With a domain all its groups are there."""
    bound, domain = plan.bound, plan.source.domain
    asked = None if domain is None else dict.fromkeys(itertools.product(*domain))
    units: dict[Any, dict[Group, list[Row]]] = {}
    for unit, row in rows(bound.source, tables):
        group = tuple(row[key] for key in bound.keys)
        if asked is None or group in asked:
            units.setdefault(unit, {}).setdefault(group, []).append(row)

    width = sum(measure.width for measure in plan.measures)
    totals = dict.fromkeys(asked or (), (0,) * width)
    for unit, groups in units.items():
        first = sorted(groups, key=lambda group: (rank(unit, group), _order(group)))
        for group in first[: bound.max_groups]:
            numbers = [number for measure in plan.measures for number in put_in(measure, groups[group], bound.max_rows)]
            totals[group] = tuple(a + b for a, b in zip(totals.get(group, (0,) * width), numbers, strict=True))
    return totals


def put_in(measure: Measure, together: Sequence[Row], max_rows: int) -> tuple[int, ...]:
    """What a unit with these rows in a group puts into the numbers of a measure there."""
    if measure.kind == "units":
        return (1,)
    if measure.kind == "rows":
        return (_scaled(len(together), len(together), max_rows),)
    values = [value for value in (row[str(measure.column)] for row in together) if value is not None]
    snap = measure.snap
    if snap is None:
        sums = [len(values)]
    elif measure.kind == "total":
        sums = [sum(snapped(value, snap) for value in values)]
    else:
        sums = [sum(snapped(value, snap) - snap.low for value in values), sum(snap.high - snapped(value, snap) for value in values)]
    return tuple(_scaled(number, len(together), max_rows) for number in sums)


def _scaled(number: int, count: int, most: int) -> int:
    return number if count <= most else int(Fraction(number * most, count))  # int cuts towards zero


def snapped(value: Any, snap: Snap) -> int:
    """A value in steps: clamped, divided, rounded half away from zero, clamped again. Reals are divided as doubles."""
    if isinstance(value, int) and snap.step == 1:
        return min(max(value, snap.low), snap.high)
    clamped = min(max(float(value), float(snap.low * snap.step)), float(snap.high * snap.step))
    return min(max(half_away(clamped / float(snap.step)), snap.low), snap.high)
