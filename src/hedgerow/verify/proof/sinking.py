"""What only one way of a branch asks for is drawn, or worked out, on that way.

A mechanism may draw noise whether it needs it or not, so that its time tells nothing. Noise that nobody looks at says nothing: drawing it
where it is used says the same things with the same probabilities, and no proof has to hide what is never told.

Only into branches that tell something: there both runs go the same way in any case.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from hedgerow.verify.language.program import (
    Assign,
    Block,
    If,
    Output,
    Program,
    Sample,
    Statement,
    While,
    assigned,
    expressions,
    names,
    statements,
)

__all__ = ["sunk"]


def sunk(program: Program) -> Program:
    """The same program with such statements inside of their branches."""
    return replace(program, body=_block(program.body, program.body))


def _read(several: Iterable[Statement]) -> list[str]:
    """Every variable that is asked for, as often as it is."""
    return [name for one in several for expression in expressions(one) for name in names(expression)]


def _block(block: Block, whole: Block) -> Block:
    done: list[Statement] = []
    for one in block:
        match one:
            case If():
                inner = replace(one, then=_block(one.then, whole), otherwise=_block(one.otherwise, whole))
                done = [*_into(done, inner, whole)]
            case While():
                done.append(replace(one, body=_block(one.body, whole)))
            case _:
                done.append(one)
    return tuple(done)


def _into(before: list[Statement], branch: If, whole: Block) -> list[Statement]:
    """The statements before a branch, and the branch, with all that belongs inside of it moved there."""
    kept: list[Statement] = []
    for one in reversed(before):
        branch, moved = _moved(one, kept, branch, whole)
        if not moved:
            kept.insert(0, one)
    return [*kept, branch]


def _moved(one: Statement, between: list[Statement], branch: If, whole: Block) -> tuple[If, bool]:
    if (
        not isinstance(one, Assign | Sample)
        or sum(isinstance(other, Assign | Sample) and other.name == one.name for other in statements(whole)) != 1
    ):
        return branch, False
    needed = frozenset(_read([one]))
    if needed & (assigned(tuple(between)) | assigned((branch,))):
        return branch, False
    everywhere = _read(statements(whole)).count(one.name)
    then, otherwise = (_read(statements(side)).count(one.name) for side in (branch.then, branch.otherwise))
    if then and then == everywhere and _tells(branch.then):
        return replace(branch, then=(one, *branch.then)), True
    if otherwise and otherwise == everywhere and _tells(branch.otherwise):
        return replace(branch, otherwise=(one, *branch.otherwise)), True
    return branch, False


def _tells(block: Block) -> bool:
    return any(isinstance(one, Output) for one in block)
