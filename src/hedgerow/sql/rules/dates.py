"""Rules for date parts, truncation, intervals and differences."""

from __future__ import annotations

import re
from typing import Final

from sqlglot import exp
from sqlglot.tokenizer_core import TokenType

from hedgerow.errors import Refused
from hedgerow.plan.scalar.expressions import Constant
from hedgerow.sql.binder.rule import Binder, Refusal, Rule, find_filled_args
from hedgerow.sql.binder.typed_expression import (
    TypedExpression,
    align_types,
    build_constant,
    explain_invalid_date,
)

__all__ = ["RULES", "shift_date"]

_FUNCTIONS: Final[dict[type[exp.Expr], str]] = {
    exp.Year: "year",
    exp.Quarter: "quarter",
    exp.Month: "month",
    exp.Day: "day",
    exp.DayOfMonth: "day",
    exp.DayOfWeek: "day of week",
    exp.DayOfYear: "day of year",
}
_PARTS: Final = {
    "YEAR": "year",
    "QUARTER": "quarter",
    "MONTH": "month",
    "DAY": "day",
    "DOW": "day of week",
    "DAYOFWEEK": "day of week",
    "DOY": "day of year",
    "DAYOFYEAR": "day of year",
}
_STARTS: Final = {
    "YEAR": "start of year",
    "QUARTER": "start of quarter",
    "MONTH": "start of month",
    "WEEK": "start of week",
}


def _apply_to_date(
    node: exp.Expr, binder: Binder, function: str, part: exp.Expr
) -> TypedExpression:
    return binder.apply(node, function, *align_types([binder.bind(part)], "date"))


def _read_unit(part: exp.Expr | None) -> str:
    """Return the date part as written; a column of that name is none."""
    return part.name.upper() if isinstance(part, exp.Var | exp.Literal) else ""


def _bind_extract(node: exp.Extract, binder: Binder) -> TypedExpression:
    part = _PARTS.get(_read_unit(node.this))
    if part is None:
        fix = (
            "The parts are YEAR, QUARTER, MONTH, DAY, DOW (0 is Sunday) and DOY; for weeks write"
            " DATE_TRUNC('week', d)."
        )
        binder.refuse(node, "EXTRACT does not support this part", fix)
    return _apply_to_date(node, binder, part, node.expression)


def _bind_date_trunc(node: exp.Expr, binder: Binder) -> TypedExpression:
    unit = _read_unit(node.args.get("unit"))
    if unit not in (*_STARTS, "DAY"):
        binder.refuse(node, "DATE_TRUNC does not support this part", _TRUNC_FIX)
    if _is_ambiguous(node, binder):
        binder.refuse(node, _AMBIGUOUS_UNIT, _TRUNC_FIX)
    if unit == "DAY":
        return _bind_day(node, binder)
    return _apply_to_date(node, binder, _STARTS[unit], node.this)


def _bind_day(node: exp.Expr, binder: Binder) -> TypedExpression:
    """Bind DATE(d) or DATE_TRUNC('day', d): the date itself."""
    (value,) = align_types([binder.bind(node.this)], "date")
    if value.type == "date":
        return value
    if isinstance(value.expression, Constant):
        binder.refuse(node, *explain_invalid_date(str(value.expression.value)))
    return binder.refuse(
        node,
        f"A date is needed here, but this is {value.type}",
        "Use a column that the policy declares as a date.",
    )


def shift_date(
    node: exp.Expr, binder: Binder, day: exp.Expr, interval: exp.Interval, sign: int
) -> TypedExpression:
    """Shift a date by an interval."""
    unit = _UNITS.get(_read_unit(interval.args.get("unit")).removesuffix("S"))
    written = str(interval.this.this) if isinstance(interval.this, exp.Literal) else ""
    if (
        unit is None
        or not _INTEGER.fullmatch(written)
        or find_filled_args(interval) - {"this", "unit"}
    ):
        binder.refuse(interval, "This interval is not supported", _INTERVAL_FIX)
    function, times = unit
    return binder.apply(
        node,
        function,
        *align_types([binder.bind(day)], "date"),
        build_constant(sign * times * int(written), "integer"),
    )


def _bind_date_add(node: exp.DateAdd, binder: Binder) -> TypedExpression:
    if not isinstance(node.expression, exp.Interval) or node.args.get("unit") is not None:
        binder.refuse(node, "DATE_ADD takes a date and an interval", "Write d + INTERVAL 3 DAY.")
    return shift_date(node, binder, node.this, node.expression, 1)


def _bind_date_diff(node: exp.DateDiff, binder: Binder) -> TypedExpression:
    """Bind DATE_DIFF('day', a, b), from a to b; months and years count their beginnings."""
    unit = _read_unit(node.args.get("unit"))
    if unit not in ("DAY", "MONTH", "YEAR"):
        binder.refuse(node, "DATE_DIFF does not support this part", _DIFF_FIX)
    if _is_ambiguous(node, binder):
        binder.refuse(node, _AMBIGUOUS_UNIT, _DIFF_FIX)
    first, last = (
        align_types([binder.bind(part)], "date")[0] for part in (node.expression, node.this)
    )
    if unit == "DAY":
        return binder.apply(node, "days between", first, last)
    years = binder.apply(node, "-", *(binder.apply(node, "year", day) for day in (last, first)))
    if unit == "YEAR":
        return years
    months = binder.apply(node, "-", *(binder.apply(node, "month", day) for day in (last, first)))
    return binder.apply(
        node, "+", binder.apply(node, "*", years, build_constant(12, "integer")), months
    )


def _is_ambiguous(node: exp.Expr, binder: Binder) -> bool:
    """Return whether DATE_DIFF(month, a, day) or DATE_TRUNC(day, month) may have swapped arguments.

    Some databases take the date part last: here the first word is both a part and a column, and the
    last one a part.
    """
    unit, last, span = node.args["unit"], node.this, binder.text.find_span(node)
    bare = (
        isinstance(last, exp.Column)
        and "table" not in last.args
        and last.name.upper() in {*_PARTS, *_STARTS}
    )
    if span is None or not bare or last.name.upper() == unit.name.upper():
        return False  # DATE_TRUNC(day, day) means the same either way
    call = [token for token in binder.text.tokens if span[0] <= token.start < span[1]]
    if len(call) < 3 or call[2].token_type == TokenType.STRING:
        return False
    try:
        binder.bind(exp.column(unit.name))
    except Refused:
        return False
    return True


_INTEGER: Final = re.compile(r"-?[0-9]{1,6}")
_UNITS: Final = {
    "DAY": ("add days", 1),
    "WEEK": ("add days", 7),
    "MONTH": ("add months", 1),
    "QUARTER": ("add months", 3),
    "YEAR": ("add months", 12),
}
_AMBIGUOUS_UNIT: Final = "This is ambiguous: the word is a date part and a column"
_TRUNC_FIX: Final = (
    "Write DATE_TRUNC('month', d), with 'day', 'week', 'month', 'quarter' or 'year'."
)
_DIFF_FIX: Final = (
    "Write DATE_DIFF('day', a, b) for the days from a to b, with 'day', 'month' or"
    " 'year' first and in quotes."
)
_INTERVAL_FIX: Final = (
    "Write d + INTERVAL 3 DAY, with a whole number of DAY, WEEK, MONTH, QUARTER or YEAR."
)
_CLOCK_FIX: Final = (
    "Write a fixed date, such as DATE '2026-01-31': then the question means the same tomorrow."
)
RULES: tuple[Rule | Refusal, ...] = (
    *(
        Rule(
            node,
            lambda node, binder: _apply_to_date(node, binder, _FUNCTIONS[type(node)], node.this),
        )
        for node in _FUNCTIONS
    ),
    Rule(exp.Extract, _bind_extract, ("this", "expression")),
    Rule(exp.TimestampTrunc, _bind_date_trunc, ("this", "unit")),
    Rule(exp.DateTrunc, _bind_date_trunc, ("this", "unit")),
    Rule(exp.Date, _bind_day),
    Rule(exp.DateDiff, _bind_date_diff, ("this", "expression", "unit", "date_part_boundary")),
    Rule(exp.DateAdd, _bind_date_add, ("this", "expression", "unit")),
    Refusal(
        exp.Interval, "INTERVAL can only be added to a date or subtracted from one", _INTERVAL_FIX
    ),
    *(
        Refusal(
            node,
            "Formatting dates as text is not supported",
            "Write YEAR(d), MONTH(d) or DATE_TRUNC('month', d).",
        )
        for node in (exp.TimeToStr, exp.ToChar)
    ),
    Refusal(exp.CurrentDate, "The current date and time are not available", _CLOCK_FIX),
    Refusal(exp.CurrentTimestamp, "The current date and time are not available", _CLOCK_FIX),
    Refusal(exp.CurrentTime, "The current date and time are not available", _CLOCK_FIX),
)
