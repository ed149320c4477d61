"""What must be shown before a program is called private: this list, whole.

That a certificate is about this program and this claim, and that costs are divided by what public
parameters fix, is seen without a solver. Each name here stands for one rule of the argument in
``checker``. A rule that is left out makes some bad program "proved";
``tests/verify/prove/test_obligations.py`` keeps one such program for each.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from hedgerow.verify.language.program import NOWHERE, Place
from hedgerow.verify.prove.solver import Term

__all__ = ["OBLIGATION_NAMES", "Obligation"]

OBLIGATION_NAMES: Final = (
    "branch",  # both runs take the same way where noise, outputs or loops stand on it
    "loop",  # both runs leave a loop after the same number of rounds
    "ends",  # something shrinks with every round, so that the loop ends
    "entry",  # an invariant holds when the loop is reached
    "kept",  # and after every round
    "output",  # both runs say the same
    "countable",  # one answer at a time only where there are countably many
    "scale",  # the parameters of the noise are the same in both runs
    "piecewise",  # the shift depends on the noise through conditions only, so that it keeps lengths
    "one-to-one",  # different noises stay different
    "support",  # what is drawn in the second run can be drawn there
    "ratio",  # a coin's probabilities have the ratio that is charged
    "chance",  # what coins are thrown with is a chance, for all data
    "answers",  # an answer of coins has chances of the ratio that is charged
    "cost",  # the costs of all sites add up to the claim at most
    "tail",  # what is excused is as rare as the claim's delta
    "possible",  # none of this is shown from assumptions that contradict each other
)


@dataclass(frozen=True, slots=True)
class Obligation:
    """``goal`` must follow from ``assumptions``. ``tag`` tells Houdini which invariant it is
    about.
    """

    name: str
    assumptions: tuple[Term, ...]
    goal: Term
    place: Place = NOWHERE
    reason: str = ""
    tag: tuple[int, int] | None = None
