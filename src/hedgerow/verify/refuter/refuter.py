"""The door of the refuter.

Nothing that is returned rests on the search: a ``Witness`` recomputes its comparison when it is made, and can be replayed.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from time import monotonic

from hedgerow.verify.language.program import Program
from hedgerow.verify.refuter.inputs import Pair
from hedgerow.verify.refuter.search import Search
from hedgerow.verify.refuter.witness import Witness

__all__ = ["Survey", "lower_bound", "refute", "survey"]

_MORE = 100


@dataclass(frozen=True, slots=True)
class Survey:
    """``witness`` breaks the claim; ``best`` has the largest loss that was found, whether it breaks it or not."""

    witness: Witness | None
    best: Witness | None

    @property
    def lower(self) -> float:
        """What epsilon is at least, in units of eps."""
        return max((one.loss for one in (self.witness, self.best) if one is not None), default=0.0)


def survey(program: Program, *, seconds: float = 60) -> Survey:
    """Both in one go; once the claim is broken, a hundred more events are looked at. ``seconds`` are a last resort."""
    return Survey(*Search(program, Fraction(1), monotonic() + seconds).survey((), _MORE))


def refute(program: Program, *, multiple: Fraction | int = 1, seconds: float = 60, inputs: Iterable[Pair] = ()) -> Witness | None:
    """Two inputs and an event that break ``multiple`` times the claim, or None where none was found. ``inputs`` are tried first."""
    return Search(program, Fraction(multiple), monotonic() + seconds).first(inputs)


def lower_bound(program: Program, *, seconds: float = 60, inputs: Iterable[Pair] = ()) -> tuple[float, Witness | None]:
    """The largest epsilon, in units of eps, that was found to be necessary, and the event that shows it."""
    witness = Search(program, Fraction(0), monotonic() + seconds).best(inputs)
    return (0.0, None) if witness is None else (witness.loss, witness)
