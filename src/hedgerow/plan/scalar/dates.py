"""Date functions: parts, truncations and shifts. Dates lie in the years 1 to 9999, and results
outside are clamped. NULL in, NULL out.

* ``add days(date, count)``: ``count`` days later, or earlier if it is negative.
* ``add months(date, count)``: the same day of the month ``count`` months later, or the last day of
  that month if it has no such day.
* ``days between(first, last)``: the number of days from the first to the last, negative if the last
  is earlier.
"""

from __future__ import annotations

import calendar
from collections.abc import Callable, Mapping, Sequence
from datetime import date
from fractions import Fraction
from typing import Final

from hedgerow.errors import Unsupported
from hedgerow.plan.values import Range

__all__ = [
    "DATE_PARTS",
    "DATE_SHIFTS",
    "DATE_TRUNCATIONS",
    "count_days_between",
    "infer_date_part",
    "infer_date_shift",
    "infer_date_truncation",
    "infer_days_between",
]

DATE_PARTS: Final[Mapping[str, Callable[[date], int]]] = {
    "year": lambda d: d.year,
    "quarter": lambda d: (d.month + 2) // 3,
    "month": lambda d: d.month,
    "day": lambda d: d.day,
    "day of week": lambda d: d.isoweekday() % 7,  # Sunday is 0
    "day of year": lambda d: d.timetuple().tm_yday,
}
DATE_TRUNCATIONS: Final[Mapping[str, Callable[[date], date]]] = {
    "start of year": lambda d: d.replace(month=1, day=1),
    "start of quarter": lambda d: d.replace(month=(d.month - 1) // 3 * 3 + 1, day=1),
    "start of month": lambda d: d.replace(day=1),
    # Monday, as the first day of all was
    "start of week": lambda d: date.fromordinal(d.toordinal() - d.weekday()),
}


def _add_days(day: date, count: int) -> date:
    return date.fromordinal(min(max(day.toordinal() + count, 1), _LAST_ORDINAL))


def _add_months(day: date, count: int) -> date:
    index = day.year * 12 + day.month - 1 + count
    if not 12 <= index < 120_000:
        return date.min if index < 12 else date.max
    year, month = index // 12, index % 12 + 1
    return date(year, month, min(day.day, calendar.monthrange(year, month)[1]))


DATE_SHIFTS: Final[Mapping[str, Callable[[date, int], date]]] = {
    "add days": _add_days,
    "add months": _add_months,
}
_LAST_ORDINAL: Final = date.max.toordinal()
_PART_BOUNDS: Final = {
    "quarter": (1, 4),
    "month": (1, 12),
    "day": (1, 31),
    "day of week": (0, 6),
    "day of year": (1, 366),
}
_MONTHS_PER_PERIOD: Final = {"start of year": 12, "start of quarter": 3, "start of month": 1}
_MAX_LISTED_DATES: Final = 1200  # a hundred years of months


def _require_date_bounds(ranges: Sequence[Range], name: str) -> tuple[date, date] | None:
    if ranges[0].type != "date":
        raise Unsupported(
            f"The {name} needs a date: declare the column with type date in the policy."
        )
    low, high = ranges[0].low, ranges[0].high
    return (
        None
        if low is None or high is None
        else (date.fromordinal(int(low)), date.fromordinal(int(high)))
    )


def infer_date_part(name: str, ranges: Sequence[Range]) -> Range:
    """Return the range of a date part: fixed, or for the year that of the column."""
    ends = _require_date_bounds(ranges, name)
    low, high = _PART_BOUNDS.get(name) or ((ends[0].year, ends[1].year) if ends else (1, 9999))
    return Range("integer", Fraction(low), Fraction(high), Fraction(1), nullable=ranges[0].nullable)


def infer_date_truncation(name: str, ranges: Sequence[Range]) -> Range:
    """Return the truncated dates between the bounds of the column, listed if they are few."""
    ends = _require_date_bounds(ranges, name)
    if ends is None:
        return Range("date", nullable=ranges[0].nullable)
    first, last = DATE_TRUNCATIONS[name](ends[0]), DATE_TRUNCATIONS[name](ends[1])
    listed = (
        _list_weeks(first, last)
        if name == "start of week"
        else _list_months(first, last, _MONTHS_PER_PERIOD[name])
    )
    return Range(
        "date",
        Fraction(first.toordinal()),
        Fraction(last.toordinal()),
        None,
        listed,
        ranges[0].nullable,
    )


def _list_weeks(first: date, last: date) -> tuple[date, ...] | None:
    days = range(first.toordinal(), last.toordinal() + 1, 7)
    return tuple(map(date.fromordinal, days)) if len(days) <= _MAX_LISTED_DATES else None


def _list_months(first: date, last: date, every: int) -> tuple[date, ...] | None:
    count = ((last.year - first.year) * 12 + last.month - first.month) // every + 1
    return (
        tuple(_add_months(first, i * every) for i in range(count))
        if count <= _MAX_LISTED_DATES
        else None
    )


def infer_date_shift(name: str, ranges: Sequence[Range]) -> Range:
    """Return the range of a shifted date: shifts are monotone in the date and in the count, so
    bounds go to bounds.
    """
    ends, count = _require_date_bounds(ranges, "shift of a date"), ranges[1]
    if count.type != "integer":
        raise Unsupported("Only whole days and months can be added to a date: write an integer.")
    nullable = any(range_.nullable for range_ in ranges)
    if ends is None or count.low is None or count.high is None:
        return Range("date", nullable=nullable)
    first, last = (
        DATE_SHIFTS[name](ends[0], int(count.low)),
        DATE_SHIFTS[name](ends[1], int(count.high)),
    )
    return Range("date", Fraction(first.toordinal()), Fraction(last.toordinal()), nullable=nullable)


def count_days_between(first: date, last: date) -> int:
    """Return the number of days from the first date to the last."""
    return last.toordinal() - first.toordinal()


def infer_days_between(ranges: Sequence[Range]) -> Range:
    """Return the range of the number of days between two dates, at most all days there are."""
    (a, b), (c, d) = (
        _require_date_bounds([range_], "number of days between") or (date.min, date.max)
        for range_ in ranges
    )
    low, high = Fraction(count_days_between(b, c)), Fraction(count_days_between(a, d))
    return Range(
        "integer", low, high, Fraction(1), nullable=any(range_.nullable for range_ in ranges)
    )
