"""Parsing of whole numbers that are data: counts, answers, distances between data sets.

A refusal never shows the value.
"""

from __future__ import annotations

from math import inf
from typing import Any

import numpy as np

from hedgerow.errors import InvalidArgument
from hedgerow.numeric.exact_number import parse_exact

__all__ = ["parse_private_distance", "parse_private_whole"]


def parse_private_whole(
    value: Any, argument: str, least: int | None = None, rule: str = "must be a whole number"
) -> int:
    """Return a whole number of any size, at least ``least`` if given.

    ``rule`` is the text of the refusal.
    """
    try:
        number = parse_exact(value, argument)
    except InvalidArgument:
        raise InvalidArgument(argument, rule) from None
    if number.denominator != 1 or (least is not None and number < least):
        raise InvalidArgument(argument, rule)
    return number.numerator


def parse_private_distance(value: Any, least: int) -> int | float:
    """Return a distance in units: a whole number of at least ``least``, or infinity."""
    if isinstance(value, (float, np.floating)) and value == inf:
        return inf
    return parse_private_whole(
        value, "distance", least, f"must be a whole number of at least {least}, or infinity"
    )
