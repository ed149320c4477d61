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
    Assign,
    Expression,
    If,
    Kind,
    Name,
    Number,
    Output,
    Parameter,
    Program,
    Read,
    Relation,
    Sample,
    Statement,
    While,
)

__all__ = ["encode_booleans", "list_measured_booleans"]

_MEASURING_RELATIONS: Final = frozenset(Relation) - {Relation.SECRET, Relation.ROW}


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
        match one:
            case Name() if one.name in names:
                return Apply("<", (Number(Fraction(0)), one), one.place)
            case Read():
                entry = replace(one, index=encode(one.index))
                above = Apply("<", (Number(Fraction(0)), entry), one.place)
                return above if one.list in names else entry
            case Apply():
                return replace(one, arguments=tuple(map(encode, one.arguments)))
            case _:
                return one

    def encode_statement(one: Statement) -> Statement:
        match one:
            case Assign() | Output():
                return replace(one, value=encode(one.value))
            case Sample():
                return replace(one, parameters=tuple(map(encode, one.parameters)))
            case If():
                then = tuple(map(encode_statement, one.then))
                otherwise = tuple(map(encode_statement, one.otherwise))
                return replace(one, condition=encode(one.condition), then=then, otherwise=otherwise)
            case While():
                body = tuple(map(encode_statement, one.body))
                return replace(one, condition=encode(one.condition), body=body)

    parameters = tuple(
        replace(one, kind=Kind.INT) if one.name in names else one for one in program.parameters
    )
    return replace(program, parameters=parameters, body=tuple(map(encode_statement, program.body)))
