"""Departure times: when a response leaves is fixed before its question runs, from public parameters
alone, so that the time of an answer carries no data.

A question that is run gets a slot: its answer leaves ``run_seconds`` after it was asked, and an
engine that is not ready some time before that is killed; the failure leaves at the same moment.
Refusals and stored answers never touch data and leave on a grid of their own. Whoever chooses the
promise "none" gets answers as they are ready, and each of them says so.
"""

from __future__ import annotations

import math
import time
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from hedgerow.errors import InvalidArgument

__all__ = ["Departures", "TimingPromise", "sleep_until"]

_MARGIN: Final = 0.25  # of the slot: for noise, the ledger's sync and the encoding of the answer
_UNTIMED_NOTE: Final = (
    "The custodian lets answers leave as soon as they are ready, so their time may depend on the"
    " data."
)


class TimingPromise(StrEnum):
    """The promise about the time of an answer: public parameters fix it, or nothing does."""

    fixed = "fixed"
    none = "none"


@dataclass(frozen=True, slots=True)
class Departures:
    """The schedule of responses. ``run_seconds`` is the slot of a question that is run,
    ``step_seconds`` the grid on which all other responses leave."""

    promise: TimingPromise = TimingPromise.fixed
    run_seconds: float = 5.0
    step_seconds: float = 0.05

    def __post_init__(self) -> None:
        for name in ("run_seconds", "step_seconds"):
            if not 0 < getattr(self, name) < 3600:
                raise InvalidArgument(name, "must lie between 0 and 3600", getattr(self, name))

    @property
    def engine_deadline(self) -> float:
        """The seconds after which an engine is killed."""
        return self.run_seconds * (1 - _MARGIN)

    def describe(self) -> str:
        """Return the promise in one sentence."""
        if self.promise is TimingPromise.none:
            return "as soon as they are ready. " + _UNTIMED_NOTE
        return (
            f"{self.run_seconds:g} seconds after the engine took the question, whatever the data;"
            f" an engine that is not ready after {self.engine_deadline:g} seconds is stopped, and"
            " the question stays charged."
        )

    @property
    def notes(self) -> tuple[str, ...]:
        """The note that answers carry under a weaker promise."""
        return () if self.promise is TimingPromise.fixed else (_UNTIMED_NOTE,)

    def wait_for_slot(self, end: float) -> bool:
        """Sleep until the slot of a question that was run ends; return False if it had ended."""
        if self.promise is not TimingPromise.fixed:
            return True
        in_time = time.monotonic() <= end
        sleep_until(end)
        return in_time

    def wait_for_step(self, start: float) -> None:
        """Sleep until the next point of the grid."""
        if self.promise is TimingPromise.fixed:
            steps = math.ceil((time.monotonic() - start) / self.step_seconds)
            sleep_until(start + steps * self.step_seconds)


def sleep_until(moment: float) -> None:
    """Sleep until a moment of the monotonic clock."""
    while (left := moment - time.monotonic()) > 0:
        time.sleep(left)
