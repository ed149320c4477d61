"""Expressions on one path. A value is a truth, a number, a number linear in the noise, or a word of bits.

An expression has several values where the noise decides between them (``<``, ``abs``, ``max``): each comes with the path narrowed to where
it holds.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from math import floor
from typing import Final, TypeAlias

from hedgerow.verify.language.program import Apply, Expression, Name, Number, Read, Truth
from hedgerow.verify.refuter.beyond import Beyond
from hedgerow.verify.refuter.linear import Linear, Store, add, scale
from hedgerow.verify.refuter.quantity import Real, bounds, divide, exponential, logarithm, root, sign

__all__ = ["Environment", "Value", "Word", "alternatives", "as_number"]


@dataclass(frozen=True, slots=True)
class Word:
    """``width`` bits; bit 0 is the last one, worth 1. ``a ++ b`` has those of a first."""

    width: int
    value: int

    def __str__(self) -> str:
        return f"{self.value:0{self.width}b}"


Value: TypeAlias = bool | Real | Linear | Word


@dataclass(frozen=True, slots=True)
class Environment:
    """Variables and lists by name."""

    names: Mapping[str, Value]
    lists: Mapping[str, tuple[Value, ...]]

    def bound(self, name: str, value: Value) -> Environment:
        return Environment({**self.names, name: value}, self.lists)


Alternatives: TypeAlias = Iterator[tuple[Store, Value]]


# The bulk of what a program computes: plain rationals.
_PLAIN: Final[dict[str, Callable[[Fraction, Fraction], Fraction | bool]]] = {
    "+": lambda a, b: a + b,
    "-": lambda a, b: a - b,
    "*": lambda a, b: a * b,
    "<": lambda a, b: a < b,
    "<=": lambda a, b: a <= b,
    "==": lambda a, b: a == b,
    "!=": lambda a, b: a != b,
    "min": min,
    "max": max,
}


def alternatives(expression: Expression, environment: Environment, store: Store) -> Alternatives:
    """The values that an expression may have, each with where it has it."""
    value = _plain(expression, environment)
    if value is not None:
        yield store, value
        return
    match expression:
        case Read():
            for here, index in alternatives(expression.index, environment, store):
                yield here, _read(environment.lists[expression.list], index)
        case Apply():
            yield from _apply(expression, environment, store)
        case _:
            raise Beyond("a name that is read before it has a value")


def _plain(expression: Expression, environment: Environment) -> Value | None:
    """The value where plain rationals and truths suffice to know it, which is nearly always; None says nothing."""
    kind = type(expression)
    if kind is Name:
        return environment.names.get(expression.name)  # type: ignore[union-attr]  # narrowing by ``kind is`` is beyond mypy
    if kind is Apply:
        operator, arguments = expression.operator, expression.arguments  # type: ignore[union-attr]
        first = _plain(arguments[0], environment)
        if operator == "not" and isinstance(first, bool):
            return not first
        if operator in ("and", "or") and isinstance(first, bool):
            return first if first is (operator == "or") else _plain(arguments[1], environment)
        if operator in _PLAIN and isinstance(first, Fraction):
            second = _plain(arguments[1], environment)
            return _PLAIN[operator](first, second) if isinstance(second, Fraction) else None
        return None
    if kind is Number or kind is Truth:
        return expression.value  # type: ignore[union-attr]
    if kind is Read:
        index = _plain(expression.index, environment)  # type: ignore[union-attr]
        return None if index is None else _read(environment.lists[expression.list], index)  # type: ignore[union-attr]
    return Fraction(len(environment.lists[expression.list]))  # type: ignore[union-attr]


def _read(entries: tuple[Value, ...], index: Value) -> Value:
    if not isinstance(index, Fraction) or index.denominator != 1 or not 0 <= index < len(entries):
        raise Beyond("a read outside the list")
    return entries[int(index)]


def _apply(expression: Apply, environment: Environment, store: Store) -> Alternatives:
    operator, arguments = expression.operator, expression.arguments
    if operator in ("and", "or"):
        for here, value in alternatives(arguments[0], environment, store):
            if as_truth(value) is (operator == "or"):
                yield here, value
            else:
                yield from alternatives(arguments[1], environment, here)
    elif operator == "if":
        for here, value in alternatives(arguments[0], environment, store):
            yield from alternatives(arguments[1 if as_truth(value) else 2], environment, here)
    elif len(arguments) == 1:
        for here, value in alternatives(arguments[0], environment, store):
            yield from _one(operator, value, here)
    else:
        for here, left in alternatives(arguments[0], environment, store):
            for there, right in alternatives(arguments[1], environment, here):
                yield from _two(operator, left, right, there)


def as_truth(value: Value) -> bool:
    if not isinstance(value, bool):
        raise Beyond("a number where a truth is needed")
    return value


def as_number(value: Value) -> Real:
    """A number without noise."""
    if isinstance(value, (bool, Word, Linear)):
        raise Beyond("a plain number is needed")
    return value


def _numeric(value: Value) -> Linear | Real:
    if isinstance(value, (bool, Word)):
        raise Beyond("a number is needed")
    return value


def _one(operator: str, value: Value, store: Store) -> Alternatives:
    match operator:
        case "not":
            yield store, not as_truth(value)
        case "bits~":
            word = _word(value)
            yield store, Word(word.width, word.value ^ (2**word.width - 1))
        case "negate":
            yield store, scale(_numeric(value), Fraction(-1))
        case "abs":
            for here, negative in _less(_numeric(value), Fraction(0), True, store):
                yield here, scale(_numeric(value), Fraction(-1)) if negative else value
        case "floor":
            yield store, _floor(as_number(value))
        case _:
            function = {"ln": logarithm, "exp": exponential, "sqrt": root}[operator]
            yield store, function(as_number(value))


def _floor(value: Real) -> Fraction:
    low, high = map(floor, bounds(value))
    if low != high:
        raise Beyond("a rounding that the precision does not decide")
    return Fraction(low)


def _two(operator: str, left: Value, right: Value, store: Store) -> Alternatives:
    match operator:
        case "==" | "!=":
            for here, equal in _equal(left, right, store):
                yield here, equal is (operator == "==")
        case "<" | "<=":
            yield from _less(_numeric(left), _numeric(right), operator == "<", store)
        case "min" | "max":
            for here, less in _less(_numeric(left), _numeric(right), True, store):
                yield here, left if less is (operator == "min") else right
        case "+":
            yield store, add(_numeric(left), _numeric(right))
        case "-":
            yield store, add(_numeric(left), scale(_numeric(right), Fraction(-1)))
        case "*":
            yield store, _product(_numeric(left), _numeric(right))
        case "/":
            divisor = as_number(right)
            yield store, scale(left, divide(Fraction(1), divisor)) if isinstance(left, Linear) else divide(as_number(left), divisor)
        case "%":
            yield store, _remainder(as_number(left), as_number(right))
        case _:
            yield store, _bits(operator, left, right)


def _product(left: Linear | Real, right: Linear | Real) -> Linear | Real:
    if isinstance(right, Linear):
        left, right = right, left
    if isinstance(right, Linear):
        raise Beyond("a product of two noisy numbers")
    return scale(left, right)


def _remainder(left: Real, right: Real) -> Fraction:
    if not isinstance(left, Fraction) or not isinstance(right, Fraction) or right <= 0:
        raise Beyond("a remainder of numbers that are not rational, or by a number that is not above 0")
    return left % right


def _less(left: Linear | Real, right: Linear | Real, strict: bool, store: Store) -> Iterator[tuple[Store, bool]]:
    difference = add(left, scale(right, Fraction(-1)))
    if not isinstance(difference, Linear):
        side = sign(difference)
        yield store, side < 0 or (side == 0 and not strict)
        return
    if (here := store.below(difference, strict)) is not None:
        yield here, True
    opposite = scale(difference, Fraction(-1))
    if (here := store.below(opposite, not strict)) is not None:  # type: ignore[arg-type]  # still linear
        yield here, False


def _equal(left: Value, right: Value, store: Store) -> Iterator[tuple[Store, bool]]:
    if isinstance(left, (bool, Word)) or isinstance(right, (bool, Word)):
        if type(left) is not type(right):
            raise Beyond("a comparison of different kinds")
        yield store, left == right
        return
    for here, less in _less(left, right, True, store):
        if less:
            yield here, False
        else:
            for there, more in _less(right, left, True, here):
                yield there, not more


def _word(value: Value) -> Word:
    if not isinstance(value, Word):
        raise Beyond("a word of bits is needed")
    return value


def _bits(operator: str, left: Value, right: Value) -> Value:
    if operator == "xor" and isinstance(left, bool) and isinstance(right, bool):
        return left is not right
    one = _word(left)
    if operator == "bit":
        if not isinstance(right, Fraction) or right.denominator != 1 or not 0 <= right < one.width:
            raise Beyond("a bit outside the word")
        return bool(one.value >> int(right) & 1)
    other = _word(right)
    if operator == "concat":
        return Word(one.width + other.width, one.value << other.width | other.value)
    if one.width != other.width:
        raise Beyond("words of different widths")
    mask = 2**one.width - 1
    results = {"xor": one.value ^ other.value, "bits+": (one.value + other.value) & mask}
    results |= {"bits&": one.value & other.value, "bits|": one.value | other.value}
    return Word(one.width, results[operator])
