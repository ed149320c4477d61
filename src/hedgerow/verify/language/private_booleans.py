"""Private truths as whole numbers, where neighbours are measured: True is what is above 0.

Under "one", "all", "increasing", "decreasing", "l1" and "group" a truth that is turned has moved by
1. Of whole numbers that are neighbours what is above 0 are truths that are neighbours; and all
truths that are neighbours come from some, 0 and 1. So a program about truths is as private as the
same program about numbers that asks of each whether it is above 0.
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
    """The private truths, and lists of them, that differ by being turned."""
    if program.claim.neighbours.relation not in _MEASURING_RELATIONS:
        return []
    return [one for one in program.parameters if one.private and one.kind is Kind.BOOL]


def encode_booleans(program: Program) -> Program:
    """The same program about numbers."""
    names = frozenset(one.name for one in list_measured_booleans(program))
    if not names:
        return program

    def number(one: Expression) -> Expression:
        match one:
            case Name() if one.name in names:
                return Apply("<", (Number(Fraction(0)), one), one.place)
            case Read():
                entry = replace(one, index=number(one.index))
                return (
                    Apply("<", (Number(Fraction(0)), entry), one.place)
                    if one.list in names
                    else entry
                )
            case Apply():
                return replace(one, arguments=tuple(map(number, one.arguments)))
            case _:
                return one

    def statement(one: Statement) -> Statement:
        match one:
            case Assign() | Output():
                return replace(one, value=number(one.value))
            case Sample():
                return replace(one, parameters=tuple(map(number, one.parameters)))
            case If():
                then, otherwise = (
                    tuple(map(statement, one.then)),
                    tuple(map(statement, one.otherwise)),
                )
                return replace(one, condition=number(one.condition), then=then, otherwise=otherwise)
            case While():
                return replace(
                    one, condition=number(one.condition), body=tuple(map(statement, one.body))
                )

    parameters = tuple(
        replace(one, kind=Kind.INT) if one.name in names else one for one in program.parameters
    )
    return replace(program, parameters=parameters, body=tuple(map(statement, program.body)))
