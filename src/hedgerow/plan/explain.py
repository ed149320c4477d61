"""A plan in plain words: what is read, what is kept, what is cut, and how far one unit moves each number."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from datetime import date
from decimal import Decimal
from fractions import Fraction
from typing import Final

from hedgerow.plan.expressions import Call, Constant, Expression, Read, replaced
from hedgerow.plan.measures import Measure
from hedgerow.plan.nodes import Aggregate, Filter, Join, Project, Rows, Table, Union
from hedgerow.privacy.sensitivity import Sensitivity
from hedgerow.privacy.unit import Unit

__all__ = ["describe", "text"]

# How tightly each operator binds; what binds less than its place asks for stands in parentheses.
_OR, _AND, _NOT, _TEST, _SUM, _PRODUCT, _SIGN, _ATOM = range(1, 9)
_INFIX: Final = {"+": _SUM, "-": _SUM, "*": _PRODUCT, "/": _PRODUCT, "%": _PRODUCT}
_TESTS: Final = ("=", "<>", "<", "<=", ">", ">=")
_NAMES: Final = {"day of week": "DAYOFWEEK", "day of year": "DAYOFYEAR"}
_PLAIN: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]*(\.[A-Za-z_][A-Za-z0-9_]*)?")


def text(expression: Expression) -> str:
    """The expression as one would write it in SQL."""
    return _written(expression)[0]


def _at(expression: Expression, least: int) -> str:
    written, binds = _written(expression)
    return written if binds >= least else f"({written})"


def _written(expression: Expression) -> tuple[str, int]:
    """The text, and how tightly its outermost operator binds."""
    if isinstance(expression, Read):
        name = expression.column
        return (name if _PLAIN.fullmatch(name) else '"' + name.replace('"', '""') + '"'), _ATOM
    if isinstance(expression, Constant):
        return _constant(expression)
    function, arguments = expression.function, expression.arguments
    if function in _INFIX:
        binds = _INFIX[function]
        return f"{_at(arguments[0], binds)} {function} {_at(arguments[1], binds + 1)}", binds
    if function in _TESTS:
        return f"{_at(arguments[0], _SUM)} {function} {_at(arguments[1], _SUM)}", _TEST
    if function in ("and", "or"):
        binds = _AND if function == "and" else _OR
        return f" {function.upper()} ".join(_at(argument, binds + 1) for argument in arguments), binds
    if function == "not":
        return _negated(arguments[0])
    if function in _TESTED:
        return f"{_at(arguments[0], _SUM)} {_TESTED[function](arguments, '')}", _TEST
    return _function(function, arguments)


def _constant(constant: Constant) -> tuple[str, int]:
    value = constant.value
    if value is None or isinstance(value, bool):
        return {None: "NULL", True: "TRUE", False: "FALSE"}[value], _ATOM
    if isinstance(value, str):
        return "'" + value.replace("'", "''") + "'", _ATOM
    if isinstance(value, date):
        return f"DATE '{value.isoformat()}'", _ATOM
    return str(value), _ATOM if value >= 0 else _SIGN


def _list(arguments: Sequence[Expression]) -> str:
    return ", ".join(map(text, arguments))


_TESTED: Final[Mapping[str, Callable[[Sequence[Expression], str], str]]] = {
    "in": lambda arguments, no: f"{no}IN ({_list(arguments[1:])})",
    "like": lambda arguments, no: f"{no}LIKE {_at(arguments[1], _SUM)}",
    "is null": lambda _, no: f"IS {no}NULL",
}


def _negated(part: Expression) -> tuple[str, int]:
    if isinstance(part, Call) and part.function in _TESTED:
        return f"{_at(part.arguments[0], _SUM)} {_TESTED[part.function](part.arguments, 'NOT ')}", _TEST
    return f"NOT {_at(part, _NOT)}", _NOT


def _function(function: str, arguments: Sequence[Expression]) -> tuple[str, int]:
    if function == "negate":
        return f"-{_at(arguments[0], _ATOM)}", _SIGN
    if function == "case":
        pairs = zip(arguments[0:-1:2], arguments[1::2], strict=True)
        branches = " ".join(f"WHEN {text(condition)} THEN {text(value)}" for condition, value in pairs)
        return f"CASE {branches} ELSE {text(arguments[-1])} END", _ATOM
    if function == "to real":
        return f"CAST({text(arguments[0])} AS DOUBLE)", _ATOM
    if function.startswith("start of "):
        return f"DATE_TRUNC('{function.removeprefix('start of ')}', {text(arguments[0])})", _ATOM
    return f"{_NAMES.get(function, function.upper())}({_list(arguments)})", _ATOM


def describe(plan: Aggregate, unit: Unit) -> tuple[str, ...]:
    """What happens, line by line. Looks at the plan only, so it costs nothing."""
    lines, columns = _rows(plan.bound.source)
    lines += [_keys(plan, columns), _caps(plan)]
    for measure, moves in zip(plan.measures, plan.sensitivity(unit), strict=True):
        lines += _measure(measure, moves, columns, unit)
    return tuple(lines)


def _rows(rows: Rows) -> tuple[list[str], Mapping[str, Expression]]:
    """Lines about the rows, and what each of their columns stands for in the words of the tables."""
    if isinstance(rows, Table):
        who = {None: "public", "row": "every row is a unit of its own"}.get(rows.unit, f"a unit is known by {rows.unit}")
        return [f"Reads the table {rows.schema.table}, version {rows.schema.version}: {who}."], {name: Read(name) for name in rows.columns}
    if isinstance(rows, Union):
        lines = [line for source in rows.sources for line in _rows(source)[0]]
        return [*lines, f"Puts the rows of these {len(rows.sources)} sources together."], {name: Read(name) for name in rows.columns}
    lines, columns = _rows(rows.source)
    if isinstance(rows, Filter):
        return [*lines, f"Keeps the rows where {text(replaced(rows.condition, columns))}."], columns
    if isinstance(rows, Project):
        return lines, {name: replaced(expression, columns) for name, expression in rows.outputs}
    return [*lines, _joined(rows, columns)], {**columns, **{name: Read(f"{rows.public.schema.table}.{there}") for name, there in rows.adds}}


def _joined(join: Join, columns: Mapping[str, Expression]) -> str:
    table = join.public.schema.table
    pairs = " AND ".join(f"{text(columns[own])} = {text(Read(f'{table}.{there}'))}" for own, there in join.on)
    return f"Looks up the public table {table} where {pairs}: at most {_many(join.matches, 'row')} there for each row."


def _keys(plan: Aggregate, columns: Mapping[str, Expression]) -> str:
    keys, cells = ", ".join(text(columns[key]) for key in plan.bound.keys), plan.source.cells
    if not keys:
        return "One answer for all rows together."
    if cells is None:
        return f"Groups by {keys}: the groups that occur, since their values are not declared."
    return f"Groups by {keys}: {_many(cells, 'cell')}, all declared, empty ones as well."


def _caps(plan: Aggregate) -> str:
    if plan.bound.source.unit == "row":
        return "Each row counts in one group."
    return f"Of each unit counts at most {_many(plan.bound.max_groups, 'group')}, and in each at most {_many(plan.bound.max_rows, 'row')}."


def _measure(measure: Measure, moves: Sensitivity, columns: Mapping[str, Expression], unit: Unit) -> list[str]:
    argument = "*" if measure.column is None else text(columns[measure.column])
    name = {"units": "The number of units", "total": f"SUM({argument})", "mean": f"AVG({argument})"}.get(measure.kind, f"COUNT({argument})")
    step, lines = Fraction(1), []
    if measure.snap is not None:
        step, low, high = measure.snap.step, measure.snap.low, measure.snap.high
        lines = [f"{name}: values are moved into {_number(low * step)} to {_number(high * step)} and rounded to steps of {_number(step)}."]
        name += ", as two sums: how far the values lie above the lower bound, and below the upper one" if measure.kind == "mean" else ""
    who = "One unit" if unit.group == 1 else f"{unit.group} units together"
    how = "coming or going" if unit.relation == "add-remove" else "being replaced"
    total, each = _number(moves.l1 * step), _number(moves.linf * step)
    return [*lines, f"{name}: {who} {how} can move {_many(moves.l0, 'number')} by {total} in all, and none by more than {each}."]


def _many(count: int, noun: str) -> str:
    return f"{count:,} {noun}{'' if count == 1 else 's'}"


def _number(value: Fraction) -> str:
    """Exact where six decimals do, otherwise six digits."""
    if (value * 10**6).denominator != 1:
        return f"about {Decimal(value.numerator) / Decimal(value.denominator):.6g}"
    return f"{value.numerator:,}" if value.denominator == 1 else str(float(value))
