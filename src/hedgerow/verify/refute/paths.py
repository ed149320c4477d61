"""All paths of a program on one concrete input, with the noise left symbolic.

Execution forks where a condition depends on noise or a coin is tossed. A path has its outputs,
which are constants or linear in the noise, and a ``PathCondition``: the region of the noise and the
probability of the coins that lead along it. Regions of different paths overlap in sets of
probability 0 at most, and paths of probability 0 are left out. A program that cannot be followed
exactly raises ``OutOfScope``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from time import process_time
from typing import TypeAlias

from hedgerow.verify.language.program import (
    Assign,
    Block,
    If,
    Noise,
    Output,
    Program,
    Sample,
    Statement,
    While,
)
from hedgerow.verify.refute.interval_arithmetic import (
    RealNumber,
    decide_sign,
    enclose,
    subtract_reals,
)
from hedgerow.verify.refute.linear_noise import NoiseDistribution, PathCondition
from hedgerow.verify.refute.out_of_scope import OutOfScope
from hedgerow.verify.refute.path_values import (
    BitWord,
    Environment,
    PathValue,
    evaluate_alternatives,
    require_boolean,
    require_number,
)

__all__ = ["Arguments", "PathLimits", "ProgramPath", "enumerate_paths"]

PathFilter: TypeAlias = Callable[[Sequence[PathValue], PathCondition], bool]
Arguments: TypeAlias = Mapping[str, "PathValue | tuple[PathValue, ...]"]


@dataclass(frozen=True, slots=True)
class PathLimits:
    """Limits of the enumeration: paths, statements in total, and a time in processor time."""

    paths: int = 3000
    steps: int = 50_000
    deadline: float = float("inf")


@dataclass(frozen=True, slots=True)
class ProgramPath:
    """One path through the program, with the final values of its variables."""

    condition: PathCondition
    outputs: tuple[PathValue, ...]
    variables: Mapping[str, PathValue]


@dataclass(frozen=True, slots=True)
class _PathState:
    """A path under way; ``rest`` is a linked list of blocks, each with its next statement."""

    rest: tuple[Block, int, object] | None
    environment: Environment
    condition: PathCondition
    outputs: tuple[PathValue, ...]


def enumerate_paths(
    program: Program,
    arguments: Arguments,
    limits: PathLimits | None = None,
    keep: PathFilter | None = None,
) -> list[ProgramPath]:
    """Return every path of positive probability, without the paths whose outputs so far make
    ``keep`` return False.
    """
    limits = limits or PathLimits()
    lists = {name: value for name, value in arguments.items() if isinstance(value, tuple)}
    names = {name: value for name, value in arguments.items() if not isinstance(value, tuple)}
    waiting, found, steps = (
        [_PathState((program.body, 0, None), Environment(names, lists), PathCondition(), ())],
        list[ProgramPath](),
        0,
    )
    while waiting:
        state = waiting.pop()
        steps += 1
        if (
            steps > limits.steps
            or len(waiting) + len(found) > limits.paths
            or (steps % 64 == 0 and process_time() > limits.deadline)
        ):
            raise OutOfScope("more paths than the limits allow")
        statement, rest = _pop_statement(state)
        if statement is None:
            found.append(ProgramPath(state.condition, state.outputs, state.environment.variables))
        else:
            following = _run_statement(statement, rest, state)
            if keep is not None and isinstance(statement, Output):
                following = (one for one in following if keep(one.outputs, one.condition))
            waiting.extend(following)
    return found


def _pop_statement(state: _PathState) -> tuple[Statement | None, tuple[Block, int, object] | None]:
    rest = state.rest
    while rest is not None:
        block, number, outer = rest
        if number < len(block):
            return block[number], (block, number + 1, outer)
        rest = outer  # type: ignore[assignment]  # the type of a linked list
    return None, None


def _run_statement(
    statement: Statement, rest: tuple[Block, int, object] | None, state: _PathState
) -> Iterator[_PathState]:
    environment, outputs = state.environment, state.outputs
    match statement:
        case Sample():
            for store, value in _draw_noise(statement, environment, state.condition):
                yield _PathState(rest, environment.bind(statement.name, value), store, outputs)
        case Assign():
            for store, value in evaluate_alternatives(
                statement.value, environment, state.condition
            ):
                yield _PathState(rest, environment.bind(statement.name, value), store, outputs)
        case Output():
            for store, value in evaluate_alternatives(
                statement.value, environment, state.condition
            ):
                yield _PathState(rest, environment, store, (*outputs, value))
        case If():
            for store, value in evaluate_alternatives(
                statement.condition, environment, state.condition
            ):
                yield _PathState(
                    (statement.then if require_boolean(value) else statement.otherwise, 0, rest),
                    environment,
                    store,
                    outputs,
                )
        case While():
            for store, value in evaluate_alternatives(
                statement.condition, environment, state.condition
            ):
                again = (statement.body, 0, ((statement,), 0, rest))
                yield _PathState(
                    again if require_boolean(value) else rest, environment, store, outputs
                )


def _draw_noise(
    statement: Sample, environment: Environment, store: PathCondition
) -> Iterator[tuple[PathCondition, PathValue]]:
    for here, parameters in _evaluate_parameters(statement, environment, store):
        match statement.noise:
            case Noise.BERNOULLI:
                yield from _draw_coin(parameters[0], here)
            case Noise.BITS:
                yield from _draw_bits(parameters[0], here)
            case _:
                yield here.add_variable(_build_distribution(statement.noise, parameters))


def _evaluate_parameters(
    statement: Sample, environment: Environment, store: PathCondition
) -> Iterator[tuple[PathCondition, tuple[RealNumber, ...]]]:
    first, *others = statement.parameters
    for here, value in evaluate_alternatives(first, environment, store):
        if not others:
            yield here, (require_number(value),)
            continue
        for there, second in evaluate_alternatives(others[0], environment, here):
            yield there, (require_number(value), require_number(second))


def _build_distribution(noise: Noise, parameters: tuple[RealNumber, ...]) -> NoiseDistribution:
    width = (
        subtract_reals(parameters[1], parameters[0]) if noise is Noise.UNIFORM else parameters[0]
    )
    if decide_sign(width) <= 0:
        raise OutOfScope("a scale that is not above 0")
    if (
        noise is not Noise.GAUSSIAN
        and noise is not Noise.GEOMETRIC
        and not all(isinstance(one, Fraction) for one in parameters)
    ):
        raise OutOfScope("a scale that is not rational")
    return NoiseDistribution(noise, parameters)


def _draw_coin(
    probability: RealNumber, store: PathCondition
) -> Iterator[tuple[PathCondition, PathValue]]:
    low, high = enclose(probability)
    if low < 0 or high > 1:
        raise OutOfScope("a probability outside 0 to 1")
    for value, weight in ((True, probability), (False, subtract_reals(Fraction(1), probability))):
        if weight != Fraction(0):
            yield store.multiply_weight(weight), value


def _draw_bits(
    width: RealNumber, store: PathCondition
) -> Iterator[tuple[PathCondition, PathValue]]:
    if not isinstance(width, Fraction) or width.denominator != 1 or not 0 < width <= 12:
        raise OutOfScope("a word of too many bits to enumerate")
    bits = int(width)
    for value in range(2**bits):
        yield store.multiply_weight(Fraction(1, 2**bits)), BitWord(bits, value)
