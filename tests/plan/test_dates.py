"""Parts of dates, against every day of some years."""

from __future__ import annotations

from datetime import date, timedelta
from fractions import Fraction

import pytest

from hedgerow.errors import Unsupported
from hedgerow.plan.dates import PARTS, STARTS, part_range, start_range
from hedgerow.plan.values import Range

ENDS = [date(1, 1, 1), date(1999, 12, 25), date(2000, 2, 29), date(2000, 3, 1), date(2004, 1, 1), date(9999, 12, 31)]


def between(low: date, high: date) -> Range:
    return Range("date", Fraction(low.toordinal()), Fraction(high.toordinal()), nullable=False)


def test_parts_by_hand() -> None:
    day = date(2026, 11, 15)  # a Sunday
    assert {name: part(day) for name, part in PARTS.items()} == {
        "year": 2026, "quarter": 4, "month": 11, "day": 15, "day of week": 0, "day of year": 319,
    }  # fmt: skip
    assert PARTS["day of week"](day + timedelta(6)) == 6
    assert [start(day) for start in STARTS.values()] == [date(2026, 1, 1), date(2026, 10, 1), date(2026, 11, 1)]


@pytest.mark.parametrize(("low", "high"), [(a, b) for a in ENDS[1:5] for b in ENDS[1:5] if a <= b])
def test_ranges_hold_every_day_between(low: date, high: date) -> None:
    days = [low + timedelta(i) for i in range((high - low).days + 1)]
    for name, part in PARTS.items():
        range_ = part_range(name)([between(low, high)])
        assert range_.low is not None
        assert range_.high is not None
        assert all(range_.low <= part(day) <= range_.high for day in days)
        assert not range_.nullable
    for name, start in STARTS.items():
        range_ = start_range(name)([between(low, high)])
        assert range_.values == tuple(sorted({start(day) for day in days}))
        assert (range_.low, range_.high) == (start(low).toordinal(), start(high).toordinal())


def test_without_bounds_and_far_apart() -> None:
    assert part_range("year")([Range("date")]) == Range("integer", Fraction(1), Fraction(9999), Fraction(1))
    assert start_range("start of month")([Range("date")]) == Range("date")
    everything = start_range("start of month")([between(date.min, date.max)])
    assert everything.values is None
    assert everything.high == date(9999, 12, 1).toordinal()


@pytest.mark.parametrize("rule", [part_range("month"), start_range("start of month")])
def test_of_dates_only(rule: object) -> None:
    with pytest.raises(Unsupported, match="is taken of a date"):
        rule([Range("text")])  # type: ignore[operator]
