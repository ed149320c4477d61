"""The syntax tree of ``judge c1 ~ c2 : P ==> Q [epsilon, delta]``: two programs, a precondition and
a postcondition; and the result of one that is neither proved nor refuted.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from hedgerow.verify.language.program import NOWHERE, Expression, Place, Program

__all__ = ["RESULT", "Judgement", "Undecided", "tag_name"]

RESULT = "res"  # the output of a program that has no variable of this name


def tag_name(name: str, run: int) -> str:
    """Return the name of a variable in the first or second run, as relations write it: ``x<1>``."""
    return f"{name}<{run}>"


@dataclass(frozen=True, slots=True)
class Judgement:
    """A relational claim: for any two inputs that ``precondition`` relates, the output
    distributions of the two programs are lifted into ``postcondition``.

    ``precondition`` mentions parameters; ``postcondition`` also mentions final variables and
    ``res``, each by its tagged name. A missing epsilon or delta is 0.
    """

    left: Program
    right: Program
    precondition: Expression
    postcondition: Expression
    epsilon: Expression | None = None
    delta: Expression | None = None
    place: Place = field(default=NOWHERE, compare=False, repr=False)


class Undecided(Exception):
    """An undecided judgement; ``reason`` is one sentence. ``decide_judgement`` returns it as a
    value; it is raised only inside ``verify.judgement``.
    """

    def __init__(self, reason: str, place: Place = NOWHERE) -> None:
        self.reason, self.place = reason, place
        super().__init__(reason)

    verdict = "UNKNOWN"

    def __bool__(self) -> bool:
        return False
