"""SQL text of plan expressions, for people to read."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from datetime import date, datetime
from typing import Final

from hedgerow.plan.scalar.expressions import Call, ColumnRef, Constant, Expression
from hedgerow.plan.scalar.timestamps import TIME_UNITS
from hedgerow.plan.values import DAY

__all__ = ["format_expression", "format_list"]

# Precedence of operators: an operand of lower precedence than its place needs is parenthesised.
_OR, _AND, _NOT, _TEST, _SUM, _PRODUCT, _SIGN, _ATOM = range(1, 9)
_INFIX: Final = {"+": _SUM, "-": _SUM, "*": _PRODUCT, "/": _PRODUCT, "%": _PRODUCT}
_COMPARISONS: Final = ("=", "<>", "<", "<=", ">", ">=")
_SQL_NAMES: Final = {
    "day of week": "DAYOFWEEK",
    "day of year": "DAYOFYEAR",
    "starts with": "STARTS_WITH",
    "position": "STRPOS",
    "matches pattern": "REGEXP_MATCHES",
    "extract pattern": "REGEXP_EXTRACT",
}
_INTERVAL_UNITS: Final = {
    "add days": "DAY",
    "add months": "MONTH",
    "add calendar months": "MONTH",
}
# Per-unit statistics ("fold …") look like aggregates; no function of the list has such names.
_CALL_TEMPLATES: Final = {
    "fold rows": "COUNT(*)",
    "fold values": "COUNT({})",
    "fold distinct": "COUNT(DISTINCT {})",
    "fold total": "SUM({})",
    "fold mean": "AVG({})",
    "fold least": "MIN({})",
    "fold greatest": "MAX({})",
    "days between": "DATE_DIFF('day', {})",
    **{f"{unit}s between": f"DATE_DIFF('{unit}', {{}})" for unit in TIME_UNITS},
    "to real": "CAST({} AS DOUBLE)",
    "to text": "CAST({} AS TEXT)",
    "to date": "CAST({} AS DATE)",
    "to timestamp": "CAST({} AS TIMESTAMP)",
    "parse integer": "CAST({} AS INTEGER)",
    "parse real": "CAST({} AS DOUBLE)",
    "parse date": "CAST({} AS DATE)",
    "parse timestamp": "CAST({} AS TIMESTAMP)",
}
_PLAIN_NAME: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]*(\.[A-Za-z_][A-Za-z0-9_]*)?")


def format_expression(expression: Expression) -> str:
    """Write an expression in SQL."""
    return _format_with_precedence(expression)[0]


def _format_operand(expression: Expression, minimum: int) -> str:
    text, precedence = _format_with_precedence(expression)
    return text if precedence >= minimum else f"({text})"


def _format_with_precedence(expression: Expression) -> tuple[str, int]:
    """Return the SQL text, and the precedence of its outermost operator."""
    if isinstance(expression, ColumnRef):
        name = expression.column
        return (name if _PLAIN_NAME.fullmatch(name) else '"' + name.replace('"', '""') + '"'), _ATOM
    if isinstance(expression, Constant):
        return _format_constant(expression)
    function, arguments = expression.function, expression.arguments
    if function in _INFIX or function in _COMPARISONS:
        own = _INFIX.get(function, _TEST)
        sides = (own, own + 1) if function in _INFIX else (_SUM, _SUM)
        left, right = map(_format_operand, arguments, sides)
        return f"{left} {function} {right}", own
    if function in ("and", "or"):
        own = _AND if function == "and" else _OR
        operands = (_format_operand(argument, own + 1) for argument in arguments)
        return f" {function.upper()} ".join(operands), own
    if function == "not":
        return _format_negation(arguments[0])
    if function in _POSTFIX_TESTS:
        test = _POSTFIX_TESTS[function](arguments, "")
        return f"{_format_operand(arguments[0], _SUM)} {test}", _TEST
    return _format_call(function, arguments)


def _format_constant(constant: Constant) -> tuple[str, int]:
    value = constant.value
    if value is None or isinstance(value, bool):
        return {None: "NULL", True: "TRUE", False: "FALSE"}[value], _ATOM
    if isinstance(value, str):
        return "'" + value.replace("'", "''") + "'", _ATOM
    if isinstance(value, datetime):
        return f"TIMESTAMP '{value}'", _ATOM
    if isinstance(value, date):
        return f"DATE '{value.isoformat()}'", _ATOM
    return str(value), _ATOM if value >= 0 else _SIGN


def _format_time_shift(start: Expression, count: Expression) -> str:
    """Write a shift in the largest unit that fits."""
    size = count.value if isinstance(count, Constant) else None
    name, unit = "MICROSECOND", 1
    if isinstance(size, int):
        sizes = {"DAY": DAY, **{unit.upper(): TIME_UNITS[unit] for unit in ("hour", "minute")}}
        sizes["SECOND"] = TIME_UNITS["second"]
        name, unit = next(pair for pair in (*sizes.items(), (name, 1)) if size % pair[1] == 0)
        count = Constant(size // unit, "integer")
    return f"{_format_operand(start, _SUM)} + INTERVAL {_format_operand(count, _ATOM)} {name}"


def format_list(arguments: Sequence[Expression]) -> str:
    """Write expressions in SQL, separated by commas."""
    return ", ".join(map(format_expression, arguments))


_POSTFIX_TESTS: Final[Mapping[str, Callable[[Sequence[Expression], str], str]]] = {
    "in": lambda arguments, no: f"{no}IN ({format_list(arguments[1:])})",
    "like": lambda arguments, no: f"{no}LIKE {_format_operand(arguments[1], _SUM)}",
    "is null": lambda _, no: f"IS {no}NULL",
}


def _format_negation(part: Expression) -> tuple[str, int]:
    if isinstance(part, Call) and part.function in _POSTFIX_TESTS:
        test = _POSTFIX_TESTS[part.function](part.arguments, "NOT ")
        return f"{_format_operand(part.arguments[0], _SUM)} {test}", _TEST
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
        start, count = map(_format_operand, arguments, (_SUM, _ATOM))
        return f"{start} + INTERVAL {count} {_INTERVAL_UNITS[function]}", _SUM
    if function == "add microseconds":
        return _format_time_shift(*arguments), _SUM
    if function == "replace pattern":
        flag = [Constant("g", "text")] if arguments[3] == Constant(True, "boolean") else []
        return f"REGEXP_REPLACE({format_list([*arguments[:3], *flag])})", _ATOM
    if function in _CALL_TEMPLATES:
        return _CALL_TEMPLATES[function].format(format_list(arguments)), _ATOM
    if function.startswith("start of "):
        period = function.removeprefix("start of ")
        return f"DATE_TRUNC('{period}', {format_expression(arguments[0])})", _ATOM
    return f"{_SQL_NAMES.get(function, function.upper())}({format_list(arguments)})", _ATOM
