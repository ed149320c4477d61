"""The complete list of obligations that a proof must discharge.

The checks that need no solver are in ``checker``: the claim is the program's, and costs are divided
by scales that public parameters fix. Each name here is one rule of the argument in ``checker``.
Without it some bad program would be "proved"; ``tests/verify/prove/test_obligations.py`` keeps one
such program for each.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from hedgerow.verify.language.program import NOWHERE, Place
from hedgerow.verify.prove.solver import Term

__all__ = ["OBLIGATION_NAMES", "Obligation"]

OBLIGATION_NAMES: Final = (
    "branch",  # both runs take the same branch if it has noise, outputs or loops
    "loop",  # both runs leave a loop after the same number of rounds
    "ends",  # the variant decreases with every round, so the loop ends
    "entry",  # an invariant holds when the loop is reached
    "kept",  # an invariant holds after every round
    "output",  # both runs have the same output
    "countable",  # a pointwise proof has countably many answers
    "scale",  # the parameters of the noise are the same in both runs
    "piecewise",  # the shift depends on the noise through conditions only: it preserves length
    "one-to-one",  # different noises stay different
    "support",  # the noise of the second run lies in the support of its distribution
    "ratio",  # a coin's probabilities differ by at most the charged ratio
    "chance",  # the probability of a coin lies in [0, 1], for all data
    "answers",  # the answers of coins differ in probability by at most the charged ratio
    "cost",  # the costs of all sites add up to at most the claim
    "tail",  # excused noise is at most as likely as the claim's delta
    "possible",  # no proof step uses assumptions that contradict each other
)


@dataclass(frozen=True, slots=True)
class Obligation:
    """A ``goal`` that must follow from ``assumptions``. ``tag`` identifies the invariant that it is
    about, for pruning.
    """

    name: str
    assumptions: tuple[Term, ...]
    goal: Term
    place: Place = NOWHERE
    reason: str = ""
    tag: tuple[int, int] | None = None
