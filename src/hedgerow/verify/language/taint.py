"""Taint analysis: the variables that depend on private data, and the outputs that no noise
protects.

A variable is *private* when a private parameter may reach it, through assignments or through the
choice of a branch, and *noisy* when a draw may. A finding says, with its line, where a reader
should look first: private data in an output without noise, in a branch that decides an output, in a
noise scale, or in the length of a loop. Findings explain verdicts and never are verdicts: noise may
reach an output and hide nothing, and a branch may be the same in both runs.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from functools import reduce
from operator import or_

from hedgerow.verify.language.program import (
    Assign,
    Block,
    Expression,
    If,
    Kind,
    Length,
    Name,
    Output,
    Place,
    Program,
    Read,
    Relation,
    Sample,
    While,
    collect_names,
    find_assigned_names,
    format_expression,
    list_expressions,
    walk_expression,
    walk_statements,
)
from hedgerow.verify.language.type_inference import infer_kind, infer_kinds

__all__ = ["Dependence", "TaintFinding", "compute_dependences", "list_findings"]


@dataclass(frozen=True, slots=True)
class Dependence:
    private: bool = False
    noisy: bool = False

    def __or__(self, other: Dependence) -> Dependence:
        return Dependence(self.private or other.private, self.noisy or other.noisy)

    @property
    def is_unprotected(self) -> bool:
        """True for private data without noise."""
        return self.private and not self.noisy


@dataclass(frozen=True, slots=True)
class TaintFinding:
    """A reason with its place. ``kind`` is row, scale, endless, output, choice, loop or index."""

    kind: str
    reason: str
    place: Place

    def __str__(self) -> str:
        return f"line {self.place.line}: {self.reason}" if self.place.line else self.reason


class _DependenceAnalysis:
    def __init__(self, program: Program) -> None:
        self.program = program
        self.has_private_lengths = program.claim.neighbours.relation in (
            Relation.ROW,
            Relation.SECRET,
        )
        self.kinds = infer_kinds(program)
        self.dependences = defaultdict(
            Dependence, {one.name: Dependence(private=one.private) for one in program.parameters}
        )
        self.direct = self.dependences.copy()  # through assignments only
        before: list[dict[str, Dependence]] = []
        while before != [self.dependences, self.direct]:
            before = [dict(self.dependences), dict(self.direct)]
            self.analyse_block(program.body, Dependence())

    def compute(self, expression: Expression, *, direct: bool = False) -> Dependence:
        found = Dependence()
        known = self.direct if direct else self.dependences
        for part in walk_expression(expression):
            if isinstance(part, Length):
                parameter = self.program.find_parameter(part.list)
                found |= Dependence(
                    private=self.has_private_lengths and parameter is not None and parameter.private
                )
            elif isinstance(part, Name | Read):
                name = part.name if isinstance(part, Name) else part.list
                found |= known.get(name, Dependence())
        return found

    def may_be_randomised(self, expression: Expression) -> bool:
        return infer_kind(expression, self.program, self.kinds) in (Kind.BOOL, Kind.BITS)

    def has_noisy_outputs(self, block: Block) -> bool:
        """Return whether every output of the block is noisy itself."""
        return all(
            self.compute(one.value, direct=True).noisy
            for one in walk_statements(block)
            if isinstance(one, Output)
        )

    def analyse_block(self, block: Block, around: Dependence) -> None:
        """Record the dependences of a block; ``around`` is that of the enclosing conditions."""
        for one in block:
            match one:
                case Assign():
                    self.dependences[one.name] |= self.compute(one.value) | around
                    self.direct[one.name] |= self.compute(one.value, direct=True)
                case Sample():
                    found = reduce(or_, map(self.compute, one.parameters), Dependence(noisy=True))
                    self.dependences[one.name] |= found | around
                    self.direct[one.name] |= found
                case If():
                    inner = around | self.compute(one.condition)
                    self.analyse_block(one.then, inner)
                    self.analyse_block(one.otherwise, inner)
                case While():
                    self.analyse_block(one.body, around | self.compute(one.condition))


def compute_dependences(program: Program) -> dict[str, Dependence]:
    """Return what each variable and parameter depends on."""
    return _DependenceAnalysis(program).dependences


def list_findings(program: Program) -> tuple[TaintFinding, ...]:
    """Return the findings, ordered by severity and then by place."""
    order = ("row", "scale", "endless", "output", "choice", "loop", "index")
    findings = (
        *_find_unmeasured_reads(program),
        *_find_in_block(program.body, _DependenceAnalysis(program)),
    )
    return tuple(sorted(dict.fromkeys(findings), key=lambda one: order.index(one.kind)))


def _find_unmeasured_reads(program: Program) -> Iterator[TaintFinding]:
    """Report lists that are read without ``len()`` under ROW, where a public number says nothing
    about their length.
    """
    if program.claim.neighbours.relation is not Relation.ROW:
        return
    private = {one.name for one in program.parameters if one.list and one.private}
    read = [
        part
        for one in walk_statements(program.body)
        for expression in list_expressions(one)
        for part in walk_expression(expression)
    ]
    measured = {part.list for part in read if isinstance(part, Length)}
    for part in read:
        if isinstance(part, Read) and part.list in private - measured:
            reason = (
                f'under "row" the length of {part.list} is private, and the program reads the list'
                f" without len({part.list}); bound the loop by len({part.list})"
            )
            yield TaintFinding("row", reason, part.place)


def _find_in_block(
    block: Block, flow: _DependenceAnalysis, chosen: bool = False
) -> Iterator[TaintFinding]:
    """Report the findings of a block. ``chosen`` means that noise decided whether it is reached: a
    Boolean or bit string in it may be a random answer, and is not reported for itself.
    """
    for one in block:
        match one:
            case Output() if flow.compute(one.value).is_unprotected and not (
                chosen and flow.may_be_randomised(one.value)
            ):
                yield TaintFinding(
                    "output",
                    f"outputs {format_expression(one.value)}, which depends on private data without"
                    " noise; add noise to it",
                    one.place,
                )
            case Sample():
                for parameter in one.parameters:
                    if flow.compute(parameter).private:
                        reason = (
                            f"draws {one.noise} noise with {format_expression(parameter)}, which"
                            " depends on private data; use public parameters"
                        )
                        yield TaintFinding("scale", reason, one.place)
            case If():
                if (
                    flow.compute(one.condition).is_unprotected
                    and _has_output(one.then + one.otherwise)
                    and not flow.has_noisy_outputs(one.then + one.otherwise)
                ):
                    reason = (
                        f"the condition {format_expression(one.condition)} decides an output and"
                        " depends on private data without noise; add noise to the condition"
                    )
                    yield TaintFinding("choice", reason, one.place)
                inner = chosen or flow.compute(one.condition).noisy
                yield from _find_in_block(one.then, flow, inner)
                yield from _find_in_block(one.otherwise, flow, inner)
            case While():
                yield from _find_in_loop(one, flow)
                yield from _find_in_block(one.body, flow, chosen)
        yield from _find_in_indices(one, flow)


def _find_in_loop(loop: While, flow: _DependenceAnalysis) -> Iterator[TaintFinding]:
    if flow.compute(loop.condition).is_unprotected and _has_output(loop.body):
        yield TaintFinding(
            "loop",
            f"the number of iterations depends on private data without noise:"
            f" {format_expression(loop.condition)}; bound the loop by a public number",
            loop.place,
        )
    if not collect_names(loop.condition) & find_assigned_names(loop.body):
        yield TaintFinding(
            "endless",
            f"the loop does not end: its body never changes {format_expression(loop.condition)}",
            loop.place,
        )


def _find_in_indices(statement: object, flow: _DependenceAnalysis) -> Iterator[TaintFinding]:
    value = getattr(statement, "value", None) or getattr(statement, "condition", None)
    for part in walk_expression(value) if value is not None else ():
        if isinstance(part, Read) and flow.compute(part.index, direct=True).is_unprotected:
            yield TaintFinding(
                "index",
                f"the index of {format_expression(part)} depends on private data without noise; use"
                " a public index",
                part.place,
            )


def _has_output(block: Block) -> bool:
    return any(isinstance(one, Output) for one in walk_statements(block))
