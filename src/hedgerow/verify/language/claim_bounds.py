"""Bounds of a claim: epsilon or delta, evaluated at public arguments, between two exact rationals.

Roots, logarithms and exponentials are irrational. Each is enclosed in an interval, and so is every
expression that uses them, so that a price can be rounded up.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Final, TypeAlias

from hedgerow.errors import Refused
from hedgerow.numeric.rounding import DIGITS, exp_bounds, log_bounds, sqrt_down, sqrt_up
from hedgerow.verify.language.program import (
    Apply,
    Expression,
    Name,
    Number,
    format_expression,
    walk_expression,
)

__all__ = ["IRRATIONAL", "Bounds", "bound_expression", "can_bound"]

Bounds: TypeAlias = tuple[Fraction, Fraction]
IRRATIONAL: Final = frozenset({"ln", "exp", "sqrt"})
_MAX_EXPONENT: Final = 10**6  # e to a larger power is no meaningful price


def bound_expression(
    expression: Expression, values: Mapping[str, Fraction | int], digits: int = DIGITS
) -> Bounds:
    """Return rationals between which the expression lies; they are equal where it is rational, and
    closer with more digits.
    """
    match expression:
        case Number():
            return expression.value, expression.value
        case Name() if expression.name in values:
            return Fraction(values[expression.name]), Fraction(values[expression.name])
        case Apply() if expression.operator in _OPERATORS:
            ends = [bound_expression(one, values, digits) for one in expression.arguments]
            return _OPERATORS[expression.operator](
                *ends, *([digits] if expression.operator in IRRATIONAL else [])
            )
    raise Refused(
        f"{format_expression(expression)} cannot be evaluated from public numbers. Write the claim"
        " with public numbers, arithmetic, ln, exp and sqrt."
    )


def can_bound(expression: Expression) -> bool:
    """Return whether ``bound_expression`` handles it: numbers, names and arithmetic, without
    conditionals.
    """
    return all(
        isinstance(one, Number | Name) or (isinstance(one, Apply) and one.operator in _OPERATORS)
        for one in walk_expression(expression)
    )


def _bound_product(a: Bounds, b: Bounds) -> Bounds:
    corners = [x * y for x in a for y in b]
    return min(corners), max(corners)


def _bound_quotient(a: Bounds, b: Bounds) -> Bounds:
    if b[0] <= 0 <= b[1]:
        raise Refused("The mechanism's claim divides by 0. Pass other public arguments.")
    return _bound_product(a, (1 / b[1], 1 / b[0]))


def _bound_absolute(a: Bounds) -> Bounds:
    low, high = sorted(map(abs, a))
    return (Fraction(0) if a[0] <= 0 <= a[1] else low), high


def _bound_logarithm(a: Bounds, digits: int) -> Bounds:
    if a[0] <= 0:
        raise Refused(
            "The mechanism's claim takes the logarithm of a number that is not positive. Pass"
            " other public arguments."
        )
    return log_bounds(a[0], digits)[0], log_bounds(a[1], digits)[1]


def _bound_exponential(a: Bounds, digits: int) -> Bounds:
    if a[1] > _MAX_EXPONENT:
        raise Refused("The mechanism's claim exceeds e^1000000. Pass other public arguments.")
    return exp_bounds(a[0], digits)[0], exp_bounds(a[1], digits)[1]


def _bound_root(a: Bounds, digits: int) -> Bounds:
    if a[0] < 0:
        raise Refused(
            "The mechanism's claim takes the square root of a negative number. Pass other public"
            " arguments."
        )
    return sqrt_down(a[0], 10**digits), sqrt_up(a[1], 10**digits)


_OPERATORS: Final[dict[str, Callable[..., Bounds]]] = {
    "+": lambda a, b: (a[0] + b[0], a[1] + b[1]),
    "-": lambda a, b: (a[0] - b[1], a[1] - b[0]),
    "*": _bound_product,
    "/": _bound_quotient,
    "negate": lambda a: (-a[1], -a[0]),
    "abs": _bound_absolute,
    "min": lambda a, b: (min(a[0], b[0]), min(a[1], b[1])),
    "max": lambda a, b: (max(a[0], b[0]), max(a[1], b[1])),
    "floor": lambda a: (Fraction(a[0] // 1), Fraction(a[1] // 1)),
    "ln": _bound_logarithm,
    "exp": _bound_exponential,
    "sqrt": _bound_root,
}
