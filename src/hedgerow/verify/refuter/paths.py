"""All paths of a program on one concrete input, with the noise left symbolic.

Execution forks where a condition depends on noise or a coin is thrown. A path has its outputs, which are constants or linear in the noise,
and a ``Store``: the region of the noise, and the chance of the coins, that lead along it. Regions of different paths do not overlap but
for sets of probability 0, and paths of probability 0 are left out. Whatever cannot be followed exactly raises ``Beyond``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from time import monotonic
from typing import TypeAlias

from hedgerow.verify.language.program import Assign, Block, If, Noise, Output, Program, Sample, Statement, While
from hedgerow.verify.refuter.beyond import Beyond
from hedgerow.verify.refuter.linear import Law, Store
from hedgerow.verify.refuter.quantity import Real, bounds, minus, sign
from hedgerow.verify.refuter.values import Environment, Value, Word, alternatives, as_number

__all__ = ["Arguments", "Limits", "Path", "paths"]

Keep: TypeAlias = Callable[[Sequence[Value], Store], bool]
Arguments: TypeAlias = Mapping[str, "Value | tuple[Value, ...]"]


@dataclass(frozen=True, slots=True)
class Limits:
    """Where enumeration gives up: paths, statements in all, and the moment on the monotonic clock."""

    paths: int = 3000
    steps: int = 50_000
    until: float = float("inf")


@dataclass(frozen=True, slots=True)
class Path:
    """One way through the program; ``names`` are the final values of its variables."""

    store: Store
    outputs: tuple[Value, ...]
    names: Mapping[str, Value]


@dataclass(frozen=True, slots=True)
class _State:
    """What is still to run: a linked list of blocks, each with the next statement's number."""

    rest: tuple[Block, int, object] | None
    environment: Environment
    store: Store
    outputs: tuple[Value, ...]


def paths(program: Program, arguments: Arguments, limits: Limits | None = None, keep: Keep | None = None) -> list[Path]:
    """Every path of positive probability; those whose outputs so far ``keep`` finds wrong are not followed further."""
    limits = limits or Limits()
    lists = {name: value for name, value in arguments.items() if isinstance(value, tuple)}
    names = {name: value for name, value in arguments.items() if not isinstance(value, tuple)}
    waiting, found, steps = [_State((program.body, 0, None), Environment(names, lists), Store(), ())], list[Path](), 0
    while waiting:
        state = waiting.pop()
        steps += 1
        if steps > limits.steps or len(waiting) + len(found) > limits.paths or (steps % 64 == 0 and monotonic() > limits.until):
            raise Beyond("more paths than the limits allow")
        statement, rest = _next(state)
        if statement is None:
            found.append(Path(state.store, state.outputs, state.environment.names))
        else:
            following = _step(statement, rest, state)
            if keep is not None and isinstance(statement, Output):
                following = (one for one in following if keep(one.outputs, one.store))
            waiting.extend(following)
    return found


def _next(state: _State) -> tuple[Statement | None, tuple[Block, int, object] | None]:
    rest = state.rest
    while rest is not None:
        block, number, outer = rest
        if number < len(block):
            return block[number], (block, number + 1, outer)
        rest = outer  # type: ignore[assignment]  # the type of a linked list
    return None, None


def _step(statement: Statement, rest: tuple[Block, int, object] | None, state: _State) -> Iterator[_State]:
    environment, outputs = state.environment, state.outputs
    match statement:
        case Sample():
            for store, value in _draw(statement, environment, state.store):
                yield _State(rest, environment.bound(statement.name, value), store, outputs)
        case Assign():
            for store, value in alternatives(statement.value, environment, state.store):
                yield _State(rest, environment.bound(statement.name, value), store, outputs)
        case Output():
            for store, value in alternatives(statement.value, environment, state.store):
                yield _State(rest, environment, store, (*outputs, value))
        case If():
            for store, value in alternatives(statement.condition, environment, state.store):
                yield _State((statement.then if _truth(value) else statement.otherwise, 0, rest), environment, store, outputs)
        case While():
            for store, value in alternatives(statement.condition, environment, state.store):
                again = (statement.body, 0, ((statement,), 0, rest))
                yield _State(again if _truth(value) else rest, environment, store, outputs)


def _truth(value: Value) -> bool:
    if not isinstance(value, bool):
        raise Beyond("a condition that is not true or false")
    return value


def _draw(statement: Sample, environment: Environment, store: Store) -> Iterator[tuple[Store, Value]]:
    for here, parameters in _parameters(statement, environment, store):
        match statement.noise:
            case Noise.BERNOULLI:
                yield from _coin(parameters[0], here)
            case Noise.BITS:
                yield from _word(parameters[0], here)
            case _:
                yield here.drawn(_law(statement.noise, parameters))


def _parameters(statement: Sample, environment: Environment, store: Store) -> Iterator[tuple[Store, tuple[Real, ...]]]:
    first, *others = statement.parameters
    for here, value in alternatives(first, environment, store):
        if not others:
            yield here, (as_number(value),)
            continue
        for there, second in alternatives(others[0], environment, here):
            yield there, (as_number(value), as_number(second))


def _law(noise: Noise, parameters: tuple[Real, ...]) -> Law:
    width = minus(parameters[1], parameters[0]) if noise is Noise.UNIFORM else parameters[0]
    if sign(width) <= 0:
        raise Beyond("a scale that is not above 0")
    if noise is not Noise.GAUSSIAN and noise is not Noise.GEOMETRIC and not all(isinstance(one, Fraction) for one in parameters):
        raise Beyond("a scale that is not rational")
    return Law(noise, parameters)


def _coin(chance: Real, store: Store) -> Iterator[tuple[Store, Value]]:
    low, high = bounds(chance)
    if low < 0 or high > 1:
        raise Beyond("a chance outside 0 to 1")
    for value, weight in ((True, chance), (False, minus(Fraction(1), chance))):
        if weight != Fraction(0):
            yield store.weighted(weight), value


def _word(width: Real, store: Store) -> Iterator[tuple[Store, Value]]:
    if not isinstance(width, Fraction) or width.denominator != 1 or not 0 < width <= 12:
        raise Beyond("a word of too many bits to go through")
    bits = int(width)
    chance = Fraction(1, 2**bits)
    for value in range(2**bits):
        yield store.weighted(chance), Word(bits, value)
