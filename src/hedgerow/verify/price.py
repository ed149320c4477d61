"""The price of a program: its claim, worked out at public arguments, between two exact rationals.

Roots, logarithms and exponentials are irrational. Each is enclosed, and so is all that is made of them, so that a price can be rounded up.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Final, TypeAlias

from hedgerow.errors import Refused
from hedgerow.numeric.rounding import DIGITS, exp_bounds, log_bounds, sqrt_down, sqrt_up
from hedgerow.verify.language.program import Apply, Expression, Name, Number, parts, written

__all__ = ["IRRATIONAL", "Between", "between", "enclosed"]

Between: TypeAlias = tuple[Fraction, Fraction]
IRRATIONAL: Final = frozenset({"ln", "exp", "sqrt"})
_LARGEST: Final = 10**6  # e to more than that is no price


def between(expression: Expression, values: Mapping[str, Fraction | int], digits: int = DIGITS) -> Between:
    """The least and the most that the expression can be, the closer the more digits; the same number where it is rational."""
    match expression:
        case Number():
            return expression.value, expression.value
        case Name() if expression.name in values:
            return Fraction(values[expression.name]), Fraction(values[expression.name])
        case Apply() if expression.operator in _PARTS:
            ends = [between(one, values, digits) for one in expression.arguments]
            return _PARTS[expression.operator](*ends, *([digits] if expression.operator in IRRATIONAL else []))
    raise Refused(f"What {written(expression)} comes to cannot be said from the public numbers alone.")


def enclosed(expression: Expression) -> bool:
    """Whether it is made of what ``between`` knows: numbers, names and arithmetic, without choices."""
    return all(isinstance(one, Number | Name) or (isinstance(one, Apply) and one.operator in _PARTS) for one in parts(expression))


def _times(a: Between, b: Between) -> Between:
    corners = [x * y for x in a for y in b]
    return min(corners), max(corners)


def _divided(a: Between, b: Between) -> Between:
    if b[0] <= 0 <= b[1]:
        raise Refused("The claim of this mechanism divides by 0 at these arguments.")
    return _times(a, (1 / b[1], 1 / b[0]))


def _absolute(a: Between) -> Between:
    low, high = sorted(map(abs, a))
    return (Fraction(0) if a[0] <= 0 <= a[1] else low), high


def _logarithm(a: Between, digits: int) -> Between:
    if a[0] <= 0:
        raise Refused("The claim of this mechanism takes the logarithm of what is not above 0 at these arguments.")
    return log_bounds(a[0], digits)[0], log_bounds(a[1], digits)[1]


def _exponential(a: Between, digits: int) -> Between:
    if a[1] > _LARGEST:
        raise Refused("The claim of this mechanism is beyond all prices at these arguments.")
    return exp_bounds(a[0], digits)[0], exp_bounds(a[1], digits)[1]


def _root(a: Between, digits: int) -> Between:
    if a[0] < 0:
        raise Refused("The claim of this mechanism takes the root of a negative number at these arguments.")
    return sqrt_down(a[0], 10**digits), sqrt_up(a[1], 10**digits)


_PARTS: Final[dict[str, Callable[..., Between]]] = {
    "+": lambda a, b: (a[0] + b[0], a[1] + b[1]),
    "-": lambda a, b: (a[0] - b[1], a[1] - b[0]),
    "*": _times,
    "/": _divided,
    "negate": lambda a: (-a[1], -a[0]),
    "abs": _absolute,
    "min": lambda a, b: (min(a[0], b[0]), min(a[1], b[1])),
    "max": lambda a, b: (max(a[0], b[0]), max(a[1], b[1])),
    "floor": lambda a: (Fraction(a[0] // 1), Fraction(a[1] // 1)),
    "ln": _logarithm,
    "exp": _exponential,
    "sqrt": _root,
}
