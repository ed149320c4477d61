"""Loops over all rows of a list of which one run may have one more.

    while place < len(q): …x = q[place]…; total = total + e; place = place + 1

The rounds of two runs cannot be matched one by one when a row is added. But where each round adds to some sums what depends on its own row
and on public parameters only, the order of the rows does not matter: a sum over one row more is the sum and what that row adds.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

from hedgerow.verify.language.program import (
    Apply,
    Assign,
    Block,
    Expression,
    If,
    Length,
    Name,
    Number,
    Program,
    Read,
    Relation,
    While,
    assigned,
    expressions,
    names,
    parts,
    statements,
)
from hedgerow.verify.proof.solver import Term, z3
from hedgerow.verify.proof.terms import Meaning, meaning

__all__ = ["Fold", "added", "fold_of"]

_ONE = Number(Fraction(1))


@dataclass(frozen=True, slots=True)
class Fold:
    """``sums`` grow with every row of ``list``; ``place`` counts the rows."""

    list: str
    place: str
    sums: tuple[str, ...]
    body: Block


def fold_of(loop: While, program: Program) -> Fold | None:
    """The loop as a fold, or nothing when it is not plainly one."""
    match loop.condition:
        case Apply(operator="<", arguments=(Name(name=place), Length(list=rows))):
            pass
        case _:
            return None
    parameter = program.parameter(rows)
    if program.claim.neighbours.relation is not Relation.ROW or parameter is None or not parameter.private:
        return None  # elsewhere both runs have as many rows
    body, last = loop.body[:-1], loop.body[-1] if loop.body else None
    if not (isinstance(last, Assign) and last.name == place and last.value == Apply("+", (Name(place), _ONE))):
        return None
    if not all(isinstance(one, Assign | If) for one in statements(body)) or place in assigned(body):
        return None
    sums = tuple(sorted(name for name in assigned(body) if _grows(name, body)))
    public = frozenset(one.name for one in program.parameters if not one.private and not one.list) - assigned(program.body)
    if not _own_row_only(body, Read(rows, Name(place)), public, frozenset(sums))[0]:
        return None
    return Fold(rows, place, sums, body)


def _grows(name: str, body: Block) -> bool:
    """Whether all that is done with it is to add to it."""
    for one in statements(body):
        if isinstance(one, Assign) and one.name == name:
            if not isinstance(one.value, Apply) or one.value.operator != "+" or one.value.arguments[0] != Name(name):
                return False
            if name in names(one.value.arguments[1]):
                return False
        elif any(name in names(expression) for expression in expressions(one)):
            return False
    return True


def _own_row_only(body: Block, row: Read, known: frozenset[str], sums: frozenset[str]) -> tuple[bool, frozenset[str]]:
    """Whether everything read is the row, public, or was made from these in the same round; and what is known after it."""

    def fine(expression: Expression) -> bool:
        for part in parts(expression):
            if isinstance(part, Length) or (isinstance(part, Read) and part != row):
                return False
        return names(_without(expression, row)) <= known

    for one in body:
        if isinstance(one, Assign):
            value = one.value.arguments[1] if one.name in sums and isinstance(one.value, Apply) else one.value
            if not fine(value):
                return False, known
            known = known if one.name in sums else known | {one.name}
        elif isinstance(one, If):
            then = _own_row_only(one.then, row, known, sums)
            otherwise = _own_row_only(one.otherwise, row, known, sums)
            if not (fine(one.condition) and then[0] and otherwise[0]):
                return False, known
            known = then[1] & otherwise[1]
    return True, known


def _without(expression: Expression, row: Read) -> Expression:
    if expression == row:
        return _ONE
    if isinstance(expression, Apply):
        return Apply(expression.operator, tuple(_without(one, row) for one in expression.arguments))
    return expression


def _first_in(values: dict[str, Term], given: Meaning) -> Callable[[str], Term]:
    return lambda name: values[name] if name in values else given.name(name)


def added(fold: Fold, row: Term, start: dict[str, Term], given: Meaning) -> dict[str, Term]:
    """What this row adds to each sum; ``start`` has a zero of the right sort for each."""

    def run(block: Block, values: dict[str, Term]) -> dict[str, Term]:
        for one in block:
            here = Meaning(_first_in(values, given), lambda *_: row, given.length, given.learn)
            if isinstance(one, Assign):
                values = {**values, one.name: meaning(one.value, here)}
            elif isinstance(one, If):
                holds = meaning(one.condition, here)
                then, otherwise = run(one.then, values), run(one.otherwise, values)
                shared = then.keys() & otherwise.keys()
                values = {name: z3.If(holds, then[name], otherwise[name]) for name in shared}
        return values

    return {name: term for name, term in run(fold.body, dict(start)).items() if name in fold.sums}
