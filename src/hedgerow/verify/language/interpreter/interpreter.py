"""The interpreter of programs: over the reals, with exact noise from the operating system's
generator.

``run_program(program, arguments)`` returns the outputs in order. Numeric arguments are taken as the
rationals that they are written as (0.1 is one tenth), ``lazy_draws`` draws the noise, and every
comparison is decided exactly. Outputs are bool for Booleans and int for bit strings. Numbers are
int if all numeric outputs of the program are integers; otherwise each number is rounded to the
nearest multiple of ``OUTPUT_GRID`` and then to a float. The grid is the same for all programs and
all data, so that rounding is post-processing of the outputs that a proof is about.

**Theorem.** With probability 1, a run takes the same path as the program over the reals at the same
draws and has the same outputs, with each number rounded once, by one function of the number alone.

**Proof.** By induction on the statements. The value of a variable is the polynomial in the draws
that the program over the reals computes: arithmetic on polynomials is exact. Wherever a value
becomes a Boolean, an integer, one of two values or an output, ``evaluate_step`` decides, and its
theorem says that it decides correctly. Two values are equal if their difference is the number 0; a
difference that contains a draw is 0 with probability 0, and one that contains an irrational
constant is never 0. All programs together can reach countably many decisions, and each is wrong
with probability 0; so with probability 1 all are right.

No run fails because of private data or noise: a failure would reveal more than the outputs that a
proof is about. Undefined operations therefore have the value 0 or False: division by 0, remainders
by a number that is not above 0, indices out of range. A probability is clamped to [0, 1], and
uniform noise lies between its ends in either order. A proof holds for every meaning that these
might have. Public parameters are checked: scales above 0, widths. The duration of a run depends on
the draws and the data; ``work_bounds`` checks, before a program sees any data, that no number in it
grows beyond bounds.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from math import floor
from typing import Any, Final

import numpy as np

from hedgerow.errors import InvalidArgument, Refused
from hedgerow.numeric.bits import draw_integer
from hedgerow.numeric.exact_number import parse_exact
from hedgerow.numeric.samplers import bernoulli, discrete_laplace
from hedgerow.verify.language.assumptions import (
    check_arguments,
    find_constants,
    find_public_scalars,
)
from hedgerow.verify.language.claim_bounds import IRRATIONAL, bound_expression, can_bound
from hedgerow.verify.language.interpreter.lazy_draws import (
    Enclosure,
    draw_coin,
    draw_exponential,
    draw_normal,
    draw_uniform,
)
from hedgerow.verify.language.interpreter.lazy_reals import (
    LazyNumber,
    add,
    evaluate_step,
    is_below,
    multiply,
    sign,
)
from hedgerow.verify.language.interpreter.value_operations import (
    BitString,
    RuntimeValue,
    apply_arithmetic,
    apply_to_bits,
    are_equal,
    require_number,
    subtract,
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
    "enclose_irrational_parameters",
    "run_program",
]

OUTPUT_GRID: Final = Fraction(1, 1 << 40)
MAX_ROUNDS: Final = 1_000_000
_MAX_BIT_WIDTH: Final = 1 << 20
_LARGEST_FLOAT: Final = Fraction(np.finfo(np.float64).max.item())


def run_program(program: Program, arguments: Mapping[str, Any]) -> list[int | float | bool]:
    """Return the outputs of one run."""
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
        # Decided for the whole program: the type of an output, 0 or 0.0, must not reveal the path.
        self.has_whole_outputs = all(
            infer_kind(one.value, program, self.kinds) is not Kind.REAL
            for one in walk_statements(program.body)
            if isinstance(one, Output)
        )
        names = [one.name for one in program.parameters]
        for name in arguments:
            if name not in names:
                raise InvalidArgument(
                    "arguments", f"of {program.name} must be {', '.join(names)}", name
                )
        # Bit strings last: their width may be another parameter.
        for one in sorted(program.parameters, key=lambda one: one.width is not None):
            if one.name not in arguments:
                raise InvalidArgument(
                    one.name, f"must be passed: it is a parameter of {program.name}"
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
        """Convert one argument; an error about a private one does not show it."""
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
                    parameter.name, f"must be an integer of at most {width} bits", *shown
                )
            return BitString(int(value), width)
        try:
            number = parse_exact(value, parameter.name)
        except InvalidArgument:
            raise InvalidArgument(parameter.name, "must be a finite number", *shown) from None
        if parameter.kind is Kind.INT and number.denominator != 1:
            raise InvalidArgument(parameter.name, "must be an integer", *shown)
        return number

    def make_default_entry(self, name: str) -> RuntimeValue:
        """Return the value of an entry out of range."""
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
                f"a bit string of {self.program.name} must have an integer width from 1 to"
                f" {_MAX_BIT_WIDTH}."
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
        """Count a round. Statements are not counted, since neighbours may differ in branches but
        not in rounds.
        """
        self.rounds += 1
        if self.rounds > MAX_ROUNDS:
            raise Refused(
                f"{self.program.name} did not end within {MAX_ROUNDS} rounds of its loops, and"
                " nothing was released. Bound its loops by smaller public numbers."
            )

    def round_output(self, value: RuntimeValue) -> int | float | bool:
        match value:
            case bool():
                return value
            case BitString():
                return value.value
        if self.has_whole_outputs:
            assert isinstance(value, Fraction)
            return int(value)
        return evaluate_step(require_number(value), _round_to_float)

    def draw(self, sample: Sample) -> RuntimeValue:
        enclosure = self.enclosures.get(sample.site)
        if enclosure is not None:
            is_coin = sample.noise is Noise.BERNOULLI
            return draw_coin(enclosure) if is_coin else _draw_continuous(sample.noise, enclosure)
        values = [self.evaluate(one) for one in sample.parameters]
        if sample.noise is Noise.BITS:
            width = self.check_width(values[0])
            return BitString(draw_integer(width), width)
        numbers = [require_number(one) for one in values]
        match sample.noise:
            case Noise.BERNOULLI:
                return _draw_coin(numbers[0])
            case Noise.UNIFORM:
                low, high = numbers
                return add(low, multiply(subtract(high, low), draw_uniform()))
        scale = numbers[0]
        if sign(scale) <= 0:
            raise Refused(
                f"line {sample.place.line}: the scale {format_expression(sample.parameters[0])} of"
                f" {sample.noise} noise must be above 0."
            )
        if sample.noise is not Noise.GEOMETRIC:
            return multiply(scale, _draw_continuous(sample.noise))
        if not isinstance(scale, Fraction):
            raise Refused(
                f"line {sample.place.line}: the scale of geometric noise must be a rational number."
            )
        return Fraction(int(discrete_laplace(scale, 1)[0]))

    def evaluate(self, expression: Expression) -> RuntimeValue:
        match expression:
            case Number() | Truth():
                return expression.value
            case Name():
                return self.values[expression.name]
            case Length():
                return Fraction(len(self.lists[expression.list]))
            case Read():
                entries, index = self.lists[expression.list], self.evaluate(expression.index)
                if isinstance(index, Fraction) and 0 <= index < len(entries):
                    return entries[int(index)]
                return self.make_default_entry(expression.list)
            case Apply():
                return self.apply(expression)

    def apply(self, expression: Apply) -> RuntimeValue:
        operator, arguments = expression.operator, expression.arguments
        match operator:  # these evaluate only the operands they need
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
            return are_equal(values[0], values[1]) == (operator == "==")
        if any(isinstance(one, BitString) for one in values):
            return apply_to_bits(operator, values)
        return apply_arithmetic(operator, [require_number(one) for one in values])


def enclose_irrational_parameters(
    program: Program, values: Mapping[str, Any]
) -> dict[int, Enclosure]:
    """Return the enclosures of irrational scales and probabilities that public numbers determine,
    by site.

    Such a number scales one draw, or is compared with one, and is used nowhere else, so that its
    enclosures suffice.
    """
    known, fixed = find_constants(program), find_public_scalars(program)
    numbers = {
        name: one
        for name, one in values.items()
        if name in fixed and isinstance(one, Fraction | int) and not isinstance(one, bool)
    }
    found = dict[int, Enclosure]()
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


def _build_enclosure(value: Expression, numbers: Mapping[str, Any]) -> Enclosure:
    return lambda bits: bound_expression(value, numbers, 20 + bits // 3)


def _draw_continuous(noise: Noise, scale: Enclosure | None = None) -> LazyNumber:
    """Draw noise of scale 1, times a scale known by its enclosures."""
    if noise is Noise.GAUSSIAN:
        return draw_normal(scale)
    size = draw_exponential(scale)
    is_positive = noise is Noise.EXPONENTIAL or draw_integer(1)
    return size if is_positive else multiply(Fraction(-1), size)


def _round_to_float(value: Fraction) -> float:
    """Return the nearest multiple of the grid as the nearest float, a nondecreasing function."""
    steps = floor(value / OUTPUT_GRID + Fraction(1, 2))
    return float(max(min(steps * OUTPUT_GRID, _LARGEST_FLOAT), -_LARGEST_FLOAT))


def _draw_coin(probability: LazyNumber) -> bool:
    if isinstance(probability, Fraction):
        return bool(bernoulli(min(max(probability, Fraction(0)), Fraction(1)), 1)[0])
    return is_below(draw_uniform(), probability)
