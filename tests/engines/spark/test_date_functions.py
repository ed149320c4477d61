"""The calendar on a real cluster."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date, datetime

import pytest

from engines.spark.helpers_worlds import compute_rows, connect
from hedgerow.engines.compile.sql_builders import column, constant, integer_literal
from hedgerow.engines.spark.date_functions import clamp_date
from hedgerow.engines.spark.dialect import SPARK
from hedgerow.engines.spark.session import SparkConnection
from hedgerow.plan.scalar.dates import DATE_PARTS, DATE_SHIFTS, DATE_TRUNCATIONS
from hedgerow.plan.values import build_date, number_date

DAYS = [
    *(date.min, date(1, 12, 31), date(1582, 10, 10), date(1969, 12, 31), date(1900, 2, 28)),
    *(date(2000, 2, 29), date(2024, 1, 31), date(2024, 3, 31), date(2026, 11, 15), date.max),
]
COUNTS = [0, 1, -1, 12, -13, 120_001, -130_000, 31, 365, -365]
TIMES = [datetime.combine(day, datetime.max.time()) for day in DAYS] + [datetime.min]


@pytest.fixture(scope="module")
def server() -> Iterator[SparkConnection]:
    connection = connect()
    yield connection
    connection.close()


@pytest.mark.parametrize("name", [*DATE_PARTS, *DATE_TRUNCATIONS])
def test_parts_are_those_of_the_calendar(server: SparkConnection, name: str) -> None:
    build = {**SPARK.date_parts, **SPARK.date_truncations}[name]
    found = compute_rows(server, build(column("x0")), [[constant(day, "date")] for day in DAYS])
    function = {**DATE_PARTS, **DATE_TRUNCATIONS}[name]
    assert found == [function(day) for day in DAYS]


@pytest.mark.parametrize("name", DATE_SHIFTS)
def test_shifts_are_cut_to_the_calendar(server: SparkConnection, name: str) -> None:
    pairs = [*zip(DAYS, COUNTS, strict=True), (date.min, -1), (date.max, 1)]
    rows = [[constant(day, "date"), integer_literal(count)] for day, count in pairs]
    found = compute_rows(server, SPARK.date_shifts[name](column("x0"), column("x1")), rows)
    assert found == [DATE_SHIFTS[name](day, count) for day, count in pairs]


def test_timestamps_have_exact_numbers(server: SparkConnection) -> None:
    numbers = [number_date(time) for time in TIMES]
    rows = [[constant(time, "timestamp")] for time in TIMES]
    assert compute_rows(server, SPARK.timestamp_number(column("x0")), rows) == numbers
    rows = [[integer_literal(number)] for number in numbers]
    made = compute_rows(server, SPARK.build_timestamp(column("x0")), rows)
    assert made == [build_date(number, "timestamp") for number in numbers] == TIMES


def test_dates_beyond_the_calendar_are_clamped(server: SparkConnection) -> None:
    days = SPARK.date_shifts["add days"](column("x0"), column("x1"))
    rows = [[constant(date.max, "date"), integer_literal(10**9)]]
    assert compute_rows(server, clamp_date(days), rows) == [date.max]
