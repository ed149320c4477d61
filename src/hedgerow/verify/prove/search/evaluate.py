"""Evaluation of expressions to numbers, or to z3 terms where they contain unknowns.

Numbers are floats, so the results serve the search only.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any

from hedgerow.verify.language.program import Expression, Length, Name, Number, Read, Truth
from hedgerow.verify.prove.solver import z3

__all__ = [
    "TraceAbandoned",
    "Value",
    "choose",
    "combine_booleans",
    "evaluate",
    "is_concrete",
    "to_term",
]

_MAX_DENOMINATOR = 10**6
Value = Any  # a number, a boolean, or a z3 term for one


class TraceAbandoned(Exception):
    """Raised when a run does not end soon or cannot be followed."""


def is_concrete(value: Value) -> bool:
    return isinstance(value, bool | int | float)


def to_term(value: Value) -> Value:
    if isinstance(value, bool):
        return z3.BoolVal(value)
    return (
        z3.RealVal(str(Fraction(value).limit_denominator(_MAX_DENOMINATOR)))
        if is_concrete(value)
        else value
    )


def choose(condition: Value, first: Value, second: Value) -> Value:
    if is_concrete(condition):
        return first if condition else second
    if is_concrete(first) and is_concrete(second) and first == second:
        return first
    return z3.If(condition, to_term(first), to_term(second))


def combine_booleans(operator: str, values: list[Value]) -> Value:
    if operator == "not":
        return (not values[0]) if is_concrete(values[0]) else z3.Not(values[0])
    absorbing = operator == "or"
    if any(is_concrete(one) and bool(one) is absorbing for one in values):
        return absorbing
    left = [one for one in values if not is_concrete(one)]
    if not left:
        return not absorbing
    return (z3.Or if absorbing else z3.And)(*left)


_CONCRETE_OPERATORS: dict[str, Callable[..., Value]] = {
    "negate": lambda a: -a,
    "+": lambda a, b: a + b,
    "-": lambda a, b: a - b,
    "*": lambda a, b: a * b,
    "<": lambda a, b: a < b,
    "<=": lambda a, b: a <= b,
    "==": lambda a, b: a == b,
    "!=": lambda a, b: a != b,
    "xor": lambda a, b: a != b,
}


def _apply_numeric(operator: str, values: list[Value]) -> Value:
    a = values[0]
    if operator == "abs":
        return choose(a >= 0, a, -a)
    if operator in ("min", "max"):
        return choose(a <= values[1] if operator == "min" else a >= values[1], a, values[1])
    if operator in _CONCRETE_OPERATORS:
        return _CONCRETE_OPERATORS[operator](*values)
    if not all(map(is_concrete, values)):
        if operator == "/" and is_concrete(values[1]) and values[1]:
            return a * to_term(1 / values[1])
        raise TraceAbandoned
    if operator in ("/", "%"):
        if not values[1]:
            raise TraceAbandoned
        return a / values[1] if operator == "/" else a % values[1]
    if operator == "floor":
        return math.floor(a)
    try:
        return {"ln": math.log, "exp": math.exp, "sqrt": math.sqrt}[operator](a)
    except (ValueError, OverflowError, KeyError):
        raise TraceAbandoned from None


def evaluate(
    expression: Expression,
    name: Callable[[str], Value],
    read: Callable[[str, int], Value],
    length: Callable[[str], Value],
) -> Value:
    """Evaluate the expression to a number where possible, else to a z3 term."""
    match expression:
        case Number():
            return (
                expression.value.numerator
                if expression.value.denominator == 1
                else float(expression.value)
            )
        case Truth():
            return expression.value
        case Name():
            return name(expression.name)
        case Length():
            return length(expression.list)
        case Read():
            index = evaluate(expression.index, name, read, length)
            if not is_concrete(index):
                raise TraceAbandoned
            return read(expression.list, int(index))
    values = [evaluate(one, name, read, length) for one in expression.arguments]
    if expression.operator == "if":
        return choose(*values)
    if expression.operator in ("and", "or", "not"):
        return combine_booleans(expression.operator, values)
    return _apply_numeric(expression.operator, values)
