"""Public numbers and probabilities: exact while possible, otherwise within rigorous bounds.

    Real  =  Fraction  |  Amount (c1 e^a1 + … + cn e^an)  |  Interval

Every operation gives the first of the three forms that it can. A comparison is decided or raises ``Beyond``; nothing is ever guessed.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import TypeAlias

from hedgerow.numeric.rounding import exp_bounds, log_bounds, sqrt_down, sqrt_up
from hedgerow.verify.divergence.amount import Amount
from hedgerow.verify.refuter.beyond import Beyond

__all__ = [
    "Interval",
    "Real",
    "approximate",
    "bounds",
    "divide",
    "exponential",
    "logarithm",
    "minus",
    "plus",
    "root",
    "sign",
    "simple",
    "times",
]

DIGITS = 60
_GRID = 10**DIGITS
_LARGEST_EXPONENT = 10_000


@dataclass(frozen=True, slots=True)
class Interval:
    """A number that lies between ``low`` and ``high``."""

    low: Fraction
    high: Fraction

    def __post_init__(self) -> None:
        if self.low > self.high:
            raise ValueError("an interval must not be empty")

    @classmethod
    def around(cls, low: Fraction, high: Fraction) -> Interval:
        """With ends of about ``DIGITS`` digits, outwards."""
        return cls(_short(low, -1), _short(high, 1))


Real: TypeAlias = Fraction | Amount | Interval


def _short(value: Fraction, direction: int) -> Fraction:
    """At most (direction -1) or at least (1) the value, with about ``DIGITS`` digits that count."""
    if value.denominator < _GRID:
        return value
    size = value.denominator.bit_length() - value.numerator.bit_length()
    grid = 1 << max(0, size + 4 * DIGITS)
    scaled = value.numerator * grid
    return Fraction(scaled // value.denominator if direction < 0 else -(-scaled // value.denominator), grid)


def simple(value: Amount | Fraction | int) -> Fraction | Amount:
    """A fraction where it is one."""
    if isinstance(value, Amount):
        rational = value.rational
        return value if rational is None else rational
    return Fraction(value)


def bounds(value: Real, digits: int = DIGITS) -> tuple[Fraction, Fraction]:
    """An interval that holds the value."""
    match value:
        case Interval():
            return value.low, value.high
        case Amount():
            return value.bounds(digits)
        case _:
            return value, value


def plus(one: Real, other: Real) -> Real:
    if isinstance(one, Fraction) and isinstance(other, Fraction):
        return one + other
    if isinstance(one, Interval) or isinstance(other, Interval):
        (a, b), (c, d) = bounds(one), bounds(other)
        return Interval.around(a + c, b + d)
    return simple(Amount.of(one) + other)


def times(one: Real, other: Real) -> Real:
    if isinstance(one, Fraction) and isinstance(other, Fraction):
        return one * other
    if isinstance(one, Interval) or isinstance(other, Interval):
        (a, b), (c, d) = bounds(one), bounds(other)
        ends = (a * c, a * d, b * c, b * d)
        return Interval.around(min(ends), max(ends))
    return simple(Amount.of(one) * other)


def minus(one: Real, other: Real) -> Real:
    if isinstance(one, Fraction) and isinstance(other, Fraction):
        return one - other
    return plus(one, times(Fraction(-1), other))


def divide(one: Real, other: Real) -> Real:
    if sign(other) == 0:
        raise Beyond("division by 0")
    if isinstance(other, Fraction):
        return times(one, 1 / other)
    if isinstance(other, Amount) and len(other.terms) == 1:
        (exponent, coefficient) = other.terms[0]
        return times(one, simple(Amount(((-exponent, 1 / coefficient),))))
    low, high = bounds(other)
    return times(one, Interval.around(1 / high, 1 / low))


def sign(value: Real) -> int:
    """-1, 0 or 1; ``Beyond`` where the bounds do not tell."""
    match value:
        case Amount():
            return value.sign()
        case Interval():
            if value.low > 0 or value.high < 0:
                return 1 if value.low > 0 else -1
            if value.low == value.high:
                return 0
            raise Beyond("a comparison that the precision does not decide")
        case _:
            return (value > 0) - (value < 0)


def exponential(value: Real) -> Real:
    """e to the value."""
    if isinstance(value, Fraction) and abs(value) <= _LARGEST_EXPONENT:
        return simple(Amount(((value, Fraction(1)),)))
    low, high = bounds(value)
    if max(abs(low), abs(high)) > _LARGEST_EXPONENT:
        raise Beyond("an exponential too large to write down")
    return Interval.around(exp_bounds(low, DIGITS)[0], exp_bounds(high, DIGITS)[1])


def logarithm(value: Real) -> Real:
    """The natural logarithm, exact for c e^a with c = 1."""
    if sign(value) <= 0:
        raise Beyond("the logarithm of a number that is not above 0")
    exponent, rest = Fraction(0), value
    if isinstance(value, Amount) and len(value.terms) == 1:
        exponent, rest = value.terms[0]
    if rest == Fraction(1):
        return exponent
    low, high = bounds(rest)
    return plus(exponent, Interval.around(log_bounds(low, DIGITS)[0], log_bounds(high, DIGITS)[1]))


def root(value: Real) -> Real:
    """The square root, exact for squares of fractions."""
    if sign(value) < 0:
        raise Beyond("the square root of a negative number")
    if isinstance(value, Fraction):
        exact = Fraction(math.isqrt(value.numerator), math.isqrt(value.denominator))
        if exact * exact == value:
            return exact
    low, high = bounds(value)
    return Interval.around(sqrt_down(low, _GRID), sqrt_up(high, _GRID))


def approximate(value: Real) -> float:
    """Close to the value, for searching and for showing; never for deciding."""
    if isinstance(value, Amount):
        parts = [float(c) * math.exp(a) for a, c in value.terms if abs(a) < 600]
        found = math.fsum(parts)
        if len(parts) == len(value.terms) and abs(found) > 1e-9 * sum(map(abs, parts)):
            return found
    low, high = bounds(value)
    if low < 0 < high and isinstance(value, Amount):
        low, high = bounds(value, 16 * DIGITS)
    return float((low + high) / 2)
