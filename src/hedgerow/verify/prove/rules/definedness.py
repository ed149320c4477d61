"""The rule that partial operations depend on public parameters only, or are made total.

A program that fails on some data reveals something about them, and a proof that takes 1/x for any
number would miss that. So logarithms, exponentials and roots take public parameters only. A divisor
is public or an integer, for which the interpreter always has a result: 0 where there is none.
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
    """Raise ``UnsupportedProgram`` at the first operation that may fail."""
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
            f"{part.operator} needs public parameters, and {format_expression(last)} is not"
            " public; use public parameters only",
            part.place,
        )
    if (
        part.operator in ("/", "%")
        and not collect_names(last) <= fixed
        and infer_kind(last, program, known) is not Kind.INT
    ):
        raise UnsupportedProgram(
            f"{format_expression(last)} may be 0; divide by public parameters or by integers",
            part.place,
        )
