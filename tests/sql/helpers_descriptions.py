"""Questions as text, one line a node, in the fixtures of SQL."""

from __future__ import annotations

from collections.abc import Iterator

from hedgerow.answers.expression_text import format_expression
from hedgerow.plan.measures import Measure, SecondPopulation, Truncation
from hedgerow.plan.nodes import (
    Filter,
    Join,
    Project,
    RelationNode,
    Table,
    Union,
    UnitAggregation,
    UnitStatistic,
)
from hedgerow.plan.order_statistics import OrderStatistic
from hedgerow.sql.question import Question

_PLAIN = ("COUNT", "SUM", "AVG")


def describe(question: Question) -> str:
    """Describe a question line by line, without its defaults."""
    return "\n".join(_describe_lines(question))


def _describe_lines(question: Question) -> Iterator[str]:
    question = question.restore_key_order()
    if question.explain:
        yield "explain"
    options = question.options
    if (options.epsilon, options.delta, options.max_groups) != (None, None, None):
        yield f"options: {options.epsilon}, {options.delta}, {options.max_groups}"
    rows = question.plan.bound.source
    columns = dict(rows.outputs) if isinstance(rows, Project) else {}
    inner = rows.source if isinstance(rows, Project) else rows
    condition = inner.condition if isinstance(inner, Filter) else None
    core = inner.source if isinstance(inner, Filter) else inner
    if not isinstance(core, Table):
        yield from _rows(core)
        bound = question.plan.bound
        yield f"of {', '.join(question.tables)}: {bound.max_groups} groups, {bound.max_rows} rows"
    if condition is not None:
        yield f"where {format_expression(condition)}"
    for place, key in enumerate(question.keys):
        domain = question.plan.source.domain
        values = "as they occur" if domain is None else f"{len(domain[place])} values"
        yield (
            f"{key.name}: {format_expression(columns[question.plan.bound.keys[place]])}"
            f" ({key.type}, {values})"
        )
    for call in question.aggregates:
        shown = (
            ""
            if call.function in _PLAIN
            else f"{call.function}{'' if call.probability is None else f' {call.probability}'}, "
        )
        yield f"{call.name}: {_measure(call.measure, columns)} ({shown}{call.type})"
    for output in question.outputs:
        yield f"{output.name} = {format_expression(output.expression)} ({output.type})"
    if question.having is not None:
        yield f"having {format_expression(question.having)}"
    for order in question.order:
        yield (
            f"order by {format_expression(order.expression)}{' desc' * order.descending}"
            f"{' nulls first' * (not order.nulls_last)}"
        )
    if question.limit is not None or question.offset:
        yield f"limit {question.limit} offset {question.offset}"


def _rows(rows: RelationNode, depth: int = 0) -> Iterator[str]:
    """Yield the plan below its last Filter and Project, from the outside to the inside."""
    pad = "  " * depth
    if isinstance(rows, Table):
        yield f"{pad}{rows.schema.table}"
    elif isinstance(rows, Filter):
        yield f"{pad}where {format_expression(rows.condition)}"
        yield from _rows(rows.source, depth)
    elif isinstance(rows, Project):
        yield (
            f"{pad}columns"
            f" {', '.join(f'{name}: {format_expression(made)}' for name, made in rows.outputs)}"
        )
        yield from _rows(rows.source, depth)
    elif isinstance(rows, UnitAggregation):
        yield (
            f"{pad}each person{''.join(f', {key}' for key in rows.keys)}:"
            f" {', '.join(f'{n} {_folded(f)}' for n, f in rows.outputs)}"
        )
        yield from _rows(rows.source, depth + 1)
    elif isinstance(rows, Join):
        agree = ", ".join(f"{own} = {there}" for own, there in rows.on)
        person = (
            ""
            if rows.other.unit is None
            else f" {_truncated(rows.truncations)}"
            if rows.truncations is not None
            else (
                " of the same person"
                if rows.second_population is None
                else f" of {_others(rows.second_population)}"
            )
        )
        adds = ", ".join(f"{name}: {there}" for name, there in rows.added_columns)
        yield f"{pad}{'left ' * rows.keeps_unmatched}join{person} on ({agree}) adds ({adds})" + (
            f" matches {rows.max_matches}" if rows.max_matches else ""
        )
        yield from _rows(rows.source, depth + 1)
        yield from _rows(rows.other, depth + 1)
    else:
        assert isinstance(rows, Union)
        yield f"{pad}union"
        for source in rows.sources:
            yield from _rows(source, depth + 1)


def _others(others: SecondPopulation) -> str:
    cell = ", ".join((others.id_column, *others.other_columns))
    return (
        f"whom {others.id_column} names, {others.max_references} of ({cell}) and {others.max_rows}"
        " rows of theirs,"
    )


def _truncated(truncations: tuple[Truncation, Truncation]) -> str:
    caps = (
        f"{one.max_rows_per_unit} a person, {one.max_rows_per_key} a key" for one in truncations
    )
    return " with ".join(caps)


def _folded(made: UnitStatistic) -> str:
    steps = (
        f" from {made.grid.low} to {made.grid.high} steps of {made.grid.step}" if made.grid else ""
    )
    return made.kind + (f" of {made.column}" if made.column else "") + steps


def _measure(measure: Measure | OrderStatistic, columns: dict[str, object]) -> str:
    if measure.column is None:
        return measure.kind
    of = f"{measure.kind} of {format_expression(columns[measure.column])}"  # type: ignore[arg-type]
    grid = measure.grid
    if grid is not None:
        of += f" from {grid.low} to {grid.high} steps of {grid.step}"
    return of + (
        _picked(measure) if isinstance(measure, OrderStatistic) else _summed(measure, columns)
    )


def _picked(pick: OrderStatistic) -> str:
    at = f" at {', '.join(map(str, pick.quantiles))}" if pick.quantiles else ""
    among = f" among {', '.join(map(str, pick.values))}" if pick.values else ""
    return f"{at}{among} by {pick.method}" + (f" with bound {pick.bound}" if pick.bound else "")


def _summed(measure: Measure, columns: dict[str, object]) -> str:
    limits = (
        f" within {measure.sum_bounds[0]} to {measure.sum_bounds[1]}" if measure.sum_bounds else ""
    )
    degree = f" of degree {measure.degree}" if measure.degree > 1 else ""
    if measure.second is None:
        return limits + degree
    name, grid = measure.second
    of = format_expression(columns[name])  # type: ignore[arg-type]
    return f"{degree} and {of} from {grid.low} to {grid.high} steps of {grid.step}"
