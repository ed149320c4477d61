"""Intrinsics: the functions in which the shipped mechanisms are written, and their meaning in a
program.

Each function that a mechanism's source calls is either read in turn or listed here. The meanings
listed here are assumed: that ``discrete_laplace`` draws integers with Pr[z] proportional to
e^(-|z|/scale), that ``noisy_argmax`` finds the largest noisy score, that ``parse_private_whole``
returns its argument. The tests of ``numeric`` check them.
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
    SamplePoolValue,
    SymbolicArray,
    SymbolicValue,
    build_number_node,
)
from hedgerow.verify.language.program import Noise
from hedgerow.verify.language.unsupported import UnsupportedProgram, refuse_construct

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
    """The dtype of an array: b, i or f."""

    kind: str


class ProgramEmitter(Protocol):
    """The interface of a reader that intrinsics use."""

    def emit(self, statement: ast.stmt) -> None:
        """Append a statement to the program."""

    def locate(self, node: ast.expr) -> ast.expr:
        """Set the line of an expression to the line being read."""

    def make_name(self, wanted: str) -> str:
        """Return an unused variable name."""

    def require_at_least_one(self, value: SymbolicValue) -> None:
        """Record that the class refuses values below 1."""

    def is_nonnegative(self, node: ast.expr) -> bool:
        """Return whether the class refuses arguments that make this negative."""


IntrinsicRule: TypeAlias = Callable[[ProgramEmitter, list[AbstractValue]], AbstractValue]

# Functions that are executed while reading, if all their arguments are concrete and so not data.
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
    """Return the expression of a number or Boolean."""
    match value:
        case SymbolicValue():
            return value.node
        case ConcreteValue():
            return build_number_node(value.value)
    raise UnsupportedProgram("a number or a Boolean is needed here")


def build_call(word: str, *arguments: ast.expr) -> ast.expr:
    return ast.Call(ast.Name(word, ast.Load()), list(arguments), [])


def emit_draw(
    emitter: ProgramEmitter,
    wanted: str,
    call: ast.expr,
    kind: str,
    like: SymbolicValue | SymbolicArray,
    of: int = 0,
) -> SymbolicValue | SymbolicArray:
    """Emit one draw for a scalar, or one for each cell of an array."""
    name = emitter.make_name(wanted)
    if isinstance(like, SymbolicValue):
        emitter.emit(ast.Assign([ast.Name(name, ast.Store())], call))
        return SymbolicValue(ast.Name(name, ast.Load()), kind, of)
    return SymbolicArray(
        lambda _: SymbolicValue(ast.Name(name, ast.Load()), kind, of),
        kind,
        (CellDraw(name, emitter.locate(call)),),
        of,
    )


def _pass_through(*kinds: str) -> IntrinsicRule:
    """Return a rule for a function that checks its argument and returns it unchanged: numbers of
    these kinds, or lists. The inputs it refuses are in no neighbour setup.
    """

    def same(_: ProgramEmitter, given: list[AbstractValue]) -> AbstractValue:
        value = given[0]
        if isinstance(value, ConcreteValue) or (
            isinstance(value, SymbolicValue | SymbolicArray) and value.kind in kinds
        ):
            return value
        raise UnsupportedProgram(f"the argument of this call must be of kind {' or '.join(kinds)}")

    return same


def _pass_boolean(emitter: ProgramEmitter, given: list[AbstractValue]) -> AbstractValue:
    if (
        isinstance(given[0], SymbolicValue | SymbolicArray)
        and given[0].kind == "category"
        and given[0].categories != 2
    ):
        raise UnsupportedProgram("a category of more than two values cannot become a Boolean")
    return _pass_through("bool", "category")(emitter, given)


def _pass_positive_integer(emitter: ProgramEmitter, given: list[AbstractValue]) -> AbstractValue:
    value = _pass_through("int")(emitter, given)
    if isinstance(value, SymbolicValue):
        emitter.require_at_least_one(value)
    return value


def _round_up(_: ProgramEmitter, given: list[AbstractValue]) -> AbstractValue:
    """Treat a rounded-up number as a bound: a proof about the number itself covers every larger
    one, and so a loss computed from it.
    """
    return SymbolicValue(build_expression(given[0]), "bound")


def _build_sample_pool(_: ProgramEmitter, given: list[AbstractValue]) -> AbstractValue:
    if len(given) != 1 or not isinstance(given[0], QualifiedName):
        raise UnsupportedProgram("a SamplePool must be built from one sampler")
    return SamplePoolValue(given[0].name, SAMPLER_NOISES.get(given[0].name))


def _draw_discrete_laplace(emitter: ProgramEmitter, given: list[AbstractValue]) -> AbstractValue:
    scale, size = given
    if not isinstance(size, ArraySize):
        raise UnsupportedProgram("draw one noise value for each cell, as in draw(scale, x.size)")
    return emit_draw(
        emitter, "noise", build_call("geometric", build_expression(scale)), "int", size.array
    )


def _draw_bernoulli(emitter: ProgramEmitter, given: list[AbstractValue]) -> AbstractValue:
    chance, size = given
    if not isinstance(size, ArraySize):
        raise UnsupportedProgram("draw one coin for each cell, as in bernoulli(p, x.size)")
    return emit_draw(
        emitter, "coin", build_call("bernoulli", build_expression(chance)), "bool", size.array
    )


def _draw_uniform_integers(emitter: ProgramEmitter, given: list[AbstractValue]) -> AbstractValue:
    bound, size = given
    if (
        not isinstance(size, ArraySize)
        or not isinstance(bound, ConcreteValue)
        or not isinstance(bound.value, int)
    ):
        raise UnsupportedProgram(
            "draw uniform integers below a constant bound, one for each cell, as in"
            " uniform_integers(4, x.size)"
        )
    width = bound.value.bit_length() - 1
    if bound.value != 1 << width or width < 1:
        raise UnsupportedProgram(
            f"uniform integers below {bound.value} are not fair bits; use a power of 2"
        )
    fair = (
        build_call("bernoulli", build_number_node(Fraction(1, 2)))
        if width == 1
        else build_call("uniform_bits", ast.Constant(width))
    )
    return emit_draw(emitter, "any", fair, "category", size.array, bound.value)


def _select_noisy_max(emitter: ProgramEmitter, given: list[AbstractValue]) -> AbstractValue:
    """Emit the argmax of factor * score + noise, which is that of score + noise/factor."""
    scores, factor, distribution, *weights = given
    if (
        not isinstance(scores, SymbolicArray)
        or scores.draws
        or not isinstance(distribution, ConcreteValue)
        or weights
    ):
        raise UnsupportedProgram(
            "noisy_argmax must be called with the given scores and without weights"
        )
    if distribution.value not in _NOISY_MAX_NOISES:
        raise refuse_construct(f"{distribution.value} noise")
    best, winner, at, noisy = map(emitter.make_name, ("best", "winner", "place", "noisy"))
    scale = ast.BinOp(ast.Constant(1), ast.Div(), build_expression(factor))
    noise = build_call(_NOISY_MAX_NOISES[distribution.value], scale)
    entry = scores.entry(ast.Name(at, ast.Load())).node
    text = f"if {at} == 0 or {noisy} > {best}:\n    {best} = {noisy}\n    {winner} = {at}"
    emitter.emit(_build_assignment(best, ast.Constant(0)))
    emitter.emit(_build_assignment(winner, ast.Constant(0)))
    body = [
        _build_assignment(noisy, ast.BinOp(entry, ast.Add(), noise)),
        *_parse_without_lines(text),
    ]
    emitter.emit(
        ast.For(
            ast.Name(at, ast.Store()), build_call("range", ast.Name("size", ast.Load())), body, []
        )
    )
    return SymbolicValue(ast.Name(winner, ast.Load()), "int")


def _parse_without_lines(text: str) -> list[ast.stmt]:
    """Parse statements and remove their line numbers."""
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
        raise UnsupportedProgram("where() must choose between two values, cell by cell")
    condition, then, otherwise = (
        one for one in given if isinstance(one, SymbolicValue | SymbolicArray)
    )
    if then.kind != otherwise.kind or then.categories != otherwise.categories:
        raise UnsupportedProgram("where() must choose between two values of one kind")
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


def _build_laplace_tail(emitter: ProgramEmitter, given: list[AbstractValue]) -> AbstractValue:
    """Return Pr[Z >= m] of discrete Laplace noise, q^m/(1+q) for m >= 0."""
    scale, start = (build_expression(one) for one in given)
    if not emitter.is_nonnegative(start):
        raise UnsupportedProgram(
            "laplace_tail must start at 0 or above; refuse parameters that make its start negative"
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
    "hedgerow.numeric.samplers.sample_pool.SamplePool": _build_sample_pool,
    "hedgerow.numeric.rounding.log_up": _take_logarithm,
    "hedgerow.numeric.rounding.round_up": _round_up,
    "hedgerow.numeric.samplers.bernoulli_sampler.bernoulli": _draw_bernoulli,
    "hedgerow.numeric.samplers.uniform_sampler.uniform_integers": _draw_uniform_integers,
    "numpy.asarray": _pass_through("int", "real", "category"),
    "numpy.where": _choose_by_cell,
    "builtins.int": _pass_through("int", "category"),
    "builtins.bool": _pass_boolean,
}
