"""Operations that are not defined for every number stand where public parameters decide about them,
or are defined for every number.

A program that fails on some data tells something about them, and a proof that takes 1/x for any
number does not see it. So logarithms, powers of e and roots are of public parameters only. What is
divided by, and what remainders are taken by, is public or a whole number, for which the interpreter
has an answer whatever it is: 0 where there is none.
"""

from __future__ import annotations

from typing import Final

from hedgerow.verify.language.assumptions import find_constants, find_public_scalars
from hedgerow.verify.language.program import (
    Apply,
    Kind,
    Program,
    collect_names,
    format_expression,
    list_expressions,
    walk_expression,
    walk_statements,
)
from hedgerow.verify.language.type_inference import infer_kind, infer_kinds
from hedgerow.verify.language.unsupported import UnsupportedProgram

__all__ = ["check_definedness"]

_PUBLIC_ONLY: Final = ("ln", "exp", "sqrt")


def check_definedness(program: Program) -> None:
    """Raises ``UnsupportedProgram`` at the first operation that may fail."""
    fixed, known = (
        find_public_scalars(program) | find_constants(program).keys(),
        infer_kinds(program),
    )
    for statement in walk_statements(program.body):
        for expression in list_expressions(statement):
            for part in walk_expression(expression):
                if isinstance(part, Apply):
                    _check_operation(part, program, fixed, known)


def _check_operation(
    part: Apply, program: Program, fixed: frozenset[str], known: dict[str, Kind]
) -> None:
    last = part.arguments[-1]
    if part.operator in _PUBLIC_ONLY and not collect_names(last) <= fixed:
        raise UnsupportedProgram(
            f"{part.operator} is for public parameters only, and {format_expression(last)} is"
            " something else",
            part.place,
        )
    if (
        part.operator in ("/", "%")
        and not collect_names(last) <= fixed
        and infer_kind(last, program, known) is not Kind.INT
    ):
        raise UnsupportedProgram(
            f"{format_expression(last)} may be 0; divide by public parameters or by whole numbers",
            part.place,
        )
