"""Runs a program as what it is: over the reals, with exact noise from the operating system's
generator.

``run_program(program, arguments)`` gives the outputs in order. Numbers among the arguments are
taken as the rationals that they are written as (0.1 is one tenth), noise is drawn by ``reals``, and
every comparison is decided exactly. What comes out: truths as bool, bit strings as int, and numbers
as int if all that the program tells are whole; else each number is rounded to the nearest multiple
of ``OUTPUT_GRID`` and then to a float. The grid is the same for all programs and all data, so that
rounding is post-processing of the outputs that a proof is about.

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
from hedgerow.numeric.bits import draw_integer
from hedgerow.numeric.exact_number import parse_exact
from hedgerow.numeric.samplers import bernoulli, discrete_laplace
from hedgerow.numeric.samplers.lazy_uniform import RationalInterval
from hedgerow.verify.language.assumptions import (
    check_arguments,
    find_constants,
    find_public_scalars,
)
from hedgerow.verify.language.claim_bounds import IRRATIONAL, bound_expression, can_bound
from hedgerow.verify.language.interpreter.lazy_reals import (
    LazyNumber,
    LazyReal,
    add,
    apply_function,
    divide,
    draw_coin,
    draw_exponential,
    draw_normal,
    draw_uniform,
    evaluate_step,
    is_below,
    multiply,
    sign,
)
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
    collect_names,
    format_expression,
    substitute,
    walk_expression,
    walk_statements,
)
from hedgerow.verify.language.type_inference import infer_kind, infer_kinds

__all__ = [
    "MAX_ROUNDS",
    "OUTPUT_GRID",
    "BitString",
    "apply_arithmetic",
    "enclose_irrational_parameters",
    "run_program",
]

OUTPUT_GRID: Final = Fraction(1, 1 << 40)
MAX_ROUNDS: Final = 1_000_000
_MAX_BIT_WIDTH: Final = 1 << 20
_LARGEST_FLOAT: Final = Fraction(np.finfo(np.float64).max.item())


@dataclass(frozen=True, slots=True)
class BitString:
    value: int
    width: int


RuntimeValue: TypeAlias = LazyNumber | bool | BitString


def run_program(program: Program, arguments: Mapping[str, Any]) -> list[int | float | bool]:
    """The outputs of one run."""
    state = _Interpreter(program, arguments)
    check_arguments(program, state.values)
    state.run_block(program.body)
    return state.outputs


class _Interpreter:
    def __init__(self, program: Program, arguments: Mapping[str, Any]) -> None:
        self.program, self.kinds = program, infer_kinds(program)
        self.values: dict[str, RuntimeValue] = {}
        self.lists: dict[str, list[RuntimeValue]] = {}
        self.outputs: list[int | float | bool] = []
        self.rounds = 0
        # Decided for the whole program: whether a number is shown as 0 or as 0.0 must not tell by
        # which way it came about.
        told = [one.value for one in walk_statements(program.body) if isinstance(one, Output)]
        self.has_whole_outputs = all(
            infer_kind(one, program, self.kinds) is not Kind.REAL for one in told
        )
        names = [one.name for one in program.parameters]
        for name in arguments:
            if name not in names:
                raise InvalidArgument(
                    "arguments", f"of {program.name} are {', '.join(names)}", name
                )
        # Public ones first: the width of a bit string may be one of them.
        for one in sorted(program.parameters, key=lambda one: one.width is not None):
            if one.name not in arguments:
                raise InvalidArgument(
                    one.name, f"must be given: it is a parameter of {program.name}"
                )
            self.bind_argument(one, arguments[one.name])
        self.enclosures = enclose_irrational_parameters(program, self.values)

    def bind_argument(self, parameter: Parameter, value: Any) -> None:
        if not parameter.list:
            self.values[parameter.name] = self.convert_argument(parameter, value)
            return
        if isinstance(value, str | bytes) or not isinstance(value, Sequence | np.ndarray):
            raise InvalidArgument(parameter.name, "must be a list")
        self.lists[parameter.name] = [self.convert_argument(parameter, one) for one in value]

    def convert_argument(self, parameter: Parameter, value: Any) -> RuntimeValue:
        """One argument. What is wrong with a private one is told without it."""
        shown = () if parameter.private else (value,)
        if parameter.kind is Kind.BOOL:
            if not isinstance(value, bool | np.bool_):
                raise InvalidArgument(parameter.name, "must be True or False", *shown)
            return bool(value)
        if parameter.kind is Kind.BITS:
            assert parameter.width is not None
            width = self.check_width(self.evaluate(parameter.width))
            if (
                isinstance(value, bool)
                or not isinstance(value, int | np.integer)
                or not 0 <= value < 1 << width
            ):
                raise InvalidArgument(
                    parameter.name, f"must be a whole number of at most {width} bits", *shown
                )
            return BitString(int(value), width)
        try:
            number = parse_exact(value, parameter.name)
        except InvalidArgument:
            raise InvalidArgument(parameter.name, "must be a finite number", *shown) from None
        if parameter.kind is Kind.INT and number.denominator != 1:
            raise InvalidArgument(parameter.name, "must be a whole number", *shown)
        return number

    def make_default_entry(self, name: str) -> RuntimeValue:
        """What stands where a list has no entry."""
        parameter = self.program.find_parameter(name)
        assert parameter is not None
        if parameter.kind is Kind.BITS:
            assert parameter.width is not None
            return BitString(0, self.check_width(self.evaluate(parameter.width)))
        return False if parameter.kind is Kind.BOOL else Fraction(0)

    def check_width(self, value: RuntimeValue) -> int:
        if (
            not isinstance(value, Fraction)
            or value.denominator != 1
            or not 0 < value <= _MAX_BIT_WIDTH
        ):
            raise Refused(
                f"a bit string of {self.program.name} has a width that is not a whole number from 1"
                f" to {_MAX_BIT_WIDTH}."
            )
        return int(value)

    def run_block(self, block: Block) -> None:
        for one in block:
            match one:
                case Assign():
                    self.values[one.name] = self.evaluate(one.value)
                case Sample():
                    self.values[one.name] = self.draw(one)
                case If():
                    self.run_block(one.then if self.evaluate(one.condition) else one.otherwise)
                case While():
                    while self.evaluate(one.condition):
                        self.count_round()
                        self.run_block(one.body)
                case Output():
                    self.outputs.append(self.round_output(self.evaluate(one.value)))

    def count_round(self) -> None:
        """Rounds are counted and not statements: on neighbours, branches may differ, and rounds
        do not.
        """
        self.rounds += 1
        if self.rounds > MAX_ROUNDS:
            raise Refused(
                f"{self.program.name} did not end within {MAX_ROUNDS} rounds of its loops; nothing"
                " was released."
            )

    def round_output(self, value: RuntimeValue) -> int | float | bool:
        if isinstance(value, bool):
            return value
        if isinstance(value, BitString):
            return value.value
        if self.has_whole_outputs:
            assert isinstance(value, Fraction)
            return int(value)
        return evaluate_step(_require_number(value), _round_to_float)

    def draw(self, sample: Sample) -> RuntimeValue:
        if sample.site in self.enclosures:
            return _draw_enclosed(sample.noise, self.enclosures[sample.site])
        values = [self.evaluate(one) for one in sample.parameters]
        if sample.noise is Noise.BITS:
            width = self.check_width(values[0])
            return BitString(draw_integer(width), width)
        numbers = [_require_number(one) for one in values]
        match sample.noise:
            case Noise.BERNOULLI:
                return _draw_coin(numbers[0])
            case Noise.UNIFORM:
                low, high = numbers
                return add(low, multiply(_subtract(high, low), draw_uniform()))
        scale = numbers[0]
        if sign(scale) <= 0:
            raise Refused(
                f"line {sample.place.line}: the scale {format_expression(sample.parameters[0])} of"
                f" {sample.noise} noise must be above 0."
            )
        match sample.noise:
            case Noise.GEOMETRIC:
                if not isinstance(scale, Fraction):
                    raise Refused(
                        f"line {sample.place.line}: the scale of geometric noise must be a rational"
                        " number."
                    )
                return Fraction(int(discrete_laplace(scale, 1)[0]))
            case Noise.GAUSSIAN:
                return multiply(scale, draw_normal())
            case Noise.EXPONENTIAL:
                return multiply(scale, draw_exponential())
            case _:
                return _randomise_sign(multiply(scale, draw_exponential()))

    def evaluate(self, expression: Expression) -> RuntimeValue:
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
                entries, index = self.lists[expression.list], self.evaluate(expression.index)
                inside = isinstance(index, Fraction) and 0 <= index < len(entries)
                return (
                    entries[int(_require_rational(index))]
                    if inside
                    else self.make_default_entry(expression.list)
                )
            case Apply():
                return self.apply(expression)

    def apply(self, expression: Apply) -> RuntimeValue:
        operator, arguments = expression.operator, expression.arguments
        match operator:  # these look at their second argument only if need be
            case "and":
                return bool(self.evaluate(arguments[0]) and self.evaluate(arguments[1]))
            case "or":
                return bool(self.evaluate(arguments[0]) or self.evaluate(arguments[1]))
            case "not":
                return not self.evaluate(arguments[0])
            case "if":
                return self.evaluate(arguments[1] if self.evaluate(arguments[0]) else arguments[2])
        values = [self.evaluate(one) for one in arguments]
        if operator in ("==", "!="):
            return _are_equal(values[0], values[1]) == (operator == "==")
        if any(isinstance(one, BitString) for one in values):
            return _apply_to_bits(operator, values)
        return apply_arithmetic(operator, [_require_number(one) for one in values])


def enclose_irrational_parameters(
    program: Program, values: Mapping[str, Any]
) -> dict[int, Callable[[int], RationalInterval]]:
    """Return the irrational scales and chances that public numbers fix, by site, as intervals of so
    many bits.

    Such a number scales one draw, or is compared with one, and goes nowhere else: nothing has to be
    known of it but where it lies.
    """
    known, fixed = find_constants(program), find_public_scalars(program)
    numbers = {
        name: one
        for name, one in values.items()
        if name in fixed and isinstance(one, Fraction | int) and not isinstance(one, bool)
    }
    found = dict[int, Callable[[int], RationalInterval]]()
    for sample in program.samples:
        if sample.noise in (Noise.LAPLACE, Noise.EXPONENTIAL, Noise.GAUSSIAN, Noise.BERNOULLI):
            value = substitute(sample.parameters[0], known)
            operators = {one.operator for one in walk_expression(value) if isinstance(one, Apply)}
            if (
                can_bound(value)
                and collect_names(value) <= numbers.keys()
                and operators & IRRATIONAL
                and "floor" not in operators
            ):
                found[sample.site] = _build_enclosure(value, numbers)
    return found


def _build_enclosure(
    value: Expression, numbers: Mapping[str, Any]
) -> Callable[[int], RationalInterval]:
    return lambda bits: bound_expression(value, numbers, 20 + bits // 3)


def _draw_enclosed(noise: Noise, known: Callable[[int], RationalInterval]) -> RuntimeValue:
    match noise:
        case Noise.BERNOULLI:
            return draw_coin(known)
        case Noise.GAUSSIAN:
            return draw_normal(known)
        case Noise.EXPONENTIAL:
            return draw_exponential(known)
        case _:
            return _randomise_sign(draw_exponential(known))


def _randomise_sign(size: LazyNumber) -> LazyNumber:
    """Return the size of Laplace noise with a fair sign."""
    return size if draw_integer(1) else multiply(Fraction(-1), size)


def _round_to_float(value: Fraction) -> float:
    """Return the nearest multiple of the grid, as the nearest float: a function that never
    falls.
    """
    steps = floor(value / OUTPUT_GRID + Fraction(1, 2))
    return float(max(min(steps * OUTPUT_GRID, _LARGEST_FLOAT), -_LARGEST_FLOAT))


def _require_number(value: RuntimeValue) -> LazyNumber:
    assert isinstance(value, Fraction | LazyReal)
    return value


def _require_rational(value: RuntimeValue) -> Fraction:
    assert isinstance(value, Fraction)
    return value


def _subtract(one: LazyNumber, other: LazyNumber) -> LazyNumber:
    return add(one, multiply(Fraction(-1), other))


def _are_equal(one: RuntimeValue, other: RuntimeValue) -> bool:
    if isinstance(one, LazyReal) or isinstance(other, LazyReal):
        return _subtract(_require_number(one), _require_number(other)) == Fraction(0)
    return one == other


def _draw_coin(chance: LazyNumber) -> bool:
    if isinstance(chance, Fraction):
        return bool(bernoulli(min(max(chance, Fraction(0)), Fraction(1)), 1)[0])
    return is_below(draw_uniform(), chance)


def apply_arithmetic(operator: str, values: list[LazyNumber]) -> RuntimeValue:
    """Return what an operator makes of one or two numbers."""
    one, other = values[0], values[-1]
    match operator:
        case "+":
            return add(one, other)
        case "-":
            return _subtract(one, other)
        case "*":
            return multiply(one, other)
        case "/":
            return divide(one, other)
        case "negate":
            return multiply(Fraction(-1), one)
        case "abs":
            return one if sign(one) >= 0 else multiply(Fraction(-1), one)
        case "min":
            return other if is_below(other, one) else one
        case "max":
            return other if is_below(one, other) else one
        case "<":
            return is_below(one, other)
        case "<=":
            return not is_below(other, one)
        case "floor":
            return Fraction(evaluate_step(one, floor))
        case "%":
            if sign(other) <= 0:
                return Fraction(0)
            return _subtract(
                one, multiply(Fraction(evaluate_step(divide(one, other), floor)), other)
            )
        case _:
            return apply_function(operator, one)


def _apply_to_bits(operator: str, values: list[RuntimeValue]) -> RuntimeValue:
    one = values[0]
    assert isinstance(one, BitString)
    full = (1 << one.width) - 1
    if operator == "bits~":
        return BitString(one.value ^ full, one.width)
    other = values[1]
    if operator == "bit":
        place = _require_rational(other)
        return 0 <= place < one.width and bool(one.value >> int(place) & 1)
    assert isinstance(other, BitString)
    if operator == "concat":
        return BitString(one.value << other.width | other.value, one.width + other.width)
    if one.width != other.width:
        raise Refused(f"two bit strings of {one.width} and {other.width} bits do not go together.")
    match operator:
        case "xor":
            return BitString(one.value ^ other.value, one.width)
        case "bits+":
            return BitString((one.value + other.value) & full, one.width)
        case "bits&":
            return BitString(one.value & other.value, one.width)
        case _:
            return BitString(one.value | other.value, one.width)
