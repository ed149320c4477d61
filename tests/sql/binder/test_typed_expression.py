"""Types of constants beside other values."""

from __future__ import annotations

from datetime import date, datetime

from hedgerow.plan.scalar.expressions import ColumnRef, Constant
from hedgerow.plan.values import Range
from hedgerow.sql.binder.typed_expression import (
    TypedExpression,
    align_types,
    build_constant,
    explain_invalid_date,
    parse_iso_date,
    parse_iso_timestamp,
)

DAY = TypedExpression(ColumnRef("day"), Range("date"))
CITY = TypedExpression(ColumnRef("city"), Range("text"))
NULL = build_constant(None, "integer")


def test_text_beside_a_date_is_a_date() -> None:
    assert align_types([build_constant("2026-01-31", "text"), DAY])[0].expression == Constant(
        date(2026, 1, 31), "date"
    )


def test_text_that_does_not_parse_as_a_date_stays_text() -> None:
    assert align_types([DAY, build_constant("soon", "text")])[1].type == "text"
    assert align_types([DAY, CITY])[1] == CITY


def test_null_takes_any_type() -> None:
    assert align_types([NULL, CITY])[0].expression == Constant(None, "text")
    assert align_types([NULL, CITY])[0].is_null
    assert align_types([NULL], "boolean")[0].type == "boolean"
    assert align_types([NULL, NULL])[0].type == "integer"
    assert not build_constant(0, "integer").is_null


def test_dates_have_one_accepted_spelling() -> None:
    assert parse_iso_date("2026-01-31") == date(2026, 1, 31)
    assert parse_iso_date("2026-02-30") is None
    assert parse_iso_date("20260131") is None
    assert parse_iso_date("2026-W05-6") == date(2026, 1, 31)


def test_timestamps_are_dates_with_or_without_a_time() -> None:
    assert parse_iso_timestamp("2026-01-31") == datetime(2026, 1, 31)
    assert parse_iso_timestamp("2026-01-31 09:30") == datetime(2026, 1, 31, 9, 30)
    assert parse_iso_timestamp("2026-01-31T09:30:01.5") == datetime(2026, 1, 31, 9, 30, 1, 500_000)
    bad = ("2026-01-31 09:30Z", "2026-01-31 24:00", "2026-01-31 09", "2026-02-30 09:30", "now")
    assert [parse_iso_timestamp(text) for text in bad] == [None] * 5
    assert explain_invalid_date("now", "timestamp")[0] == "This is not a timestamp without a zone"


def test_constants_are_cast_to_the_timestamps_beside_them() -> None:
    moment, day = datetime(2026, 1, 31, 9, 30), date(2026, 1, 31)
    others = [build_constant(day, "date"), build_constant("2026-01-31 09:30", "text")]
    assert [
        value.expression for value in align_types([*others, build_constant(moment, "timestamp")])
    ] == [
        Constant(datetime(2026, 1, 31), "timestamp"),
        Constant(moment, "timestamp"),
        Constant(moment, "timestamp"),
    ]


def test_a_time_of_day_is_distinguished_from_an_invalid_date() -> None:
    assert explain_invalid_date("2026-01-31 10:30") == (
        "A date has no time of day",
        "Write the date alone, which covers the whole day: '2026-01-31'; or a timestamp:"
        " TIMESTAMP '2026-01-31 10:30'.",
    )
    assert [
        explain_invalid_date(text)[0] for text in ("2026-02-30", "2026-01-31 noon", "soon")
    ] == [
        "2026-02-30 is not a valid date",
        "This is not a date",
        "This is not a date",
    ]
