"""The six value types, and the ranges of expressions: what is publicly known about their values.

NULL is None. An integer is exact; a real is an IEEE double, never NaN (a NaN is read as NULL); text
compares by code point. A timestamp is a date and a time of day in microseconds, without a zone.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import date, datetime, timedelta
from fractions import Fraction
from typing import Final, Literal

__all__ = [
    "DAY",
    "FIRST_NUMBERS",
    "LAST_NUMBERS",
    "TYPES",
    "Range",
    "Type",
    "Value",
    "build_date",
    "compute_common_step",
    "compute_default_step",
    "number_date",
]

Type = Literal["boolean", "integer", "real", "text", "date", "timestamp"]
Value = bool | int | float | str | date | datetime | None
TYPES: Final = ("boolean", "integer", "real", "text", "date", "timestamp")
DAY: Final = 86_400_000_000  # in microseconds


def number_date(value: date) -> int:
    """Return the number of a date, days from 0001-01-01 on, which is 1; or that of a timestamp,
    microseconds in the same way, so that its day has the number divided by DAY.
    """
    if not isinstance(value, datetime):
        return value.toordinal()
    time = value - datetime.combine(value, datetime.min.time())
    return value.toordinal() * DAY + time // timedelta(microseconds=1)


def build_date(number: int, type_: Type) -> date:
    """Return the date or timestamp of a number."""
    if type_ == "date":
        return date.fromordinal(number)
    return datetime.min + timedelta(microseconds=number - DAY)


# the numbers of the first and the last date and timestamp, from 0001-01-01 to 9999-12-31
FIRST_NUMBERS: Final[dict[Type, int]] = {"date": 1, "timestamp": DAY}
LAST_NUMBERS: Final[dict[Type, int]] = {
    "date": date.max.toordinal(),
    "timestamp": number_date(datetime.max),
}


@dataclass(frozen=True, slots=True)
class Range:
    """The possible values of an expression: bounds and grid of numbers (dates and timestamps by
    theirs), or the list of all values.

    Ranges choose clamps and key lists. They are never trusted: the engine clamps every value that
    is summed in any case, and no key outside the list is shown.
    """

    type: Type
    low: Fraction | None = None
    high: Fraction | None = None
    step: Fraction | None = None
    values: tuple[Value, ...] | None = None
    nullable: bool = True

    @property
    def is_bounded(self) -> bool:
        """True if both bounds are known."""
        return self.low is not None and self.high is not None

    def domain(self, limit: int) -> tuple[Value, ...] | None:
        """Return all possible values (without NULL) if they are known and at most ``limit``,
        otherwise None.
        """
        if self.values is not None:
            return self.values if len(self.values) <= limit else None
        if self.type == "boolean":
            return (False, True)
        if self.type == "integer" and self.low is not None and self.high is not None:
            step = max(int(self.step or 1), 1)
            # multiples of the step; no range counts beyond 2^63
            first, last = -(-int(self.low) // step), int(self.high) // step
            return (
                tuple(range(first * step, last * step + 1, step))
                if 0 <= last - first < limit
                else None
            )
        return None

    def with_changes(self, **changes: object) -> Range:
        """Return the range with some fields replaced."""
        return replace(self, **changes)  # type: ignore[arg-type]


def compute_common_step(steps: Iterable[Fraction | None]) -> Fraction | None:
    """Return the largest step of which all steps are multiples; None if one of them is unknown."""
    every = list(steps)
    known = [step for step in every if step is not None]
    shared = math.lcm(*(step.denominator for step in known))
    return (
        Fraction(math.gcd(*(int(step * shared) for step in known)), shared) or None
        if len(known) == len(every)
        else None
    )


def compute_default_step(low: Fraction, high: Fraction) -> Fraction:
    """Return the grid of reals that declare none: the largest power of two up to a 2^20th of the
    width, or of the value if low = high.
    """
    width = ((high - low) or abs(high) or Fraction(1)) / 2**20
    # the floor of the logarithm, or one more
    exponent = width.numerator.bit_length() - width.denominator.bit_length()
    power = Fraction(2) ** exponent
    return power if power <= width else power / 2
