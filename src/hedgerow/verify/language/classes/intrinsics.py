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
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Final, TypeAlias, TypeVar

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
    get_entry,
    merge_draws,
)
from hedgerow.verify.language.program import Noise, Place
from hedgerow.verify.language.steps import NameSupply
from hedgerow.verify.language.unsupported import UnsupportedProgram, refuse_construct

__all__ = [
    "CONCRETE_FUNCTIONS",
    "INTRINSICS",
    "LOSS_CLASS",
    "SAMPLER_NOISES",
    "ArrayDtype",
    "ProgramEmitter",
    "build_call",
    "build_cell_loop",
    "build_expression",
    "emit_draw",
]


Node = TypeVar("Node", bound=ast.AST)


@dataclass(frozen=True, slots=True)
class ArrayDtype:
    """The dtype of an array: b, i or f."""

    kind: str


@dataclass
class ProgramEmitter:
    """The program that is read so far. Intrinsics add statements to it; its subclasses read."""

    public_parameters: frozenset[str]
    name_supply: NameSupply
    block: list[ast.stmt] = field(default_factory=list, init=False)
    positive_parameters: dict[str, None] = field(default_factory=dict, init=False)
    is_pure: bool = field(default=False, init=False)  # while a claim is read, which must not draw
    _line: int = field(default=0, init=False)
    _forbids_draws: bool = field(default=False, init=False)

    def emit(self, statement: ast.stmt) -> None:
        """Append a statement to the program."""
        if self.is_pure:
            raise UnsupportedProgram(
                "noise cannot be drawn here; draw it in the sampling method", Place(self._line)
            )
        if self._forbids_draws:
            raise UnsupportedProgram(
                "noise is drawn in a part of an expression that may not be evaluated; draw it"
                " before the expression",
                Place(self._line),
            )
        self.block.append(self.locate(statement))

    def locate(self, node: Node) -> Node:
        """Set the line of a node to the line being read, where it has none."""
        for one in ast.walk(node):
            if isinstance(one, ast.expr | ast.stmt) and not hasattr(one, "lineno"):
                one.lineno = one.end_lineno = self._line
                one.col_offset = one.end_col_offset = 0
        return node

    def make_name(self, wanted: str) -> str:
        return self.name_supply.make_name(wanted)

    def require_at_least_one(self, value: SymbolicValue) -> None:
        """Record that the class refuses values below 1."""
        if not isinstance(value.node, ast.Name) or value.node.id not in self.public_parameters:
            raise UnsupportedProgram(
                "only a public parameter can be required to be at least 1", Place(self._line)
            )
        self.positive_parameters[value.node.id] = None

    def is_nonnegative(self, node: ast.expr) -> bool:
        """Return whether the class refuses arguments that make this negative: it is a positive
        integer parameter, minus at most 1.
        """
        match node:
            case ast.BinOp(
                left=left, op=ast.Sub() | ast.Add(), right=ast.Constant(value=int() as less)
            ):
                return (
                    self.is_nonnegative(left)
                    if isinstance(node.op, ast.Add) and less >= 0
                    else less <= 1 and self._is_positive_parameter(left)
                )
            case _:
                return self._is_positive_parameter(node)

    def _is_positive_parameter(self, node: ast.expr) -> bool:
        return isinstance(node, ast.Name) and node.id in self.positive_parameters


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


def build_cell_loop(place: str, body: list[ast.stmt]) -> ast.stmt:
    """Build a loop over the places of all cells."""
    places = build_call("range", ast.Name("size", ast.Load()))
    return ast.For(ast.Name(place, ast.Store()), places, body, [])


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


def _draw_each_cell(wanted: str, distribution: str, kind: str, advice: str) -> IntrinsicRule:
    """Return a rule for a sampler of one parameter, called with the size of an array."""

    def draw(emitter: ProgramEmitter, given: list[AbstractValue]) -> AbstractValue:
        parameter, size = given
        if not isinstance(size, ArraySize):
            raise UnsupportedProgram(advice)
        call = build_call(distribution, build_expression(parameter))
        return emit_draw(emitter, wanted, call, kind, size.array)

    return draw


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
    entry = ast.unparse(scores.entry(ast.Name(at, ast.Load())).node)
    scale = f"1 / ({ast.unparse(build_expression(factor))})"
    text = f"""
{best} = 0
{winner} = 0
for {at} in range(size):
    {noisy} = ({entry}) + {_NOISY_MAX_NOISES[distribution.value]}({scale})
    if {at} == 0 or {noisy} > {best}:
        {best} = {noisy}
        {winner} = {at}
"""
    for statement in _parse_without_lines(text):
        emitter.emit(statement)
    return SymbolicValue(ast.Name(winner, ast.Load()), "int")


def _parse_without_lines(text: str) -> list[ast.stmt]:
    body = ast.parse(text).body
    for one in (part for statement in body for part in ast.walk(statement)):
        for where in ("lineno", "end_lineno", "col_offset", "end_col_offset"):
            if hasattr(one, where):
                delattr(one, where)
    return body


def _choose_by_cell(_: ProgramEmitter, given: list[AbstractValue]) -> AbstractValue:
    cells = [one for one in given if isinstance(one, SymbolicValue | SymbolicArray)]
    if len(given) != 3 or len(cells) != 3:
        raise UnsupportedProgram("where() must choose between two values, cell by cell")
    then, otherwise = cells[1:]
    if then.kind != otherwise.kind or then.categories != otherwise.categories:
        raise UnsupportedProgram("where() must choose between two values of one kind")

    def choose(place: ast.expr) -> SymbolicValue:
        parts = [build_expression(get_entry(one, place)) for one in cells]
        return SymbolicValue(ast.IfExp(*parts), then.kind, then.categories)

    if all(isinstance(one, SymbolicValue) for one in cells):
        return choose(ast.Constant(0))
    return SymbolicArray(choose, then.kind, merge_draws(*cells), then.categories)


def _take_logarithm(_: ProgramEmitter, given: list[AbstractValue]) -> AbstractValue:
    return SymbolicValue(build_call("ln", build_expression(given[0])), "bound")


def _build_laplace_tail(emitter: ProgramEmitter, given: list[AbstractValue]) -> AbstractValue:
    """Return Pr[Z >= m] of discrete Laplace noise, q^m/(1+q) for m >= 0."""
    scale, start = (build_expression(one) for one in given)
    if not emitter.is_nonnegative(start):
        raise UnsupportedProgram(
            "laplace_tail must start at 0 or above; refuse parameters that make its start negative"
        )
    m, s = (f"({ast.unparse(one)})" for one in (start, scale))
    tail = ast.parse(f"exp(-({m} / {s})) / (1 + exp(-(1 / {s})))", mode="eval").body
    return SymbolicValue(tail, "bound")


INTRINSICS: Final[dict[str, IntrinsicRule]] = {
    "hedgerow.mechanisms.selection.scores.parse_scores": _pass_through("real", "int"),
    "hedgerow.mechanisms.selection.scores.check_factor": _pass_through("real"),
    "hedgerow.numeric.vectorised.check_scale": _pass_through("real"),
    "hedgerow.numeric.private_integers.parse_private_distance": _pass_through("int"),
    "hedgerow.numeric.private_integers.parse_private_whole": _pass_through("int"),
    "hedgerow.numeric.validation.parse_raw_array": _pass_through("int", "real", "category"),
    "hedgerow.numeric.samplers.laplace_sampler.discrete_laplace": _draw_each_cell(
        "noise",
        "geometric",
        "int",
        "draw one noise value for each cell, as in draw(scale, x.size)",
    ),
    "hedgerow.numeric.tails.laplace.laplace_tail": _build_laplace_tail,
    "hedgerow.numeric.exact_number.parse_exact": _pass_through("int", "real"),
    "hedgerow.numeric.exact_number.parse_positive": _pass_through("int", "real"),
    "hedgerow.numeric.exact_number.parse_whole": _pass_positive_integer,
    "hedgerow.numeric.samplers.argmax_sampler.noisy_argmax": _select_noisy_max,
    "hedgerow.numeric.samplers.sample_pool.SamplePool": _build_sample_pool,
    "hedgerow.numeric.rounding.log_up": _take_logarithm,
    "hedgerow.numeric.rounding.round_up": _round_up,
    "hedgerow.numeric.samplers.bernoulli_sampler.bernoulli": _draw_each_cell(
        "coin", "bernoulli", "bool", "draw one coin for each cell, as in bernoulli(p, x.size)"
    ),
    "hedgerow.numeric.samplers.uniform_sampler.uniform_integers": _draw_uniform_integers,
    "numpy.asarray": _pass_through("int", "real", "category"),
    "numpy.where": _choose_by_cell,
    "builtins.int": _pass_through("int", "category"),
    "builtins.bool": _pass_boolean,
}
