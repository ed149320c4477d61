"""Runs a program as what it is: over the reals, with exact noise from the operating system's
generator.

``run(program, arguments)`` gives the outputs in order. Numbers among the arguments are taken as the
rationals that they are written as (0.1 is one tenth), noise is drawn by ``reals``, and every
comparison is decided exactly. What comes out: truths as bool, bit strings as int, and numbers as
int if all that the program tells are whole; else each number is rounded to the nearest multiple of
``GRID`` and then to a float. The grid is the same for all programs and all data, so that rounding
is post-processing of the outputs that a proof is about.

**Theorem.** A run takes, with probability 1, the way through the program that the program over the
reals takes at the same draws, and tells what that tells, each number rounded once, by one function
of the number alone.

**Proof.** By induction on the statements. A value that is held is the polynomial in the draws that
the program over the reals computes: arithmetic on polynomials is exact. Wherever a value becomes
something else, a truth, a whole number, one of two values, a number that is told, ``reals.settled``
decides, and its theorem says that it decides rightly. Two values are equal where their difference
is the number 0; a difference with a draw in it is 0 with probability 0, and one with an irrational
constant never. Of the countably many decisions that all programs can come to, each goes wrong with
probability 0; so all of them together.

No run fails because of private data or of noise: whoever saw that would see more than the outputs
that a proof is about. So what has no value has one here, 0 or False: what is divided by 0,
remainders by what is not above 0, entries out of range. A coin's chance is cut to [0, 1], and
uniform noise lies between its ends, whichever is the larger. A proof holds for every meaning that
these might have. What public parameters decide is checked: scales above 0, widths. How long a run
takes depends on what is drawn and on the data; ``work`` says of a program, before it sees any, that
no number in it grows beyond bounds.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import floor
from typing import Any, Final, TypeAlias

import numpy as np

from hedgerow.errors import InvalidArgument, Refused
from hedgerow.numeric.bits import integer
from hedgerow.numeric.lazy import Interval
from hedgerow.numeric.number import exact
from hedgerow.numeric.samplers import bernoulli, discrete_laplace
from hedgerow.verify.language.assumptions import check, constants, public
from hedgerow.verify.language.kinds import kind_of, kinds
from hedgerow.verify.language.program import (
    Apply,
    Assign,
    Block,
    Expression,
    If,
    Kind,
    Length,
    Name,
    Noise,
    Number,
    Output,
    Parameter,
    Program,
    Read,
    Sample,
    Truth,
    While,
    names,
    parts,
    replaced,
    statements,
    written,
)
from hedgerow.verify.language.running.reals import (
    Real,
    Value,
    added,
    below,
    drawn_coin,
    drawn_exponential,
    drawn_normal,
    drawn_uniform,
    function,
    product,
    quotient,
    settled,
    sign,
)
from hedgerow.verify.price import IRRATIONAL, between, enclosed

__all__ = ["GRID", "ROUNDS", "Bits", "arithmetic", "known_by", "run"]

GRID: Final = Fraction(1, 1 << 40)
ROUNDS: Final = 1_000_000
_WIDEST: Final = 1 << 20
_LARGEST_FLOAT: Final = Fraction(np.finfo(np.float64).max.item())


@dataclass(frozen=True, slots=True)
class Bits:
    value: int
    width: int


Held: TypeAlias = Value | bool | Bits


def run(program: Program, arguments: Mapping[str, Any]) -> list[int | float | bool]:
    """The outputs of one run."""
    state = _State(program, arguments)
    check(program, state.values)
    state.block(program.body)
    return state.told


class _State:
    def __init__(self, program: Program, arguments: Mapping[str, Any]) -> None:
        self.program, self.known = program, kinds(program)
        self.values: dict[str, Held] = {}
        self.lists: dict[str, list[Held]] = {}
        self.told: list[int | float | bool] = []
        self.rounds = 0
        # Decided for the whole program: whether a number is shown as 0 or as 0.0 must not tell by which way it came about.
        told = [one.value for one in statements(program.body) if isinstance(one, Output)]
        self.whole = all(kind_of(one, program, self.known) is not Kind.REAL for one in told)
        names = [one.name for one in program.parameters]
        for name in arguments:
            if name not in names:
                raise InvalidArgument("arguments", f"of {program.name} are {', '.join(names)}", name)
        # Public ones first: the width of a bit string may be one of them.
        for one in sorted(program.parameters, key=lambda one: one.width is not None):
            if one.name not in arguments:
                raise InvalidArgument(one.name, f"must be given: it is a parameter of {program.name}")
            self.accept(one, arguments[one.name])
        self.known_by = known_by(program, self.values)

    def accept(self, parameter: Parameter, value: Any) -> None:
        if not parameter.list:
            self.values[parameter.name] = self.entry(parameter, value)
            return
        if isinstance(value, str | bytes) or not isinstance(value, Sequence | np.ndarray):
            raise InvalidArgument(parameter.name, "must be a list")
        self.lists[parameter.name] = [self.entry(parameter, one) for one in value]

    def entry(self, parameter: Parameter, value: Any) -> Held:
        """One argument. What is wrong with a private one is told without it."""
        shown = () if parameter.private else (value,)
        if parameter.kind is Kind.BOOL:
            if not isinstance(value, bool | np.bool_):
                raise InvalidArgument(parameter.name, "must be True or False", *shown)
            return bool(value)
        if parameter.kind is Kind.BITS:
            assert parameter.width is not None
            width = self.width(self.read(parameter.width))
            if isinstance(value, bool) or not isinstance(value, int | np.integer) or not 0 <= value < 1 << width:
                raise InvalidArgument(parameter.name, f"must be a whole number of at most {width} bits", *shown)
            return Bits(int(value), width)
        try:
            number = exact(value, parameter.name)
        except InvalidArgument:
            raise InvalidArgument(parameter.name, "must be a finite number", *shown) from None
        if parameter.kind is Kind.INT and number.denominator != 1:
            raise InvalidArgument(parameter.name, "must be a whole number", *shown)
        return number

    def nothing(self, name: str) -> Held:
        """What stands where a list has no entry."""
        parameter = self.program.parameter(name)
        assert parameter is not None
        if parameter.kind is Kind.BITS:
            assert parameter.width is not None
            return Bits(0, self.width(self.read(parameter.width)))
        return False if parameter.kind is Kind.BOOL else Fraction(0)

    def width(self, value: Held) -> int:
        if not isinstance(value, Fraction) or value.denominator != 1 or not 0 < value <= _WIDEST:
            raise Refused(f"a bit string of {self.program.name} has a width that is not a whole number from 1 to {_WIDEST}.")
        return int(value)

    def block(self, block: Block) -> None:
        for one in block:
            match one:
                case Assign():
                    self.values[one.name] = self.read(one.value)
                case Sample():
                    self.values[one.name] = self.drawn(one)
                case If():
                    self.block(one.then if self.read(one.condition) else one.otherwise)
                case While():
                    while self.read(one.condition):
                        self.go_round()
                        self.block(one.body)
                case Output():
                    self.told.append(self.shown(self.read(one.value)))

    def go_round(self) -> None:
        """Rounds are counted and not statements: on neighbours, branches may differ, and rounds do not."""
        self.rounds += 1
        if self.rounds > ROUNDS:
            raise Refused(f"{self.program.name} did not end within {ROUNDS} rounds of its loops; nothing was released.")

    def shown(self, value: Held) -> int | float | bool:
        if isinstance(value, bool):
            return value
        if isinstance(value, Bits):
            return value.value
        if self.whole:
            assert isinstance(value, Fraction)
            return int(value)
        return settled(_number(value), _float)

    def drawn(self, sample: Sample) -> Held:
        if sample.site in self.known_by:
            return _drawn_by(sample.noise, self.known_by[sample.site])
        values = [self.read(one) for one in sample.parameters]
        if sample.noise is Noise.BITS:
            width = self.width(values[0])
            return Bits(integer(width), width)
        numbers = [_number(one) for one in values]
        match sample.noise:
            case Noise.BERNOULLI:
                return _coin(numbers[0])
            case Noise.UNIFORM:
                low, high = numbers
                return added(low, product(_difference(high, low), drawn_uniform()))
        scale = numbers[0]
        if sign(scale) <= 0:
            raise Refused(f"line {sample.place.line}: the scale {written(sample.parameters[0])} of {sample.noise} noise must be above 0.")
        match sample.noise:
            case Noise.GEOMETRIC:
                if not isinstance(scale, Fraction):
                    raise Refused(f"line {sample.place.line}: the scale of geometric noise must be a rational number.")
                return Fraction(int(discrete_laplace(scale, 1)[0]))
            case Noise.GAUSSIAN:
                return product(scale, drawn_normal())
            case Noise.EXPONENTIAL:
                return product(scale, drawn_exponential())
            case _:
                return _turned(product(scale, drawn_exponential()))

    def read(self, expression: Expression) -> Held:
        match expression:
            case Number():
                return expression.value
            case Truth():
                return expression.value
            case Name():
                return self.values[expression.name]
            case Length():
                return Fraction(len(self.lists[expression.list]))
            case Read():
                entries, index = self.lists[expression.list], self.read(expression.index)
                inside = isinstance(index, Fraction) and 0 <= index < len(entries)
                return entries[int(_rational(index))] if inside else self.nothing(expression.list)
            case Apply():
                return self.applied(expression)

    def applied(self, expression: Apply) -> Held:
        operator, arguments = expression.operator, expression.arguments
        match operator:  # these look at their second argument only if need be
            case "and":
                return bool(self.read(arguments[0]) and self.read(arguments[1]))
            case "or":
                return bool(self.read(arguments[0]) or self.read(arguments[1]))
            case "not":
                return not self.read(arguments[0])
            case "if":
                return self.read(arguments[1] if self.read(arguments[0]) else arguments[2])
        values = [self.read(one) for one in arguments]
        if operator in ("==", "!="):
            return _same(values[0], values[1]) == (operator == "==")
        if any(isinstance(one, Bits) for one in values):
            return _bits(operator, values)
        return arithmetic(operator, [_number(one) for one in values])


def known_by(program: Program, values: Mapping[str, Any]) -> dict[int, Callable[[int], Interval]]:
    """Return the irrational scales and chances that public numbers fix, by site, as intervals of so many bits.

    Such a number scales one draw, or is compared with one, and goes nowhere else: nothing has to be known of it but where it lies.
    """
    known, fixed = constants(program), public(program)
    numbers = {name: one for name, one in values.items() if name in fixed and isinstance(one, Fraction | int) and not isinstance(one, bool)}
    found = dict[int, Callable[[int], Interval]]()
    for sample in program.samples:
        if sample.noise in (Noise.LAPLACE, Noise.EXPONENTIAL, Noise.GAUSSIAN, Noise.BERNOULLI):
            value = replaced(sample.parameters[0], known)
            operators = {one.operator for one in parts(value) if isinstance(one, Apply)}
            if enclosed(value) and names(value) <= numbers.keys() and operators & IRRATIONAL and "floor" not in operators:
                found[sample.site] = _closing(value, numbers)
    return found


def _closing(value: Expression, numbers: Mapping[str, Any]) -> Callable[[int], Interval]:
    return lambda bits: between(value, numbers, 20 + bits // 3)


def _drawn_by(noise: Noise, known: Callable[[int], Interval]) -> Held:
    match noise:
        case Noise.BERNOULLI:
            return drawn_coin(known)
        case Noise.GAUSSIAN:
            return drawn_normal(known)
        case Noise.EXPONENTIAL:
            return drawn_exponential(known)
        case _:
            return _turned(drawn_exponential(known))


def _turned(size: Value) -> Value:
    """Return the size of Laplace noise with a fair sign."""
    return size if integer(1) else product(Fraction(-1), size)


def _float(value: Fraction) -> float:
    """Return the nearest multiple of the grid, as the nearest float: a function that never falls."""
    steps = floor(value / GRID + Fraction(1, 2))
    return float(max(min(steps * GRID, _LARGEST_FLOAT), -_LARGEST_FLOAT))


def _number(value: Held) -> Value:
    assert isinstance(value, Fraction | Real)
    return value


def _rational(value: Held) -> Fraction:
    assert isinstance(value, Fraction)
    return value


def _difference(one: Value, other: Value) -> Value:
    return added(one, product(Fraction(-1), other))


def _same(one: Held, other: Held) -> bool:
    if isinstance(one, Real) or isinstance(other, Real):
        return _difference(_number(one), _number(other)) == Fraction(0)
    return one == other


def _coin(chance: Value) -> bool:
    if isinstance(chance, Fraction):
        return bool(bernoulli(min(max(chance, Fraction(0)), Fraction(1)), 1)[0])
    return below(drawn_uniform(), chance)


def arithmetic(operator: str, values: list[Value]) -> Held:
    """Return what an operator makes of one or two numbers."""
    one, other = values[0], values[-1]
    match operator:
        case "+":
            return added(one, other)
        case "-":
            return _difference(one, other)
        case "*":
            return product(one, other)
        case "/":
            return quotient(one, other)
        case "negate":
            return product(Fraction(-1), one)
        case "abs":
            return one if sign(one) >= 0 else product(Fraction(-1), one)
        case "min":
            return other if below(other, one) else one
        case "max":
            return other if below(one, other) else one
        case "<":
            return below(one, other)
        case "<=":
            return not below(other, one)
        case "floor":
            return Fraction(settled(one, floor))
        case "%":
            if sign(other) <= 0:
                return Fraction(0)
            return _difference(one, product(Fraction(settled(quotient(one, other), floor)), other))
        case _:
            return function(operator, one)


def _bits(operator: str, values: list[Held]) -> Held:
    one = values[0]
    assert isinstance(one, Bits)
    full = (1 << one.width) - 1
    if operator == "bits~":
        return Bits(one.value ^ full, one.width)
    other = values[1]
    if operator == "bit":
        place = _rational(other)
        return 0 <= place < one.width and bool(one.value >> int(place) & 1)
    assert isinstance(other, Bits)
    if operator == "concat":
        return Bits(one.value << other.width | other.value, one.width + other.width)
    if one.width != other.width:
        raise Refused(f"two bit strings of {one.width} and {other.width} bits do not go together.")
    match operator:
        case "xor":
            return Bits(one.value ^ other.value, one.width)
        case "bits+":
            return Bits((one.value + other.value) & full, one.width)
        case "bits&":
            return Bits(one.value & other.value, one.width)
        case _:
            return Bits(one.value | other.value, one.width)
