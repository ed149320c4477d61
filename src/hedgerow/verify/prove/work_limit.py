"""How much a search may do, counted in steps and not in seconds: so that a verdict is the same on a
slow machine as on a fast one.

A step is one trace that shifts are tried on, or as much of z3's own work as takes about as long.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, TypeAlias

from hedgerow.verify.language.unsupported import UnsupportedProgram
from hedgerow.verify.prove.solver import measure_work

__all__ = ["Spend", "WorkLimit", "limit_work"]

_WORK_PER_STEP: Final = 400
_CHECKER_STEPS: Final = 120_000  # for checking a certificate: twice what a search may do
Spend: TypeAlias = Callable[[int], None]


class WorkLimit:
    """So many steps from now on. What z3 does is counted whoever asks it."""

    def __init__(self, steps: int) -> None:
        self._steps_left, self._z3_work_at_start = steps, measure_work()

    def spend(self, steps: int) -> None:
        self._steps_left -= steps

    @property
    def is_exhausted(self) -> bool:
        return (measure_work() - self._z3_work_at_start) // _WORK_PER_STEP >= self._steps_left


def limit_work(steps: int = _CHECKER_STEPS) -> Spend:
    """Spends from so many steps, and raises ``UnsupportedProgram`` when they are over."""
    effort = WorkLimit(steps)

    def spend(more: int) -> None:
        effort.spend(more)
        if effort.is_exhausted:
            raise UnsupportedProgram("these coins take more work than a proof may take")

    return spend
