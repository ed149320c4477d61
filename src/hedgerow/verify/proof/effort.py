"""How much a search may do, counted in steps and not in seconds: so that a verdict is the same on a slow machine as on a fast one.

A step is one trace that shifts are tried on, or as much of z3's own work as takes about as long.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, TypeAlias

from hedgerow.verify.language.outside import Outside
from hedgerow.verify.proof.solver import work_done

__all__ = ["Effort", "Spend", "limited"]

_WORK_PER_STEP: Final = 400
_STEPS: Final = 120_000  # for checking a certificate: twice what a search may do
Spend: TypeAlias = Callable[[int], None]


class Effort:
    """So many steps from now on. What z3 does is counted whoever asks it."""

    def __init__(self, steps: int) -> None:
        self._left, self._begun = steps, work_done()

    def spend(self, steps: int) -> None:
        self._left -= steps

    @property
    def over(self) -> bool:
        return (work_done() - self._begun) // _WORK_PER_STEP >= self._left


def limited(steps: int = _STEPS) -> Spend:
    """Spends from so many steps, and raises ``Outside`` when they are over."""
    effort = Effort(steps)

    def spend(more: int) -> None:
        effort.spend(more)
        if effort.over:
            raise Outside("these coins take more work than a proof may take")

    return spend
