"""Calls of programs with ``@mechanism``: the distance of two inputs in steps of the program's own
relation, and its loss.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from hedgerow.numeric.exact_number import parse_exact
from hedgerow.privacy.loss import Loss
from hedgerow.verify.decorator import ProgramMechanism
from hedgerow.verify.language.claim_bounds import bound_expression
from hedgerow.verify.language.program import Program, Relation
from hedgerow.verify.replay.equality import find_difference

__all__ = ["compute_claimed_loss", "count_steps", "list_private_names"]

_DIRECTIONS = {Relation.INCREASING: 1, Relation.DECREASING: -1}


def list_private_names(mechanism: ProgramMechanism) -> frozenset[str]:
    """Return the parameters that hold data."""
    return frozenset(one.name for one in mechanism.program.parameters if one.private)


def compute_claimed_loss(mechanism: ProgramMechanism, given: Mapping[str, Any], steps: int) -> Loss:
    """Return the loss that the program claims at its public arguments, for inputs this many steps
    apart.
    """
    program = mechanism.program
    public = [one.name for one in program.parameters if not one.private and not one.list]
    numbers = {
        name: parse_exact(given[name], name) for name in public if not isinstance(given[name], bool)
    }
    epsilon, delta = bound_expression(program.claim.epsilon, numbers)[1], Fraction(0)
    if program.claim.delta is not None:
        delta = bound_expression(program.claim.delta, numbers)[1]
    return Loss(epsilon, delta).group(steps)


def count_steps(
    mechanism: ProgramMechanism, one: Mapping[str, Any], other: Mapping[str, Any]
) -> int | str:
    """Return the smallest number of steps between two inputs, or a sentence if there is no such
    number.
    """
    program = mechanism.program
    relation, k = program.claim.neighbours.relation, program.claim.neighbours.k
    names = [parameter.name for parameter in program.parameters if parameter.private]
    if all(find_difference(one[name], other[name]) is None for name in names):
        return 0
    match relation:
        case Relation.SECRET:
            return 1
        case Relation.ROW:
            return _count_changed_rows(program, one, other)
    moves: list[Fraction] = []
    for name in names:
        a, b = (
            list(given[name]) if hasattr(given[name], "__len__") else [given[name]]
            for given in (one, other)
        )
        if len(a) != len(b):
            return f"the length of {name} depends on the data"
        moves += [
            parse_exact(y, name) - parse_exact(x, name) for x, y in zip(a, b, strict=True) if x != y
        ]
    if relation in _DIRECTIONS and any(move * _DIRECTIONS[relation] < 0 for move in moves):
        return f"inputs change in the other direction, but the claim is for {relation} ones"
    sizes = [abs(move) for move in moves]
    match relation:
        case Relation.ONE:
            return sum(math.ceil(size) for size in sizes)
        case Relation.L1:
            return math.ceil(sum(sizes) / k)
        case Relation.GROUP:
            return math.ceil(Fraction(sum(math.ceil(size) for size in sizes), k))
        case _:
            return math.ceil(max(sizes))


def _count_changed_rows(
    program: Program, one: Mapping[str, Any], other: Mapping[str, Any]
) -> int | str:
    """Return the number of entries that are added or removed. Common entries are matched from both
    ends, which suffices for one changed row.
    """
    total = 0
    for parameter in program.parameters:
        if not parameter.private:
            continue
        if not parameter.list:
            if one[parameter.name] != other[parameter.name]:
                return f"{parameter.name} differs and is not a list, but the claim is for rows"
            continue
        a, b = list(one[parameter.name]), list(other[parameter.name])
        while a and b and a[0] == b[0]:
            a, b = a[1:], b[1:]
        while a and b and a[-1] == b[-1]:
            a, b = a[:-1], b[:-1]
        total += len(a) + len(b)
    return total
