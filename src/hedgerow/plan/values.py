"""The five types of value, and what is publicly known about the values of an expression.

NULL is None. An integer is exact; a real is an IEEE double, never NaN (a NaN is read as NULL); text
compares by code point.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import date
from fractions import Fraction
from typing import Final, Literal

__all__ = ["TYPES", "Range", "Type", "Value", "compute_common_step", "compute_default_step"]

Type = Literal["boolean", "integer", "real", "text", "date"]
Value = bool | int | float | str | date | None
TYPES: Final = ("boolean", "integer", "real", "text", "date")


@dataclass(frozen=True, slots=True)
class Range:
    """What values may come: bounds and grid of numbers (dates by their ordinal), or the whole list
    of them.

    Ranges choose clamps and lists of keys. They are never trusted: whatever they say, the engine
    clamps every value that is summed, and no key outside the list is shown.
    """

    type: Type
    low: Fraction | None = None
    high: Fraction | None = None
    step: Fraction | None = None
    values: tuple[Value, ...] | None = None
    nullable: bool = True

    @property
    def is_bounded(self) -> bool:
        """Whether both bounds are known."""
        return self.low is not None and self.high is not None

    def domain(self, limit: int) -> tuple[Value, ...] | None:
        """Every value that may come (NULL aside), when they are known and at most ``limit``."""
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
        """The same with some parts replaced."""
        return replace(self, **changes)  # type: ignore[arg-type]


def compute_common_step(steps: Iterable[Fraction | None]) -> Fraction | None:
    """The largest step of which all of these are multiples; None where one of them is not known."""
    every = list(steps)
    known = [step for step in every if step is not None]
    shared = math.lcm(*(step.denominator for step in known))
    return (
        Fraction(math.gcd(*(int(step * shared) for step in known)), shared) or None
        if len(known) == len(every)
        else None
    )


def compute_default_step(low: Fraction, high: Fraction) -> Fraction:
    """The grid of reals that declare none: the power of two next below (or at) a 2^20th of the
    width; of the number, where low = high.
    """
    width = ((high - low) or abs(high) or Fraction(1)) / 2**20
    # the floor of the logarithm, or one more
    exponent = width.numerator.bit_length() - width.denominator.bit_length()
    power = Fraction(2) ** exponent
    return power if power <= width else power / 2
