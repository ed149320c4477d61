"""What a file may hold, and what is read."""

from __future__ import annotations

from datetime import date, datetime
from decimal import Decimal
from fractions import Fraction
from math import inf, nan

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hedgerow.engines.reference.column_casts import read_value
from hedgerow.plan.schema import Column
from hedgerow.plan.values import TYPES, Type, Value

DAY = date(2020, 5, 17)


@pytest.mark.parametrize(
    ("type_", "raw", "value"),
    [
        ("integer", 5, 5),
        ("integer", True, 1),
        ("integer", 2.5, 3),
        ("integer", -2.5, -3),
        ("integer", Decimal("2.5"), 3),
        ("integer", "2.5", 3),
        ("integer", " +12 ", 12),
        ("integer", "1e3", 1000),
        ("integer", "0e999999999", 0),
        ("integer", "1e-999999999", 0),
        ("integer", "1e999999999", None),
        ("integer", ".5", 1),
        ("integer", "", None),
        ("integer", "five", None),
        ("integer", "١", None),
        ("integer", 2**63 - 1, 2**63 - 1),
        ("integer", -(2**63), -(2**63)),
        ("integer", 2**63, None),
        ("integer", 10**400, None),
        ("integer", inf, None),
        ("integer", "inf", None),
        ("integer", Decimal("-Infinity"), None),
        ("integer", DAY, None),
        ("real", 1, 1.0),
        ("real", "1.5", 1.5),
        ("real", Decimal("0.1"), 0.1),
        ("real", "-Infinity", -inf),
        ("real", "1e400", inf),
        ("real", 10**400, inf),
        ("real", -(10**400), -inf),
        ("real", Decimal("Infinity"), inf),
        ("real", "nan", None),
        ("real", b"1", None),
        ("text", "a", "a"),
        ("text", " a", " a"),
        ("text", 5, "5"),
        ("text", True, "true"),
        ("text", False, "false"),
        ("text", DAY, "2020-05-17"),
        ("text", 1.5, None),
        ("text", datetime(2020, 5, 17, 12), None),
        ("boolean", True, True),
        ("boolean", 0, False),
        ("boolean", 0.5, True),
        ("boolean", "Yes", True),
        ("boolean", "F", False),
        ("boolean", "perhaps", None),
        ("boolean", DAY, None),
        ("date", DAY, DAY),
        ("date", datetime(2020, 5, 17, 23, 59), DAY),
        ("date", "2020-05-17", DAY),
        ("date", " 2020-5-17 ", DAY),
        ("date", "2020-05-17T12:00:00.5+02:00", DAY),
        ("date", "2020-05-17 noon", None),
        ("date", "2020-02-30", None),
        ("date", "infinity", date.max),
        ("date", "-infinity", date.min),
        ("date", "12020-05-17", date.max),
        ("date", "0-05-17", date.min),
        ("date", "12020-13-17", None),
        ("date", 20200517, None),
    ],
)
def test_read(type_: Type, raw: object, value: Value) -> None:
    found = read_value(Column("x", type_), raw)
    assert (type(found), found) == (type(value), value)


@pytest.mark.parametrize("type_", TYPES)
@pytest.mark.parametrize("raw", [None, nan, Decimal("nan"), Decimal("snan"), pd.NaT])
def test_missing_values_are_read_as_null(type_: Type, raw: object) -> None:
    assert read_value(Column("x", type_), raw) is None


def test_bounds_move() -> None:
    whole, real = (
        Column("x", "integer", Fraction(-1), Fraction(3)),
        Column("x", "real", Fraction(-1), Fraction(1, 10)),
    )
    assert [read_value(whole, raw) for raw in (-5, 0, 9, 2**62)] == [-1, 0, 3, 3]
    assert [
        read_value(whole, raw)
        for raw in (2**63, 10**400, 1e300, inf, "1e400", "inf", Decimal("Infinity"))
    ] == [3] * 7
    assert [
        read_value(whole, raw)
        for raw in (-(2**63) - 1, -(10**400), -1e300, -inf, "-1e400", "-Infinity", "-1e999999999")
    ] == [-1] * 7
    assert [read_value(whole, raw) for raw in (nan, "nan", "x", DAY)] == [None] * 4
    # the ends of 64 bits lie within
    wide = Column("x", "integer", Fraction(-(2**70)), Fraction(2**70))
    assert [read_value(wide, raw) for raw in (2**63, 2**80, inf, -(2**63) - 1, -1e300)] == [
        2**63 - 1
    ] * 3 + [-(2**63)] * 2
    assert [read_value(real, raw) for raw in (-inf, 0, 1, 0.1, 0.05)] == [-1.0, 0.0, 0.1, 0.1, 0.05]
    days = Column(
        "x",
        "date",
        Fraction(date(2020, 1, 1).toordinal()),
        Fraction(date(2020, 12, 31).toordinal()),
    )
    assert [read_value(days, raw) for raw in ("-infinity", DAY, "2021-01-01")] == [
        date(2020, 1, 1),
        DAY,
        date(2020, 12, 31),
    ]


def test_unlisted_values_are_read_as_null() -> None:
    assert [read_value(Column("x", "text", values=("a", "b")), raw) for raw in ("a", "A", "c")] == [
        "a",
        None,
        None,
    ]
    assert [
        read_value(Column("x", "integer", values=(1, 2**63)), raw) for raw in (1, 2**63, inf)
    ] == [1, None, None]
    months = Column("x", "date", values=(date(2020, 5, 1),), granularity="month")
    assert [read_value(months, raw) for raw in (DAY, date(2020, 6, 1))] == [date(2020, 5, 1), None]
    assert read_value(Column("x", "date", granularity="year"), DAY) == date(2020, 1, 1)


@pytest.mark.long
@given(
    st.sampled_from(TYPES),
    st.one_of(
        st.integers(),
        st.floats(),
        st.text(),
        st.decimals(),
        st.dates(),
        st.datetimes(),
        st.booleans(),
        st.none(),
        st.binary(),
    ),
)
def test_reading_never_raises_and_gives_the_type_or_null(type_: Type, raw: object) -> None:
    kinds = {"boolean": bool, "integer": int, "real": float, "text": str, "date": date}
    value = read_value(Column("x", type_), raw)
    assert value is None or type(value) is kinds[type_]
