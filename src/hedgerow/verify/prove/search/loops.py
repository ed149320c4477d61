"""The loops of a program, with the variables that have a value when each begins."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from hedgerow.verify.language.program import (
    Apply,
    Assign,
    Block,
    Expression,
    If,
    Name,
    Number,
    Program,
    Read,
    Sample,
    While,
    collect_names,
    find_assigned_names,
    list_expressions,
    substitute,
    walk_expression,
    walk_statements,
)

__all__ = ["list_loops", "list_read_places"]

_ZERO = Number(Fraction(0))
_MAX_PLACES = 4


def list_loops(block: Block, defined: frozenset[str]) -> Iterator[tuple[While, frozenset[str]]]:
    """Yield every loop in textual order, with the variables that have a value at its entry."""
    for one in block:
        match one:
            case Assign() | Sample():
                defined |= {one.name}
            case If():
                yield from list_loops(one.then, defined)
                yield from list_loops(one.otherwise, defined)
                defined |= find_assigned_names(one.then) & find_assigned_names(one.otherwise)
            case While():
                yield one, defined
                yield from list_loops(one.body, defined)
            case _:
                pass


def list_read_places(
    program: Program, loop: While, name: str, defined: frozenset[str]
) -> list[Expression]:
    """List the indices at which the loop reads a list, other than plain variables, in terms of
    variables that have a value when the loop begins; a counter of an inner loop counts from 0, and
    in an inner loop also the start of each outer round is listed.
    """
    values = {
        one.name: one.value
        for one in walk_statements(loop.body)
        if isinstance(one, Assign) and one.name not in defined and not collect_names(one.value)
    }
    own = {
        one.name: _ZERO
        for one in walk_statements(loop.body)
        if isinstance(one, Assign) and one.name in defined and _counts_from_zero(program, one.name)
    }
    places = [
        part.index
        for one in (loop, *walk_statements(loop.body))
        for expression in list_expressions(one)
        for part in walk_expression(expression)
        if isinstance(part, Read) and part.list == name and not isinstance(part.index, Name)
    ]
    found: dict[Expression, None] = {}
    for one in places:
        for more in ({}, own):
            place = _drop_zeros(substitute(one, {**values, **more}))
            if collect_names(place) and collect_names(place) <= defined:
                found[place] = None
    return list(found)[:_MAX_PLACES]


def _counts_from_zero(program: Program, name: str) -> bool:
    return any(
        isinstance(one, Assign) and one.name == name and one.value == _ZERO
        for one in walk_statements(program.body)
    )


def _drop_zeros(expression: Expression) -> Expression:
    match expression:
        case Apply("+", (left, right)):
            left, right = _drop_zeros(left), _drop_zeros(right)
            if _ZERO in (left, right):
                return left if right == _ZERO else right
            return Apply("+", (left, right))
        case Apply("*", arguments) if _ZERO in arguments:
            return _ZERO
    return expression
