"""Elementary functions of rationals, rounded in the safe direction.

``f_down(x) <= f(x) <= f_up(x)`` always holds for the real function f. The two bounds differ by
about one part in 10^30.

Why it holds: the decimal module documents ``exp`` and ``ln`` as *correctly rounded*, so the true
value at a decimal argument lies between the two neighbours of the result. A rational argument is
first rounded to a decimal in the wanted direction; both functions are increasing. The square root
uses integer arithmetic only. The logarithm of 1 is returned as 0: the neighbours of 0 would be
±10^-(10^18).
"""

from __future__ import annotations

from decimal import MAX_EMAX, MIN_EMIN, ROUND_CEILING, ROUND_FLOOR, Context, Decimal
from fractions import Fraction
from math import isqrt

__all__ = [
    "DIGITS",
    "exp_bounds",
    "exp_down",
    "exp_up",
    "log_bounds",
    "log_down",
    "log_up",
    "round_digits_up",
    "round_down",
    "round_up",
    "sqrt_down",
    "sqrt_up",
]

DIGITS = 40
_DENOMINATOR = 10**30


def _build_context(rounding: str, digits: int) -> Context:
    return Context(prec=digits, rounding=rounding, Emax=MAX_EMAX, Emin=MIN_EMIN)


def _divide(x: Fraction, rounding: str, digits: int) -> Decimal:
    return _build_context(rounding, digits).divide(Decimal(x.numerator), Decimal(x.denominator))


def exp_up(x: Fraction, digits: int = DIGITS) -> Fraction:
    """Return an upper bound of e^x."""
    context = _build_context(ROUND_CEILING, digits)
    return Fraction(context.next_plus(context.exp(_divide(x, ROUND_CEILING, digits))))


def exp_down(x: Fraction, digits: int = DIGITS) -> Fraction:
    """Return a lower bound of e^x that is at least 0."""
    context = _build_context(ROUND_FLOOR, digits)
    return max(
        Fraction(0), Fraction(context.next_minus(context.exp(_divide(x, ROUND_FLOOR, digits))))
    )


def exp_bounds(x: Fraction, digits: int = DIGITS) -> tuple[Fraction, Fraction]:
    """Return an interval that contains e^x.

    Below e^-(1000 digits) the interval starts at 0: such a number, written as a fraction, would
    fill the memory.
    """
    lowest = Fraction(-1000 * digits)
    return exp_down(x, digits) if x > lowest else Fraction(0), exp_up(max(x, lowest), digits)


def log_up(x: Fraction, digits: int = DIGITS) -> Fraction:
    """Return an upper bound of ln x, for x > 0."""
    context, argument = _build_context(ROUND_CEILING, digits), _divide(x, ROUND_CEILING, digits)
    return Fraction(0) if argument == 1 else Fraction(context.next_plus(context.ln(argument)))


def log_down(x: Fraction, digits: int = DIGITS) -> Fraction:
    """Return a lower bound of ln x, for x > 0."""
    context, argument = _build_context(ROUND_FLOOR, digits), _divide(x, ROUND_FLOOR, digits)
    return Fraction(0) if argument == 1 else Fraction(context.next_minus(context.ln(argument)))


def log_bounds(x: Fraction, digits: int = DIGITS) -> tuple[Fraction, Fraction]:
    """Return an interval that contains ln x, for x > 0."""
    return log_down(x, digits), log_up(x, digits)


def sqrt_down(x: Fraction, grid: int = _DENOMINATOR) -> Fraction:
    """Return the largest multiple of 1/grid that is at most the square root of x >= 0."""
    return Fraction(isqrt(x.numerator * grid * grid // x.denominator), grid)


def sqrt_up(x: Fraction, grid: int = _DENOMINATOR) -> Fraction:
    """Return an upper bound of the square root of x >= 0, exact if it is a multiple of 1/grid."""
    low = sqrt_down(x, grid)
    return low if low * low == x else low + Fraction(1, grid)


def round_up(x: Fraction, grid: int = _DENOMINATOR) -> Fraction:
    """Return the smallest multiple of 1/grid that is at least x."""
    return Fraction(-((-x.numerator * grid) // x.denominator), grid)


def round_down(x: Fraction, grid: int = _DENOMINATOR) -> Fraction:
    """Return the largest multiple of 1/grid that is at most x."""
    return Fraction(x.numerator * grid // x.denominator, grid)


def round_digits_up(x: Fraction, digits: int = 15) -> Fraction:
    """Return the smallest number of ``digits`` decimal digits that is at least x > 0."""
    return Fraction(_divide(x, ROUND_CEILING, digits))
