"""Where private data go: which variables hang on them, and where they get out without noise.

A variable is *private* when some private parameter may reach it, through assignments or through the choice of a branch, and *noisy* when a
draw may. Findings say in words, with the line, what a reader should look at first: private data in an output that no noise reaches, in a
choice that is told, in a noise scale, in the length of a loop. They explain verdicts and are never verdicts: noise may reach an output and
hide nothing, and a choice may be told that is the same in both runs.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from hedgerow.verify.language.kinds import kind_of, kinds
from hedgerow.verify.language.program import (
    Apply,
    Assign,
    Block,
    Expression,
    If,
    Kind,
    Length,
    Output,
    Place,
    Program,
    Read,
    Relation,
    Sample,
    While,
    assigned,
    expressions,
    names,
    parts,
    statements,
    written,
)

__all__ = ["Dependence", "Finding", "dependence", "findings"]


@dataclass(frozen=True, slots=True)
class Dependence:
    private: bool = False
    noisy: bool = False

    def __or__(self, other: Dependence) -> Dependence:
        return Dependence(self.private or other.private, self.noisy or other.noisy)

    @property
    def bare(self) -> bool:
        """Private data that no noise has reached."""
        return self.private and not self.noisy


@dataclass(frozen=True, slots=True)
class Finding:
    """``sort`` is row, scale, endless, output, choice, loop or index."""

    sort: str
    reason: str
    place: Place

    def __str__(self) -> str:
        return f"line {self.place.line}: {self.reason}" if self.place.line else self.reason


class _Flow:
    def __init__(self, program: Program) -> None:
        self.program = program
        self.lengths_private = program.claim.neighbours.relation in (Relation.ROW, Relation.SECRET)
        self.kinds = kinds(program)
        self.known = {one.name: Dependence(private=one.private) for one in program.parameters}
        self.direct = dict(self.known)  # through assignments only
        before: list[dict[str, Dependence]] = []
        while before != [self.known, self.direct]:
            before = [dict(self.known), dict(self.direct)]
            self.run(program.body, Dependence())

    def of(self, expression: Expression, *, direct: bool = False) -> Dependence:
        found = Dependence()
        known = self.direct if direct else self.known
        for part in parts(expression):
            if isinstance(part, Length):
                parameter = self.program.parameter(part.list)
                found |= Dependence(private=self.lengths_private and parameter is not None and parameter.private)
            elif not isinstance(part, Apply):
                for name in names(part) if not isinstance(part, Read) else (part.list,):
                    found |= known.get(name, Dependence())
        return found

    def may_lie(self, expression: Expression) -> bool:
        return kind_of(expression, self.program, self.kinds) in (Kind.BOOL, Kind.BITS)

    def all_noisy(self, block: Block) -> bool:
        """Whether all that is told there is noisy itself."""
        return all(self.of(one.value, direct=True).noisy for one in statements(block) if isinstance(one, Output))

    def put(self, name: str, found: Dependence) -> None:
        self.known[name] = self.known.get(name, Dependence()) | found

    def run(self, block: Block, around: Dependence) -> None:
        """``around`` is what the branches and loops that hold the block hang on."""
        for one in block:
            match one:
                case Assign():
                    self.put(one.name, self.of(one.value) | around)
                    self.direct[one.name] = self.direct.get(one.name, Dependence()) | self.of(one.value, direct=True)
                case Sample():
                    found = Dependence(noisy=True)
                    for parameter in one.parameters:
                        found |= self.of(parameter)
                    self.put(one.name, found | around)
                    self.direct[one.name] = self.direct.get(one.name, Dependence()) | found
                case If():
                    inner = around | self.of(one.condition)
                    self.run(one.then, inner)
                    self.run(one.otherwise, inner)
                case While():
                    self.run(one.body, around | self.of(one.condition))
                case Output():
                    pass


def dependence(program: Program) -> dict[str, Dependence]:
    """What every variable and parameter hangs on."""
    return _Flow(program).known


def findings(program: Program) -> tuple[Finding, ...]:
    """What a reader should look at first, the worst first and then in the order of the text."""
    order = ("row", "scale", "endless", "output", "choice", "loop", "index")
    found = dict.fromkeys((*_rows(program), *_found(program.body, _Flow(program))))
    return tuple(sorted(found, key=lambda one: order.index(one.sort)))


def _rows(program: Program) -> Iterator[Finding]:
    """Where a row may be added, a list is read up to its own length: a public number says nothing about how long it is."""
    if program.claim.neighbours.relation is not Relation.ROW:
        return
    private = {one.name for one in program.parameters if one.list and one.private}
    read = [part for one in statements(program.body) for expression in expressions(one) for part in parts(expression)]
    measured = {part.list for part in read if isinstance(part, Length)}
    for part in read:
        if isinstance(part, Read) and part.list in private - measured:
            reason = f'under "row" the length of {part.list} is private, and the program reads it without asking for len({part.list})'
            yield Finding("row", reason, part.place)


def _found(block: Block, flow: _Flow, chosen: bool = False) -> Iterator[Finding]:
    """``chosen``: noise has decided that the block is reached. A truth or word told there may be a lie, and is not blamed for itself."""
    for one in block:
        match one:
            case Output() if flow.of(one.value).bare and not (chosen and flow.may_lie(one.value)):
                yield Finding("output", f"{written(one.value)} is told, and it hangs on private data that no noise has reached", one.place)
            case Sample():
                for parameter in one.parameters:
                    if flow.of(parameter).private:
                        reason = f"the {one.noise} noise is drawn with {written(parameter)}, which hangs on private data"
                        yield Finding("scale", reason, one.place)
            case If():
                if flow.of(one.condition).bare and _tells(one.then + one.otherwise) and not flow.all_noisy(one.then + one.otherwise):
                    reason = f"what is told hangs on the choice {written(one.condition)}, and so on private data that no noise has reached"
                    yield Finding("choice", reason, one.place)
                inner = chosen or flow.of(one.condition).noisy
                yield from _found(one.then, flow, inner)
                yield from _found(one.otherwise, flow, inner)
            case While():
                yield from _loop(one, flow)
                yield from _found(one.body, flow, chosen)
            case _:
                pass
        yield from _indices(one, flow)


def _loop(loop: While, flow: _Flow) -> Iterator[Finding]:
    if flow.of(loop.condition).bare and _tells(loop.body):
        yield Finding("loop", f"how often the loop goes round hangs on private data: {written(loop.condition)}", loop.place)
    if not names(loop.condition) & assigned(loop.body):
        yield Finding("endless", f"nothing in the loop changes {written(loop.condition)}, so that it does not end", loop.place)


def _indices(statement: object, flow: _Flow) -> Iterator[Finding]:
    value = getattr(statement, "value", None) or getattr(statement, "condition", None)
    for part in parts(value) if value is not None else ():
        if isinstance(part, Read) and flow.of(part.index, direct=True).bare:
            yield Finding("index", f"{written(part)} is read at a place that hangs on private data", part.place)


def _tells(block: Block) -> bool:
    return any(isinstance(one, Output) for one in statements(block))
