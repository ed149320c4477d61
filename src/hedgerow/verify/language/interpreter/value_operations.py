"""Values of a running program and their operators: exact numbers, Booleans, bit strings."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import floor
from typing import TypeAlias

from hedgerow.errors import Refused
from hedgerow.verify.language.interpreter.lazy_reals import (
    LazyNumber,
    LazyReal,
    add,
    apply_function,
    divide,
    evaluate_step,
    is_below,
    multiply,
    sign,
)

__all__ = [
    "BitString",
    "RuntimeValue",
    "apply_arithmetic",
    "apply_to_bits",
    "are_equal",
    "require_number",
    "require_rational",
    "subtract",
]


@dataclass(frozen=True, slots=True)
class BitString:
    value: int
    width: int


RuntimeValue: TypeAlias = LazyNumber | bool | BitString


def require_number(value: RuntimeValue) -> LazyNumber:
    assert isinstance(value, Fraction | LazyReal)
    return value


def require_rational(value: RuntimeValue) -> Fraction:
    assert isinstance(value, Fraction)
    return value


def subtract(left: LazyNumber, right: LazyNumber) -> LazyNumber:
    return add(left, multiply(Fraction(-1), right))


def are_equal(left: RuntimeValue, right: RuntimeValue) -> bool:
    if isinstance(left, LazyReal) or isinstance(right, LazyReal):
        return subtract(require_number(left), require_number(right)) == Fraction(0)
    return left == right


def apply_arithmetic(operator: str, values: list[LazyNumber]) -> RuntimeValue:
    """Apply an operator to one or two numbers."""
    left, right = values[0], values[-1]
    match operator:
        case "+":
            return add(left, right)
        case "-":
            return subtract(left, right)
        case "*":
            return multiply(left, right)
        case "/":
            return divide(left, right)
        case "negate":
            return multiply(Fraction(-1), left)
        case "abs":
            return left if sign(left) >= 0 else multiply(Fraction(-1), left)
        case "min":
            return right if is_below(right, left) else left
        case "max":
            return right if is_below(left, right) else left
        case "<":
            return is_below(left, right)
        case "<=":
            return not is_below(right, left)
        case "floor":
            return Fraction(evaluate_step(left, floor))
        case "%":
            if sign(right) <= 0:
                return Fraction(0)
            return subtract(
                left, multiply(Fraction(evaluate_step(divide(left, right), floor)), right)
            )
        case _:
            return apply_function(operator, left)


def apply_to_bits(operator: str, values: list[RuntimeValue]) -> RuntimeValue:
    left = values[0]
    assert isinstance(left, BitString)
    full = (1 << left.width) - 1
    if operator == "bits~":
        return BitString(left.value ^ full, left.width)
    right = values[1]
    if operator == "bit":
        place = require_rational(right)
        return 0 <= place < left.width and bool(left.value >> int(place) & 1)
    assert isinstance(right, BitString)
    if operator == "concat":
        return BitString(left.value << right.width | right.value, left.width + right.width)
    if left.width != right.width:
        raise Refused(
            f"bit strings of {left.width} and {right.width} bits cannot be combined. Make their"
            " widths equal."
        )
    match operator:
        case "xor":
            return BitString(left.value ^ right.value, left.width)
        case "bits+":
            return BitString((left.value + right.value) & full, left.width)
        case "bits&":
            return BitString(left.value & right.value, left.width)
        case _:
            return BitString(left.value | right.value, left.width)
