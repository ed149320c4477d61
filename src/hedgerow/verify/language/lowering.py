"""From what authors write to the five statements.

Both front ends write a body in six *steps*. Two of them are not statements: a ``LoopStep`` may draw
noise for its condition each time round and has steps that end each round, and ``JumpStep`` is
``break``, ``continue`` or ``return``. ``lower_steps`` writes them out:

- ``if c: …; break`` (or ``continue``, ``return``) followed by more becomes ``if c: … else: more``;
- a loop that is left early remembers so in a variable that its guard asks for: ``while i < n and
  not broken``;
- where a branch only *may* leave, what follows it asks the same variable;
- ``while A and B`` where B draws noise becomes ``while A and not broken: draw; if B: … else: broken
  = True``.

A parameter keeps the value that was given: one that the program changes is copied first, and the
copy is changed. A variable that nobody asks for is not kept. What is said in which order, and with
which probability, is the same before and after.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import TypeAlias

from hedgerow.verify.language.program import (
    NOWHERE,
    Apply,
    Assign,
    Block,
    Expression,
    If,
    Name,
    Noise,
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
from hedgerow.verify.language.unsupported import UnsupportedProgram

__all__ = [
    "BranchStep",
    "DrawStep",
    "JumpStep",
    "LoopStep",
    "NameSupply",
    "OutputStep",
    "SetStep",
    "Step",
    "Steps",
    "conjoin",
    "lower_steps",
]

# blocks within blocks, statements, and expressions within expressions
MAX_BLOCK_DEPTH, MAX_STATEMENTS, MAX_EXPRESSION_PARTS = 40, 1000, 100


@dataclass(frozen=True, slots=True)
class SetStep:
    name: str
    value: Expression
    place: Place = NOWHERE


@dataclass(frozen=True, slots=True)
class DrawStep:
    name: str
    noise: Noise
    parameters: tuple[Expression, ...]
    place: Place = NOWHERE


@dataclass(frozen=True, slots=True)
class OutputStep:
    value: Expression
    place: Place = NOWHERE


@dataclass(frozen=True, slots=True)
class BranchStep:
    condition: Expression
    then: Steps
    otherwise: Steps = ()
    place: Place = NOWHERE


@dataclass(frozen=True, slots=True)
class LoopStep:
    """While ``condition``, which may speak of what ``drawn`` has just drawn, do ``body``, and
    then ``last`` unless it was left for good.
    """

    condition: Expression
    body: Steps
    draws: tuple[DrawStep, ...] = ()
    round_end: tuple[SetStep, ...] = ()
    place: Place = NOWHERE


@dataclass(frozen=True, slots=True)
class JumpStep:
    """``way`` is break, continue or return."""

    jump: str
    place: Place = NOWHERE


Step: TypeAlias = SetStep | DrawStep | OutputStep | BranchStep | LoopStep | JumpStep
Steps: TypeAlias = tuple[Step, ...]


@dataclass
class NameSupply:
    """Makes names that nobody has taken."""

    taken: set[str] = field(default_factory=set)

    def make_name(self, wanted: str) -> str:
        name, number = wanted, 1
        while name in self.taken:
            number += 1
            name = f"{wanted}{number}"
        self.taken.add(name)
        return name


def conjoin(one: Expression, other: Expression) -> Expression:
    """One and the other."""
    return Apply("and", (one, other), one.place)


def lower_steps(steps: Steps, parameters: Sequence[Parameter], fresh: NameSupply) -> Block:
    """The steps in five statements, sites numbered in the order of the text."""
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
                f"the list {one.name} is a parameter and cannot be changed",
                _find_first_assignment(block, one.name),
            )
    local = {one.name: fresh.make_name(f"{one.name}_now") for one in changed}
    values: dict[str, Expression] = {name: Name(other) for name, other in local.items()}

    def copied(statement: Statement) -> Statement:
        match statement:
            case Assign():
                return Assign(
                    local.get(statement.name, statement.name),
                    substitute(statement.value, values),
                    statement.place,
                )
            case Sample():
                found = tuple(substitute(one, values) for one in statement.parameters)
                return replace(
                    statement, name=local.get(statement.name, statement.name), parameters=found
                )
            case If():
                condition = substitute(statement.condition, values)
                return If(
                    condition,
                    tuple(map(copied, statement.then)),
                    tuple(map(copied, statement.otherwise)),
                    statement.place,
                )
            case While():
                return While(
                    substitute(statement.condition, values),
                    tuple(map(copied, statement.body)),
                    statement.place,
                )
            case Output():
                return Output(substitute(statement.value, values), statement.place)

    if not local:
        return block
    return (
        *(Assign(other, Name(name), NOWHERE) for name, other in local.items()),
        *map(copied, block),
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
        self, steps: Sequence[Step], ways: dict[str, str], depth: int = 0
    ) -> list[Statement]:
        """``ways`` names the variable that remembers each way of leaving."""
        if depth > MAX_BLOCK_DEPTH:
            raise UnsupportedProgram(
                f"there are more than {MAX_BLOCK_DEPTH} blocks within blocks",
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
                    return [*done, Assign(ways[step.jump], Truth(True), step.place)]
                case LoopStep():
                    done += self.lower_loop(step, ways, depth)
                    if "return" in _find_jumps(step.body) and rest:
                        return [*done, self.build_unless(["return"], rest, ways, depth)]
                case BranchStep():
                    if _find_jumps((step,)) and rest:
                        return [*done, *self.lower_branch(step, rest, ways, depth)]
                    done.append(
                        self.build_if(
                            step.condition, step.then, step.otherwise, ways, depth, step.place
                        )
                    )
        return done

    def build_if(
        self,
        condition: Expression,
        then: Sequence[Step],
        otherwise: Sequence[Step],
        ways: dict[str, str],
        depth: int,
        place: Place,
    ) -> If:
        return If(
            condition,
            tuple(self.lower_block(then, ways, depth + 1)),
            tuple(self.lower_block(otherwise, ways, depth + 1)),
            place,
        )

    def lower_branch(
        self, step: BranchStep, rest: Sequence[Step], ways: dict[str, str], depth: int
    ) -> list[Statement]:
        """A choice that may leave, and what comes after it."""
        if _always_jumps(step.then):
            return [
                self.build_if(
                    step.condition, step.then, (*step.otherwise, *rest), ways, depth, step.place
                )
            ]
        if _always_jumps(step.otherwise):
            return [
                self.build_if(
                    step.condition, (*step.then, *rest), step.otherwise, ways, depth, step.place
                )
            ]
        choice = self.build_if(step.condition, step.then, step.otherwise, ways, depth, step.place)
        return [choice, self.build_unless(sorted(_find_jumps((step,))), rest, ways, depth)]

    def build_unless(
        self, left: Sequence[str], rest: Sequence[Step], ways: dict[str, str], depth: int
    ) -> If:
        """The rest, unless it was left in one of these ways."""
        place = rest[0].place
        condition: Expression | None = None
        for way in left:
            stayed = Apply("not", (Name(ways[way], place),), place)
            condition = stayed if condition is None else conjoin(condition, stayed)
        assert condition is not None
        return self.build_if(condition, rest, (), ways, depth, place)

    def lower_loop(self, step: LoopStep, ways: dict[str, str], depth: int) -> list[Statement]:
        if step.draws:
            return self.lower_loop(_move_draws_inside(step), ways, depth)
        left = _find_jumps(step.body)
        broken, skipped = (
            self.name_supply.make_name("broken"),
            self.name_supply.make_name("skipped"),
        )
        inside = ways | {"break": broken, "continue": skipped}
        guard = step.condition
        for way in sorted(left & {"break", "return"}):
            stayed = Apply("not", (Name(inside[way], step.place),), step.place)
            guard = stayed if guard == Truth(True) else conjoin(guard, stayed)
        body = self.lower_block(step.body, inside, depth + 1)
        last = [Assign(one.name, one.value, one.place) for one in step.round_end]
        loop = While(guard, (Assign(skipped, Truth(False), step.place), *body, *last), step.place)
        return [Assign(broken, Truth(False), step.place), loop]


def _move_draws_inside(step: LoopStep) -> LoopStep:
    """The same loop, drawing inside: the parts of its condition before the first that needs a
    draw stay in the guard.
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
    """The ways in which these steps may be left."""
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
    """Whether these steps are left whatever happens."""
    return any(
        isinstance(one, JumpStep)
        or (
            isinstance(one, BranchStep) and _always_jumps(one.then) and _always_jumps(one.otherwise)
        )
        for one in steps
    )


def _drop_unread_flags(block: Block) -> Block:
    """Without the memory of leaving that nobody asks for: those are the assignments of True or
    False to what is never read.
    """
    asked = frozenset[str]().union(
        *(
            collect_names(expression)
            for one in walk_statements(block)
            for expression in list_expressions(one)
        )
    )

    def needed(statement: Statement) -> Statement | None:
        match statement:
            case Assign(value=Truth()) if statement.name not in asked:
                return None
            case If():
                return replace(
                    statement, then=every(statement.then), otherwise=every(statement.otherwise)
                )
            case While():
                return replace(statement, body=every(statement.body))
            case _:
                return statement

    def every(block: Block) -> Block:
        return tuple(one for one in map(needed, block) if one is not None)

    return every(block)


def _number_sites(block: Block) -> Block:
    counter = iter(range(MAX_STATEMENTS * MAX_EXPRESSION_PARTS))

    def numbered(statement: Statement) -> Statement:
        match statement:
            case Sample():
                return replace(statement, site=next(counter))
            case If():
                then = tuple(map(numbered, statement.then))
                return replace(
                    statement, then=then, otherwise=tuple(map(numbered, statement.otherwise))
                )
            case While():
                return replace(statement, body=tuple(map(numbered, statement.body)))
            case _:
                return statement

    return tuple(map(numbered, block))


def _check_size(block: Block) -> None:
    """Refuse what is too large for anybody downstream."""
    for count, one in enumerate(walk_statements(block)):
        if count >= MAX_STATEMENTS:
            raise UnsupportedProgram(
                f"the program has more than {MAX_STATEMENTS} statements", one.place
            )
        for expression in list_expressions(one):
            if sum(1 for _ in walk_expression(expression)) > MAX_EXPRESSION_PARTS:
                raise UnsupportedProgram(
                    f"an expression has more than {MAX_EXPRESSION_PARTS} parts", one.place
                )
