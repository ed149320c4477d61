"""Parsing of public parameters into exact rationals.

``0.1`` means one tenth: a float is read through its shortest decimal form. So ten charges of 0.1
are exactly 1, and noise is calibrated with the same rational that is charged. (``Fraction(0.1)`` is
slightly more than a tenth; ten of them would overdraw a budget of 1.)
"""

from __future__ import annotations

import math
from decimal import Decimal
from fractions import Fraction
from numbers import Rational

import numpy as np

from hedgerow.errors import InvalidArgument

__all__ = [
    "MAX_EPSILON",
    "MIN_DELTA",
    "MIN_EPSILON",
    "Number",
    "check_stored_digits",
    "parse_delta",
    "parse_epsilon",
    "parse_exact",
    "parse_nonnegative",
    "parse_positive",
    "parse_probability",
    "parse_whole",
]

Number = int | float | Decimal | Fraction | np.integer | np.floating

MIN_EPSILON = Fraction(1, 10**12)
MAX_EPSILON = Fraction(10**4)
MIN_DELTA = Fraction(1, 10**100)
_MAX_DECIMAL_EXPONENT = 1000
_MAX_STORED_DIGITS = 120


def parse_exact(value: object, argument: str) -> Fraction:
    """Return the rational that ``value`` denotes; refuse anything but a finite number."""
    if isinstance(value, (bool, np.bool_)) or not isinstance(
        value, (Rational, Decimal, float, np.integer, np.floating)
    ):
        raise InvalidArgument(argument, "must be a number", value)
    if isinstance(value, Rational):  # numpy integers are registered as such
        return Fraction(int(value.numerator), int(value.denominator))
    if isinstance(value, Decimal):
        return _parse_decimal(value, argument)
    if not math.isfinite(value):
        raise InvalidArgument(argument, "must be finite", value)
    # str of a float and of a numpy float is the shortest decimal that reads back as the same
    # number.
    return Fraction(str(value))


def _parse_decimal(value: Decimal, argument: str) -> Fraction:
    if not value.is_finite():
        raise InvalidArgument(argument, "must be finite", value)
    # 1E-999999999 is ten characters long, and its denominator a gigabyte
    if value and abs(value.adjusted()) > _MAX_DECIMAL_EXPONENT:
        raise InvalidArgument(argument, "must lie between 1e-1000 and 1e1000", value)
    return Fraction(value)


def parse_positive(value: object, argument: str) -> Fraction:
    """Return an exact number above 0."""
    number = parse_exact(value, argument)
    if number <= 0:
        raise InvalidArgument(argument, "must be above 0", value)
    return number


def parse_nonnegative(value: object, argument: str) -> Fraction:
    """Return an exact number of at least 0."""
    number = parse_exact(value, argument)
    if number < 0:
        raise InvalidArgument(argument, "must be at least 0", value)
    return number


def parse_probability(value: object, argument: str) -> Fraction:
    """Return an exact number strictly between 0 and 1."""
    number = parse_exact(value, argument)
    if not 0 < number < 1:
        raise InvalidArgument(argument, "must lie strictly between 0 and 1", value)
    return number


def parse_epsilon(value: object, argument: str = "epsilon") -> Fraction:
    """Return an epsilon within the supported range, 1e-12 to 10,000."""
    number = parse_positive(value, argument)
    if not MIN_EPSILON <= number <= MAX_EPSILON:
        raise InvalidArgument(argument, "must lie between 1e-12 and 10000", value)
    return number


def parse_delta(value: object, argument: str = "delta") -> Fraction:
    """Return a delta within the supported range, at least 1e-100 and below 1."""
    number = parse_probability(value, argument)
    if number < MIN_DELTA:
        raise InvalidArgument(argument, "must be at least 1e-100", value)
    return number


def check_stored_digits(number: Fraction, argument: str) -> Fraction:
    """Return a number whose numerator and denominator have at most 120 digits; refuse others.

    It limits parameters that a ledger stores and adds up for years. Numbers computed from them,
    such as a share of an epsilon, may be longer.
    """
    if max(abs(number.numerator), number.denominator) > 10**_MAX_STORED_DIGITS:
        raise InvalidArgument(
            argument, f"must be written with at most {_MAX_STORED_DIGITS} digits", number
        )
    return number


def parse_whole(value: object, argument: str) -> int:
    """Return a whole number of at least 1."""
    number = parse_exact(value, argument)
    if number.denominator != 1 or number < 1:
        raise InvalidArgument(argument, "must be a whole number of at least 1", value)
    return number.numerator
