"""Parts of dates, against every day of some years, and dates that are moved."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date, timedelta
from fractions import Fraction

import pytest

from hedgerow.errors import Unsupported
from hedgerow.plan.scalar.dates import (
    DATE_PARTS,
    DATE_SHIFTS,
    DATE_TRUNCATIONS,
    infer_date_part,
    infer_date_shift,
    infer_date_truncation,
    infer_days_between,
)
from hedgerow.plan.values import Range

ENDS = [
    date(1, 1, 1),
    date(1999, 12, 25),
    date(2000, 2, 29),
    date(2000, 3, 1),
    date(2004, 1, 1),
    date(9999, 12, 31),
]


def between(low: date, high: date) -> Range:
    return Range("date", Fraction(low.toordinal()), Fraction(high.toordinal()), nullable=False)


def test_parts_by_hand() -> None:
    day = date(2026, 11, 15)  # a Sunday
    assert {name: part(day) for name, part in DATE_PARTS.items()} == {
        "year": 2026, "quarter": 4, "month": 11, "day": 15, "day of week": 0, "day of year": 319,
    }  # fmt: skip
    assert DATE_PARTS["day of week"](day + timedelta(6)) == 6
    assert [start(day) for start in DATE_TRUNCATIONS.values()] == [
        date(2026, 1, 1),
        date(2026, 10, 1),
        date(2026, 11, 1),
        date(2026, 11, 9),
    ]


@pytest.mark.parametrize(("low", "high"), [(a, b) for a in ENDS[1:5] for b in ENDS[1:5] if a <= b])
def test_ranges_hold_every_day_between(low: date, high: date) -> None:
    days = [low + timedelta(i) for i in range((high - low).days + 1)]
    for name, part in DATE_PARTS.items():
        range_ = infer_date_part(name, [between(low, high)])
        assert range_.low is not None
        assert range_.high is not None
        assert all(range_.low <= part(day) <= range_.high for day in days)
        assert not range_.nullable
    for name, start in DATE_TRUNCATIONS.items():
        range_ = infer_date_truncation(name, [between(low, high)])
        assert range_.values == tuple(sorted({start(day) for day in days}))
        assert (range_.low, range_.high) == (start(low).toordinal(), start(high).toordinal())


def test_date_ranges_without_bounds_are_the_valid_years() -> None:
    assert infer_date_part("year", [Range("date")]) == Range(
        "integer", Fraction(1), Fraction(9999), Fraction(1)
    )
    assert infer_date_truncation("start of month", [Range("date")]) == Range("date")
    everything = infer_date_truncation("start of month", [between(date.min, date.max)])
    assert everything.values is None
    assert everything.high == date(9999, 12, 1).toordinal()


@pytest.mark.parametrize(
    ("name", "day", "count", "found"),
    [
        ("add days", date(2000, 2, 28), 2, date(2000, 3, 1)),
        ("add days", date(2000, 3, 1), -1, date(2000, 2, 29)),
        ("add days", date(1, 1, 2), -5, date.min),
        ("add days", date(9999, 12, 30), 2**62, date.max),
        ("add days", date(2000, 1, 1), -(2**63), date.min),
        ("add months", date(2000, 1, 31), 1, date(2000, 2, 29)),
        ("add months", date(2000, 1, 31), 13, date(2001, 2, 28)),
        ("add months", date(2000, 1, 31), -2, date(1999, 11, 30)),
        ("add months", date(1, 3, 15), -3, date.min),
        ("add months", date(1, 3, 15), -2, date(1, 1, 15)),
        ("add months", date(9999, 11, 15), 1, date(9999, 12, 15)),
        ("add months", date(9999, 11, 15), 2, date.max),
        ("add months", date(2000, 1, 31), 2**63 - 1, date.max),
    ],
)
def test_moves_by_hand(name: str, day: date, count: int, found: date) -> None:
    assert DATE_SHIFTS[name](day, count) == found


def counts(low: int, high: int) -> Range:
    return Range("integer", Fraction(low), Fraction(high), Fraction(1), nullable=False)


@pytest.mark.parametrize("name", DATE_SHIFTS)
def test_ranges_hold_every_move(name: str) -> None:
    for low, high in [
        (date(1999, 12, 25), date(2000, 3, 1)),
        (date.min, date(1, 2, 3)),
        (date(9999, 11, 30), date.max),
    ]:
        known = infer_date_shift(name, [between(low, high), counts(-40, 3)])
        moved = [
            DATE_SHIFTS[name](low + timedelta(i), count).toordinal()
            for i in range((high - low).days + 1)
            for count in range(-40, 4)
        ]
        assert (known.low, known.high, known.nullable) == (min(moved), max(moved), False)
    assert infer_date_shift(name, [between(date.min, date.max), Range("integer")]) == Range("date")
    assert infer_date_shift(name, [Range("date"), counts(0, 1)]) == Range("date")
    with pytest.raises(Unsupported, match="write an integer"):
        infer_date_shift(name, [Range("date"), Range("real")])
    with pytest.raises(Unsupported, match="needs a date"):
        infer_date_shift(name, [Range("text"), counts(0, 1)])


def test_days_between() -> None:
    known = infer_days_between(
        [between(date(2000, 1, 1), date(2000, 1, 9)), between(date(2000, 1, 2), date(2000, 3, 1))]
    )
    assert known == counts(-7, 60)
    assert infer_days_between([Range("date"), Range("date")]) == counts(
        -3652058, 3652058
    ).with_changes(nullable=True)
    with pytest.raises(Unsupported, match="needs a date"):
        infer_days_between([Range("date"), Range("integer")])


@pytest.mark.parametrize(
    ("rule", "name"), [(infer_date_part, "month"), (infer_date_truncation, "start of month")]
)
def test_date_functions_refuse_other_types(
    rule: Callable[[str, list[Range]], Range], name: str
) -> None:
    with pytest.raises(Unsupported, match="needs a date"):
        rule(name, [Range("text")])
