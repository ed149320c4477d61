"""Public numbers and probabilities: exact while possible, otherwise within rigorous bounds.

    RealNumber  =  Fraction  |  ExponentialSum (c1 e^a1 + … + cn e^an)  |  RealInterval

Every operation returns the first of the three forms that it can. A comparison is decided or raises
``OutOfScope``; nothing is ever guessed.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import TypeAlias

from hedgerow.numeric.rounding import exp_bounds, log_bounds, sqrt_down, sqrt_up
from hedgerow.verify.divergence.exponential_sum import ExponentialSum
from hedgerow.verify.refute.out_of_scope import OutOfScope

__all__ = [
    "RealInterval",
    "RealNumber",
    "add_reals",
    "approximate",
    "compute_exp",
    "compute_log",
    "compute_sqrt",
    "decide_sign",
    "divide_reals",
    "enclose",
    "multiply_reals",
    "simplify",
    "subtract_reals",
]

DIGITS = 60
_GRID = 10**DIGITS
_LARGEST_EXPONENT = 10_000


@dataclass(frozen=True, slots=True)
class RealInterval:
    """A number that lies between ``low`` and ``high``."""

    low: Fraction
    high: Fraction

    def __post_init__(self) -> None:
        if self.low > self.high:
            raise ValueError("an interval must not be empty")

    @classmethod
    def around(cls, low: Fraction, high: Fraction) -> RealInterval:
        """Build an interval whose ends are rounded outwards to about ``DIGITS`` digits."""
        return cls(_shorten(low, -1), _shorten(high, 1))


RealNumber: TypeAlias = Fraction | ExponentialSum | RealInterval


def _shorten(value: Fraction, direction: int) -> Fraction:
    """Round down (direction -1) or up (1) to about ``DIGITS`` significant digits."""
    if value.denominator < _GRID:
        return value
    size = value.denominator.bit_length() - value.numerator.bit_length()
    grid = 1 << max(0, size + 4 * DIGITS)
    scaled = value.numerator * grid
    return Fraction(
        scaled // value.denominator if direction < 0 else -(-scaled // value.denominator), grid
    )


def simplify(value: ExponentialSum | Fraction | int) -> Fraction | ExponentialSum:
    """Convert to a fraction if the value is rational."""
    if isinstance(value, ExponentialSum):
        rational = value.rational
        return value if rational is None else rational
    return Fraction(value)


def enclose(value: RealNumber, digits: int = DIGITS) -> tuple[Fraction, Fraction]:
    """Return the ends of an interval that contains the value."""
    match value:
        case RealInterval():
            return value.low, value.high
        case ExponentialSum():
            return value.bounds(digits)
        case _:
            return value, value


def add_reals(one: RealNumber, other: RealNumber) -> RealNumber:
    if isinstance(one, Fraction) and isinstance(other, Fraction):
        return one + other
    if isinstance(one, RealInterval) or isinstance(other, RealInterval):
        (a, b), (c, d) = enclose(one), enclose(other)
        return RealInterval.around(a + c, b + d)
    return simplify(ExponentialSum.of(one) + other)


def multiply_reals(one: RealNumber, other: RealNumber) -> RealNumber:
    if isinstance(one, Fraction) and isinstance(other, Fraction):
        return one * other
    if isinstance(one, RealInterval) or isinstance(other, RealInterval):
        (a, b), (c, d) = enclose(one), enclose(other)
        ends = (a * c, a * d, b * c, b * d)
        return RealInterval.around(min(ends), max(ends))
    return simplify(ExponentialSum.of(one) * other)


def subtract_reals(one: RealNumber, other: RealNumber) -> RealNumber:
    if isinstance(one, Fraction) and isinstance(other, Fraction):
        return one - other
    return add_reals(one, multiply_reals(Fraction(-1), other))


def divide_reals(one: RealNumber, other: RealNumber) -> RealNumber:
    if decide_sign(other) == 0:
        raise OutOfScope("division by 0")
    if isinstance(other, Fraction):
        return multiply_reals(one, 1 / other)
    if isinstance(other, ExponentialSum) and len(other.terms) == 1:
        exponent, coefficient = other.terms[0]
        return multiply_reals(one, simplify(ExponentialSum(((-exponent, 1 / coefficient),))))
    low, high = enclose(other)
    return multiply_reals(one, RealInterval.around(1 / high, 1 / low))


def decide_sign(value: RealNumber) -> int:
    """Return -1, 0 or 1, or raise ``OutOfScope`` if the bounds do not decide."""
    match value:
        case ExponentialSum():
            return value.sign()
        case RealInterval():
            if value.low > 0 or value.high < 0:
                return 1 if value.low > 0 else -1
            if value.low == value.high:
                return 0
            raise OutOfScope("a comparison that the precision does not decide")
        case _:
            return (value > 0) - (value < 0)


def compute_exp(value: RealNumber) -> RealNumber:
    """Compute e to the value."""
    if isinstance(value, Fraction) and abs(value) <= _LARGEST_EXPONENT:
        return simplify(ExponentialSum(((value, Fraction(1)),)))
    low, high = enclose(value)
    if max(abs(low), abs(high)) > _LARGEST_EXPONENT:
        raise OutOfScope("an exponential too large to write down")
    return RealInterval.around(exp_bounds(low, DIGITS)[0], exp_bounds(high, DIGITS)[1])


def compute_log(value: RealNumber) -> RealNumber:
    """Compute the natural logarithm, exact for e^a."""
    if decide_sign(value) <= 0:
        raise OutOfScope("the logarithm of a number that is not above 0")
    exponent, rest = Fraction(0), value
    if isinstance(value, ExponentialSum) and len(value.terms) == 1:
        exponent, rest = value.terms[0]
    if rest == Fraction(1):
        return exponent
    low, high = enclose(rest)
    return add_reals(
        exponent, RealInterval.around(log_bounds(low, DIGITS)[0], log_bounds(high, DIGITS)[1])
    )


def compute_sqrt(value: RealNumber) -> RealNumber:
    """Compute the square root, exact for squares of fractions."""
    if decide_sign(value) < 0:
        raise OutOfScope("the square root of a negative number")
    if isinstance(value, Fraction):
        exact = Fraction(math.isqrt(value.numerator), math.isqrt(value.denominator))
        if exact * exact == value:
            return exact
    low, high = enclose(value)
    return RealInterval.around(sqrt_down(low, _GRID), sqrt_up(high, _GRID))


def approximate(value: RealNumber) -> float:
    """Return a float close to the value, for search and display, never for a decision."""
    if isinstance(value, ExponentialSum):
        parts = [float(c) * math.exp(a) for a, c in value.terms if abs(a) < 600]
        found = math.fsum(parts)
        if len(parts) == len(value.terms) and abs(found) > 1e-9 * sum(map(abs, parts)):
            return found
    low, high = enclose(value)
    if low < 0 < high and isinstance(value, ExponentialSum):
        low, high = enclose(value, 16 * DIGITS)
    return float((low + high) / 2)
