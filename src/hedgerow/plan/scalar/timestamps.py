"""Timestamp functions, on the numbers of timestamps (microseconds, see ``number_date``). NULL in,
NULL out. Timestamps lie in the years 1 to 9999, and results outside are clamped.

* ``to date``: the day. ``to timestamp``: the midnight with which a day begins.
* ``start of hour`` and the like: cut off what is smaller.
* ``add microseconds(time, count)``: that much later; ``add calendar months``: the day moves as by
  ``add months``, and the time of day stays.
* ``hours between(first, last)`` and the like: how many full hours of the clock begin after the
  first and not after the last.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from fractions import Fraction
from functools import partial
from typing import Any, Final

from hedgerow.errors import Unsupported
from hedgerow.plan.scalar.dates import DATE_SHIFTS
from hedgerow.plan.values import (
    DAY,
    FIRST_NUMBERS,
    LAST_NUMBERS,
    Range,
    Type,
    build_date,
    number_date,
)

__all__ = ["TIMESTAMP_FUNCTIONS", "TIME_PARTS", "TIME_UNITS"]

TIME_UNITS: Final = {"second": 10**6, "minute": 60 * 10**6, "hour": 3600 * 10**6}
# part -> after how many microseconds it starts anew
TIME_PARTS: Final = {"hour": DAY, "minute": TIME_UNITS["hour"], "second": TIME_UNITS["minute"]}
_FIRST, _LAST = FIRST_NUMBERS["timestamp"], LAST_NUMBERS["timestamp"]
_MAX_LISTED: Final = 1200

Conversion = Callable[[int], int]  # of the number of a date or timestamp
RangeRule = Callable[[Sequence[Range]], Range]


def _check_types(ranges: Sequence[Range], types: Sequence[Type], name: str) -> None:
    if [range_.type for range_ in ranges] != list(types):
        wanted = "a date" if types[0] == "date" else "a timestamp"
        raise Unsupported(
            f"The {name} needs {wanted}: declare the column with type {types[0]} in the policy."
        )


def _infer_part(name: str, ranges: Sequence[Range]) -> Range:
    _check_types(ranges, ["timestamp"], name)
    highest = TIME_PARTS[name] // TIME_UNITS[name] - 1
    return Range("integer", Fraction(0), Fraction(highest), Fraction(1), None, ranges[0].nullable)


def _infer_conversion(
    name: str, types: tuple[Type, Type], every: int, convert: Conversion, ranges: Sequence[Range]
) -> Range:
    """Return the range of a monotone conversion to multiples of ``every``, listed if they are
    few.
    """
    _check_types(ranges, types[:1], name)
    known, listed = ranges[0], None
    if known.low is None or known.high is None:
        return Range(types[1], nullable=known.nullable)
    first, last = convert(int(known.low)), convert(int(known.high))
    if known.values is not None:
        listed = [convert(number_date(value)) for value in known.values]  # type: ignore[arg-type]
    elif (last - first) // every < _MAX_LISTED:
        listed = list(range(first, last + 1, every))
    values = listed and tuple(build_date(number, types[1]) for number in sorted(set(listed)))
    return Range(types[1], Fraction(first), Fraction(last), None, values or None, known.nullable)


def _infer_shift(name: str, ranges: Sequence[Range]) -> Range:
    _check_types(ranges, ["timestamp", "integer"], "shift of a timestamp by whole numbers")
    (known, count), nullable = ranges, any(range_.nullable for range_ in ranges)
    if None in (known.low, known.high, count.low, count.high):
        return Range("timestamp", nullable=nullable)
    low, high = (
        _SHIFTS[name](build_date(int(end), "timestamp"), int(by))  # type: ignore[arg-type]
        for end, by in ((known.low, count.low), (known.high, count.high))
    )
    if name == "add calendar months":  # the last days of a month move to one day
        low, high = low.replace(hour=0, minute=0, second=0, microsecond=0), _end_day(high)
    first, last = Fraction(number_date(low)), Fraction(number_date(high))
    return Range("timestamp", first, last, nullable=nullable)


def _end_day(time: datetime) -> datetime:
    return datetime.combine(time, datetime.max.time())


def _infer_between(name: str, size: int, ranges: Sequence[Range]) -> Range:
    _check_types(ranges, ["timestamp", "timestamp"], name)
    (a, b), (c, d) = (
        (int(known.low or _FIRST) // size, int(known.high or _LAST) // size) for known in ranges
    )
    nullable = any(range_.nullable for range_ in ranges)
    return Range("integer", Fraction(c - b), Fraction(d - a), Fraction(1), nullable=nullable)


def _add_microseconds(time: datetime, count: int) -> Any:
    return build_date(min(max(number_date(time) + count, _FIRST), _LAST), "timestamp")


def _add_calendar_months(time: datetime, count: int) -> Any:
    return datetime.combine(DATE_SHIFTS["add months"](time.date(), count), time.time())


def _cut_off(size: int, number: int) -> int:
    return number // size * size


_SHIFTS: Final[Mapping[str, Callable[[datetime, int], Any]]] = {
    "add microseconds": _add_microseconds,
    "add calendar months": _add_calendar_months,
}
# result of a conversion: the types before and after, the distance of its values, and the function
_CONVERSIONS: Final[Mapping[str, tuple[tuple[Type, Type], int, Conversion]]] = {
    "to date": (("timestamp", "date"), 1, lambda number: number // DAY),
    "to timestamp": (("date", "timestamp"), DAY, lambda number: number * DAY),
    **{
        f"start of {unit}": (("timestamp", "timestamp"), size, partial(_cut_off, size))
        for unit, size in TIME_UNITS.items()
    },
}


def _evaluate_part(name: str, time: datetime) -> int:
    return number_date(time) % TIME_PARTS[name] // TIME_UNITS[name]


def _evaluate_conversion(name: str, value: Any) -> Any:
    types, _, convert = _CONVERSIONS[name]
    return build_date(convert(number_date(value)), types[1])


def _count_between(size: int, first: datetime, last: datetime) -> int:
    return number_date(last) // size - number_date(first) // size


TIMESTAMP_FUNCTIONS: Final[Mapping[str, tuple[RangeRule, Callable[..., Any]]]] = {
    **{name: (partial(_infer_part, name), partial(_evaluate_part, name)) for name in TIME_PARTS},
    **{
        name: (partial(_infer_conversion, name, *made), partial(_evaluate_conversion, name))
        for name, made in _CONVERSIONS.items()
    },
    **{name: (partial(_infer_shift, name), move) for name, move in _SHIFTS.items()},
    **{
        f"{unit}s between": (
            partial(_infer_between, f"{unit}s between", size),
            partial(_count_between, size),
        )
        for unit, size in TIME_UNITS.items()
    },
}
