"""Rules for the parts of dates and timestamps, truncation, intervals, differences and the clock."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from sqlglot import exp
from sqlglot.tokenizer_core import TokenType

from hedgerow.errors import Refused
from hedgerow.plan.scalar.expressions import Constant
from hedgerow.plan.scalar.timestamps import TIME_UNITS, TIMESTAMP_FUNCTIONS
from hedgerow.plan.values import DAY
from hedgerow.sql.binder.rule import Binder, Refusal, Rule, find_filled_args
from hedgerow.sql.binder.typed_expression import (
    TypedExpression,
    align_types,
    build_constant,
    explain_invalid_date,
)

__all__ = [
    "CLOCK_NAMES",
    "RULES",
    "bind_clock",
    "bind_date_part",
    "bind_day",
    "is_clock",
    "shift_date",
]

_FUNCTIONS: Final[dict[type[exp.Expr], str]] = {
    exp.Year: "year",
    exp.Quarter: "quarter",
    exp.Month: "month",
    exp.Day: "day",
    exp.DayOfMonth: "day",
    exp.DayOfWeek: "day of week",
    exp.DayOfYear: "day of year",
    exp.Hour: "hour",
    exp.Minute: "minute",
    exp.Second: "second",
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
    "HOUR": "hour",
    "MINUTE": "minute",
    "SECOND": "second",
}
_STARTS: Final = {
    "YEAR": "start of year",
    "QUARTER": "start of quarter",
    "MONTH": "start of month",
    "WEEK": "start of week",
    "HOUR": "start of hour",
    "MINUTE": "start of minute",
    "SECOND": "start of second",
}
_TIME_UNITS: Final = {unit.upper(): unit for unit in TIME_UNITS}


def _apply_to_date(
    node: exp.Expr, binder: Binder, function: str, part: exp.Expr
) -> TypedExpression:
    """Apply a function of dates, to the day of a timestamp, or a function of times of day."""
    value = binder.bind(part)
    if function in TIMESTAMP_FUNCTIONS:
        return binder.apply(node, function, *_bind_timestamps(node, binder, value))
    return binder.apply(node, function, bind_day(node, binder, value))


def bind_day(node: exp.Expr, binder: Binder, value: TypedExpression) -> TypedExpression:
    """Bind a value as a date: the day of a timestamp, and text that is a date."""
    if value.type == "timestamp":
        return binder.apply(node, "to date", value)
    return align_types([value], "date")[0]


def _bind_timestamps(
    node: exp.Expr, binder: Binder, *values: TypedExpression
) -> list[TypedExpression]:
    """Bind values as timestamps: the midnight of a date, and text that is one."""
    return [
        binder.apply(node, "to timestamp", value) if value.type == "date" else value
        for value in align_types(values, "timestamp")
    ]


def _read_unit(part: exp.Expr | None) -> str:
    """Return the date part as written; a column of that name is none."""
    return part.name.upper() if isinstance(part, exp.Var | exp.Literal) else ""


def _bind_extract(node: exp.Extract, binder: Binder) -> TypedExpression:
    return _bind_part(node, binder, node.this, node.expression)


def _bind_part(node: exp.Expr, binder: Binder, unit: exp.Expr, value: exp.Expr) -> TypedExpression:
    name = _read_unit(unit)
    if name in _PARTS:
        return _apply_to_date(node, binder, _PARTS[name], value)
    if name == "EPOCH":
        return _bind_epoch(node, binder, value)
    if name not in _COMPUTED_PARTS:
        fix = (
            "The parts are YEAR, QUARTER, MONTH, WEEK, DAY, DOW (0 is Sunday), ISODOW, DOY, HOUR,"
            " MINUTE, SECOND, ISOYEAR, DECADE, CENTURY and EPOCH."
        )
        binder.refuse(node, "EXTRACT does not support this part", fix)
    day = bind_day(node, binder, binder.bind(value))
    return _COMPUTED_PARTS[name](_Calculator(node, binder), day)


def _bind_epoch(node: exp.Expr, binder: Binder, value: exp.Expr) -> TypedExpression:
    """Bind the whole seconds since 1970, or between the two sides of a difference."""
    inner = value.unnest()
    parts = [inner.expression, inner.this] if isinstance(inner, exp.Sub) else [value]
    ends = [binder.bind(part) for part in parts]
    if len(ends) == 1:
        ends.insert(0, build_constant(_EPOCH, "timestamp"))
    return binder.apply(node, "seconds between", *_bind_timestamps(node, binder, *ends))


@dataclass(frozen=True, slots=True)
class _Calculator:
    """Arithmetic with bound expressions and whole numbers."""

    node: exp.Expr
    binder: Binder

    def apply(self, function: str, *arguments: TypedExpression | int) -> TypedExpression:
        """Apply a function of the plan."""
        given = (build_constant(a, "integer") if isinstance(a, int) else a for a in arguments)
        return self.binder.apply(self.node, function, *given)

    def divide(self, value: TypedExpression, by: int) -> TypedExpression:
        """Divide a number that is not negative, and drop the remainder."""
        return self.apply("floor", self.apply("/", value, by))

    def find_thursday(self, day: TypedExpression) -> TypedExpression:
        """Return the Thursday of the week of a day, which decides to which year the week counts."""
        return self.apply("add days", self.apply("start of week", day), 3)

    def number_week(self, day: TypedExpression) -> TypedExpression:
        """Return the ISO week of a day."""
        place = self.apply("day of year", self.find_thursday(day))
        return self.apply("+", self.divide(self.apply("-", place, 1), 7), 1)

    def number_weekday(self, day: TypedExpression) -> TypedExpression:
        """Return the day of the week, from 1 for Monday to 7 for Sunday."""
        shifted = self.apply("+", self.apply("day of week", day), 6)
        return self.apply("+", self.apply("%", shifted, 7), 1)


def bind_date_part(node: exp.Anonymous, binder: Binder) -> TypedExpression:
    """Bind DATE_PART('hour', t), which is EXTRACT(hour FROM t)."""
    if len(node.expressions) != 2:
        binder.refuse(node, "DATE_PART takes a part and a date", "Write DATE_PART('hour', t).")
    return _bind_part(node, binder, *node.expressions)


def _bind_date_trunc(node: exp.Expr, binder: Binder) -> TypedExpression:
    unit = _read_unit(node.args.get("unit"))
    if unit not in (*_STARTS, "DAY"):
        binder.refuse(node, "DATE_TRUNC does not support this part", _TRUNC_FIX)
    if _is_ambiguous(node, binder):
        binder.refuse(node, _AMBIGUOUS_UNIT, _TRUNC_FIX)
    value = binder.bind(node.this)
    if unit.lower() in TIME_UNITS:
        return binder.apply(node, _STARTS[unit], *_bind_timestamps(node, binder, value))
    day = _check_day(node, binder, bind_day(node, binder, value))
    found = day if unit == "DAY" else binder.apply(node, _STARTS[unit], day)
    return binder.apply(node, "to timestamp", found) if value.type == "timestamp" else found


def _bind_day(node: exp.Expr, binder: Binder) -> TypedExpression:
    """Bind DATE(d): the date itself, or the day of a timestamp."""
    return _check_day(node, binder, bind_day(node, binder, binder.bind(node.this)))


def _check_day(node: exp.Expr, binder: Binder, value: TypedExpression) -> TypedExpression:
    """Return a value that is a date; refuse any other."""
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
    """Shift a date or timestamp by an interval; hours and less make a timestamp of a date."""
    name = _read_unit(interval.args.get("unit")).removesuffix("S")
    written = str(interval.this.this) if isinstance(interval.this, exp.Literal) else ""
    if (
        name not in (*_UNITS, *_TIME_UNITS)
        or not _INTEGER.fullmatch(written)
        or find_filled_args(interval) - {"this", "unit"}
    ):
        binder.refuse(interval, "This interval is not supported", _INTERVAL_FIX)
    count, value = sign * int(written), binder.bind(day)
    if name in _TIME_UNITS:
        (value,) = _bind_timestamps(node, binder, value)
    if value.type != "timestamp":
        function, times = _UNITS[name]
        (value,) = align_types([value], "date")
    elif name in _TIME_UNITS:
        function, times = "add microseconds", TIME_UNITS[_TIME_UNITS[name]]
    else:
        function, times = _UNITS[name]
        times *= DAY if function == "add days" else 1
        function = "add microseconds" if function == "add days" else "add calendar months"
    return binder.apply(node, function, value, build_constant(count * times, "integer"))


def _bind_date_add(node: exp.DateAdd, binder: Binder) -> TypedExpression:
    if not isinstance(node.expression, exp.Interval) or node.args.get("unit") is not None:
        binder.refuse(node, "DATE_ADD takes a date and an interval", "Write d + INTERVAL 3 DAY.")
    return shift_date(node, binder, node.this, node.expression, 1)


def _bind_date_diff(node: exp.DateDiff, binder: Binder) -> TypedExpression:
    """Bind DATE_DIFF('day', a, b), from a to b; each unit counts its beginnings."""
    unit = _read_unit(node.args.get("unit"))
    if unit not in ("DAY", "MONTH", "QUARTER", "YEAR", *_TIME_UNITS):
        binder.refuse(node, "DATE_DIFF does not support this part", _DIFF_FIX)
    if _is_ambiguous(node, binder):
        binder.refuse(node, _AMBIGUOUS_UNIT, _DIFF_FIX)
    values = [binder.bind(part) for part in (node.expression, node.this)]
    if unit in _TIME_UNITS:
        ends = _bind_timestamps(node, binder, *values)
        return binder.apply(node, f"{_TIME_UNITS[unit]}s between", *ends)
    first, last = (bind_day(node, binder, value) for value in values)
    if unit == "DAY":
        return binder.apply(node, "days between", first, last)
    on = _Calculator(node, binder)
    years = on.apply("-", *(on.apply("year", day) for day in (last, first)))
    if unit == "YEAR":
        return years
    parts = on.apply("-", *(on.apply(unit.lower(), day) for day in (last, first)))
    return on.apply("+", on.apply("*", years, 12 if unit == "MONTH" else 4), parts)


def _bind_last_day(node: exp.LastDay, binder: Binder) -> TypedExpression:
    """Bind the last day of the month of a date."""
    on = _Calculator(node, binder)
    first = on.apply("start of month", bind_day(node, binder, binder.bind(node.this)))
    return on.apply("add days", on.apply("add months", first, 1), -1)


def is_clock(node: exp.Expr) -> bool:
    """Return whether a node is the current date or time."""
    return isinstance(node, _CLOCKS) or (
        isinstance(node, exp.Anonymous) and str(node.this).upper() in CLOCK_NAMES
    )


def bind_clock(node: exp.Expr, binder: Binder) -> TypedExpression:
    """Bind CURRENT_DATE or CURRENT_TIMESTAMP: the moment that the policy declares as_of."""
    if isinstance(node, exp.Anonymous) and node.expressions:
        binder.refuse(node, f"{node.this} takes no argument", "Write CURRENT_TIMESTAMP.")
    declared = binder.find_as_of(node)
    if isinstance(node, exp.CurrentDate):
        day = declared.date() if isinstance(declared, datetime) else declared
        return build_constant(day, "date")
    if not isinstance(declared, datetime):
        declared = datetime.combine(declared, datetime.min.time())
    return build_constant(declared, "timestamp")


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


_EPOCH: Final = datetime(1970, 1, 1)
_COMPUTED_PARTS: Final[Mapping[str, Callable[[_Calculator, TypedExpression], TypedExpression]]] = {
    "WEEK": _Calculator.number_week,
    "ISODOW": _Calculator.number_weekday,
    "ISOYEAR": lambda on, day: on.apply("year", on.find_thursday(day)),
    "DECADE": lambda on, day: on.divide(on.apply("year", day), 10),
    "CENTURY": lambda on, day: on.divide(on.apply("+", on.apply("year", day), 99), 100),
}
_CLOCKS: Final = (exp.CurrentDate, exp.CurrentTimestamp, exp.Localtimestamp)
CLOCK_NAMES: Final = ("NOW", "GETDATE", "GET_CURRENT_TIMESTAMP")
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
    "Write DATE_TRUNC('month', d), with 'second', 'minute', 'hour', 'day', 'week', 'month',"
    " 'quarter' or 'year'."
)
_DIFF_FIX: Final = (
    "Write DATE_DIFF('day', a, b) for the days from a to b, with 'second', 'minute', 'hour', 'day',"
    " 'month', 'quarter' or 'year' first and in quotes; full weeks are DATE_DIFF('day', a, b) // 7."
)
_INTERVAL_FIX: Final = (
    "Write d + INTERVAL 3 DAY, with a whole number of SECOND, MINUTE, HOUR, DAY, WEEK, MONTH,"
    " QUARTER or YEAR."
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
    Rule(exp.LastDay, _bind_last_day),
    Rule(exp.TimeToUnix, lambda node, binder: _bind_epoch(node, binder, node.this)),
    *(
        Rule(node, lambda node, binder: _bind_part(node, binder, exp.var("WEEK"), node.this))
        for node in (exp.Week, exp.WeekOfYear)
    ),
    Rule(
        exp.DayOfWeekIso,
        lambda node, binder: _bind_part(node, binder, exp.var("ISODOW"), node.this),
    ),
    Rule(exp.DateDiff, _bind_date_diff, ("this", "expression", "unit", "date_part_boundary")),
    Rule(exp.DateAdd, _bind_date_add, ("this", "expression", "unit")),
    Refusal(
        exp.Interval,
        "INTERVAL can only be added to a date or timestamp, or subtracted from one",
        _INTERVAL_FIX,
    ),
    *(Rule(node, bind_clock, ()) for node in _CLOCKS),
    Refusal(
        exp.CurrentTime,
        "The time of day alone is not supported",
        "Write CURRENT_TIMESTAMP, or HOUR(CURRENT_TIMESTAMP).",
    ),
)
