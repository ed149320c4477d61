"""Constants take the type of their company."""

from __future__ import annotations

from datetime import date

from hedgerow.plan.expressions import Constant, Read
from hedgerow.plan.values import Range
from hedgerow.sql.typed import NO_CLOCK, Typed, aligned, constant, iso_date, no_day

DAY = Typed(Read("day"), Range("date"))
CITY = Typed(Read("city"), Range("text"))
NULL = constant(None, "integer")


def test_text_beside_a_date_is_a_date() -> None:
    assert aligned([constant("2026-01-31", "text"), DAY])[0].expression == Constant(date(2026, 1, 31), "date")


def test_text_that_is_no_date_stays_text() -> None:
    assert aligned([DAY, constant("soon", "text")])[1].type == "text"
    assert aligned([DAY, CITY])[1] == CITY


def test_null_takes_any_type() -> None:
    assert aligned([NULL, CITY])[0].expression == Constant(None, "text")
    assert aligned([NULL, CITY])[0].is_null
    assert aligned([NULL], "boolean")[0].type == "boolean"
    assert aligned([NULL, NULL])[0].type == "integer"
    assert not constant(0, "integer").is_null


def test_days_are_written_in_one_way() -> None:
    assert iso_date("2026-01-31") == date(2026, 1, 31)
    assert iso_date("2026-02-30") is None
    assert iso_date("20260131") is None
    assert iso_date("2026-W05-6") == date(2026, 1, 31)


def test_a_time_of_day_is_told_apart_from_what_is_no_day() -> None:
    assert no_day("2026-01-31 10:30") == (NO_CLOCK, "Write the day alone, which means all of it: '2026-01-31'.")
    assert [no_day(text)[0] for text in ("2026-02-30", "2026-01-31 noon", "soon")] == [
        "There is no day 2026-02-30",
        "This is no date",
        "This is no date",
    ]
