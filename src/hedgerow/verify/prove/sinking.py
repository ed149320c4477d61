"""What only one way of a branch asks for is drawn, or worked out, on that way.

A mechanism may draw noise whether it needs it or not, so that its time tells nothing. Noise that
nobody looks at says nothing: drawing it where it is used says the same things with the same
probabilities, and no proof has to hide what is never told.

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
    collect_names,
    find_assigned_names,
    list_expressions,
    walk_statements,
)

__all__ = ["sink_statements"]


def sink_statements(program: Program) -> Program:
    """The same program with such statements inside of their branches."""
    return replace(program, body=_sink_block(program.body, program.body))


def _list_reads(several: Iterable[Statement]) -> list[str]:
    """Every variable that is asked for, as often as it is."""
    return [
        name
        for one in several
        for expression in list_expressions(one)
        for name in collect_names(expression)
    ]


def _sink_block(block: Block, whole: Block) -> Block:
    done: list[Statement] = []
    for one in block:
        match one:
            case If():
                inner = replace(
                    one,
                    then=_sink_block(one.then, whole),
                    otherwise=_sink_block(one.otherwise, whole),
                )
                done = [*_sink_into_branch(done, inner, whole)]
            case While():
                done.append(replace(one, body=_sink_block(one.body, whole)))
            case _:
                done.append(one)
    return tuple(done)


def _sink_into_branch(before: list[Statement], branch: If, whole: Block) -> list[Statement]:
    """The statements before a branch, and the branch, with all that belongs inside of it moved
    there.
    """
    kept: list[Statement] = []
    for one in reversed(before):
        branch, moved = _try_to_sink(one, kept, branch, whole)
        if not moved:
            kept.insert(0, one)
    return [*kept, branch]


def _try_to_sink(
    one: Statement, between: list[Statement], branch: If, whole: Block
) -> tuple[If, bool]:
    if (
        not isinstance(one, Assign | Sample)
        or sum(
            isinstance(other, Assign | Sample) and other.name == one.name
            for other in walk_statements(whole)
        )
        != 1
    ):
        return branch, False
    needed = frozenset(_list_reads([one]))
    if needed & (find_assigned_names(tuple(between)) | find_assigned_names((branch,))):
        return branch, False
    everywhere = _list_reads(walk_statements(whole)).count(one.name)
    then, otherwise = (
        _list_reads(walk_statements(side)).count(one.name)
        for side in (branch.then, branch.otherwise)
    )
    if then and then == everywhere and _has_output(branch.then):
        return replace(branch, then=(one, *branch.then)), True
    if otherwise and otherwise == everywhere and _has_output(branch.otherwise):
        return replace(branch, otherwise=(one, *branch.otherwise)), True
    return branch, False


def _has_output(block: Block) -> bool:
    return any(isinstance(one, Output) for one in block)
