"""Limits on the work of a search, in steps and not in seconds.

Counting steps makes a verdict independent of the speed of the machine. A step is one trace that
shifts are tried on, or about as much work inside z3.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, TypeAlias

from hedgerow.verify.language.unsupported import UnsupportedProgram
from hedgerow.verify.prove.solver import measure_work

__all__ = ["Spend", "WorkLimit", "limit_work"]

_WORK_PER_STEP: Final = 400
_CHECKER_STEPS: Final = 120_000  # for checking a certificate: twice the limit of a search
Spend: TypeAlias = Callable[[int], None]


class WorkLimit:
    """A number of steps from now on, which includes all work of z3 in this process."""

    def __init__(self, steps: int) -> None:
        self._steps_left, self._z3_work_at_start = steps, measure_work()

    def spend(self, steps: int) -> None:
        self._steps_left -= steps

    @property
    def is_exhausted(self) -> bool:
        return (measure_work() - self._z3_work_at_start) // _WORK_PER_STEP >= self._steps_left


def limit_work(steps: int = _CHECKER_STEPS) -> Spend:
    """Return a function that spends steps and raises ``UnsupportedProgram`` above the limit."""
    effort = WorkLimit(steps)

    def spend(more: int) -> None:
        effort.spend(more)
        if effort.is_exhausted:
            raise UnsupportedProgram(
                "these coins exceed the work limit of a proof; use fewer of them"
            )

    return spend
