"""Values over noise in boxes: Booleans, sums of draws, and words of bits that are drawn lazily.

Where the boxes do not decide a comparison, ``NeedsSplit`` says along which draw to divide them.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Final, TypeAlias

from hedgerow.verify.language.program import (
    Expression,
    Length,
    Name,
    Number,
    Read,
    Truth,
)
from hedgerow.verify.validation.noise_boxes import NoiseBox, NoiseEnd

__all__ = [
    "BitNode",
    "BoxedState",
    "BoxedValue",
    "CannotEvaluate",
    "NeedsBit",
    "NeedsSplit",
    "NoisySum",
    "Word",
    "add_scaled",
    "compare",
    "decide_bit",
    "evaluate",
    "find_range",
    "require_sum",
]

_SLACK: Final = Fraction(1, 10**12)  # around irrational numbers, relative to 1 + |value|
BitNode: TypeAlias = int | tuple[object, ...]
"""A bit: 0, 1, ("draw", number), or an operator with two bits."""


class CannotEvaluate(Exception):
    """Raised for a program or an event outside the evaluator's reach."""


@dataclass(frozen=True, slots=True)
class NoisySum:
    """A number between ``low`` and ``high``, plus multiples of draws, by their number."""

    low: Fraction
    high: Fraction
    terms: tuple[tuple[int, Fraction], ...] = ()

    @property
    def is_plain(self) -> bool:
        return not self.terms

    @property
    def exact(self) -> Fraction:
        """The value of a rational without noise."""
        if self.terms or self.low != self.high:
            raise CannotEvaluate("a number is not exact")
        return self.low


@dataclass(frozen=True, slots=True)
class Word:
    """A word of bits, the last one first."""

    bits: tuple[BitNode, ...]


BoxedValue: TypeAlias = bool | Fraction | NoisySum | Word
"""A rational is a ``Fraction``; ``NoisySum`` has the other numbers."""


class NeedsSplit(Exception):
    """Raised where the boxes do not decide whether ``form`` is below 0."""

    def __init__(self, form: NoisySum) -> None:
        self.form = form
        super().__init__()


class NeedsBit(Exception):
    """Raised where a result depends on a bit that is not drawn yet."""

    def __init__(self, number: int) -> None:
        self.number = number
        super().__init__()


@dataclass(frozen=True, slots=True)
class BoxedState:
    """Variables and lists, the boxes of all draws so far, decided bits and decided comparisons."""

    values: Mapping[str, BoxedValue]
    lists: Mapping[str, tuple[BoxedValue, ...]]
    boxes: tuple[NoiseBox, ...] = ()
    bits: Mapping[int, int] = field(default_factory=dict)
    forced: Mapping[tuple[NoisySum, str], bool] = field(default_factory=dict)


def add_scaled(one: NoisySum, other: NoisySum, factor: Fraction = Fraction(1)) -> NoisySum:
    """Add ``factor`` times the second number to the first."""
    terms = dict(one.terms)
    for number, coefficient in other.terms:
        terms[number] = terms.get(number, Fraction(0)) + factor * coefficient
    ends = sorted((factor * other.low, factor * other.high))
    kept = tuple(sorted((number, one) for number, one in terms.items() if one))
    return NoisySum(one.low + ends[0], one.high + ends[1], kept)


_ZERO: Final = NoisySum(Fraction(0), Fraction(0))


def _multiply(one: NoisySum, other: NoisySum) -> NoisySum:
    if one.terms:
        one, other = other, one
    if one.terms:
        raise CannotEvaluate("a product of two noisy numbers")
    if one.low == one.high:
        return add_scaled(_ZERO, other, one.low)
    if other.terms:
        raise CannotEvaluate("noise times an irrational number")
    ends = [a * b for a in (one.low, one.high) for b in (other.low, other.high)]
    return NoisySum(min(ends), max(ends))


def _simplify(one: NoisySum) -> BoxedValue:
    """Return a rational as such."""
    return one.low if one.is_plain and one.low == one.high else one


def _invert(one: NoisySum) -> NoisySum:
    if one.terms or one.low <= 0 <= one.high:
        raise CannotEvaluate("a division by noise or by 0")
    return NoisySum(1 / one.high, 1 / one.low)


def _around(low: float, high: float) -> NoisySum:
    if not (math.isfinite(low) and math.isfinite(high)):
        raise CannotEvaluate("a number beyond the range of floats")
    ends = Fraction(low), Fraction(high)
    return NoisySum(ends[0] - _SLACK * (1 + abs(ends[0])), ends[1] + _SLACK * (1 + abs(ends[1])))


def find_range(form: NoisySum, boxes: tuple[NoiseBox, ...]) -> tuple[NoiseEnd, NoiseEnd]:
    """Return the smallest and the largest value over the boxes."""
    low: NoiseEnd = form.low
    high: NoiseEnd = form.high
    for number, factor in form.terms:
        box = boxes[number]
        ends = sorted((factor * box.low, factor * box.high))
        low, high = low + ends[0], high + ends[1]
    return low, high


def compare(form: NoisySum, relation: str, state: BoxedState) -> bool:
    """Decide whether a form is ``<``, ``<=`` or ``==`` 0, up to noise of probability 0."""
    low, high = find_range(form, state.boxes)
    if high < 0 or low > 0:
        return bool(high < 0) and relation != "=="
    if low == high:  # and both 0
        return relation != "<"
    discrete = all(state.boxes[number].is_integer for number, _ in form.terms)
    if form.terms and not discrete:
        if relation == "==":
            return False
        if low == 0 or high == 0:
            return bool(high == 0)
    elif form.terms and (low == 0 or high == 0) and relation == ("<" if low == 0 else "<="):
        return bool(high == 0)
    if (form, relation) in state.forced:
        return state.forced[form, relation]
    raise NeedsSplit(form)


def require_sum(value: BoxedValue) -> NoisySum:
    """Return the value if it is a number."""
    if isinstance(value, Fraction):
        return NoisySum(value, value)
    if not isinstance(value, NoisySum):
        raise CannotEvaluate("a number is needed")
    return value


def _require_rational(value: BoxedValue) -> Fraction:
    if not isinstance(value, Fraction):
        raise CannotEvaluate("a rational number is needed")
    return value


_RATIONAL_OPERATORS: Final[dict[str, Callable[..., Fraction | bool]]] = {
    "+": lambda a, b: a + b,
    "-": lambda a, b: a - b,
    "*": lambda a, b: a * b,
    "<": lambda a, b: a < b,
    "<=": lambda a, b: a <= b,
    "==": lambda a, b: a == b,
    "!=": lambda a, b: a != b,
    "min": min,
    "max": max,
    "negate": lambda a: -a,
    "abs": abs,
    "floor": lambda a: Fraction(math.floor(a)),
}


def _require_truth(value: BoxedValue) -> bool:
    if not isinstance(value, bool):
        raise CannotEvaluate("a Boolean is needed")
    return value


def evaluate(expression: Expression, state: BoxedState) -> BoxedValue:
    """Evaluate an expression, or raise what must be divided before it has one value."""
    match expression:
        case Number():
            return expression.value
        case Truth():
            return expression.value
        case Name():
            if expression.name not in state.values:
                raise CannotEvaluate(f"{expression.name} has no value")
            return state.values[expression.name]
        case Length():
            return Fraction(len(state.lists[expression.list]))
        case Read():
            index = _require_rational(evaluate(expression.index, state))
            entries = state.lists[expression.list]
            if index.denominator != 1 or not 0 <= index < len(entries):
                raise CannotEvaluate("a read outside the list")
            return entries[int(index)]
    operator, arguments = expression.operator, expression.arguments
    match operator:
        case "and" | "or":
            first = _require_truth(evaluate(arguments[0], state))
            return first if first is (operator == "or") else evaluate(arguments[1], state)
        case "not":
            return not _require_truth(evaluate(arguments[0], state))
        case "if":
            chosen = _require_truth(evaluate(arguments[0], state))
            return evaluate(arguments[1 if chosen else 2], state)
    values = [evaluate(one, state) for one in arguments]
    if operator in _RATIONAL_OPERATORS and all(isinstance(one, Fraction) for one in values):
        return _RATIONAL_OPERATORS[operator](*values)
    if any(isinstance(one, Word) for one in values):
        return _apply_to_words(operator, values, state)
    if operator in ("==", "!=", "xor") and isinstance(values[0], bool):
        one, other = (_require_truth(value) for value in values)
        return (one is other) is (operator == "==")  # ==, != and xor
    return _apply_to_numbers(operator, [require_sum(one) for one in values], state)


def _apply_to_numbers(operator: str, values: list[NoisySum], state: BoxedState) -> BoxedValue:
    one = values[0]
    difference = add_scaled(one, values[1], Fraction(-1)) if len(values) == 2 else one
    match operator:
        case "+":
            return _simplify(add_scaled(one, values[1]))
        case "-":
            return _simplify(difference)
        case "negate":
            return add_scaled(_ZERO, one, Fraction(-1))
        case "*":
            return _simplify(_multiply(*values))
        case "<" | "<=" | "==":
            return compare(difference, operator, state)
        case "!=":
            return not compare(difference, "==", state)
        case "abs":
            return add_scaled(_ZERO, one, Fraction(-1)) if compare(one, "<", state) else one
        case "min" | "max":
            return values[compare(difference, "<", state) is not (operator == "min")]
        case "/":
            return _simplify(_multiply(one, _invert(values[1])))
        case "%":
            if values[1].exact <= 0:
                raise CannotEvaluate("a remainder by a number that is not above 0")
            return one.exact % values[1].exact
    if not one.is_plain:
        raise CannotEvaluate(f"{operator} of noise")
    if operator == "floor":
        if math.floor(one.low) != math.floor(one.high):
            raise CannotEvaluate("a rounding that the precision does not decide")
        return Fraction(math.floor(one.low))
    function = {"ln": math.log, "exp": math.exp, "sqrt": math.sqrt}[operator]
    try:
        return _around(function(one.low), function(one.high))
    except (ValueError, OverflowError):
        raise CannotEvaluate(f"{operator} has no value") from None


def decide_bit(node: BitNode, state: BoxedState) -> int:
    """Return the value of a bit, or raise ``NeedsBit``."""
    if isinstance(node, int):
        return node
    operator, *rest = node
    if operator == "draw":
        number = rest[0]
        assert isinstance(number, int)
        if number not in state.bits:
            raise NeedsBit(number)
        return state.bits[number]
    one, other = (decide_bit(part, state) for part in rest)  # type: ignore[arg-type]
    return {"xor": one ^ other, "bits&": one & other, "bits|": one | other}[str(operator)]


def _combine(operator: str, one: BitNode, other: BitNode) -> BitNode:
    if isinstance(one, int) and isinstance(other, int):
        return {"xor": one ^ other, "bits&": one & other, "bits|": one | other}[operator]
    if operator == "xor" and 0 in (one, other):
        return other if one == 0 else one
    return (operator, one, other)


def _apply_to_words(operator: str, values: list[BoxedValue], state: BoxedState) -> BoxedValue:
    one = values[0]
    if operator == "bit" and isinstance(one, Word):
        place = _require_rational(values[1])
        if place.denominator != 1 or not 0 <= place < len(one.bits):
            raise CannotEvaluate("a bit outside the word")
        return bool(decide_bit(one.bits[int(place)], state))
    if operator == "bits~" and isinstance(one, Word):
        return Word(tuple(_combine("xor", bit, 1) for bit in one.bits))
    other = values[-1]
    if not isinstance(one, Word) or not isinstance(other, Word):
        raise CannotEvaluate("a word of bits is needed")
    if operator == "concat":
        return Word((*other.bits, *one.bits))
    if len(one.bits) != len(other.bits):
        raise CannotEvaluate("words of different widths")
    pairs = list(zip(one.bits, other.bits, strict=True))
    if operator in ("==", "!="):
        same = all(decide_bit(a, state) == decide_bit(b, state) for a, b in pairs)
        return same is (operator == "==")
    if operator != "bits+":
        return Word(tuple(_combine(operator, a, b) for a, b in pairs))
    carry: BitNode = 0
    total = []
    for a, b in pairs:
        either = _combine("xor", a, b)
        total.append(_combine("xor", either, carry))
        carry = _combine("bits|", _combine("bits&", a, b), _combine("bits&", either, carry))
    return Word(tuple(total))
