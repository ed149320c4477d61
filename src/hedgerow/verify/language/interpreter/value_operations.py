"""Values of a running program and their operators: exact numbers, Booleans, bit strings."""

from __future__ import annotations

import operator
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from math import floor
from typing import Final, TypeAlias

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
    "subtract",
]


@dataclass(frozen=True, slots=True)
class BitString:
    value: int
    width: int


RuntimeValue: TypeAlias = LazyNumber | bool | BitString
_BIT_OPERATORS: Final[dict[str, Callable[[int, int], int]]] = {
    "xor": operator.xor,
    "bits+": operator.add,
    "bits&": operator.and_,
    "bits|": operator.or_,
}


def require_number(value: RuntimeValue) -> LazyNumber:
    assert isinstance(value, Fraction | LazyReal)
    return value


def subtract(left: LazyNumber, right: LazyNumber) -> LazyNumber:
    return add(left, multiply(Fraction(-1), right))


def are_equal(left: RuntimeValue, right: RuntimeValue) -> bool:
    if isinstance(left, LazyReal) or isinstance(right, LazyReal):
        return subtract(require_number(left), require_number(right)) == Fraction(0)
    return left == right


def apply_arithmetic(word: str, values: list[LazyNumber]) -> RuntimeValue:
    """Apply an operator to one or two numbers."""
    left, right = values[0], values[-1]
    match word:
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
            return apply_function(word, left)


def apply_to_bits(word: str, values: list[RuntimeValue]) -> RuntimeValue:
    match word, values:
        case "bits~", [BitString(value, width)]:
            return BitString(value ^ ((1 << width) - 1), width)
        case "bit", [BitString(value, width), Fraction() as place]:
            return 0 <= place < width and bool(value >> int(place) & 1)
        case "concat", [BitString(left, width), BitString(right, more)]:
            return BitString(left << more | right, width + more)
    one, other = values
    assert isinstance(one, BitString)
    assert isinstance(other, BitString)
    if one.width != other.width:
        raise Refused(
            f"bit strings of {one.width} and {other.width} bits cannot be combined. Make their"
            " widths equal."
        )
    full = (1 << one.width) - 1  # a sum is taken modulo 2^width
    return BitString(_BIT_OPERATORS[word](one.value, other.value) & full, one.width)
