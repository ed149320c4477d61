"""Private Booleans as integers, for relations that measure a difference: True means above 0.

Under "one", "all", "increasing", "decreasing", "l1" and "group" a flipped Boolean has moved by 1.
If two integers are neighbours, then so are the Booleans "above 0"; and any two neighbouring
Booleans arise in this way, from 0 and 1. A program about Booleans is therefore exactly as private
as the same program about integers that tests each of them for being above 0.
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import Final

from hedgerow.verify.language.program import (
    Apply,
    Expression,
    Kind,
    Name,
    Number,
    Parameter,
    Program,
    Read,
    Relation,
    map_children,
)
from hedgerow.verify.language.rewriting import map_expressions

__all__ = ["encode_booleans", "list_measured_booleans"]

_MEASURING_RELATIONS: Final = frozenset(Relation) - {
    Relation.SECRET,
    Relation.ROW,
    Relation.JUDGEMENT,
}


def list_measured_booleans(program: Program) -> list[Parameter]:
    """Return the private Booleans and Boolean lists, if the relation measures differences."""
    if program.claim.neighbours.relation not in _MEASURING_RELATIONS:
        return []
    return [one for one in program.parameters if one.private and one.kind is Kind.BOOL]


def encode_booleans(program: Program) -> Program:
    """Return the same program over integers."""
    names = frozenset(one.name for one in list_measured_booleans(program))
    if not names:
        return program

    def encode(one: Expression) -> Expression:
        inner = map_children(one, encode)
        match one:
            case Name(name) | Read(name) if name in names:
                return Apply("<", (Number(Fraction(0)), inner), one.place)
            case _:
                return inner

    parameters = tuple(
        replace(one, kind=Kind.INT) if one.name in names else one for one in program.parameters
    )
    return replace(program, parameters=parameters, body=map_expressions(program.body, encode))
