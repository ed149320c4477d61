"""Bounds on the number of rounds of a loop, from the text and public arguments alone."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction
from math import ceil
from typing import TypeAlias

from hedgerow.verify.language.assumptions import find_constants
from hedgerow.verify.language.interpreter.interpreter import MAX_ROUNDS
from hedgerow.verify.language.interpreter.lazy_reals import LazyNumber
from hedgerow.verify.language.program import (
    Apply,
    Assign,
    Block,
    Expression,
    If,
    Name,
    Number,
    Program,
    Sample,
    Truth,
    While,
    collect_names,
    walk_statements,
)
from hedgerow.verify.language.rewriting import split_conjuncts

__all__ = ["bound_rounds"]

# returns the number that public arguments determine, or None
PublicEvaluator: TypeAlias = Callable[[Expression], LazyNumber | None]


def bound_rounds(loop: While, program: Program, value: PublicEvaluator) -> int:
    """Return the maximum number of rounds of a loop, including those of its inner loops. It is
    finite if a variable that starts from a number and grows in each round is compared with a public
    number.
    """
    inner = sum(bound_rounds(one, program, value) for one in _iterate_outer_loops(loop.body))
    conditions = split_conjuncts(loop.condition)
    exit_flags = {
        one.arguments[0].name
        for one in conditions
        if isinstance(one, Apply) and one.operator == "not" and isinstance(one.arguments[0], Name)
    }
    found = MAX_ROUNDS
    for one in conditions:
        if (
            isinstance(one, Apply)
            and one.operator in ("<", "<=")
            and isinstance(one.arguments[0], Name)
        ):
            name, end = one.arguments[0].name, _evaluate_public(one.arguments[1], program, value)
            start = _find_start(name, program)
            if (
                start is not None
                and end is not None
                and _always_advances(name, exit_flags, loop.body)
            ):
                found = min(found, max(0, ceil(end - start)) + 2)
    return min(MAX_ROUNDS, found * (1 + inner))


def _iterate_outer_loops(block: Block) -> Iterator[While]:
    """Yield the loops of a block that are inside no other loop."""
    for one in block:
        if isinstance(one, While):
            yield one
        elif isinstance(one, If):
            yield from _iterate_outer_loops(one.then)
            yield from _iterate_outer_loops(one.otherwise)


def _evaluate_public(
    expression: Expression, program: Program, value: PublicEvaluator
) -> Fraction | None:
    """Return a number that public arguments determine, regardless of the state of the run."""
    fixed = {one.name for one in program.parameters} | find_constants(program).keys()
    exact = value(expression) if collect_names(expression) <= fixed else None
    return exact if isinstance(exact, Fraction) else None


def _find_start(name: str, program: Program) -> Fraction | None:
    """Return the smallest number that a variable is set to, if all its other assignments increase
    it.
    """
    found = list[Fraction]()
    for one in walk_statements(program.body):
        if isinstance(one, Sample) and one.name == name:
            return None
        if isinstance(one, Assign) and one.name == name and not _is_increment(one, name):
            if not isinstance(one.value, Number):
                return None
            found.append(one.value.value)
    return min(found, default=None)


def _always_advances(name: str, exit_flags: set[str], body: Block) -> bool:
    """Return whether each round adds at least 1 to a variable or ends the loop."""
    never_falls_back = all(
        isinstance(one, Assign)
        and (one.name != name or _is_increment(one, name))
        and (one.name not in exit_flags or one.value == Truth(True))
        for one in walk_statements(body)
        if isinstance(one, Assign | Sample) and one.name in {name, *exit_flags}
    )
    return never_falls_back and _reaches_increment(name, exit_flags, body)


def _is_increment(one: Assign, name: str) -> bool:
    match one.value:
        case Apply(operator="+", arguments=(Name(name=held), Number(value=by))):
            return held == name and by >= 1
    return False


def _reaches_increment(name: str, exit_flags: set[str], block: Block) -> bool:
    return any(
        one.name == name or (one.name in exit_flags and one.value == Truth(True))
        if isinstance(one, Assign)
        else isinstance(one, If)
        and _reaches_increment(name, exit_flags, one.then)
        and _reaches_increment(name, exit_flags, one.otherwise)
        for one in block
    )
