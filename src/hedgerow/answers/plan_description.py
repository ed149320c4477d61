"""A plan in plain words: the tables it reads, the rows it keeps, the bounds, and how far one unit
moves each number.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from datetime import date
from decimal import Decimal
from fractions import Fraction
from typing import Final

from hedgerow.answers.expression_text import format_expression, format_list
from hedgerow.plan.contingency import Contingency
from hedgerow.plan.measures import ClampedGrid, Measure
from hedgerow.plan.nodes import Aggregate
from hedgerow.plan.order_statistics import OrderStatistic
from hedgerow.plan.relations import (
    Filter,
    Join,
    Project,
    RelationNode,
    Table,
    Union,
    UnitAggregation,
)
from hedgerow.plan.scalar.expressions import Call, ColumnRef, Expression, substitute_columns
from hedgerow.plan.schema import Schema
from hedgerow.privacy.sensitivity import Sensitivity
from hedgerow.privacy.unit import Unit

__all__ = ["describe_plan"]

Meanings = Mapping[str, Expression]  # what each column of a relation means, in columns of tables
_MOMENT_NAMES: Final = {
    (1, False): "AVG({})",
    (2, False): "VARIANCE({})",
    (3, False): "SKEWNESS({})",
    (4, False): "KURTOSIS({})",
    (1, True): "COVARIANCE({})",
    (2, True): "CORR({})",
}
_MEASURE_NAMES: Final = {
    "units": "The number of units",
    "rows": "COUNT(*)",
    "values": "COUNT({})",
    "distinct": "COUNT(DISTINCT {})",
    "distinct total": "SUM(DISTINCT {})",
    "total": "SUM({})",
}
_STATISTIC_NAMES: Final = {"least": "MIN", "greatest": "MAX", "mode": "MODE"}


def describe_plan(plan: Aggregate, unit: Unit) -> tuple[str, ...]:
    """Describe a plan, line by line, from the plan alone: it costs nothing."""
    lines, columns = _describe_relation(plan.bound.source)
    lines += [_describe_groups(plan, columns), _describe_contribution_bounds(plan)]
    for measure, moved in zip(plan.measures, plan.sensitivity(unit), strict=True):
        match measure:
            case Contingency():
                lines += _describe_contingency(measure, moved, columns, unit)
            case OrderStatistic():
                dates = plan.bound.columns[measure.column].type == "date"
                lines += _describe_order_statistic(measure, moved, columns, unit, dates=dates)
            case _:
                lines += _describe_measure(measure, moved, columns, unit)
    return tuple(lines)


def _describe_relation(rows: RelationNode, qualified: bool = False) -> tuple[list[str], Meanings]:
    """Describe a relation, and return what its columns mean in terms of table columns.

    ``qualified`` names begin with the table.
    """
    match rows:
        case Table():
            prefix = f"{rows.schema.table}." if qualified else ""
            meanings = {name: ColumnRef(f"{prefix}{name}") for name in rows.columns}
            return _describe_table(rows.schema), meanings
        case Union():
            lines = [line for source in rows.sources for line in _describe_relation(source)[0]]
            lines.append(f"Concatenates the rows of these {len(rows.sources)} relations.")
            return lines, {name: ColumnRef(name) for name in rows.columns}
    lines, columns = _describe_relation(rows.source, qualified)
    match rows:
        case Filter():
            condition = format_expression(substitute_columns(rows.condition, columns))
            return [*lines, f"Keeps the rows where {condition}."], columns
        case Project():
            return lines, {name: substitute_columns(value, columns) for name, value in rows.outputs}
        case UnitAggregation():
            added, columns = _describe_unit_aggregation(rows, columns)
        case _:  # a Join
            added, columns = _describe_join(rows, columns)
    return [*lines, *added], columns


def _describe_table(schema: Schema) -> list[str]:
    unit = {None: "public", "row": "every row is a unit"}.get(
        schema.unit, f"the unit is {schema.unit}"
    )
    steps, at = [], schema
    while at.link is not None:
        start = format_expression(ColumnRef(f"{at.table}.{at.link.column}"))
        end = format_expression(ColumnRef(f"{at.link.parent.table}.{at.link.key}"))
        steps.append(f"{start} = {end}")
        at = at.link.parent
    if steps:
        unit += f" of the table {at.table}, reached by {' AND '.join(steps)}"
    lines = [f"Reads the table {schema.table}, version {schema.version}: {unit}."]
    if schema.partition is not None:
        values = _format_count(schema.partition.max_parts, "value")
        column = format_expression(ColumnRef(schema.partition.column))
        lines.append(
            f"Keeps the rows of each unit in its first {values} of {column}, the same for every"
            " question."
        )
    return lines


def _describe_unit_aggregation(
    node: UnitAggregation, columns: Meanings
) -> tuple[list[str], Meanings]:
    made = {key: columns[key] for key in node.keys}
    lines = []
    for name, one in node.outputs:
        arguments = () if one.column is None else (columns[one.column],)
        made[name] = Call(f"fold {one.kind}", arguments)
        if one.grid is not None:
            lines.append(_describe_clamp(format_expression(made[name]), one.grid))
    keys = format_list([columns[key] for key in node.keys])
    outputs = format_list([made[name] for name, _ in node.outputs])
    line = f"Makes one row for each unit{' and ' if keys else ''}{keys}"
    return [f"{line}{': ' if outputs else ''}{outputs}.", *lines], made


def _describe_join(join: Join, columns: Meanings) -> tuple[list[str], Meanings]:
    lines, there = _describe_relation(join.other, qualified=True)
    pairs = " AND ".join(
        f"{format_expression(columns[own])} = {format_expression(there[theirs])}"
        for own, theirs in join.on
        if join.truncations is None
    )
    kept = "; rows without a match stay, with NULL" if join.keeps_unmatched else ""
    if join.other.unit is None:
        bare, joined = join.other, "these public rows"
        while isinstance(bare, Project):
            bare = bare.source
        if isinstance(bare, Table):
            lines, joined = [], f"the public table {bare.schema.table}"
        limit = "all matching rows"
        if join.max_matches is not None:
            limit = f"at most {_format_count(join.max_matches, 'matching row')} for each row"
        lines.append(f"Joins {joined} on {pairs}: {limit}{kept}.")
    elif join.truncations is not None:
        names = "the unit id"
        before, after = (
            f"Keeps at most {_format_count(caps.max_rows_per_unit, 'row')} of each unit, and of"
            f" these at most {_format_count(caps.max_rows_per_key, 'row')} with the same"
            f" {format_list([known[name] if name else ColumnRef(names) for name in keys])}."
            for caps, known, keys in zip(
                join.truncations, (columns, there), zip(*join.on, strict=True), strict=True
            )
        )
        lines = [before, *lines, after, "Joins the rows with equal keys, whoever owns them."]
    elif (second := join.second_population) is None:
        lines.append(f"Joins the rows of the same unit{' on ' if pairs else ''}{pairs}{kept}.")
    else:
        reference = [columns[name] for name in (second.id_column, *second.other_columns)]
        lines = [
            f"Keeps the rows of each unit with at most"
            f" {_format_count(second.max_references, 'value')} of {format_list(reference)}, before"
            " the join.",
            *lines,
            f"Joins the first row of the unit that {format_list(reference[:1])} names; each such"
            f" unit counts as at most {_format_count(second.max_rows, 'row')} in a group.",
        ]
    return lines, {**columns, **{name: there[theirs] for name, theirs in join.added_columns}}


def _describe_groups(plan: Aggregate, columns: Meanings) -> str:
    keys, cells = format_list([columns[key] for key in plan.bound.keys]), plan.source.cells
    if not keys:
        return "One answer for all rows together."
    if cells is None:
        return f"Groups by {keys}: the groups that occur, since their values are not declared."
    return f"Groups by {keys}: {_format_count(cells, 'declared group')}, including empty ones."


def _describe_contribution_bounds(plan: Aggregate) -> str:
    if plan.truncations is not None:
        return "Each joined row contributes to one group, whoever its two owners are."
    if plan.bound.source.unit == "row":
        return "Each row contributes to one group."
    who = "unit" if plan.population_join is None else "pair of joined units"
    return (
        f"Each {who} contributes to at most {_format_count(plan.bound.max_groups, 'group')}, and at"
        f" most {_format_count(plan.bound.max_rows, 'row')} to each."
    )


def _describe_measure(
    measure: Measure, moved: Sensitivity, columns: Meanings, unit: Unit
) -> list[str]:
    arguments = [columns[name] for name in measure.columns]
    kind = "distinct total" if measure.kind == "distinct" and measure.grid else measure.kind
    name = _MEASURE_NAMES.get(kind) or _MOMENT_NAMES[measure.degree, len(arguments) > 1]
    name = name.format(format_list(arguments))
    step, lines = Fraction(1), []
    grids = [measure.grid, None if measure.second is None else measure.second[1]]
    for argument, grid in zip(arguments, grids, strict=False):
        if grid is not None:
            step *= grid.step**measure.degree
            of = f", {format_expression(argument)}" if measure.second is not None else ""
            lines.append(_describe_clamp(name + of, grid))
    if measure.sum_bounds is not None:
        low, high = (_format_number(bound * step) for bound in measure.sum_bounds)
        lines.append(f"{name}: the sum of one unit in a group is clamped to [{low}, {high}].")
    if measure.kind == "moments":
        sums = measure.width - measure.has_null_sum
        sums_text = "two sums" if sums == 2 else f"{sums} sums of products"
        name += f", from {sums_text} of distances to the bounds"
    if measure.has_null_sum:
        name += " and a sum for rows without a value, which give COUNT(*) too"
    total, each = (_format_number(by * step / measure.resolution) for by in (moved.l1, moved.linf))
    return [
        *lines,
        f"{name}: {_describe_neighbours(unit)} changes at most {_format_count(moved.l0, 'number')},"
        f" by at most {total} in all and {each} each.",
    ]


def _describe_order_statistic(
    statistic: OrderStatistic, moved: Sensitivity, columns: Meanings, unit: Unit, *, dates: bool
) -> list[str]:
    argument = format_expression(columns[statistic.column])
    name = f"{_STATISTIC_NAMES.get(statistic.kind)}({argument})"
    if statistic.kind == "quantiles":
        levels = ", ".join(map(_format_number, statistic.quantiles))
        name = f"The quantile{'s' * (len(statistic.quantiles) > 1)} {levels} of {argument}"
    line = f"{name}: only the {len(statistic.values or ())} declared values count."
    if statistic.grid is not None:
        line = _describe_clamp(name, statistic.grid, dates=dates)
    how = "or entering" if unit.relation == "add-remove" else "and as many entering"
    return [
        line,
        f"{name}: {_describe_neighbours(unit)} changes the sample of at most"
        f" {_format_count(moved.l0, 'group')}, by at most {_format_count(int(moved.linf), 'value')}"
        f" leaving {how}.",
    ]


def _describe_contingency(
    table: Contingency, moved: Sensitivity, columns: Meanings, unit: Unit
) -> list[str]:
    codes = ", ".join(
        f"{format_expression(columns[name])} ({_format_count(size, 'code')})"
        for name, size in table.attributes
    )
    lines = [
        f"Counts the rows of each combination of {codes}; a row with NULL or no code in one of them"
        " does not count."
    ]
    count = moved.l0
    if table.resolution > 1:
        count = min(count, math.prod(table.sizes))
        lines.append("The rows of a unit with more rows than its bound are scaled down.")
    total, each = (_format_number(by / table.resolution) for by in (moved.l1, moved.linf))
    lines.append(
        f"The counts: {_describe_neighbours(unit)} changes at most {_format_count(count, 'count')},"
        f" by at most {total} in all and {each} each."
    )
    return lines


def _describe_neighbours(unit: Unit) -> str:
    change = "adding or removing" if unit.relation == "add-remove" else "replacing"
    return f"{change} {'one unit' if unit.group == 1 else f'{unit.group} units'}"


def _describe_clamp(name: str, grid: ClampedGrid, *, dates: bool = False) -> str:
    low, high = grid.low * grid.step, grid.high * grid.step
    if dates:
        first, last = (
            date.fromordinal(min(max(int(end), 1), date.max.toordinal())).isoformat()
            for end in (low, high)
        )
        return f"{name}: dates are clamped to {first} … {last}."
    # A default grid has about a million steps, in powers of two, which mean nothing to a reader.
    rounding = f"to steps of {_format_number(grid.step)}"
    if grid.high - grid.low >= 2**19 and (grid.step * 10**6).denominator != 1:
        rounding = "by less than a millionth of that range"
    return (
        f"{name}: values are clamped to [{_format_number(low)}, {_format_number(high)}] and rounded"
        f" {rounding}."
    )


def _format_count(count: int, noun: str) -> str:
    return f"{count:,} {noun}{'' if count == 1 else 's'}"


def _format_number(value: Fraction) -> str:
    """Write a number exactly if six decimals suffice, otherwise with six digits."""
    if (value * 10**6).denominator != 1:
        return f"about {Decimal(value.numerator) / Decimal(value.denominator):.6g}"
    return f"{value.numerator:,}" if value.denominator == 1 else str(float(value))
