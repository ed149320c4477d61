"""Lowering: rewrites the steps of a front end as the five kinds of statement.

- ``if c: …; break`` (or ``continue``, ``return``) followed by more becomes ``if c: … else: more``;
- a loop that is left early sets a flag that its guard tests: ``while i < n and not broken``;
- after a branch that only *may* jump, the rest of the block is guarded by the same flag;
- ``while A and B`` where B draws noise becomes ``while A and not broken: draw; if B: … else: broken
  = True``.

A parameter keeps its value: a parameter that the program assigns is copied first, and the copy is
assigned. Flags that are never read are dropped. The outputs, their order and their probabilities
are the same before and after.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass, replace

from hedgerow.verify.language.program import (
    NOWHERE,
    Apply,
    Assign,
    Block,
    Expression,
    If,
    Name,
    Output,
    Parameter,
    Place,
    Sample,
    Statement,
    Truth,
    While,
    collect_names,
    find_assigned_names,
    list_expressions,
    substitute,
    walk_expression,
    walk_statements,
)
from hedgerow.verify.language.rewriting import (
    map_blocks,
    map_expressions,
    split_conjuncts,
)
from hedgerow.verify.language.steps import (
    BranchStep,
    JumpStep,
    LoopStep,
    NameSupply,
    Step,
    Steps,
    conjoin,
)
from hedgerow.verify.language.unsupported import UnsupportedProgram

__all__ = ["lower_steps"]

MAX_BLOCK_DEPTH, MAX_STATEMENTS, MAX_EXPRESSION_PARTS = 40, 1000, 100


def lower_steps(steps: Steps, parameters: Sequence[Parameter], fresh: NameSupply) -> Block:
    """Rewrite steps as the five kinds of statement, with sites numbered in source order."""
    returned = fresh.make_name("returned")
    body = _Lowering(fresh).lower_block(steps, {"return": returned})
    block = _drop_unread_flags((Assign(returned, Truth(False)), *body))
    _check_size(block)
    return _number_sites(_copy_changed_parameters(block, parameters, fresh))


def _copy_changed_parameters(
    block: Block, parameters: Sequence[Parameter], fresh: NameSupply
) -> Block:
    changed = [one for one in parameters if one.name in find_assigned_names(block)]
    for one in changed:
        if one.list:
            raise UnsupportedProgram(
                f"the list {one.name} is a parameter and cannot be assigned; use another name",
                next(
                    part.place
                    for part in walk_statements(block)
                    if isinstance(part, Assign | Sample) and part.name == one.name
                ),
            )
    if not changed:
        return block
    local = {one.name: fresh.make_name(f"{one.name}_now") for one in changed}
    values: dict[str, Expression] = {name: Name(copy) for name, copy in local.items()}

    def rename_targets(block: Block) -> Block:
        return tuple(
            replace(one, name=local.get(one.name, one.name))
            if isinstance(one, Assign | Sample)
            else map_blocks(one, rename_targets)
            for one in block
        )

    copies = (Assign(copy, Name(name)) for name, copy in local.items())
    return *copies, *rename_targets(map_expressions(block, lambda one: substitute(one, values)))


@dataclass
class _Lowering:
    name_supply: NameSupply

    def lower_block(
        self, steps: Sequence[Step], flags: dict[str, str], depth: int = 0
    ) -> list[Statement]:
        """Rewrite a block; ``flags`` names the variable that records each kind of jump."""
        if depth > MAX_BLOCK_DEPTH:
            raise UnsupportedProgram(
                f"blocks are nested more than {MAX_BLOCK_DEPTH} deep; flatten the program",
                steps[0].place if steps else NOWHERE,
            )
        done: list[Statement] = []
        for number, step in enumerate(steps):
            rest = steps[number + 1 :]
            match step:
                case Assign() | Sample() | Output():
                    done.append(step)
                case JumpStep():
                    return [*done, Assign(flags[step.jump], Truth(True), step.place)]
                case LoopStep():
                    done += self.lower_loop(step, flags, depth)
                    if "return" in _find_jumps(step.body) and rest:
                        return [*done, self.build_unless(["return"], rest, flags, depth)]
                case BranchStep():
                    if _find_jumps((step,)) and rest:
                        return [*done, *self.lower_branch(step, rest, flags, depth)]
                    done.append(self.build_if(step, flags, depth))
        return done

    def build_if(self, step: BranchStep, flags: dict[str, str], depth: int) -> If:
        then, otherwise = (
            tuple(self.lower_block(one, flags, depth + 1)) for one in (step.then, step.otherwise)
        )
        return If(step.condition, then, otherwise, step.place)

    def lower_branch(
        self, step: BranchStep, rest: Sequence[Step], flags: dict[str, str], depth: int
    ) -> list[Statement]:
        """Rewrite a branch that may jump, and the steps after it."""
        if _always_jumps(step.then):
            step = replace(step, otherwise=(*step.otherwise, *rest))
        elif _always_jumps(step.otherwise):
            step = replace(step, then=(*step.then, *rest))
        else:
            unless = self.build_unless(sorted(_find_jumps((step,))), rest, flags, depth)
            return [self.build_if(step, flags, depth), unless]
        return [self.build_if(step, flags, depth)]

    def build_unless(
        self, jumps: Sequence[str], rest: Sequence[Step], flags: dict[str, str], depth: int
    ) -> If:
        """Build the rest of a block, guarded by the flags of these jumps."""
        place = rest[0].place
        condition = conjoin([_negate_flag(flags[jump], place) for jump in jumps], place)
        return self.build_if(BranchStep(condition, tuple(rest), (), place), flags, depth)

    def lower_loop(self, step: LoopStep, flags: dict[str, str], depth: int) -> list[Statement]:
        if step.draws:
            return self.lower_loop(_move_draws_inside(step), flags, depth)
        broken, skipped = map(self.name_supply.make_name, ("broken", "skipped"))
        inside = flags | {"break": broken, "continue": skipped}
        conditions = [] if step.condition == Truth(True) else [step.condition]
        exits = sorted(_find_jumps(step.body) & {"break", "return"})
        conditions += [_negate_flag(inside[jump], step.place) for jump in exits]
        start = Assign(skipped, Truth(False), step.place)
        body = (start, *self.lower_block(step.body, inside, depth + 1), *step.round_end)
        loop = While(conjoin(conditions, step.place), body, step.place)
        return [Assign(broken, Truth(False), step.place), loop]


def _negate_flag(name: str, place: Place) -> Expression:
    return Apply("not", (Name(name, place),), place)


def _move_draws_inside(step: LoopStep) -> LoopStep:
    """Return the same loop with its draws in the body. The conjuncts of the condition before the
    first that needs a draw stay in the guard.
    """
    drawn = {one.name for one in step.draws}
    parts = split_conjuncts(step.condition)
    guard = list(itertools.takewhile(lambda one: not collect_names(one) & drawn, parts))
    inner = conjoin(parts[len(guard) :], step.place)
    leave = JumpStep("break", step.place)
    body: Steps = (*step.draws, BranchStep(inner, step.body, (leave,), step.place))
    return LoopStep(conjoin(guard, step.place), body, (), step.round_end, step.place)


def _find_jumps(steps: Sequence[Step]) -> frozenset[str]:
    """Return the jumps by which control may leave these steps."""
    found: set[str] = set()
    for step in steps:
        match step:
            case JumpStep():
                found.add(step.jump)
            case BranchStep():
                found |= _find_jumps(step.then) | _find_jumps(step.otherwise)
            case LoopStep():
                found |= _find_jumps(step.body) & {"return"}
    return frozenset(found)


def _always_jumps(steps: Sequence[Step]) -> bool:
    """Return whether control always leaves these steps by a jump."""
    return any(
        isinstance(one, JumpStep)
        or (
            isinstance(one, BranchStep) and _always_jumps(one.then) and _always_jumps(one.otherwise)
        )
        for one in steps
    )


def _drop_unread_flags(block: Block) -> Block:
    """Remove the assignments of True or False to variables that are never read."""
    read = frozenset[str]().union(
        *(
            collect_names(expression)
            for one in walk_statements(block)
            for expression in list_expressions(one)
        )
    )

    def drop_flags(block: Block) -> Block:
        return tuple(
            map_blocks(one, drop_flags)
            for one in block
            if not isinstance(one, Assign) or one.name in read or not isinstance(one.value, Truth)
        )

    return drop_flags(block)


def _number_sites(block: Block) -> Block:
    sites = itertools.count()

    def number(block: Block) -> Block:
        return tuple(
            replace(one, site=next(sites)) if isinstance(one, Sample) else map_blocks(one, number)
            for one in block
        )

    return number(block)


def _check_size(block: Block) -> None:
    """Refuse a program that is too large for the later stages."""
    for count, one in enumerate(walk_statements(block)):
        if count >= MAX_STATEMENTS:
            raise UnsupportedProgram(
                f"the program has more than {MAX_STATEMENTS} statements; use a loop, or split it",
                one.place,
            )
        for expression in list_expressions(one):
            if sum(1 for _ in walk_expression(expression)) > MAX_EXPRESSION_PARTS:
                raise UnsupportedProgram(
                    f"an expression has more than {MAX_EXPRESSION_PARTS} parts; split it into"
                    " several assignments",
                    one.place,
                )
