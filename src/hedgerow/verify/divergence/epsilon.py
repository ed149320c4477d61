"""Privacy loss as an exact number: ``a + ln r`` with rational a and r > 0.

Randomised response with truth 1/2 has epsilon = ln 3, which is not a decimal; a policy has epsilon
= 0.5, which is not the logarithm of a rational. Both have this form, and so have their sums and
multiples (composition, groups), the privacy loss ln(p/q) at an outcome, and the smallest epsilon
that a finite mechanism has at a given delta.

The form is unique: a + ln r = a' + ln r' implies e^(a - a') = r'/r, and e to a rational other than
0 is irrational. Comparisons are decided exactly, by comparing r e^a (see ``exponential_sum``).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import total_ordering

from hedgerow.errors import InvalidArgument
from hedgerow.numeric.exact_number import (
    MAX_EPSILON,
    MIN_EPSILON,
    Number,
    parse_exact,
    parse_positive,
)
from hedgerow.numeric.rounding import DIGITS, log_bounds
from hedgerow.verify.divergence.exponential_sum import ExponentialSum, round_to_double

__all__ = ["Epsilon", "ln"]


@total_ordering
@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Epsilon:
    """The number ``rational_part + ln(ratio)``, with exact sums, integer multiples and comparisons,
    also with numbers and infinity.
    """

    rational_part: Fraction = Fraction(0)
    ratio: Fraction = Fraction(1)

    def __post_init__(self) -> None:
        object.__setattr__(self, "rational_part", parse_exact(self.rational_part, "rational_part"))
        object.__setattr__(self, "ratio", parse_positive(self.ratio, "ratio"))

    @classmethod
    def of(cls, value: Epsilon | Number, argument: str = "epsilon") -> Epsilon:
        """Convert an argument: 0, a number from 1e-12 to 10000, or an ``Epsilon`` of at least 0."""
        if isinstance(value, Epsilon):
            if value < 0:
                raise InvalidArgument(argument, "must be at least 0", value)
            return value
        number = parse_exact(value, argument)
        if number and not MIN_EPSILON <= number <= MAX_EPSILON:
            raise InvalidArgument(argument, "must be 0 or lie between 1e-12 and 10000", value)
        return cls(number)

    @property
    def exp(self) -> ExponentialSum:
        """The exponential of this number."""
        return ExponentialSum(((self.rational_part, self.ratio),))

    def bounds(self, digits: int = DIGITS) -> tuple[Fraction, Fraction]:
        """Return the ends of an interval that contains the value, equal if it is rational."""
        low, high = (
            (Fraction(0), Fraction(0)) if self.ratio == 1 else log_bounds(self.ratio, digits)
        )
        return self.rational_part + low, self.rational_part + high

    def __add__(self, other: Epsilon | Number) -> Epsilon:
        added = _to_epsilon(other)
        return Epsilon(self.rational_part + added.rational_part, self.ratio * added.ratio)

    def __mul__(self, times: int) -> Epsilon:
        return Epsilon(times * self.rational_part, self.ratio**times)

    __radd__ = __add__
    __rmul__ = __mul__

    def __eq__(self, other: object) -> bool:
        if isinstance(other, Epsilon):
            return (self.rational_part, self.ratio) == (other.rational_part, other.ratio)
        try:
            return self == _to_epsilon(other)
        except InvalidArgument:
            return False

    def __hash__(self) -> int:
        # Equal to ints and fractions, so the hash must be theirs; a float compares as its decimal.
        return (
            hash(self.rational_part) if self.ratio == 1 else hash((self.rational_part, self.ratio))
        )

    def __lt__(self, other: Epsilon | Number) -> bool:
        if isinstance(other, float) and math.isinf(other):
            return other > 0
        read = _to_epsilon(other)
        return (
            self.ratio < read.ratio
            if self.rational_part == read.rational_part
            else self.exp < read.exp
        )

    def __float__(self) -> float:
        return round_to_double(self.bounds)

    def __repr__(self) -> str:
        if self.ratio == 1:
            return str(self.rational_part)
        return (
            f"{self.rational_part} + ln({self.ratio})"
            if self.rational_part
            else f"ln({self.ratio})"
        )


def ln(ratio: Number) -> Epsilon:
    """Return the epsilon with e^epsilon exactly equal to ``ratio``."""
    return Epsilon(ratio=parse_positive(ratio, "ratio"))


def _to_epsilon(value: object) -> Epsilon:
    return value if isinstance(value, Epsilon) else Epsilon(parse_exact(value, "epsilon"))
