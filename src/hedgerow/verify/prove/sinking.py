"""Draws and assignments that only one side of a branch uses, moved into that side.

A mechanism may draw noise that it does not need, so that its running time reveals nothing. Unused
noise does not affect the output: drawing it where it is used gives the same outputs with the same
probabilities, and no proof has to hide a value that is never used.

Statements move only into branches with an output: there both runs take the same branch anyway.
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
    """Move every such statement into its branch."""
    return replace(program, body=_sink_block(program.body, program.body))


def _list_reads(several: Iterable[Statement]) -> list[str]:
    """List every variable that is read, with repetitions."""
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
    """Move statements into the branch that follows where possible, and return the rest with it."""
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
