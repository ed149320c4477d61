"""The door of the refuter.

Nothing that is returned rests on the search: a ``Witness`` recomputes its comparison when it is made, and can be replayed.
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from time import monotonic

from hedgerow.verify.language.program import Program
from hedgerow.verify.refuter.inputs import Pair
from hedgerow.verify.refuter.search import Search
from hedgerow.verify.refuter.witness import Witness

__all__ = ["lower_bound", "refute"]


def refute(program: Program, *, multiple: Fraction | int = 1, seconds: float = 10, inputs: Iterable[Pair] = ()) -> Witness | None:
    """Two inputs and an event that break ``multiple`` times the claim, or None where none was found. ``inputs`` are tried first."""
    return Search(program, Fraction(multiple), monotonic() + seconds).first(inputs)


def lower_bound(program: Program, *, seconds: float = 10, inputs: Iterable[Pair] = ()) -> tuple[float, Witness | None]:
    """The largest epsilon, in units of eps, that was found to be necessary, and the event that shows it."""
    witness = Search(program, Fraction(0), monotonic() + seconds).best(inputs)
    return (0.0, None) if witness is None else (witness.loss, witness)
