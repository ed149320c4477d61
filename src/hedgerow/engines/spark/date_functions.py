"""Dates and timestamps in Spark. Timestamps have no zone (TIMESTAMP_NTZ), and count as UTC where a
function knows only those that have one.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import date, datetime
from typing import Final

from sqlglot import exp

from hedgerow.engines.compile.sql_builders import (
    binary,
    call_function,
    cast,
    cast_to_type,
    clamp,
    constant,
    integer_literal,
    text_literal,
)
from hedgerow.plan.values import number_date

__all__ = [
    "add_days",
    "add_months",
    "build_ordinal",
    "build_timestamp",
    "build_timestamp_number",
    "clamp_date",
    "count_days",
    "make_date_part",
    "make_truncation",
]

_FIRST_DAY, _LAST_DAY = constant(date.min, "date"), constant(date.max, "date")
_EPOCH: Final = number_date(datetime(1970, 1, 1))
_PARTS: Final = {"day of week": "dayofweek", "day of year": "dayofyear"}


def clamp_date(day: exp.Expr) -> exp.Expr:
    """Clamp a date to the calendar; later dates have no timestamp."""
    return clamp(day, _FIRST_DAY.copy(), _LAST_DAY.copy())


def count_days(first: exp.Expr, last: exp.Expr) -> exp.Expr:
    """Count the days from the first date to the second."""
    return cast_to_type(call_function("datediff", last, first), "integer")


def build_ordinal(day: exp.Expr) -> exp.Expr:
    """Build the number of a date, counted from 1 on 0001-01-01."""
    return binary(count_days(_FIRST_DAY.copy(), day), exp.Add, integer_literal(1))


def build_timestamp_number(time: exp.Expr) -> exp.Expr:
    """Build the number of a timestamp, in microseconds."""
    micros = call_function("unix_micros", cast(time, "TIMESTAMPTZ"))
    return binary(micros, exp.Add, integer_literal(_EPOCH))


def build_timestamp(number: exp.Expr) -> exp.Expr:
    """Build the timestamp of a number."""
    micros = binary(number, exp.Sub, integer_literal(_EPOCH))
    return cast_to_type(call_function("timestamp_micros", micros), "timestamp")


def make_date_part(name: str) -> Callable[[exp.Expr], exp.Expr]:
    """Make the function that reads a part of a date."""
    function = _PARTS.get(name, name)
    if name == "day of week":  # Spark counts from 1 on Sunday
        return lambda day: binary(
            cast_to_type(call_function(function, day), "integer"), exp.Sub, integer_literal(1)
        )
    return lambda day: cast_to_type(call_function(function, day), "integer")


def make_truncation(unit: str) -> Callable[[exp.Expr], exp.Expr]:
    """Make the function that cuts a date to the start of a period."""
    return lambda day: call_function("trunc", day, text_literal(unit))


def add_days(day: exp.Expr, count: exp.Expr) -> exp.Expr:
    """Add days to a date, cut to the calendar."""
    last = date.max.toordinal()
    far = clamp(count, integer_literal(-last), integer_literal(last))
    moved = binary(build_ordinal(day), exp.Add, far)
    ordinal = clamp(moved, integer_literal(1), integer_literal(last))
    days = cast(binary(ordinal, exp.Sub, integer_literal(1)), "INT")
    return call_function("date_add", _FIRST_DAY.copy(), days)


def add_months(day: exp.Expr, count: exp.Expr) -> exp.Expr:
    """Add months, cut to the calendar."""
    months = cast(clamp(count, integer_literal(-120_000), integer_literal(120_000)), "INT")
    return clamp_date(call_function("add_months", day, months))
