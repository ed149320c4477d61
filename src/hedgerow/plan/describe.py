"""A plan in plain words: what is read, what is kept, what is cut, and how far one unit moves
each number.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping, Sequence
from datetime import date
from decimal import Decimal
from fractions import Fraction
from typing import Final

from hedgerow.plan.contingency import Contingency
from hedgerow.plan.measures import ClampedGrid, Measure
from hedgerow.plan.nodes import (
    Aggregate,
    Filter,
    Join,
    Project,
    RelationNode,
    Table,
    Union,
    UnitAggregation,
)
from hedgerow.plan.order_statistics import OrderStatistic
from hedgerow.plan.scalar.expressions import (
    Call,
    ColumnRef,
    Constant,
    Expression,
    substitute_columns,
)
from hedgerow.plan.schema import Schema
from hedgerow.privacy.sensitivity import Sensitivity
from hedgerow.privacy.unit import Unit

__all__ = ["describe_plan", "format_expression"]

# How tightly each operator binds; what binds less than its place asks for stands in parentheses.
_OR, _AND, _NOT, _TEST, _SUM, _PRODUCT, _SIGN, _ATOM = range(1, 9)
_INFIX: Final = {"+": _SUM, "-": _SUM, "*": _PRODUCT, "/": _PRODUCT, "%": _PRODUCT}
_COMPARISONS: Final = ("=", "<>", "<", "<=", ">", ">=")
_SQL_NAMES: Final = {
    "day of week": "DAYOFWEEK",
    "day of year": "DAYOFYEAR",
    "starts with": "STARTS_WITH",
}
_INTERVAL_UNITS: Final = {"add days": "DAY", "add months": "MONTH"}
# What a unit's rows become has names like the aggregates, and no function of the list has these
# names.
_CALL_TEMPLATES: Final = {
    "fold rows": "COUNT(*)",
    "fold values": "COUNT({})",
    "fold distinct": "COUNT(DISTINCT {})",
    "fold total": "SUM({})",
    "fold mean": "AVG({})",
    "fold least": "MIN({})",
    "fold greatest": "MAX({})",
    "days between": "DATE_DIFF('day', {})",
    "to real": "CAST({} AS DOUBLE)",
}
_PLAIN_NAME: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]*(\.[A-Za-z_][A-Za-z0-9_]*)?")


def format_expression(expression: Expression) -> str:
    """The expression as one would write it in SQL."""
    return _format_with_precedence(expression)[0]


def _format_operand(expression: Expression, least: int) -> str:
    written, binds = _format_with_precedence(expression)
    return written if binds >= least else f"({written})"


def _format_with_precedence(expression: Expression) -> tuple[str, int]:
    """The text, and how tightly its outermost operator binds."""
    if isinstance(expression, ColumnRef):
        name = expression.column
        return (name if _PLAIN_NAME.fullmatch(name) else '"' + name.replace('"', '""') + '"'), _ATOM
    if isinstance(expression, Constant):
        return _format_constant(expression)
    function, arguments = expression.function, expression.arguments
    if function in _INFIX:
        binds = _INFIX[function]
        return (
            (
                f"{_format_operand(arguments[0], binds)} {function}"
                f" {_format_operand(arguments[1], binds + 1)}"
            ),
            binds,
        )
    if function in _COMPARISONS:
        return (
            (
                f"{_format_operand(arguments[0], _SUM)} {function}"
                f" {_format_operand(arguments[1], _SUM)}"
            ),
            _TEST,
        )
    if function in ("and", "or"):
        binds = _AND if function == "and" else _OR
        return (
            f" {function.upper()} ".join(
                _format_operand(argument, binds + 1) for argument in arguments
            ),
            binds,
        )
    if function == "not":
        return _format_negation(arguments[0])
    if function in _POSTFIX_TESTS:
        return (
            f"{_format_operand(arguments[0], _SUM)} {_POSTFIX_TESTS[function](arguments, '')}",
            _TEST,
        )
    return _format_call(function, arguments)


def _format_constant(constant: Constant) -> tuple[str, int]:
    value = constant.value
    if value is None or isinstance(value, bool):
        return {None: "NULL", True: "TRUE", False: "FALSE"}[value], _ATOM
    if isinstance(value, str):
        return "'" + value.replace("'", "''") + "'", _ATOM
    if isinstance(value, date):
        return f"DATE '{value.isoformat()}'", _ATOM
    return str(value), _ATOM if value >= 0 else _SIGN


def _format_list(arguments: Sequence[Expression]) -> str:
    return ", ".join(map(format_expression, arguments))


_POSTFIX_TESTS: Final[Mapping[str, Callable[[Sequence[Expression], str], str]]] = {
    "in": lambda arguments, no: f"{no}IN ({_format_list(arguments[1:])})",
    "like": lambda arguments, no: f"{no}LIKE {_format_operand(arguments[1], _SUM)}",
    "is null": lambda _, no: f"IS {no}NULL",
}


def _format_negation(part: Expression) -> tuple[str, int]:
    if isinstance(part, Call) and part.function in _POSTFIX_TESTS:
        return (
            (
                f"{_format_operand(part.arguments[0], _SUM)}"
                f" {_POSTFIX_TESTS[part.function](part.arguments, 'NOT ')}"
            ),
            _TEST,
        )
    return f"NOT {_format_operand(part, _NOT)}", _NOT


def _format_call(function: str, arguments: Sequence[Expression]) -> tuple[str, int]:
    if function == "negate":
        return f"-{_format_operand(arguments[0], _ATOM)}", _SIGN
    if function == "case":
        pairs = zip(arguments[0:-1:2], arguments[1::2], strict=True)
        branches = " ".join(
            f"WHEN {format_expression(condition)} THEN {format_expression(value)}"
            for condition, value in pairs
        )
        return f"CASE {branches} ELSE {format_expression(arguments[-1])} END", _ATOM
    if function == "concat":
        return " || ".join(_format_operand(argument, _PRODUCT) for argument in arguments), _SUM
    if function in _INTERVAL_UNITS:
        return (
            (
                f"{_format_operand(arguments[0], _SUM)} + INTERVAL"
                f" {_format_operand(arguments[1], _ATOM)} {_INTERVAL_UNITS[function]}"
            ),
            _SUM,
        )
    if function in _CALL_TEMPLATES:
        return _CALL_TEMPLATES[function].format(_format_list(arguments)), _ATOM
    if function.startswith("start of "):
        return (
            (
                f"DATE_TRUNC('{function.removeprefix('start of ')}',"
                f" {format_expression(arguments[0])})"
            ),
            _ATOM,
        )
    return f"{_SQL_NAMES.get(function, function.upper())}({_format_list(arguments)})", _ATOM


def describe_plan(plan: Aggregate, unit: Unit) -> tuple[str, ...]:
    """What happens, line by line. Looks at the plan only, so it costs nothing."""
    lines, columns = _describe_relation(plan.bound.source)
    lines += [_describe_groups(plan, columns), _describe_contribution_bounds(plan)]
    for measure, moves in zip(plan.measures, plan.sensitivity(unit), strict=True):
        if isinstance(measure, Contingency):
            lines += _describe_contingency(measure, moves, columns, unit)
        else:
            lines += (
                _describe_order_statistic(measure, moves, columns, plan, unit)
                if isinstance(measure, OrderStatistic)
                else _describe_measure(measure, moves, columns, unit)
            )
    return tuple(lines)


def _describe_relation(
    rows: RelationNode, full: bool = False
) -> tuple[list[str], Mapping[str, Expression]]:
    """Lines about the rows, and what each of their columns stands for in the words of the tables;
    with ``full`` names, that of the table comes before that of the column."""
    if isinstance(rows, Table):
        table = rows.schema.table
        return _describe_table(rows.schema), {
            name: ColumnRef(f"{table}.{name}" if full else name) for name in rows.columns
        }
    if isinstance(rows, Union):
        lines = [line for source in rows.sources for line in _describe_relation(source)[0]]
        return [*lines, f"Puts the rows of these {len(rows.sources)} sources together."], {
            name: ColumnRef(name) for name in rows.columns
        }
    lines, columns = _describe_relation(rows.source, full)
    if isinstance(rows, Filter):
        return [
            *lines,
            (
                "Keeps the rows where"
                f" {format_expression(substitute_columns(rows.condition, columns))}."
            ),
        ], columns
    if isinstance(rows, Project):
        return lines, {
            name: substitute_columns(expression, columns) for name, expression in rows.outputs
        }
    more, columns = (
        _describe_unit_aggregation(rows, columns)
        if isinstance(rows, UnitAggregation)
        else _describe_join(rows, columns)
    )
    return [*lines, *more], columns


def _describe_table(schema: Schema) -> list[str]:
    who = {None: "public", "row": "every row is a unit of its own"}.get(
        schema.unit, f"a unit is known by {schema.unit}"
    )
    steps, at = [], schema
    while at.link is not None:
        steps.append(
            f"{format_expression(ColumnRef(f'{at.table}.{at.link.column}'))} ="
            f" {format_expression(ColumnRef(f'{at.link.parent.table}.{at.link.key}'))}"
        )
        at = at.link.parent
    if steps:
        who += f" in the table {at.table}, found by {' AND '.join(steps)}"
    lines = [f"Reads the table {schema.table}, version {schema.version}: {who}."]
    if schema.partition is not None:
        many, column = (
            _format_count(schema.partition.max_parts, "value"),
            format_expression(ColumnRef(schema.partition.column)),
        )
        lines.append(
            f"Of each unit keeps the rows with the first {many} of {column} that it has, for every"
            " question alike."
        )
    return lines


def _describe_unit_aggregation(
    fold: UnitAggregation, columns: Mapping[str, Expression]
) -> tuple[list[str], Mapping[str, Expression]]:
    made = {key: columns[key] for key in fold.keys}
    lines = []
    for name, folded in fold.outputs:
        made[name] = Call(
            f"fold {folded.kind}", () if folded.column is None else (columns[folded.column],)
        )
        lines += (
            []
            if folded.grid is None
            else [_describe_clamp(format_expression(made[name]), folded.grid)]
        )
    each = (
        "each unit"
        if not fold.keys
        else f"each unit and {_format_list([columns[key] for key in fold.keys])}"
    )
    outputs = _format_list([made[name] for name, _ in fold.outputs])
    return [f"Makes one row of the rows of {each}{': ' if outputs else ''}{outputs}.", *lines], made


def _describe_join(
    join: Join, columns: Mapping[str, Expression]
) -> tuple[list[str], Mapping[str, Expression]]:
    lines, there = _describe_relation(join.other, full=True)
    pairs = " AND ".join(
        f"{format_expression(columns[own])} = {format_expression(there[theirs])}"
        for own, theirs in join.on
    )
    kept = ", and a row without any stays, with NULL" if join.keeps_unmatched else ""
    if join.other.unit is None:
        bare, what = join.other, "these public rows"
        while isinstance(bare, Project):
            bare = bare.source
        if isinstance(bare, Table):
            lines, what = [], f"the public table {bare.schema.table}"
        most = (
            "all rows"
            if join.max_matches is None
            else f"at most {_format_count(join.max_matches, 'row')}"
        )
        lines = [*lines, f"Looks up {what} where {pairs}: {most} there for each row{kept}."]
    elif join.second_population is not None:
        by, bond = (
            format_expression(columns[join.second_population.id_column]),
            _format_list(
                [
                    columns[name]
                    for name in (
                        join.second_population.id_column,
                        *join.second_population.other_columns,
                    )
                ]
            ),
        )
        kept = (
            "Of each unit keeps the rows with at most"
            f" {_format_count(join.second_population.max_references, 'value')} of {bond}, before it"
            " meets anybody."
        )
        most = (
            f"of whom at most {_format_count(join.second_population.max_rows, 'row')} count in a"
            " group"
        )
        lines = [
            kept,
            *lines,
            f"Puts beside each row the first row of the unit that {by} names there, {most}.",
        ]
    else:
        lines = [
            *lines,
            (
                "Puts beside each row the rows of the same unit"
                f" there{f' where {pairs}' if pairs else ''}{kept}."
            ),
        ]
    return lines, {**columns, **{name: there[theirs] for name, theirs in join.added_columns}}


def _describe_groups(plan: Aggregate, columns: Mapping[str, Expression]) -> str:
    keys, cells = (
        ", ".join(format_expression(columns[key]) for key in plan.bound.keys),
        plan.source.cells,
    )
    if not keys:
        return "One answer for all rows together."
    if cells is None:
        return f"Groups by {keys}: the groups that occur, since their values are not declared."
    return (
        f"Groups by {keys}: {_format_count(cells, 'cell')}, all known beforehand, empty ones as"
        " well."
    )


def _describe_contribution_bounds(plan: Aggregate) -> str:
    if plan.bound.source.unit == "row":
        return "Each row counts in one group."
    who = "unit" if plan.population_join is None else "unit and one whom it meets"
    return (
        f"Of each {who} counts at most {_format_count(plan.bound.max_groups, 'group')}, and in each"
        f" at most {_format_count(plan.bound.max_rows, 'row')}."
    )


def _describe_measure(
    measure: Measure, moves: Sensitivity, columns: Mapping[str, Expression], unit: Unit
) -> list[str]:
    name = _name_measure(measure).format(_format_list([columns[one] for one in measure.columns]))
    step, lines = Fraction(1), []
    for column, snap in [
        (measure.column, measure.grid),
        *([] if measure.second is None else [measure.second]),
    ]:
        if column is not None and snap is not None:
            step *= snap.step**measure.degree
            lines.append(
                _describe_clamp(
                    (
                        name
                        if measure.second is None
                        else f"{name}, {format_expression(columns[column])}"
                    ),
                    snap,
                )
            )
    if measure.sum_bounds is not None:
        low, high = (_format_number(limit * step) for limit in measure.sum_bounds)
        lines.append(
            f"{name}: what one unit puts into a group in all is moved into {low} to {high}."
        )
    if measure.kind == "moments":
        sums = measure.width - measure.has_null_sum
        name += f", as {'two sums' if sums == 2 else f'{sums} sums of products'}: "
        name += "how far the values lie above the lower bound, and below the upper one"
        name += (
            "; COUNT(*) with it, by one sum more, of the whole way for each row without a value"
            * measure.has_null_sum
        )
    total, each = (
        _format_number(moved * step / measure.resolution) for moved in (moves.l1, moves.linf)
    )
    return [
        *lines,
        (
            f"{name}: {_describe_neighbours(unit)} can move {_format_count(moves.l0, 'number')} by"
            f" {total} in all, and none by more than {each}."
        ),
    ]


def _name_measure(measure: Measure) -> str:
    if measure.kind == "moments":
        pair = measure.second is not None
        return {(1, False): "AVG({})", (2, False): "VARIANCE({})", (1, True): "COVARIANCE({})"}.get(
            (measure.degree, pair), "CORR({})"
        )
    names = {
        "units": "The number of units",
        "rows": "COUNT(*)",
        "distinct": "COUNT(DISTINCT {})",
        "total": "SUM({})",
    }
    return names.get(measure.kind, "COUNT({})")


def _describe_order_statistic(
    pick: OrderStatistic,
    moves: Sensitivity,
    columns: Mapping[str, Expression],
    plan: Aggregate,
    unit: Unit,
) -> list[str]:
    argument = format_expression(columns[pick.column])
    if pick.kind == "quantiles":
        name = (
            f"The quantile{'' if len(pick.quantiles) == 1 else 's'}"
            f" {', '.join(map(_format_number, pick.quantiles))} of {argument}"
        )
    else:
        name = f"{ {'least': 'MIN', 'greatest': 'MAX', 'mode': 'MODE'}[pick.kind] }({argument})"
    if pick.grid is not None:
        line = _describe_clamp(
            name, pick.grid, dates=plan.bound.columns[pick.column].type == "date"
        )
    else:
        line = f"{name}: values other than the {len(pick.values or ())} declared ones do not count."
    changed = (
        f"can change {_format_count(moves.l0, 'group')}, where at most"
        f" {_format_count(int(moves.linf), 'value')} of the sample"
    )
    how = "may leave or enter" if unit.relation == "add-remove" else "may leave and as many enter"
    return [line, f"{name}: {_describe_neighbours(unit)} {changed} {how}."]


def _describe_contingency(
    cross: Contingency, moves: Sensitivity, columns: Mapping[str, Expression], unit: Unit
) -> list[str]:
    codes = ", ".join(
        f"{format_expression(columns[name])} ({_format_count(size, 'code')})"
        for name, size in cross.attributes
    )
    total, each = (_format_number(moved / cross.resolution) for moved in (moves.l1, moves.linf))
    many = moves.l0 if cross.resolution == 1 else min(moves.l0, math.prod(cross.sizes))
    parts = (
        [
            "Of a unit with more rows than count, each row counts in part: as much less as they are"
            " more."
        ]
        if cross.resolution > 1
        else []
    )
    return [
        (
            f"Counts how often each combination of {codes} is there; a row in which one of them is"
            " NULL or not a code does not count."
        ),
        *parts,
        (
            f"The combinations: {_describe_neighbours(unit)} can move"
            f" {_format_count(many, 'count')} by {total} in all, and none by more than {each}."
        ),
    ]


def _describe_neighbours(unit: Unit) -> str:
    who = "One unit" if unit.group == 1 else f"{unit.group} units together"
    return f"{who} {'coming or going' if unit.relation == 'add-remove' else 'being replaced'}"


def _describe_clamp(name: str, snap: ClampedGrid, *, dates: bool = False) -> str:
    low, high = snap.low * snap.step, snap.high * snap.step
    if dates:
        first, last = (
            date.fromordinal(min(max(int(end), 1), date.max.toordinal())).isoformat()
            for end in (low, high)
        )
        return f"{name}: dates are moved into {first} to {last}."
    # A grid that nobody declared has a million steps or so, in powers of two: what they are says
    # nothing.
    fine = snap.high - snap.low >= 2**19 and (snap.step * 10**6).denominator != 1
    grid = (
        "by less than a millionth of that" if fine else f"to steps of {_format_number(snap.step)}"
    )
    return (
        f"{name}: values are moved into {_format_number(low)} to {_format_number(high)} and rounded"
        f" {grid}."
    )


def _format_count(count: int, noun: str) -> str:
    return f"{count:,} {noun}{'' if count == 1 else 's'}"


def _format_number(value: Fraction) -> str:
    """Exact where six decimals do, otherwise six digits."""
    if (value * 10**6).denominator != 1:
        return f"about {Decimal(value.numerator) / Decimal(value.denominator):.6g}"
    return f"{value.numerator:,}" if value.denominator == 1 else str(float(value))
