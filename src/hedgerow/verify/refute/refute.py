"""The entry points of the refuter.

No result rests on the search: a ``Counterexample`` checks its comparison when it is built, and can
be replayed.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from time import process_time

from hedgerow.verify.language.program import Program
from hedgerow.verify.refute.counterexample import Counterexample
from hedgerow.verify.refute.input_search import InputPair
from hedgerow.verify.refute.search import CounterexampleSearch

__all__ = ["RefutationResult", "find_lower_bound", "refute", "run_refuter"]

_EXTRA_TRIALS = 100


@dataclass(frozen=True, slots=True)
class RefutationResult:
    """A counterexample that breaks the claim, and the strongest event found, which may not."""

    counterexample: Counterexample | None
    strongest: Counterexample | None

    @property
    def epsilon_lower(self) -> float:
        """The lower bound found for epsilon, in units of eps."""
        return max(
            (one.loss for one in (self.counterexample, self.strongest) if one is not None),
            default=0.0,
        )


def run_refuter(program: Program, *, seconds: float = 60) -> RefutationResult:
    """Search for a counterexample and for a lower bound of epsilon in one run, which ends a hundred
    trials after the claim is broken.
    """
    return RefutationResult(
        *CounterexampleSearch(program, Fraction(1), process_time() + seconds).run((), _EXTRA_TRIALS)
    )


def refute(
    program: Program,
    *,
    multiple: Fraction | int = 1,
    seconds: float = 60,
    inputs: Iterable[InputPair] = (),
) -> Counterexample | None:
    """Search for an event that breaks ``multiple`` times the claim, on ``inputs`` first, and return
    None if none is found.
    """
    return CounterexampleSearch(program, Fraction(multiple), process_time() + seconds).find_first(
        inputs
    )


def find_lower_bound(
    program: Program, *, seconds: float = 60, inputs: Iterable[InputPair] = ()
) -> tuple[float, Counterexample | None]:
    """Return the largest lower bound found for epsilon, in units of eps, and the event that proves
    it.
    """
    best = CounterexampleSearch(program, Fraction(0), process_time() + seconds).find_best(inputs)
    return (0.0, None) if best is None else (best.loss, best)
