"""Timestamps: ranges hold every value, and what is not a timestamp is refused."""

from __future__ import annotations

from datetime import date, datetime, timedelta
from fractions import Fraction

import pytest

from hedgerow.errors import Unsupported
from hedgerow.plan.scalar.timestamps import TIME_UNITS, TIMESTAMP_FUNCTIONS
from hedgerow.plan.values import DAY, Range, number_date

FIRST, LAST = datetime(2026, 1, 30, 21, 59), datetime(2026, 2, 2, 3, 0, 1)


def between(low: datetime, high: datetime) -> Range:
    return Range("timestamp", Fraction(number_date(low)), Fraction(number_date(high)))


def whole(low: int, high: int) -> Range:
    return Range("integer", Fraction(low), Fraction(high), Fraction(1))


def infer(name: str, *ranges: Range) -> Range:
    return TIMESTAMP_FUNCTIONS[name][0](ranges)


def run(name: str, *values: object) -> object:
    return TIMESTAMP_FUNCTIONS[name][1](*values)


def test_conversions_list_what_is_possible_if_it_is_little() -> None:
    known, moments = between(FIRST, LAST), [FIRST + timedelta(minutes=7 * i) for i in range(455)]
    for name in ("to date", "start of hour"):
        assert infer(name, known).values == tuple(
            sorted({run(name, moment) for moment in [*moments, LAST]})  # type: ignore[type-var]
        )
    assert infer("start of second", known).values is None
    assert infer("start of second", known).high == number_date(LAST)
    assert infer("to date", Range("timestamp")) == Range("date")
    days = Range("date", Fraction(1), Fraction(400), None, (date(1, 1, 1), date(2, 2, 4)))
    assert infer("to timestamp", days).values == (datetime(1, 1, 1), datetime(2, 2, 4))
    assert infer("to timestamp", days).high == 400 * DAY
    assert infer("to timestamp", Range("date", values=())).values is None


def test_parts_start_anew() -> None:
    assert [infer(unit, Range("timestamp")).high for unit in ("hour", "minute", "second")] == [
        23,
        59,
        59,
    ]
    moment = datetime(1969, 12, 31, 23, 58, 59, 999_999)
    assert [run(unit, moment) for unit in ("hour", "minute", "second")] == [23, 58, 59]


def test_moved_timestamps_stay_in_their_range() -> None:
    counts = whole(-1, 2)
    for name, times in (("add calendar months", 1), ("add microseconds", 1)):
        known = infer(name, between(FIRST, LAST), counts)
        for start in (FIRST, datetime(2026, 1, 31), datetime(2026, 1, 31, 23), LAST):
            for count in range(-1, 3):
                moved = run(name, start, count * times)
                assert isinstance(moved, datetime)
                assert known.low is not None
                assert known.high is not None
                assert known.low <= number_date(moved) <= known.high
    assert infer("add microseconds", Range("timestamp"), counts) == Range("timestamp")
    assert infer("add microseconds", between(FIRST, LAST), Range("integer")).low is None
    assert run("add calendar months", datetime.max, 1) == datetime.max
    assert run("add microseconds", datetime.min, -1) == datetime.min


@pytest.mark.parametrize("unit", TIME_UNITS)
def test_differences_count_beginnings(unit: str) -> None:
    size, name = TIME_UNITS[unit], f"{unit}s between"
    edge = datetime(1969, 12, 31, 23)
    before = edge - timedelta(microseconds=1)
    assert (run(name, before, edge), run(name, edge, before), run(name, edge, edge)) == (1, -1, 0)
    known = infer(name, between(FIRST, LAST), between(FIRST, LAST))
    far = number_date(LAST) // size - number_date(FIRST) // size
    assert (known.low, known.high) == (-far, far)
    assert infer(name, Range("timestamp"), between(FIRST, LAST)).low is not None


def test_other_types_are_refused() -> None:
    for name in TIMESTAMP_FUNCTIONS:
        count = 2 if name.endswith("between") or name.startswith("add") else 1
        with pytest.raises(Unsupported, match="declare the column"):
            infer(name, *[Range("text")] * count)
    with pytest.raises(Unsupported, match="needs a date: declare"):
        infer("to timestamp", Range("timestamp"))
