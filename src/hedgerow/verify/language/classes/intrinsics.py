"""The words in which the shipped mechanisms are written, and what each means in a program.

Everything that a mechanism's source calls is either read in turn, or stands here. What stands here
is believed: that ``discrete_laplace`` draws whole numbers with Pr[z] in proportion to
e^(-|z|/scale), that ``race`` finds the largest noisy score, that ``as_whole`` gives back what it is
given. The tests of ``numeric`` hold them to that.
"""

from __future__ import annotations

import ast
import math
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Final, Protocol, TypeAlias

from hedgerow.privacy.grid import Grid, get_grid
from hedgerow.privacy.sensitivity import Sensitivity
from hedgerow.verify.language.classes.abstract_values import (
    AbstractValue,
    ArraySize,
    CellDraw,
    ConcreteValue,
    QualifiedName,
    ReserveValue,
    SymbolicArray,
    SymbolicValue,
    build_number_node,
)
from hedgerow.verify.language.program import Noise
from hedgerow.verify.language.unsupported import UnsupportedProgram

__all__ = [
    "CONCRETE_FUNCTIONS",
    "INTRINSICS",
    "LOSS_CLASS",
    "SAMPLER_NOISES",
    "ArrayDtype",
    "ProgramEmitter",
    "build_expression",
    "emit_draw",
]


@dataclass(frozen=True, slots=True)
class ArrayDtype:
    """Of an array: b, i or f."""

    kind: str


class ProgramEmitter(Protocol):
    """What a meaning needs of the reader."""

    def emit(self, statement: ast.stmt) -> None:
        """One more statement of the program."""

    def locate(self, node: ast.expr) -> ast.expr:
        """The same, on the line that is read."""

    def make_name(self, wanted: str) -> str:
        """A variable that nobody has taken."""

    def require_at_least_one(self, value: SymbolicValue) -> None:
        """The class refuses what is below 1."""

    def is_nonnegative(self, node: ast.expr) -> bool:
        """Whether the class refuses what would make this negative."""


IntrinsicRule: TypeAlias = Callable[[ProgramEmitter, list[AbstractValue]], AbstractValue]

# What may be run while reading, since all its arguments are known: nothing of it is data.
CONCRETE_FUNCTIONS: Final[dict[str, Callable[..., object]]] = {
    "hedgerow.privacy.sensitivity.Sensitivity.of": Sensitivity.of,
    "hedgerow.privacy.grid.get_grid": get_grid,
    "hedgerow.privacy.grid.Grid": Grid,
    "fractions.Fraction": Fraction,
    "math.ceil": math.ceil,
    "builtins.max": max,
    "builtins.min": min,
}
LOSS_CLASS: Final = "hedgerow.privacy.loss.Loss"
SAMPLER_NOISES: Final[dict[str, Noise]] = {
    "hedgerow.numeric.samplers.laplace_sampler.discrete_laplace": Noise.GEOMETRIC
}
_NOISY_MAX_NOISES: Final = {"laplace": "laplace", "exponential": "exponential"}


def build_expression(value: AbstractValue) -> ast.expr:
    """The expression that a number or a truth is."""
    match value:
        case SymbolicValue():
            return value.node
        case ConcreteValue():
            return build_number_node(value.value)
    raise UnsupportedProgram("a number is needed here")


def build_call(word: str, *arguments: ast.expr) -> ast.expr:
    return ast.Call(ast.Name(word, ast.Load()), list(arguments), [])


def emit_draw(
    speaker: ProgramEmitter,
    wanted: str,
    call: ast.expr,
    kind: str,
    like: SymbolicValue | SymbolicArray,
    of: int = 0,
) -> SymbolicValue | SymbolicArray:
    """One draw for a number, one for every cell of an array."""
    name = speaker.make_name(wanted)
    if isinstance(like, SymbolicValue):
        speaker.emit(ast.Assign([ast.Name(name, ast.Store())], call))
        return SymbolicValue(ast.Name(name, ast.Load()), kind, of)
    return SymbolicArray(
        lambda _: SymbolicValue(ast.Name(name, ast.Load()), kind, of),
        kind,
        (CellDraw(name, speaker.locate(call)),),
        of,
    )


def _pass_through(*kinds: str) -> IntrinsicRule:
    """What is given is checked and given back: numbers of these kinds, or lists. What it refuses
    is not in the worlds that are read.
    """

    def same(_: ProgramEmitter, given: list[AbstractValue]) -> AbstractValue:
        value = given[0]
        if isinstance(value, ConcreteValue) or (
            isinstance(value, SymbolicValue | SymbolicArray) and value.kind in kinds
        ):
            return value
        raise UnsupportedProgram("what is given here is not of the kind that comes back unchanged")

    return same


def _pass_boolean(speaker: ProgramEmitter, given: list[AbstractValue]) -> AbstractValue:
    if (
        isinstance(given[0], SymbolicValue | SymbolicArray)
        and given[0].kind == "category"
        and given[0].categories != 2
    ):
        raise UnsupportedProgram("one of more than two values is no truth")
    return _pass_through("bool", "category")(speaker, given)


def _pass_positive_integer(speaker: ProgramEmitter, given: list[AbstractValue]) -> AbstractValue:
    value = _pass_through("int")(speaker, given)
    if isinstance(value, SymbolicValue):
        speaker.require_at_least_one(value)
    return value


def _round_up(_: ProgramEmitter, given: list[AbstractValue]) -> AbstractValue:
    """Rounded up: what is proved of the number itself holds for what is at least that, and so
    for a loss that is made of it.
    """
    return SymbolicValue(build_expression(given[0]), "bound")


def _build_reserve(_: ProgramEmitter, given: list[AbstractValue]) -> AbstractValue:
    if len(given) != 1 or not isinstance(given[0], QualifiedName):
        raise UnsupportedProgram("a Reserve is made of one sampler")
    return ReserveValue(given[0].name, SAMPLER_NOISES.get(given[0].name))


def _draw_discrete_laplace(speaker: ProgramEmitter, given: list[AbstractValue]) -> AbstractValue:
    scale, size = given
    if not isinstance(size, ArraySize):
        raise UnsupportedProgram("noise is drawn one for each cell")
    return emit_draw(
        speaker, "noise", build_call("geometric", build_expression(scale)), "int", size.array
    )


def _draw_bernoulli(speaker: ProgramEmitter, given: list[AbstractValue]) -> AbstractValue:
    chance, size = given
    if not isinstance(size, ArraySize):
        raise UnsupportedProgram("coins are drawn one for each cell")
    return emit_draw(
        speaker, "coin", build_call("bernoulli", build_expression(chance)), "bool", size.array
    )


def _draw_uniform_integers(speaker: ProgramEmitter, given: list[AbstractValue]) -> AbstractValue:
    bound, size = given
    if (
        not isinstance(size, ArraySize)
        or not isinstance(bound, ConcreteValue)
        or not isinstance(bound.value, int)
    ):
        raise UnsupportedProgram(
            "uniform integers are drawn below a known bound, one for each cell"
        )
    width = bound.value.bit_length() - 1
    if bound.value != 1 << width or width < 1:
        raise UnsupportedProgram(f"one of {bound.value} values is not a string of fair bits")
    fair = (
        build_call("bernoulli", build_number_node(Fraction(1, 2)))
        if width == 1
        else build_call("uniform_bits", ast.Constant(width))
    )
    return emit_draw(speaker, "any", fair, "category", size.array, bound.value)


def _select_noisy_max(speaker: ProgramEmitter, given: list[AbstractValue]) -> AbstractValue:
    """The first of the largest factor * score + noise, which is that of the largest score +
    noise/factor.
    """
    scores, factor, law, *weights = given
    if (
        not isinstance(scores, SymbolicArray)
        or scores.draws
        or not isinstance(law, ConcreteValue)
        or weights
    ):
        raise UnsupportedProgram("a race is one of scores that are given, without weights")
    if law.value not in _NOISY_MAX_NOISES:
        raise UnsupportedProgram(f"{law.value} noise is not in the language")
    best, winner, at, noisy = map(speaker.make_name, ("best", "winner", "place", "noisy"))
    here, noise = (
        ast.Name(at, ast.Load()),
        build_call(
            _NOISY_MAX_NOISES[law.value],
            ast.BinOp(ast.Constant(1), ast.Div(), build_expression(factor)),
        ),
    )
    text = f"if {at} == 0 or {noisy} > {best}:\n    {best} = {noisy}\n    {winner} = {at}"
    speaker.emit(_build_assignment(best, ast.Constant(0)))
    speaker.emit(_build_assignment(winner, ast.Constant(0)))
    body = [
        _build_assignment(noisy, ast.BinOp(scores.entry(here).node, ast.Add(), noise)),
        *_parse_without_lines(text),
    ]
    speaker.emit(
        ast.For(
            ast.Name(at, ast.Store()), build_call("range", ast.Name("size", ast.Load())), body, []
        )
    )
    return SymbolicValue(ast.Name(winner, ast.Load()), "int")


def _parse_without_lines(text: str) -> list[ast.stmt]:
    """Statements that stand on no line of their own."""
    body = ast.parse(text).body
    for one in (part for statement in body for part in ast.walk(statement)):
        for where in ("lineno", "end_lineno", "col_offset", "end_col_offset"):
            if hasattr(one, where):
                delattr(one, where)
    return body


def _build_assignment(name: str, value: ast.expr) -> ast.stmt:
    return ast.Assign([ast.Name(name, ast.Store())], value)


def _choose_by_cell(_: ProgramEmitter, given: list[AbstractValue]) -> AbstractValue:
    if len(given) != 3 or not all(isinstance(one, SymbolicValue | SymbolicArray) for one in given):
        raise UnsupportedProgram("where chooses between two values, cell by cell")
    condition, then, otherwise = (
        one for one in given if isinstance(one, SymbolicValue | SymbolicArray)
    )
    if then.kind != otherwise.kind or then.categories != otherwise.categories:
        raise UnsupportedProgram("where chooses between values of one kind")
    if all(isinstance(one, SymbolicValue) for one in given):
        return _build_choice(condition, then, otherwise)
    every = (condition, then, otherwise)
    draws = tuple(
        dict.fromkeys(arm for one in every if isinstance(one, SymbolicArray) for arm in one.draws)
    )
    return SymbolicArray(
        lambda at: _build_choice(*(_get_entry(one, at) for one in every)),
        then.kind,
        draws,
        then.categories,
    )


def _get_entry(one: SymbolicValue | SymbolicArray, place: ast.expr) -> SymbolicValue:
    return one.entry(place) if isinstance(one, SymbolicArray) else one


def _build_choice(
    condition: SymbolicValue | SymbolicArray,
    then: SymbolicValue | SymbolicArray,
    otherwise: SymbolicValue | SymbolicArray,
) -> SymbolicValue:
    assert isinstance(condition, SymbolicValue)
    assert isinstance(then, SymbolicValue)
    assert isinstance(otherwise, SymbolicValue)
    return SymbolicValue(
        ast.IfExp(condition.node, then.node, otherwise.node), then.kind, then.categories
    )


def _take_logarithm(_: ProgramEmitter, given: list[AbstractValue]) -> AbstractValue:
    return SymbolicValue(build_call("ln", build_expression(given[0])), "bound")


def _build_laplace_tail(speaker: ProgramEmitter, given: list[AbstractValue]) -> AbstractValue:
    """Pr[Z >= m] of discrete Laplace noise, q^m/(1+q) for m >= 0."""
    scale, start = (build_expression(one) for one in given)
    if not speaker.is_nonnegative(start):
        raise UnsupportedProgram(
            "the tail of noise is known from 0 on, and nothing sees to it that this is not below"
        )
    power = ast.UnaryOp(ast.USub(), ast.BinOp(start, ast.Div(), scale))
    one = ast.UnaryOp(ast.USub(), ast.BinOp(ast.Constant(1), ast.Div(), scale))
    below = ast.BinOp(ast.Constant(1), ast.Add(), build_call("exp", one))
    return SymbolicValue(ast.BinOp(build_call("exp", power), ast.Div(), below), "bound")


INTRINSICS: Final[dict[str, IntrinsicRule]] = {
    "hedgerow.mechanisms.selection.scores.parse_scores": _pass_through("real", "int"),
    "hedgerow.mechanisms.selection.scores.check_factor": _pass_through("real"),
    "hedgerow.numeric.vectorised.check_scale": _pass_through("real"),
    "hedgerow.numeric.private_integers.parse_private_distance": _pass_through("int"),
    "hedgerow.numeric.private_integers.parse_private_whole": _pass_through("int"),
    "hedgerow.numeric.validation.parse_raw_array": _pass_through("int", "real", "category"),
    "hedgerow.numeric.samplers.laplace_sampler.discrete_laplace": _draw_discrete_laplace,
    "hedgerow.numeric.tails.laplace.laplace_tail": _build_laplace_tail,
    "hedgerow.numeric.exact_number.parse_exact": _pass_through("int", "real"),
    "hedgerow.numeric.exact_number.parse_positive": _pass_through("int", "real"),
    "hedgerow.numeric.exact_number.parse_whole": _pass_positive_integer,
    "hedgerow.numeric.samplers.argmax_sampler.noisy_argmax": _select_noisy_max,
    "hedgerow.numeric.samplers.sample_pool.SamplePool": _build_reserve,
    "hedgerow.numeric.rounding.log_up": _take_logarithm,
    "hedgerow.numeric.rounding.round_up": _round_up,
    "hedgerow.numeric.samplers.bernoulli_sampler.bernoulli": _draw_bernoulli,
    "hedgerow.numeric.samplers.uniform_sampler.uniform_integers": _draw_uniform_integers,
    "numpy.asarray": _pass_through("int", "real", "category"),
    "numpy.where": _choose_by_cell,
    "builtins.int": _pass_through("int", "category"),
    "builtins.bool": _pass_boolean,
}
