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


def _check_types(ranges: Sequence[Range], types: Sequence[Type], name: str) -> None:
    if [range_.type for range_ in ranges] != list(types):
        raise Unsupported(
            f"The {name} needs a {types[0]}: declare the column with type {types[0]} in the policy."
        )


def _infer_part(name: str, ranges: Sequence[Range]) -> Range:
    _check_types(ranges, ["timestamp"], name)
    return Range(
        *("integer", Fraction(0), Fraction(TIME_PARTS[name] // TIME_UNITS[name] - 1), Fraction(1)),
        nullable=ranges[0].nullable,
    )


def _infer_conversion(name: str, ranges: Sequence[Range]) -> Range:
    """Return the range of a monotone conversion to a grid, listed if it has few values."""
    types, size, every = _CONVERSIONS[name]
    _check_types(ranges, types[:1], name)
    known, listed = ranges[0], None
    if known.low is None or known.high is None:
        return Range(types[1], nullable=known.nullable)
    first, last = int(known.low) // size * every, int(known.high) // size * every
    if known.values is not None:
        listed = [
            number_date(value) // size * every  # type: ignore[arg-type]
            for value in known.values
        ]
    elif (last - first) // every < 1200:
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
        low, high = (
            low.replace(hour=0, minute=0, second=0, microsecond=0),
            high.replace(hour=23, minute=59, second=59, microsecond=999_999),
        )
    first, last = Fraction(number_date(low)), Fraction(number_date(high))
    return Range("timestamp", first, last, nullable=nullable)


def _infer_between(name: str, size: int, ranges: Sequence[Range]) -> Range:
    _check_types(ranges, ["timestamp", "timestamp"], name)
    (a, b), (c, d) = (
        (int(known.low or _FIRST) // size, int(known.high or _LAST) // size) for known in ranges
    )
    return Range(
        *("integer", Fraction(c - b), Fraction(d - a), Fraction(1), None),
        any(known.nullable for known in ranges),
    )


_SHIFTS: Final[Mapping[str, Callable[[datetime, int], Any]]] = {
    "add microseconds": lambda time, count: build_date(
        min(max(number_date(time) + count, _FIRST), _LAST), "timestamp"
    ),
    "add calendar months": lambda time, count: datetime.combine(
        DATE_SHIFTS["add months"](time.date(), count), time.time()
    ),
}
# the types before and after a conversion; divided by the first number and rounded down, the number
# of the value becomes that many times the second
_CONVERSIONS: Final[Mapping[str, tuple[tuple[Type, Type], int, int]]] = {
    "to date": (("timestamp", "date"), DAY, 1),
    "to timestamp": (("date", "timestamp"), 1, DAY),
    **{f"start of {u}": (("timestamp", "timestamp"), n, n) for u, n in TIME_UNITS.items()},
}


def _evaluate_conversion(name: str, value: Any) -> Any:
    types, size, every = _CONVERSIONS[name]
    return build_date(number_date(value) // size * every, types[1])


TIMESTAMP_FUNCTIONS: Final[
    Mapping[str, tuple[Callable[[Sequence[Range]], Range], Callable[..., Any]]]
] = {
    **{
        name: (
            partial(_infer_part, name),
            lambda time, whole=whole, size=TIME_UNITS[name]: number_date(time) % whole // size,
        )
        for name, whole in TIME_PARTS.items()
    },
    **{
        name: (partial(_infer_conversion, name), partial(_evaluate_conversion, name))
        for name in _CONVERSIONS
    },
    **{name: (partial(_infer_shift, name), move) for name, move in _SHIFTS.items()},
    **{
        f"{unit}s between": (
            partial(_infer_between, f"{unit}s between", size),
            lambda first, last, size=size: number_date(last) // size - number_date(first) // size,
        )
        for unit, size in TIME_UNITS.items()
    },
}
