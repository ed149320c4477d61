"""Operations that are not defined for every number stand where public parameters decide about them, or are defined for every number.

A program that fails on some data tells something about them, and a proof that takes 1/x for any number does not see it. So logarithms,
powers of e and roots are of public parameters only. What is divided by, and what remainders are taken by, is public or a whole number, for
which the interpreter has an answer whatever it is: 0 where there is none.
"""

from __future__ import annotations

from typing import Final

from hedgerow.verify.language.assumptions import constants, public
from hedgerow.verify.language.kinds import kind_of, kinds
from hedgerow.verify.language.outside import Outside
from hedgerow.verify.language.program import Apply, Kind, Program, expressions, names, parts, statements, written

__all__ = ["whole"]

_PUBLIC: Final = ("ln", "exp", "sqrt")


def whole(program: Program) -> None:
    """Raises ``Outside`` at the first operation that may fail."""
    fixed, known = public(program) | constants(program).keys(), kinds(program)
    for statement in statements(program.body):
        for expression in expressions(statement):
            for part in parts(expression):
                if isinstance(part, Apply):
                    _defined(part, program, fixed, known)


def _defined(part: Apply, program: Program, fixed: frozenset[str], known: dict[str, Kind]) -> None:
    last = part.arguments[-1]
    if part.operator in _PUBLIC and not names(last) <= fixed:
        raise Outside(f"{part.operator} is for public parameters only, and {written(last)} is something else", part.place)
    if part.operator in ("/", "%") and not names(last) <= fixed and kind_of(last, program, known) is not Kind.INT:
        raise Outside(f"{written(last)} may be 0; divide by public parameters or by whole numbers", part.place)
