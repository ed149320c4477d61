"""Constants take the type of their company."""

from __future__ import annotations

from datetime import date

from hedgerow.plan.expressions import Constant, Read
from hedgerow.plan.values import Range
from hedgerow.sql.typed import Typed, aligned, constant, iso_date

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
