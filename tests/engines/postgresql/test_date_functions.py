"""The calendar on a real server."""

from __future__ import annotations

from datetime import date, datetime

from hypothesis import given
from hypothesis import strategies as st

from engines.postgresql.helpers_expressions import compute, x
from engines.postgresql.helpers_server import get_server
from hedgerow.engines.compile.sql_builders import (
    constant,
    integer_literal,
)
from hedgerow.engines.postgresql.dialect import POSTGRESQL
from hedgerow.plan.scalar.dates import DATE_PARTS, DATE_SHIFTS, DATE_TRUNCATIONS
from hedgerow.plan.values import build_date, number_date


@given(st.dates(), st.integers(-130_000, 130_000))
def test_date_functions_are_those_of_the_calendar(day: date, count: int) -> None:
    given_ = (constant(day, "date"), integer_literal(count))
    wanted, found = {}, {}
    with get_server().connect() as connection:
        for name, function in {**DATE_PARTS, **DATE_TRUNCATIONS}.items():
            build = {**POSTGRESQL.date_parts, **POSTGRESQL.date_truncations}[name]
            found[name], wanted[name] = compute(connection, build(x()), *given_), function(day)
        for name, shift in DATE_SHIFTS.items():
            tree = POSTGRESQL.date_shifts[name](x(), x(1))
            found[name], wanted[name] = compute(connection, tree, *given_), shift(day, count)
    assert found == wanted


@given(st.datetimes())
def test_timestamps_have_exact_numbers(time: datetime) -> None:
    number = number_date(time)
    with get_server().connect() as connection:
        found = compute(connection, POSTGRESQL.timestamp_number(x()), constant(time, "timestamp"))
        made = compute(connection, POSTGRESQL.build_timestamp(x()), integer_literal(number))
    assert found == number
    assert made == build_date(number, "timestamp") == time
