"""Expressions in numbers as far as possible, and in z3 terms where unknowns are in them. For searching only: numbers are floats."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any

from hedgerow.verify.language.program import Expression, Length, Name, Number, Read, Truth
from hedgerow.verify.proof.solver import z3

__all__ = ["TooLong", "Value", "choice", "lifted", "plain", "truths", "value"]

_FINE = 10**6
Value = Any  # a number, a truth, or a z3 term that stands for one


class TooLong(Exception):
    """The run does not end soon, or cannot be followed."""


def plain(value: Value) -> bool:
    return isinstance(value, bool | int | float)


def lifted(value: Value) -> Value:
    if isinstance(value, bool):
        return z3.BoolVal(value)
    return z3.RealVal(str(Fraction(value).limit_denominator(_FINE))) if plain(value) else value


def choice(condition: Value, first: Value, second: Value) -> Value:
    if plain(condition):
        return first if condition else second
    if plain(first) and plain(second) and first == second:
        return first
    return z3.If(condition, lifted(first), lifted(second))


def truths(operator: str, values: list[Value]) -> Value:
    if operator == "not":
        return (not values[0]) if plain(values[0]) else z3.Not(values[0])
    absorbing = operator == "or"
    if any(plain(one) and bool(one) is absorbing for one in values):
        return absorbing
    left = [one for one in values if not plain(one)]
    if not left:
        return not absorbing
    return (z3.Or if absorbing else z3.And)(*left)


_NUMBERS: dict[str, Callable[..., Value]] = {
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


def _number(operator: str, values: list[Value]) -> Value:
    a = values[0]
    if operator == "abs":
        return choice(a >= 0, a, -a)
    if operator in ("min", "max"):
        return choice(a <= values[1] if operator == "min" else a >= values[1], a, values[1])
    if operator in _NUMBERS:
        return _NUMBERS[operator](*values)
    if not all(map(plain, values)):
        if operator == "/" and plain(values[1]) and values[1]:
            return a * lifted(1 / values[1])
        raise TooLong
    if operator in ("/", "%"):
        if not values[1]:
            raise TooLong
        return a / values[1] if operator == "/" else a % values[1]
    if operator == "floor":
        return math.floor(a)
    try:
        return {"ln": math.log, "exp": math.exp, "sqrt": math.sqrt}[operator](a)
    except (ValueError, OverflowError, KeyError):
        raise TooLong from None


def value(expression: Expression, name: Callable[[str], Value], read: Callable[[str, int], Value], length: Callable[[str], Value]) -> Value:
    """In numbers as far as possible."""
    match expression:
        case Number():
            return expression.value.numerator if expression.value.denominator == 1 else float(expression.value)
        case Truth():
            return expression.value
        case Name():
            return name(expression.name)
        case Length():
            return length(expression.list)
        case Read():
            index = value(expression.index, name, read, length)
            if not plain(index):
                raise TooLong
            return read(expression.list, int(index))
    values = [value(one, name, read, length) for one in expression.arguments]
    if expression.operator == "if":
        return choice(*values)
    if expression.operator in ("and", "or", "not"):
        return truths(expression.operator, values)
    return _number(expression.operator, values)
