"""Parts of dates. Dates run from the year 1 to the year 9999; whatever lies outside is read as the nearest of these."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import date
from fractions import Fraction
from typing import Final

from hedgerow.errors import Unsupported
from hedgerow.plan.values import Range

__all__ = ["PARTS", "STARTS", "part_range", "start_range"]

PARTS: Final[Mapping[str, Callable[[date], int]]] = {
    "year": lambda d: d.year,
    "quarter": lambda d: (d.month + 2) // 3,
    "month": lambda d: d.month,
    "day": lambda d: d.day,
    "day of week": lambda d: d.isoweekday() % 7,  # Sunday is 0
    "day of year": lambda d: d.timetuple().tm_yday,
}
STARTS: Final[Mapping[str, Callable[[date], date]]] = {
    "start of year": lambda d: d.replace(month=1, day=1),
    "start of quarter": lambda d: d.replace(month=(d.month - 1) // 3 * 3 + 1, day=1),
    "start of month": lambda d: d.replace(day=1),
}
_FIXED: Final = {"quarter": (1, 4), "month": (1, 12), "day": (1, 31), "day of week": (0, 6), "day of year": (1, 366)}
_MONTHS: Final = {"start of year": 12, "start of quarter": 3, "start of month": 1}
_LISTED: Final = 1200  # a hundred years of months


def _ends(ranges: Sequence[Range], name: str) -> tuple[date, date] | None:
    if ranges[0].type != "date":
        raise Unsupported(f"The {name} is taken of a date; declare the column as a date in the policy.")
    low, high = ranges[0].low, ranges[0].high
    return None if low is None or high is None else (date.fromordinal(int(low)), date.fromordinal(int(high)))


def part_range(name: str) -> Callable[[Sequence[Range]], Range]:
    """The range of a part: fixed, or for the year that of the column."""

    def rule(ranges: Sequence[Range]) -> Range:
        ends = _ends(ranges, name)
        low, high = _FIXED.get(name) or ((ends[0].year, ends[1].year) if ends else (1, 9999))
        return Range("integer", Fraction(low), Fraction(high), Fraction(1), nullable=ranges[0].nullable)

    return rule


def start_range(name: str) -> Callable[[Sequence[Range]], Range]:
    """The first days between the bounds of the column, listed where they are few."""

    def rule(ranges: Sequence[Range]) -> Range:
        ends = _ends(ranges, name)
        if ends is None:
            return Range("date", nullable=ranges[0].nullable)
        first, last = STARTS[name](ends[0]), STARTS[name](ends[1])
        count = ((last.year - first.year) * 12 + last.month - first.month) // _MONTHS[name] + 1
        listed = tuple(_after(first, i * _MONTHS[name]) for i in range(count)) if count <= _LISTED else None
        return Range("date", Fraction(first.toordinal()), Fraction(last.toordinal()), None, listed, ranges[0].nullable)

    return rule


def _after(first: date, months: int) -> date:
    index = first.year * 12 + first.month - 1 + months
    return date(index // 12, index % 12 + 1, 1)
