"""Loops over all rows of a list that may have one more row in one of the runs.

    while place < len(q): …x = q[place]…; total = total + e; place = place + 1

The rounds of two runs cannot be matched one by one when a row is added. But if each round adds to
its sums a value that depends on its own row and on public parameters only, the order of the rows
does not matter: the sum over one more row is the old sum plus the value of that row.
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
    collect_names,
    find_assigned_names,
    list_expressions,
    walk_expression,
    walk_statements,
)
from hedgerow.verify.prove.solver import Term, z3
from hedgerow.verify.prove.terms import SymbolTable, translate

__all__ = ["RowLoop", "compute_row_increments", "match_row_loop"]

_ONE = Number(Fraction(1))


@dataclass(frozen=True, slots=True)
class RowLoop:
    """A loop in which ``sums`` grow with every row of ``list``, and ``place`` counts the rows."""

    list: str
    place: str
    sums: tuple[str, ...]
    body: Block


def match_row_loop(loop: While, program: Program) -> RowLoop | None:
    """Match the loop as a sum over rows; None if it has any other form."""
    match loop.condition:
        case Apply(operator="<", arguments=(Name(name=place), Length(list=rows))):
            pass
        case _:
            return None
    parameter = program.find_parameter(rows)
    if (
        program.claim.neighbours.relation is not Relation.ROW
        or parameter is None
        or not parameter.private
    ):
        return None  # under any other relation both runs have the same number of rows
    body, last = loop.body[:-1], loop.body[-1] if loop.body else None
    if not (
        isinstance(last, Assign)
        and last.name == place
        and last.value == Apply("+", (Name(place), _ONE))
    ):
        return None
    if not all(
        isinstance(one, Assign | If) for one in walk_statements(body)
    ) or place in find_assigned_names(body):
        return None
    sums = tuple(
        sorted(name for name in find_assigned_names(body) if _is_only_added_to(name, body))
    )
    public = frozenset(
        one.name for one in program.parameters if not one.private and not one.list
    ) - find_assigned_names(program.body)
    if not _reads_own_row_only(body, Read(rows, Name(place)), public, frozenset(sums))[0]:
        return None
    return RowLoop(rows, place, sums, body)


def _is_only_added_to(name: str, body: Block) -> bool:
    for one in walk_statements(body):
        if isinstance(one, Assign) and one.name == name:
            if (
                not isinstance(one.value, Apply)
                or one.value.operator != "+"
                or one.value.arguments[0] != Name(name)
            ):
                return False
            if name in collect_names(one.value.arguments[1]):
                return False
        elif any(name in collect_names(expression) for expression in list_expressions(one)):
            return False
    return True


def _reads_own_row_only(
    body: Block, row: Read, known: frozenset[str], sums: frozenset[str]
) -> tuple[bool, frozenset[str]]:
    """Return True if all reads are of the row, of public data, or of values made from these in the
    same round; with the variables known after it.
    """

    def fine(expression: Expression) -> bool:
        for part in walk_expression(expression):
            if isinstance(part, Length) or (isinstance(part, Read) and part != row):
                return False
        return collect_names(_remove_row_reads(expression, row)) <= known

    for one in body:
        if isinstance(one, Assign):
            value = (
                one.value.arguments[1]
                if one.name in sums and isinstance(one.value, Apply)
                else one.value
            )
            if not fine(value):
                return False, known
            known = known if one.name in sums else known | {one.name}
        elif isinstance(one, If):
            then = _reads_own_row_only(one.then, row, known, sums)
            otherwise = _reads_own_row_only(one.otherwise, row, known, sums)
            if not (fine(one.condition) and then[0] and otherwise[0]):
                return False, known
            known = then[1] & otherwise[1]
    return True, known


def _remove_row_reads(expression: Expression, row: Read) -> Expression:
    if expression == row:
        return _ONE
    if isinstance(expression, Apply):
        return Apply(
            expression.operator, tuple(_remove_row_reads(one, row) for one in expression.arguments)
        )
    return expression


def _look_up_first(values: dict[str, Term], given: SymbolTable) -> Callable[[str], Term]:
    return lambda name: values[name] if name in values else given.look_up(name)


def compute_row_increments(
    fold: RowLoop, row: Term, start: dict[str, Term], given: SymbolTable
) -> dict[str, Term]:
    """Compute the term that this row adds to each sum; ``start`` has a zero of the right sort for
    each.
    """

    def run(block: Block, values: dict[str, Term]) -> dict[str, Term]:
        for one in block:
            here = SymbolTable(
                _look_up_first(values, given), lambda *_: row, given.look_up_length, given.add_fact
            )
            if isinstance(one, Assign):
                values = {**values, one.name: translate(one.value, here)}
            elif isinstance(one, If):
                holds = translate(one.condition, here)
                then, otherwise = run(one.then, values), run(one.otherwise, values)
                shared = then.keys() & otherwise.keys()
                values = {name: z3.If(holds, then[name], otherwise[name]) for name in shared}
        return values

    return {name: term for name, term in run(fold.body, dict(start)).items() if name in fold.sums}
