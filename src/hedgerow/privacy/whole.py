"""Whole numbers at the door: how many units, cells, steps or people."""

from __future__ import annotations

from hedgerow.errors import InvalidArgument
from hedgerow.numeric.number import exact

__all__ = ["whole"]


def whole(value: object, argument: str) -> int:
    """A whole number of at least 1; refuses bools, strings, fractions, NaN and infinity."""
    number = exact(value, argument)
    if number.denominator != 1 or number < 1:
        raise InvalidArgument(argument, "must be a whole number of at least 1", value)
    return number.numerator
