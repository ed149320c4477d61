"""Privacy loss as an exact number: ``a + ln r`` with rational a and r > 0.

Randomised response with truth 1/2 has epsilon = ln 3, which no decimal equals; a policy has epsilon = 0.5, which is the logarithm of
no rational. Both are of this form, and so are their sums and multiples (composition, groups), the privacy loss ln(p/q) at an
outcome, and the smallest epsilon that a finite mechanism has at a given delta.

An ``Epsilon`` has one form only: a + ln r = a' + ln r' gives e^(a - a') = r'/r, and e to a rational other than 0 is irrational.
Comparisons are decided exactly, as those of e^a r (see ``amount``).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import total_ordering

from hedgerow.errors import InvalidArgument
from hedgerow.numeric.number import LARGEST_EPSILON, SMALLEST_EPSILON, Number, exact, positive
from hedgerow.numeric.rounding import DIGITS, log_bounds
from hedgerow.verify.divergence.amount import Amount

__all__ = ["Epsilon", "ln"]


@total_ordering
@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Epsilon:
    """The number ``plain + ln(ratio)``. Adds, multiplies with whole numbers, and compares exactly, also with numbers and infinity."""

    plain: Fraction = Fraction(0)
    ratio: Fraction = Fraction(1)

    def __post_init__(self) -> None:
        object.__setattr__(self, "plain", exact(self.plain, "plain"))
        object.__setattr__(self, "ratio", positive(self.ratio, "ratio"))

    @classmethod
    def of(cls, value: Epsilon | Number, argument: str = "epsilon") -> Epsilon:
        """The door for an argument: 0, a number somebody could mean, or an ``Epsilon`` of at least 0."""
        if isinstance(value, Epsilon):
            if value < 0:
                raise InvalidArgument(argument, "must be at least 0", value)
            return value
        number = exact(value, argument)
        if number and not SMALLEST_EPSILON <= number <= LARGEST_EPSILON:
            raise InvalidArgument(argument, "must be 0 or lie between 1e-12 and 10000", value)
        return cls(number)

    @property
    def exp(self) -> Amount:
        """e to this number."""
        return Amount(((self.plain, self.ratio),))

    def bounds(self, digits: int = DIGITS) -> tuple[Fraction, Fraction]:
        """An interval that holds the value; both ends are the value where it is rational."""
        low, high = (Fraction(0), Fraction(0)) if self.ratio == 1 else log_bounds(self.ratio, digits)
        return self.plain + low, self.plain + high

    def __add__(self, other: Epsilon | Number) -> Epsilon:
        added = _read(other)
        return Epsilon(self.plain + added.plain, self.ratio * added.ratio)

    def __mul__(self, times: int) -> Epsilon:
        return Epsilon(times * self.plain, self.ratio**times)

    __radd__ = __add__
    __rmul__ = __mul__

    def __eq__(self, other: object) -> bool:
        if isinstance(other, Epsilon):
            return (self.plain, self.ratio) == (other.plain, other.ratio)
        try:
            return self == _read(other)
        except InvalidArgument:
            return False

    def __hash__(self) -> int:
        # As a key an Epsilon stands for itself and for ints and fractions; a float is equal as the decimal it shows.
        return hash(self.plain) if self.ratio == 1 else hash((self.plain, self.ratio))

    def __lt__(self, other: Epsilon | Number) -> bool:
        if isinstance(other, float) and math.isinf(other):
            return other > 0
        read = _read(other)
        return self.ratio < read.ratio if self.plain == read.plain else self.exp < read.exp

    def __float__(self) -> float:
        """The nearest double: an irrational value is no tie, so bounds that are close enough round to the same one."""
        digits = DIGITS
        while True:
            low, high = map(float, self.bounds(digits))
            if low == high:
                return low
            digits *= 2

    def __repr__(self) -> str:
        if self.ratio == 1:
            return str(self.plain)
        return f"{self.plain} + ln({self.ratio})" if self.plain else f"ln({self.ratio})"


def ln(ratio: Number) -> Epsilon:
    """The epsilon whose ratio of probabilities, e^epsilon, is exactly ``ratio``."""
    return Epsilon(ratio=positive(ratio, "ratio"))


def _read(value: object) -> Epsilon:
    return value if isinstance(value, Epsilon) else Epsilon(exact(value, "epsilon"))
