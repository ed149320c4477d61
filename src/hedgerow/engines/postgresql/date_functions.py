"""Dates and timestamps in PostgreSQL, cut to the calendar before an interval could leave it."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date

from sqlglot import exp

from hedgerow.engines.compile.sql_builders import (
    binary,
    call_function,
    case_when,
    cast_to_type,
    clamp,
    constant,
    integer_literal,
    real_literal,
    text_literal,
)
from hedgerow.engines.postgresql.guarded_numbers import cast_to_int, divide
from hedgerow.plan.values import DAY

__all__ = [
    "add_days",
    "add_months",
    "build_ordinal",
    "build_timestamp",
    "build_timestamp_number",
    "count_days",
    "make_date_part",
    "make_truncation",
]

_FIRST_DAY, _LAST_DAY = constant(date.min, "date"), constant(date.max, "date")
_FIRST_MONTH, _LAST_MONTH = 12 * date.min.year + 1, 12 * date.max.year + 12


def count_days(first: exp.Expr, last: exp.Expr) -> exp.Expr:
    """Count the days from the first date to the second."""
    return cast_to_type(binary(last, exp.Sub, first), "integer")


def build_ordinal(day: exp.Expr) -> exp.Expr:
    """Build the number of a date, counted from 1 on 0001-01-01."""
    return binary(count_days(_FIRST_DAY.copy(), day), exp.Add, integer_literal(1))


def build_timestamp_number(time: exp.Expr) -> exp.Expr:
    """Build the number of a timestamp, in microseconds."""
    day = call_function("date_trunc", text_literal("day"), time.copy())
    seconds = call_function("date_part", text_literal("epoch"), binary(time, exp.Sub, day))
    rest = cast_to_type(binary(seconds, exp.Mul, real_literal(1e6)), "integer")
    start = build_ordinal(cast_to_type(time.copy(), "date"))
    return binary(binary(start, exp.Mul, integer_literal(DAY)), exp.Add, rest)


def build_timestamp(number: exp.Expr) -> exp.Expr:
    """Build the timestamp of a number."""
    days = cast_to_int(
        binary(divide(number.copy(), integer_literal(DAY)), exp.Sub, integer_literal(1))
    )
    rest = binary(number, exp.Mod, integer_literal(DAY))
    seconds = divide(cast_to_type(rest, "real"), real_literal(1e6))
    nothing = [cast_to_int(exp.Literal.number(0)) for _ in range(6)]
    day = cast_to_type(binary(_FIRST_DAY.copy(), exp.Add, days), "timestamp")
    return binary(day, exp.Add, call_function("make_interval", *nothing, seconds))


def make_date_part(name: str) -> Callable[[exp.Expr], exp.Expr]:
    """Make the function that reads a part of a date."""
    field = {"day of week": "dow", "day of year": "doy"}.get(name, name)
    return lambda day: cast_to_type(
        call_function("date_part", text_literal(field), cast_to_type(day, "timestamp")), "integer"
    )


def make_truncation(unit: str) -> Callable[[exp.Expr], exp.Expr]:
    """Make the function that cuts a date to the start of a period."""

    def build(day: exp.Expr) -> exp.Expr:
        time = cast_to_type(day, "timestamp")
        return cast_to_type(call_function("date_trunc", text_literal(unit), time), "date")

    return build


def add_days(day: exp.Expr, count: exp.Expr) -> exp.Expr:
    """Add days to a date, cut to the calendar."""
    last = date.max.toordinal()
    far = clamp(count, integer_literal(-last), integer_literal(last))
    moved = binary(build_ordinal(day), exp.Add, far)
    ordinal = clamp(moved, integer_literal(1), integer_literal(last))
    days = cast_to_int(binary(ordinal, exp.Sub, integer_literal(1)))
    return binary(_FIRST_DAY.copy(), exp.Add, days)


def add_months(day: exp.Expr, count: exp.Expr) -> exp.Expr:
    """Add months, cut to the calendar; an interval that leads beyond it could raise an error."""
    year, month = (make_date_part(name)(day.copy()) for name in ("year", "month"))
    here = binary(binary(year, exp.Mul, integer_literal(12)), exp.Add, month)
    far = clamp(count, integer_literal(-_LAST_MONTH), integer_literal(_LAST_MONTH))
    there = binary(here.copy(), exp.Add, far)
    inside = clamp(there.copy(), integer_literal(_FIRST_MONTH), integer_literal(_LAST_MONTH))
    months = cast_to_int(binary(inside, exp.Sub, here))
    moved = binary(
        day, exp.Add, call_function("make_interval", cast_to_int(exp.Literal.number(0)), months)
    )
    return case_when(
        (binary(there.copy(), exp.LT, integer_literal(_FIRST_MONTH)), _FIRST_DAY.copy()),
        (binary(there, exp.GT, integer_literal(_LAST_MONTH)), _LAST_DAY.copy()),
        otherwise=cast_to_type(moved, "date"),
    )
