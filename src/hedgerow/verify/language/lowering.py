"""From what authors write to the five statements.

Both front ends write a body in six *steps*. Two of them are not statements: a ``Loop`` may draw noise for its condition each time round and
has steps that end each round, and ``Leave`` is ``break``, ``continue`` or ``return``. ``lowered`` writes them out:

- ``if c: …; break`` (or ``continue``, ``return``) followed by more becomes ``if c: … else: more``;
- a loop that is left early remembers so in a variable that its guard asks for: ``while i < n and not broken``;
- where a branch only *may* leave, what follows it asks the same variable;
- ``while A and B`` where B draws noise becomes ``while A and not broken: draw; if B: … else: broken = True``.

A parameter keeps the value that was given: one that the program changes is copied first, and the copy is changed. A variable that nobody
asks for is not kept. What is said in which order, and with which probability, is the same before and after.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import TypeAlias

from hedgerow.verify.language.outside import Outside
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
    assigned,
    expressions,
    names,
    parts,
    replaced,
    statements,
)

__all__ = ["Branch", "Draw", "Fresh", "Leave", "Loop", "Say", "Set", "Step", "Steps", "both", "lowered"]

DEEPEST, LONGEST, LARGEST = 40, 1000, 100  # blocks within blocks, statements, and expressions within expressions


@dataclass(frozen=True, slots=True)
class Set:
    name: str
    value: Expression
    place: Place = NOWHERE


@dataclass(frozen=True, slots=True)
class Draw:
    name: str
    noise: Noise
    parameters: tuple[Expression, ...]
    place: Place = NOWHERE


@dataclass(frozen=True, slots=True)
class Say:
    value: Expression
    place: Place = NOWHERE


@dataclass(frozen=True, slots=True)
class Branch:
    condition: Expression
    then: Steps
    otherwise: Steps = ()
    place: Place = NOWHERE


@dataclass(frozen=True, slots=True)
class Loop:
    """While ``condition``, which may speak of what ``drawn`` has just drawn, do ``body``, and then ``last`` unless it was left for good."""

    condition: Expression
    body: Steps
    drawn: tuple[Draw, ...] = ()
    last: tuple[Set, ...] = ()
    place: Place = NOWHERE


@dataclass(frozen=True, slots=True)
class Leave:
    """``way`` is break, continue or return."""

    way: str
    place: Place = NOWHERE


Step: TypeAlias = Set | Draw | Say | Branch | Loop | Leave
Steps: TypeAlias = tuple[Step, ...]


@dataclass
class Fresh:
    """Makes names that nobody has taken."""

    taken: set[str] = field(default_factory=set)

    def name(self, wanted: str) -> str:
        name, number = wanted, 1
        while name in self.taken:
            number += 1
            name = f"{wanted}{number}"
        self.taken.add(name)
        return name


def both(one: Expression, other: Expression) -> Expression:
    """One and the other."""
    return Apply("and", (one, other), one.place)


def lowered(steps: Steps, parameters: Sequence[Parameter], fresh: Fresh) -> Block:
    """The steps in five statements, sites numbered in the order of the text."""
    returned = fresh.name("returned")
    body = _Lowering(fresh).block(steps, {"return": returned})
    block = _kept((Assign(returned, Truth(False)), *body))
    _measured(block)
    return _sites(_copied(block, parameters, fresh))


def _copied(block: Block, parameters: Sequence[Parameter], fresh: Fresh) -> Block:
    changed = [one for one in parameters if one.name in assigned(block)]
    for one in changed:
        if one.list:
            raise Outside(f"the list {one.name} is a parameter and cannot be changed", _first(block, one.name))
    local = {one.name: fresh.name(f"{one.name}_now") for one in changed}
    values: dict[str, Expression] = {name: Name(other) for name, other in local.items()}

    def copied(statement: Statement) -> Statement:
        match statement:
            case Assign():
                return Assign(local.get(statement.name, statement.name), replaced(statement.value, values), statement.place)
            case Sample():
                found = tuple(replaced(one, values) for one in statement.parameters)
                return replace(statement, name=local.get(statement.name, statement.name), parameters=found)
            case If():
                condition = replaced(statement.condition, values)
                return If(condition, tuple(map(copied, statement.then)), tuple(map(copied, statement.otherwise)), statement.place)
            case While():
                return While(replaced(statement.condition, values), tuple(map(copied, statement.body)), statement.place)
            case Output():
                return Output(replaced(statement.value, values), statement.place)

    if not local:
        return block
    return (*(Assign(other, Name(name), NOWHERE) for name, other in local.items()), *map(copied, block))


def _first(block: Block, name: str) -> Place:
    return next(one.place for one in statements(block) if isinstance(one, Assign | Sample) and one.name == name)


class _Lowering:
    def __init__(self, fresh: Fresh) -> None:
        self.fresh = fresh

    def block(self, steps: Sequence[Step], ways: dict[str, str], depth: int = 0) -> list[Statement]:
        """``ways`` names the variable that remembers each way of leaving."""
        if depth > DEEPEST:
            raise Outside(f"there are more than {DEEPEST} blocks within blocks", steps[0].place if steps else NOWHERE)
        done: list[Statement] = []
        for number, step in enumerate(steps):
            rest = steps[number + 1 :]
            match step:
                case Set():
                    done.append(Assign(step.name, step.value, step.place))
                case Draw():
                    done.append(Sample(step.name, step.noise, step.parameters, 0, step.place))
                case Say():
                    done.append(Output(step.value, step.place))
                case Leave():
                    return [*done, Assign(ways[step.way], Truth(True), step.place)]
                case Loop():
                    done += self.loop(step, ways, depth)
                    if "return" in _leaves(step.body) and rest:
                        return [*done, self.unless(["return"], rest, ways, depth)]
                case Branch():
                    if _leaves((step,)) and rest:
                        return [*done, *self.branch(step, rest, ways, depth)]
                    done.append(self.choice(step.condition, step.then, step.otherwise, ways, depth, step.place))
        return done

    def choice(
        self, condition: Expression, then: Sequence[Step], otherwise: Sequence[Step], ways: dict[str, str], depth: int, place: Place
    ) -> If:
        return If(condition, tuple(self.block(then, ways, depth + 1)), tuple(self.block(otherwise, ways, depth + 1)), place)

    def branch(self, step: Branch, rest: Sequence[Step], ways: dict[str, str], depth: int) -> list[Statement]:
        """A choice that may leave, and what comes after it."""
        if _always(step.then):
            return [self.choice(step.condition, step.then, (*step.otherwise, *rest), ways, depth, step.place)]
        if _always(step.otherwise):
            return [self.choice(step.condition, (*step.then, *rest), step.otherwise, ways, depth, step.place)]
        choice = self.choice(step.condition, step.then, step.otherwise, ways, depth, step.place)
        return [choice, self.unless(sorted(_leaves((step,))), rest, ways, depth)]

    def unless(self, left: Sequence[str], rest: Sequence[Step], ways: dict[str, str], depth: int) -> If:
        """The rest, unless it was left in one of these ways."""
        place = rest[0].place
        condition: Expression | None = None
        for way in left:
            stayed = Apply("not", (Name(ways[way], place),), place)
            condition = stayed if condition is None else both(condition, stayed)
        assert condition is not None
        return self.choice(condition, rest, (), ways, depth, place)

    def loop(self, step: Loop, ways: dict[str, str], depth: int) -> list[Statement]:
        if step.drawn:
            return self.loop(_noisy_guard(step), ways, depth)
        left = _leaves(step.body)
        broken, skipped = self.fresh.name("broken"), self.fresh.name("skipped")
        inside = ways | {"break": broken, "continue": skipped}
        guard = step.condition
        for way in sorted(left & {"break", "return"}):
            stayed = Apply("not", (Name(inside[way], step.place),), step.place)
            guard = stayed if guard == Truth(True) else both(guard, stayed)
        body = self.block(step.body, inside, depth + 1)
        last = [Assign(one.name, one.value, one.place) for one in step.last]
        loop = While(guard, (Assign(skipped, Truth(False), step.place), *body, *last), step.place)
        return [Assign(broken, Truth(False), step.place), loop]


def _noisy_guard(step: Loop) -> Loop:
    """The same loop, drawing inside: the parts of its condition before the first that needs a draw stay in the guard."""
    drawn = {one.name for one in step.drawn}
    guard, inner = [], list(_conjuncts(step.condition))
    while inner and not names(inner[0]) & drawn:
        guard.append(inner.pop(0))
    outer: Expression = Truth(True, step.place)
    for number, one in enumerate(guard):
        outer = both(outer, one) if number else one
    condition = inner[0] if inner else Truth(True, step.place)
    for one in inner[1:]:
        condition = both(condition, one)
    body: Steps = (*step.drawn, Branch(condition, step.body, (Leave("break", step.place),), step.place))
    return Loop(outer, body, (), step.last, step.place)


def _conjuncts(expression: Expression) -> Iterator[Expression]:
    if isinstance(expression, Apply) and expression.operator == "and":
        for one in expression.arguments:
            yield from _conjuncts(one)
    else:
        yield expression


def _leaves(steps: Sequence[Step]) -> frozenset[str]:
    """The ways in which these steps may be left."""
    found: set[str] = set()
    for step in steps:
        match step:
            case Leave():
                found.add(step.way)
            case Branch():
                found |= _leaves(step.then) | _leaves(step.otherwise)
            case Loop():
                found |= _leaves(step.body) & {"return"}
            case _:
                pass
    return frozenset(found)


def _always(steps: Sequence[Step]) -> bool:
    """Whether these steps are left whatever happens."""
    return any(isinstance(one, Leave) or (isinstance(one, Branch) and _always(one.then) and _always(one.otherwise)) for one in steps)


def _kept(block: Block) -> Block:
    """Without the memory of leaving that nobody asks for: those are the assignments of True or False to what is never read."""
    asked = frozenset[str]().union(*(names(expression) for one in statements(block) for expression in expressions(one)))

    def needed(statement: Statement) -> Statement | None:
        match statement:
            case Assign(value=Truth()) if statement.name not in asked:
                return None
            case If():
                return replace(statement, then=every(statement.then), otherwise=every(statement.otherwise))
            case While():
                return replace(statement, body=every(statement.body))
            case _:
                return statement

    def every(block: Block) -> Block:
        return tuple(one for one in map(needed, block) if one is not None)

    return every(block)


def _sites(block: Block) -> Block:
    counter = iter(range(LONGEST * LARGEST))

    def numbered(statement: Statement) -> Statement:
        match statement:
            case Sample():
                return replace(statement, site=next(counter))
            case If():
                then = tuple(map(numbered, statement.then))
                return replace(statement, then=then, otherwise=tuple(map(numbered, statement.otherwise)))
            case While():
                return replace(statement, body=tuple(map(numbered, statement.body)))
            case _:
                return statement

    return tuple(map(numbered, block))


def _measured(block: Block) -> None:
    """Refuse what is too large for anybody downstream."""
    for count, one in enumerate(statements(block)):
        if count >= LONGEST:
            raise Outside(f"the program has more than {LONGEST} statements", one.place)
        for expression in expressions(one):
            if sum(1 for _ in parts(expression)) > LARGEST:
                raise Outside(f"an expression has more than {LARGEST} parts", one.place)
