"""Noise that is drawn in a branch which private data alone decide is drawn before the branch instead.

Whether somebody is in a group may decide whether noise is drawn at all. Drawing it in any case and not using it says the same things with
the same probabilities, because a draw depends on nothing; and then both runs draw, so that their noises can be matched.
"""

from __future__ import annotations

from dataclasses import replace

from hedgerow.verify.language.program import (
    Assign,
    Block,
    If,
    Name,
    Program,
    Sample,
    Statement,
    While,
    assigned,
    names,
    statements,
)

__all__ = ["hoisted", "noisy", "private"]


def noisy(program: Program, branches: bool = False) -> frozenset[str]:
    """The variables that noise flows into by value, or also by the branch they are assigned in."""
    return _reached(program, frozenset(one.name for one in program.samples), branches)


def private(program: Program) -> frozenset[str]:
    """The variables that private data flow into, by value or by the branch they are assigned in."""
    return _reached(program, frozenset(one.name for one in program.parameters if one.private), True)


def _reached(program: Program, start: frozenset[str], branches: bool) -> frozenset[str]:
    found = set(start)

    def visit(block: Block, under: bool) -> None:
        for one in block:
            match one:
                case Assign():
                    if under or names(one.value) & found:
                        found.add(one.name)
                case If():
                    inner = under or (branches and bool(names(one.condition) & found))
                    visit(one.then, inner)
                    visit(one.otherwise, inner)
                case While():
                    visit(one.body, under or (branches and bool(names(one.condition) & start)))
                case _:
                    pass

    before = -1
    while before != len(found):
        before = len(found)
        visit(program.body, False)
    return frozenset(found)


def hoisted(program: Program) -> Program:
    """The same program with such draws in front of their branches."""
    noised, secret = noisy(program, branches=True), private(program)

    def block(several: Block) -> Block:
        return tuple(result for one in several for result in statement(one))

    def statement(one: Statement) -> Block:
        match one:
            case While():
                return (While(one.condition, block(one.body), one.place),)
            case If():
                inner = If(one.condition, block(one.then), block(one.otherwise), one.place)
                mentioned = names(one.condition)
                return _drawn_first(inner) if mentioned & secret and not mentioned & noised else (inner,)
            case _:
                return (one,)

    return replace(program, body=block(program.body))


def _drawn_first(branch: If) -> Block:
    inside = [*statements(branch.then), *statements(branch.otherwise)]
    changed = assigned(branch.then) | assigned(branch.otherwise)
    samples = [one for one in inside if isinstance(one, Sample)]
    if any(isinstance(one, While) for one in inside) or any(names(p) & changed for one in samples for p in one.parameters):
        return (branch,)

    def used(block: Block) -> Block:
        return tuple(map(one_used, block))

    def one_used(one: Statement) -> Statement:
        if isinstance(one, Sample):
            return Assign(one.name, Name(_name(one)), one.place)
        return If(one.condition, used(one.then), used(one.otherwise), one.place) if isinstance(one, If) else one

    first = [replace(one, name=_name(one)) for one in samples]
    return (*first, If(branch.condition, used(branch.then), used(branch.otherwise), branch.place))


def _name(sample: Sample) -> str:
    return f"{sample.name}#{sample.site}"
