"""Draws inside a branch on private data only, moved in front of that branch, and outputs behind it.

Membership of a group may decide whether noise is drawn at all. Drawing it always and not using it
gives the same outputs with the same probabilities, because a draw depends on nothing; and then both
runs draw, so their noises can be matched. Draws with the same distribution on both sides become
one, since a run takes one side only. Outputs that end both sides become one output of a variable.
"""

from __future__ import annotations

import itertools
from dataclasses import replace

from hedgerow.verify.language.program import (
    Assign,
    Block,
    If,
    Kind,
    Name,
    Output,
    Program,
    Sample,
    Statement,
    While,
    collect_names,
    find_assigned_names,
    walk_statements,
)
from hedgerow.verify.language.type_inference import infer_kind, infer_kinds

__all__ = ["find_noisy_variables", "find_private_variables", "hoist_draws"]


def find_noisy_variables(program: Program, branches: bool = False) -> frozenset[str]:
    """Find the variables that noise flows into by value, or also by the branch they are assigned
    in.
    """
    return _propagate(program, frozenset(one.name for one in program.samples), branches)


def find_private_variables(program: Program) -> frozenset[str]:
    """Find the variables that private data flow into, by value or by the branch they are assigned
    in.
    """
    return _propagate(
        program, frozenset(one.name for one in program.parameters if one.private), True
    )


def _propagate(program: Program, start: frozenset[str], branches: bool) -> frozenset[str]:
    found = set(start)

    def visit(block: Block, under: bool) -> None:
        for one in block:
            match one:
                case Assign():
                    if under or collect_names(one.value) & found:
                        found.add(one.name)
                case If():
                    inner = under or (branches and bool(collect_names(one.condition) & found))
                    visit(one.then, inner)
                    visit(one.otherwise, inner)
                case While():
                    visit(
                        one.body, under or (branches and bool(collect_names(one.condition) & start))
                    )
                case _:
                    pass

    before = -1
    while before != len(found):
        before = len(found)
        visit(program.body, False)
    return frozenset(found)


def hoist_draws(program: Program) -> Program:
    """Move every such draw in front of its branch, and outputs that end both sides behind it."""
    noised, secret = find_noisy_variables(program, branches=True), find_private_variables(program)
    kinds, numbers = dict(infer_kinds(program)), itertools.count()

    def block(several: Block) -> Block:
        return tuple(result for one in several for result in statement(one))

    def move_outputs_behind(branch: Statement) -> Block:
        """Move outputs that end both sides behind the branch, which first stores their values."""
        behind: list[Statement] = []
        while isinstance(branch, If) and branch.then and branch.otherwise:
            last, other = branch.then[-1], branch.otherwise[-1]
            if not (isinstance(last, Output) and isinstance(other, Output)):
                break
            sorts = {infer_kind(one.value, program, kinds) for one in (last, other)}
            if len(sorts) > 1 and not sorts <= {Kind.INT, Kind.REAL}:
                break
            name = f"output#{next(numbers)}"
            kinds[name] = sorts.pop() if len(sorts) == 1 else Kind.REAL
            branch = replace(
                branch,
                then=(*branch.then[:-1], Assign(name, last.value, last.place)),
                otherwise=(*branch.otherwise[:-1], Assign(name, other.value, other.place)),
            )
            behind.insert(0, Output(Name(name), branch.place))
        return branch, *behind

    def statement(one: Statement) -> Block:
        match one:
            case While():
                return (While(one.condition, block(one.body), one.place),)
            case If():
                inner = If(one.condition, block(one.then), block(one.otherwise), one.place)
                mentioned = collect_names(one.condition)
                if not mentioned & secret or mentioned & noised:
                    return (inner,)
                *first, branch = _move_draws_before(inner)
                return *first, *move_outputs_behind(branch)
            case _:
                return (one,)

    return replace(program, body=block(program.body))


def _move_draws_before(branch: If) -> Block:
    inside = [*walk_statements(branch.then), *walk_statements(branch.otherwise)]
    changed = find_assigned_names(branch.then) | find_assigned_names(branch.otherwise)
    samples = [one for one in inside if isinstance(one, Sample)]
    if any(isinstance(one, While) for one in inside) or any(
        collect_names(p) & changed for one in samples for p in one.parameters
    ):
        return (branch,)

    partners = _pair_samples(branch)

    def use_hoisted(block: Block) -> Block:
        return tuple(map(replace_sample, block))

    def replace_sample(one: Statement) -> Statement:
        if isinstance(one, Sample):
            return Assign(one.name, Name(_hoisted_name(partners.get(one.site, one))), one.place)
        return (
            If(one.condition, use_hoisted(one.then), use_hoisted(one.otherwise), one.place)
            if isinstance(one, If)
            else one
        )

    first = [replace(one, name=_hoisted_name(one)) for one in samples if one.site not in partners]
    return (
        *first,
        If(branch.condition, use_hoisted(branch.then), use_hoisted(branch.otherwise), branch.place),
    )


def _pair_samples(branch: If) -> dict[int, Sample]:
    """Pair draws of the second side with draws of the first that have the same distribution. Only
    one side is run, so that one draw serves both.
    """
    free = [one for one in walk_statements(branch.then) if isinstance(one, Sample)]
    found: dict[int, Sample] = {}
    for one in walk_statements(branch.otherwise):
        if isinstance(one, Sample):
            law = (one.noise, one.parameters)
            partner = next(
                (other for other in free if (other.noise, other.parameters) == law), None
            )
            if partner is not None:
                free.remove(partner)
                found[one.site] = partner
    return found


def _hoisted_name(sample: Sample) -> str:
    return f"{sample.name}#{sample.site}"
