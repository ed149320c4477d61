"""Arithmetic of intervals of doubles."""

from __future__ import annotations

import itertools

__all__ = ["FloatInterval", "divide", "include_value", "multiply"]

FloatInterval = tuple[float, float]


def multiply(first: FloatInterval, second: FloatInterval) -> FloatInterval:
    """Return the products of the values of two intervals."""
    products = [a * b for a, b in itertools.product(first, second)]
    return min(products), max(products)


def divide(first: FloatInterval, second: FloatInterval) -> FloatInterval:
    """Return the quotients of the values of two intervals, the second one above 0."""
    quotients = [a / b for a, b in itertools.product(first, second)]
    return min(quotients), max(quotients)


def include_value(ends: FloatInterval, value: float) -> FloatInterval:
    """Return an interval that contains a value as well."""
    return min(ends[0], value), max(ends[1], value)
