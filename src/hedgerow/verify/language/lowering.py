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

from collections.abc import Iterator, Sequence
from dataclasses import replace

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
from hedgerow.verify.language.steps import (
    BranchStep,
    DrawStep,
    JumpStep,
    LoopStep,
    NameSupply,
    OutputStep,
    SetStep,
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
                _find_first_assignment(block, one.name),
            )
    local = {one.name: fresh.make_name(f"{one.name}_now") for one in changed}
    values: dict[str, Expression] = {name: Name(copy) for name, copy in local.items()}

    def rename(statement: Statement) -> Statement:
        match statement:
            case Assign(name, value, place):
                return Assign(local.get(name, name), substitute(value, values), place)
            case Sample(name, _, parameters):
                renamed = tuple(substitute(one, values) for one in parameters)
                return replace(statement, name=local.get(name, name), parameters=renamed)
            case If(condition, then, otherwise, place):
                then, otherwise = tuple(map(rename, then)), tuple(map(rename, otherwise))
                return If(substitute(condition, values), then, otherwise, place)
            case While(condition, body, place):
                return While(substitute(condition, values), tuple(map(rename, body)), place)
            case Output(value, place):
                return Output(substitute(value, values), place)

    if not local:
        return block
    return (
        *(Assign(copy, Name(name), NOWHERE) for name, copy in local.items()),
        *map(rename, block),
    )


def _find_first_assignment(block: Block, name: str) -> Place:
    return next(
        one.place
        for one in walk_statements(block)
        if isinstance(one, Assign | Sample) and one.name == name
    )


class _Lowering:
    def __init__(self, fresh: NameSupply) -> None:
        self.name_supply = fresh

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
                case SetStep():
                    done.append(Assign(step.name, step.value, step.place))
                case DrawStep():
                    done.append(Sample(step.name, step.noise, step.parameters, 0, step.place))
                case OutputStep():
                    done.append(Output(step.value, step.place))
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
        condition: Expression | None = None
        for jump in jumps:
            stayed = Apply("not", (Name(flags[jump], place),), place)
            condition = stayed if condition is None else conjoin(condition, stayed)
        assert condition is not None
        return self.build_if(BranchStep(condition, tuple(rest), (), place), flags, depth)

    def lower_loop(self, step: LoopStep, flags: dict[str, str], depth: int) -> list[Statement]:
        if step.draws:
            return self.lower_loop(_move_draws_inside(step), flags, depth)
        broken, skipped = map(self.name_supply.make_name, ("broken", "skipped"))
        inside = flags | {"break": broken, "continue": skipped}
        guard = step.condition
        for jump in sorted(_find_jumps(step.body) & {"break", "return"}):
            stayed = Apply("not", (Name(inside[jump], step.place),), step.place)
            guard = stayed if guard == Truth(True) else conjoin(guard, stayed)
        body = self.lower_block(step.body, inside, depth + 1)
        last = [Assign(one.name, one.value, one.place) for one in step.round_end]
        loop = While(guard, (Assign(skipped, Truth(False), step.place), *body, *last), step.place)
        return [Assign(broken, Truth(False), step.place), loop]


def _move_draws_inside(step: LoopStep) -> LoopStep:
    """Return the same loop with its draws in the body. The conjuncts of the condition before the
    first that needs a draw stay in the guard.
    """
    drawn = {one.name for one in step.draws}
    guard, inner = [], list(_split_conjuncts(step.condition))
    while inner and not collect_names(inner[0]) & drawn:
        guard.append(inner.pop(0))
    outer: Expression = Truth(True, step.place)
    for number, one in enumerate(guard):
        outer = conjoin(outer, one) if number else one
    condition = inner[0] if inner else Truth(True, step.place)
    for one in inner[1:]:
        condition = conjoin(condition, one)
    body: Steps = (
        *step.draws,
        BranchStep(condition, step.body, (JumpStep("break", step.place),), step.place),
    )
    return LoopStep(outer, body, (), step.round_end, step.place)


def _split_conjuncts(expression: Expression) -> Iterator[Expression]:
    if isinstance(expression, Apply) and expression.operator == "and":
        for one in expression.arguments:
            yield from _split_conjuncts(one)
    else:
        yield expression


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
            case _:
                pass
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

    def drop_flag(statement: Statement) -> Statement | None:
        match statement:
            case Assign(value=Truth()) if statement.name not in read:
                return None
            case If():
                return replace(
                    statement,
                    then=drop_all(statement.then),
                    otherwise=drop_all(statement.otherwise),
                )
            case While():
                return replace(statement, body=drop_all(statement.body))
            case _:
                return statement

    def drop_all(block: Block) -> Block:
        return tuple(one for one in map(drop_flag, block) if one is not None)

    return drop_all(block)


def _number_sites(block: Block) -> Block:
    counter = iter(range(MAX_STATEMENTS * MAX_EXPRESSION_PARTS))

    def number(statement: Statement) -> Statement:
        match statement:
            case Sample():
                return replace(statement, site=next(counter))
            case If():
                then = tuple(map(number, statement.then))
                return replace(
                    statement, then=then, otherwise=tuple(map(number, statement.otherwise))
                )
            case While():
                return replace(statement, body=tuple(map(number, statement.body)))
            case _:
                return statement

    return tuple(map(number, block))


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
