from __future__ import annotations

import datetime
from datetime import date
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hedgerow.errors import InvalidArgument
from hedgerow.policy.declared_values import MAX_VALUES, read_values


@pytest.mark.parametrize(
    ("written", "declared", "kind", "values"),
    [
        (["north", "south"], None, "text", ("north", "south")),
        ([3, 1, 2], None, "integer", (3, 1, 2)),
        ([1, Decimal("0.1")], None, "real", (Fraction(1), Fraction(1, 10))),
        ([1, 2], "real", "real", (Fraction(1), Fraction(2))),
        ([Decimal("2.0")], "integer", "integer", (2,)),
        ([True, False], None, "boolean", (True, False)),
        ([date(2026, 1, 5)], None, "date", (date(2026, 1, 5),)),
        (["2026-01-05", "2026-02-01"], "date", "date", (date(2026, 1, 5), date(2026, 2, 1))),
        (["2026-01"], None, "text", ("2026-01",)),
        ([np.int64(4)], None, "integer", (4,)),
        ([np.float64(0.5)], None, "real", (Fraction(1, 2),)),
        ([np.str_("a")], None, "text", ("a",)),
    ],
)
def test_lists_are_of_one_kind_and_exact(
    written: object, declared: str | None, kind: str, values: tuple[object, ...]
) -> None:
    assert read_values(written, declared)[:2] == (kind, values)
    assert [type(value) for value in read_values(written, declared)[1]] == [
        type(value) for value in values
    ]


@pytest.mark.parametrize(
    ("written", "declared", "kind", "values"),
    [
        (
            "2026-11 … 2027-02",
            None,
            "date",
            (date(2026, 11, 1), date(2026, 12, 1), date(2027, 1, 1), date(2027, 2, 1)),
        ),
        ("2026-11...2026-12", "date", "date", (date(2026, 11, 1), date(2026, 12, 1))),
        ("2026-11 … 2026-12", "text", "text", ("2026-11", "2026-12")),
        (
            "2024-02-28 … 2024-03-01",
            None,
            "date",
            (date(2024, 2, 28), date(2024, 2, 29), date(2024, 3, 1)),
        ),
        ("2024-02-28 … 2024-02-29", "text", "text", ("2024-02-28", "2024-02-29")),
        ("2024 … 2026", "date", "date", (date(2024, 1, 1), date(2025, 1, 1), date(2026, 1, 1))),
        ("2024 … 2026", None, "integer", (2024, 2025, 2026)),
        ("2024 … 2025", "text", "text", ("2024", "2025")),
        ("-1 … 1", None, "integer", (-1, 0, 1)),
        ("1 … 2", "real", "real", (Fraction(1), Fraction(2))),
        ("09 … 11", "text", "text", ("09", "10", "11")),
        ("5 … 5", "integer", "integer", (5,)),
    ],
)
def test_ranges_hold_both_ends(
    written: str, declared: str | None, kind: str, values: tuple[object, ...]
) -> None:
    assert read_values(written, declared)[:2] == (kind, values)


@pytest.mark.parametrize(
    ("written", "declared", "told"),
    [
        ([], None, "must not be empty"),
        (["a", 1], None, "must all have the same type"),
        ([True, 1], None, "must all have the same type"),
        ([True], "integer", "must have the type 'integer'"),
        ([np.bool_(True)], None, "must be text, numbers, dates"),
        ([datetime.datetime(2026, 1, 1, 12)], None, "without a time of day"),
        ([[1]], None, "must be text, numbers, dates"),
        ([1], "text", "must have the type 'text'"),
        (["a"], "integer", "must have the type 'integer'"),
        ([Decimal("0.5")], "integer", "must be whole numbers"),
        ([float("nan")], "real", "must be finite"),
        (["2026-01-05", "2026-02"], "date", "must be all days, all months or all years"),
        ([date(2026, 1, 1), "2026"], "date", "must be all days, all months or all years"),
        (["May 2026"], "date", "must be dates such as"),
        (["2026-02-30"], "date", "dates that exist"),
        (7, None, "must be a list"),
        ("north", None, "must be a list"),
        ("2026-01 … 2026-01-31", None, "two days, two months or two whole numbers"),
        ("a … f", "text", "two days, two months or two whole numbers"),
        ("2026-01 … 2026-12", "integer", "must have the type 'integer'"),
        ("2024 … 2026", "boolean", "must have the type 'boolean'"),
        ("2026-12 … 2026-01", None, "must run forwards"),
        ("2026-01-02 … 2026-01-01", None, "must run forwards"),
        ("2026 … 2025", "date", "must run forwards"),
        ("2 … 1", None, "must run forwards"),
        ("2026-13 … 2027-01", None, "dates that exist"),
        (f"1 … {MAX_VALUES + 1}", None, "must have at most 100,000"),
        (list(range(MAX_VALUES + 1)), None, "must have at most 100,000"),
    ],
)
def test_malformed_values_are_refused(written: object, declared: str | None, told: str) -> None:
    with pytest.raises(InvalidArgument, match=told) as caught:
        read_values(written, declared)
    assert caught.value.argument == "values"


@pytest.mark.parametrize(
    ("written", "declared", "grain"),
    [
        ("2026-01-01 … 2026-01-01", None, "day"),
        ("2026-01 … 2026-01", None, "month"),
        ("2026 … 2026", "date", "year"),
        ("2026 … 2026", "integer", "day"),
        ("2026-01 … 2026-12", "text", "day"),
        ([date(2026, 1, 1)], None, "day"),
        (["2026-01-01"], "date", "day"),
        (["2026-01", "2026-03"], "date", "month"),
        (["2026"], "date", "year"),
        (["2026-01"], None, "day"),
    ],
)
def test_a_date_is_shown_as_written(written: object, declared: str | None, grain: str) -> None:
    """The first of January may be a day, a month or a year; only the custodian's spelling tells."""
    assert read_values(written, declared)[2] == grain


@settings(derandomize=True)
@given(st.dates(date(1900, 1, 1), date(2100, 1, 1)), st.integers(0, 400))
def test_a_range_of_days_has_every_day_once(begin: date, days: int) -> None:
    end = begin + datetime.timedelta(days=days)
    _, values, _ = read_values(f"{begin} … {end}")
    assert [value.toordinal() for value in values if isinstance(value, date)] == list(
        range(begin.toordinal(), end.toordinal() + 1)
    )
