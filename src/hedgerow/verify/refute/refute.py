"""The door of the refuter.

Nothing that is returned rests on the search: a ``Counterexample`` recomputes its comparison when it
is made, and can be replayed.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from time import monotonic

from hedgerow.verify.language.program import Program
from hedgerow.verify.refute.counterexample import Counterexample
from hedgerow.verify.refute.input_search import InputPair
from hedgerow.verify.refute.search import CounterexampleSearch

__all__ = ["RefutationResult", "find_lower_bound", "refute", "run_refuter"]

_EXTRA_TRIALS = 100


@dataclass(frozen=True, slots=True)
class RefutationResult:
    """``witness`` breaks the claim; ``best`` has the largest loss that was found, whether it
    breaks it or not.
    """

    counterexample: Counterexample | None
    strongest: Counterexample | None

    @property
    def epsilon_lower(self) -> float:
        """What epsilon is at least, in units of eps."""
        return max(
            (one.loss for one in (self.counterexample, self.strongest) if one is not None),
            default=0.0,
        )


def run_refuter(program: Program, *, seconds: float = 60) -> RefutationResult:
    """Both in one go; once the claim is broken, a hundred more events are looked at. ``seconds``
    are a last resort.
    """
    return RefutationResult(
        *CounterexampleSearch(program, Fraction(1), monotonic() + seconds).run((), _EXTRA_TRIALS)
    )


def refute(
    program: Program,
    *,
    multiple: Fraction | int = 1,
    seconds: float = 60,
    inputs: Iterable[InputPair] = (),
) -> Counterexample | None:
    """Two inputs and an event that break ``multiple`` times the claim, or None where none was
    found. ``inputs`` are tried first.
    """
    return CounterexampleSearch(program, Fraction(multiple), monotonic() + seconds).find_first(
        inputs
    )


def find_lower_bound(
    program: Program, *, seconds: float = 60, inputs: Iterable[InputPair] = ()
) -> tuple[float, Counterexample | None]:
    """The largest epsilon, in units of eps, that was found to be necessary, and the event that
    shows it.
    """
    witness = CounterexampleSearch(program, Fraction(0), monotonic() + seconds).find_best(inputs)
    return (0.0, None) if witness is None else (witness.loss, witness)
