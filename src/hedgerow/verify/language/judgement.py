"""``judge c1 ~ c2 : P ==> Q [epsilon, delta]`` as data: two programs, what holds before, and
what must then hold after.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from hedgerow.verify.language.program import NOWHERE, Expression, Place, Program

__all__ = ["RESULT", "Judgement", "tag_name"]

RESULT = "res"  # what a program tells, where it has no variable of that name


def tag_name(name: str, run: int) -> str:
    """The name of a variable in the first or in the second run, as relations have it: ``x<1>``."""
    return f"{name}<{run}>"


@dataclass(frozen=True, slots=True)
class Judgement:
    """From any two inputs that ``before`` relates, the results of the two programs are lifted into
    ``after``.

    ``before`` speaks of parameters, ``after`` also of the variables at the end and of ``res``, each
    under its tagged name. Without an epsilon it is 0, and so is delta.
    """

    left: Program
    right: Program
    precondition: Expression
    postcondition: Expression
    epsilon: Expression | None = None
    delta: Expression | None = None
    place: Place = field(default=NOWHERE, compare=False, repr=False)
