"""Expressions on one path. A value is a boolean, a number, a number linear in the noise, or a word
of bits.

An expression has several values if the noise decides between them (``<``, ``abs``, ``max``): each
comes with the path condition under which it holds.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from math import floor
from typing import Final, TypeAlias

from hedgerow.verify.language.program import Apply, Expression, Name, Number, Read, Truth
from hedgerow.verify.refute.interval_arithmetic import (
    RealNumber,
    compute_exp,
    compute_log,
    compute_sqrt,
    decide_sign,
    divide_reals,
    enclose,
)
from hedgerow.verify.refute.linear_noise import LinearForm, PathCondition, add, scale
from hedgerow.verify.refute.out_of_scope import OutOfScope

__all__ = [
    "BitWord",
    "Environment",
    "PathValue",
    "evaluate_alone",
    "evaluate_alternatives",
    "evaluate_public",
    "require_boolean",
    "require_number",
]


@dataclass(frozen=True, slots=True)
class BitWord:
    """A word of ``width`` bits; bit 0 is the last one, worth 1."""

    width: int
    value: int

    def __str__(self) -> str:
        return f"{self.value:0{self.width}b}"


PathValue: TypeAlias = bool | RealNumber | LinearForm | BitWord


@dataclass(frozen=True, slots=True)
class Environment:
    """Variables and lists by name."""

    variables: Mapping[str, PathValue]
    lists: Mapping[str, tuple[PathValue, ...]]

    def bind(self, name: str, value: PathValue) -> Environment:
        return Environment({**self.variables, name: value}, self.lists)


Alternatives: TypeAlias = Iterator[tuple[PathCondition, PathValue]]


# Most of what a program computes: plain rationals.
_RATIONAL_OPERATORS: Final[dict[str, Callable[[Fraction, Fraction], Fraction | bool]]] = {
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


def evaluate_alternatives(
    expression: Expression, environment: Environment, store: PathCondition
) -> Alternatives:
    """Iterate over the possible values of an expression, each with its path condition."""
    value = _evaluate_rational(expression, environment)
    if value is not None:
        yield store, value
        return
    match expression:
        case Read():
            for here, index in evaluate_alternatives(expression.index, environment, store):
                yield here, _read_entry(environment.lists[expression.list], index)
        case Apply():
            yield from _apply_operator(expression, environment, store)
        case _:
            raise OutOfScope("a name that is read before it has a value")


def evaluate_public(
    expression: Expression, arguments: Mapping[str, PathValue | tuple[PathValue, ...]]
) -> RealNumber:
    """Evaluate an expression in public parameters as a number."""
    return require_number(evaluate_alone(expression, arguments))


def evaluate_alone(
    expression: Expression, arguments: Mapping[str, PathValue | tuple[PathValue, ...]]
) -> PathValue:
    """Evaluate an expression without noise and without lists."""
    plain = {name: value for name, value in arguments.items() if not isinstance(value, tuple)}
    ((_, value),) = evaluate_alternatives(expression, Environment(plain, {}), PathCondition())
    return value


def _evaluate_rational(expression: Expression, environment: Environment) -> PathValue | None:
    """Evaluate with plain rationals and booleans only, which nearly always suffices; return None
    if it does not.
    """
    kind = type(expression)
    if kind is Name:
        # Narrowing by ``kind is`` is beyond mypy.
        return environment.variables.get(expression.name)  # type: ignore[union-attr]
    if kind is Apply:
        operator, arguments = expression.operator, expression.arguments  # type: ignore[union-attr]
        first = _evaluate_rational(arguments[0], environment)
        if operator == "not" and isinstance(first, bool):
            return not first
        if operator in ("and", "or") and isinstance(first, bool):
            return (
                first
                if first is (operator == "or")
                else _evaluate_rational(arguments[1], environment)
            )
        if operator in _RATIONAL_OPERATORS and isinstance(first, Fraction):
            second = _evaluate_rational(arguments[1], environment)
            return (
                _RATIONAL_OPERATORS[operator](first, second)
                if isinstance(second, Fraction)
                else None
            )
        return None
    if kind is Number or kind is Truth:
        return expression.value  # type: ignore[union-attr]
    if kind is Read:
        index = _evaluate_rational(expression.index, environment)  # type: ignore[union-attr]
        if index is None:
            return None
        return _read_entry(environment.lists[expression.list], index)  # type: ignore[union-attr]
    return Fraction(len(environment.lists[expression.list]))  # type: ignore[union-attr]


def _read_entry(entries: tuple[PathValue, ...], index: PathValue) -> PathValue:
    if not isinstance(index, Fraction) or index.denominator != 1 or not 0 <= index < len(entries):
        raise OutOfScope("a read outside the list")
    return entries[int(index)]


def _apply_operator(
    expression: Apply, environment: Environment, store: PathCondition
) -> Alternatives:
    operator, arguments = expression.operator, expression.arguments
    if operator in ("and", "or"):
        for here, value in evaluate_alternatives(arguments[0], environment, store):
            if require_boolean(value) is (operator == "or"):
                yield here, value
            else:
                yield from evaluate_alternatives(arguments[1], environment, here)
    elif operator == "if":
        for here, value in evaluate_alternatives(arguments[0], environment, store):
            yield from evaluate_alternatives(
                arguments[1 if require_boolean(value) else 2], environment, here
            )
    elif len(arguments) == 1:
        for here, value in evaluate_alternatives(arguments[0], environment, store):
            yield from _apply_unary(operator, value, here)
    else:
        for here, left in evaluate_alternatives(arguments[0], environment, store):
            for there, right in evaluate_alternatives(arguments[1], environment, here):
                yield from _apply_binary(operator, left, right, there)


def require_boolean(value: PathValue) -> bool:
    """Return the value if it is a boolean, else raise ``OutOfScope``."""
    if not isinstance(value, bool):
        raise OutOfScope("a number where a boolean is needed")
    return value


def require_number(value: PathValue) -> RealNumber:
    """Return the value if it is a number without noise, else raise ``OutOfScope``."""
    if isinstance(value, (bool, BitWord, LinearForm)):
        raise OutOfScope("a plain number is needed")
    return value


def _require_numeric(value: PathValue) -> LinearForm | RealNumber:
    if isinstance(value, (bool, BitWord)):
        raise OutOfScope("a number is needed")
    return value


def _apply_unary(operator: str, value: PathValue, store: PathCondition) -> Alternatives:
    match operator:
        case "not":
            yield store, not require_boolean(value)
        case "bits~":
            word = _require_word(value)
            yield store, BitWord(word.width, word.value ^ (2**word.width - 1))
        case "negate":
            yield store, scale(_require_numeric(value), Fraction(-1))
        case "abs":
            for here, negative in _compare_less(_require_numeric(value), Fraction(0), True, store):
                yield here, scale(_require_numeric(value), Fraction(-1)) if negative else value
        case "floor":
            yield store, _compute_floor(require_number(value))
        case _:
            function = {"ln": compute_log, "exp": compute_exp, "sqrt": compute_sqrt}[operator]
            yield store, function(require_number(value))


def _compute_floor(value: RealNumber) -> Fraction:
    low, high = map(floor, enclose(value))
    if low != high:
        raise OutOfScope("a rounding that the precision does not decide")
    return Fraction(low)


def _apply_binary(
    operator: str, left: PathValue, right: PathValue, store: PathCondition
) -> Alternatives:
    match operator:
        case "==" | "!=":
            for here, equal in _compare_equal(left, right, store):
                yield here, equal is (operator == "==")
        case "<" | "<=":
            yield from _compare_less(
                _require_numeric(left), _require_numeric(right), operator == "<", store
            )
        case "min" | "max":
            for here, less in _compare_less(
                _require_numeric(left), _require_numeric(right), True, store
            ):
                yield here, left if less is (operator == "min") else right
        case "+":
            yield store, add(_require_numeric(left), _require_numeric(right))
        case "-":
            yield store, add(_require_numeric(left), scale(_require_numeric(right), Fraction(-1)))
        case "*":
            yield store, _multiply(_require_numeric(left), _require_numeric(right))
        case "/":
            divisor = require_number(right)
            yield (
                store,
                (
                    scale(left, divide_reals(Fraction(1), divisor))
                    if isinstance(left, LinearForm)
                    else divide_reals(require_number(left), divisor)
                ),
            )
        case "%":
            yield store, _compute_remainder(require_number(left), require_number(right))
        case _:
            yield store, _apply_to_words(operator, left, right)


def _multiply(
    left: LinearForm | RealNumber, right: LinearForm | RealNumber
) -> LinearForm | RealNumber:
    if isinstance(right, LinearForm):
        left, right = right, left
    if isinstance(right, LinearForm):
        raise OutOfScope("a product of two noisy numbers")
    return scale(left, right)


def _compute_remainder(left: RealNumber, right: RealNumber) -> Fraction:
    if not isinstance(left, Fraction) or not isinstance(right, Fraction) or right <= 0:
        raise OutOfScope(
            "a remainder of numbers that are not rational, or by a number that is not above 0"
        )
    return left % right


def _compare_less(
    left: LinearForm | RealNumber,
    right: LinearForm | RealNumber,
    strict: bool,
    store: PathCondition,
) -> Iterator[tuple[PathCondition, bool]]:
    difference = add(left, scale(right, Fraction(-1)))
    if not isinstance(difference, LinearForm):
        side = decide_sign(difference)
        yield store, side < 0 or (side == 0 and not strict)
        return
    if (here := store.restrict_below(difference, strict)) is not None:
        yield here, True
    opposite = scale(difference, Fraction(-1))
    # Still linear.
    if (here := store.restrict_below(opposite, not strict)) is not None:  # type: ignore[arg-type]
        yield here, False


def _compare_equal(
    left: PathValue, right: PathValue, store: PathCondition
) -> Iterator[tuple[PathCondition, bool]]:
    if isinstance(left, (bool, BitWord)) or isinstance(right, (bool, BitWord)):
        if type(left) is not type(right):
            raise OutOfScope("a comparison of different kinds")
        yield store, left == right
        return
    for here, less in _compare_less(left, right, True, store):
        if less:
            yield here, False
        else:
            for there, more in _compare_less(right, left, True, here):
                yield there, not more


def _require_word(value: PathValue) -> BitWord:
    if not isinstance(value, BitWord):
        raise OutOfScope("a word of bits is needed")
    return value


def _apply_to_words(operator: str, left: PathValue, right: PathValue) -> PathValue:
    if operator == "xor" and isinstance(left, bool) and isinstance(right, bool):
        return left is not right
    one = _require_word(left)
    if operator == "bit":
        if not isinstance(right, Fraction) or right.denominator != 1 or not 0 <= right < one.width:
            raise OutOfScope("a bit outside the word")
        return bool(one.value >> int(right) & 1)
    other = _require_word(right)
    if operator == "concat":
        return BitWord(one.width + other.width, one.value << other.width | other.value)
    if one.width != other.width:
        raise OutOfScope("words of different widths")
    mask = 2**one.width - 1
    results = {"xor": one.value ^ other.value, "bits+": (one.value + other.value) & mask}
    results |= {"bits&": one.value & other.value, "bits|": one.value | other.value}
    return BitWord(one.width, results[operator])
