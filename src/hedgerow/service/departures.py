"""Departure times: when a response leaves is fixed before its question runs, from public parameters
alone, so that the time of an answer carries no data.

A question that is run has a slot. Its moments follow from the begin and the length of the slot,
whatever the run does: an engine that is not ready by the first is killed, the outcome is stored at
the second, and the response leaves at the third, also that of a failure. Refusals and stored
answers never touch data and leave on a grid of their own. Whoever chooses the promise "none" gets
answers as they are ready, and each of them says so.
"""

from __future__ import annotations

import math
import time
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from hedgerow.errors import InvalidArgument

__all__ = ["Departures", "RunSlot", "TimingPromise", "sleep_until"]

# Of the slot: the engine, then the noise, then the ledger's sync and the encoding of the answer.
_ENGINE_SHARE: Final = 0.7
_STORE_SHARE: Final = 0.85
_UNTIMED_NOTE: Final = (
    "The custodian lets answers leave as soon as they are ready, so their time may depend on the"
    " data."
)


class TimingPromise(StrEnum):
    """The promise about the time of an answer: public parameters fix it, or nothing does."""

    fixed = "fixed"
    none = "none"


@dataclass(frozen=True, slots=True)
class RunSlot:
    """The slot of one run, in seconds of the monotonic clock."""

    start: float
    seconds: float

    @property
    def engine_seconds(self) -> float:
        """The seconds after which the engine is killed."""
        return self.seconds * _ENGINE_SHARE

    @property
    def store_time(self) -> float:
        """The moment at which the outcome is stored, and can be seen by others."""
        return self.start + self.seconds * _STORE_SHARE

    @property
    def end(self) -> float:
        """The moment at which the response leaves and the engine is free again."""
        return self.start + self.seconds


@dataclass(frozen=True, slots=True)
class Departures:
    """The schedule of responses. ``run_seconds`` is the slot of every question that is run; None
    takes it from the plan (``run_schedule``). All other responses leave on a grid of
    ``step_seconds``."""

    promise: TimingPromise = TimingPromise.fixed
    run_seconds: float | None = None
    step_seconds: float = 0.05

    def __post_init__(self) -> None:
        for name in ("run_seconds", "step_seconds"):
            value = getattr(self, name)
            if value is not None and not 0 < value < 3600:
                raise InvalidArgument(name, "must lie between 0 and 3600", value)

    def describe(self) -> str:
        """Return the promise in one sentence."""
        if self.promise is TimingPromise.none:
            return "as soon as they are ready. " + _UNTIMED_NOTE
        seconds = "at a fixed time" if self.run_seconds is None else f"{self.run_seconds:g} seconds"
        return (
            f"{seconds} after an engine took the question, whatever the data. An engine that is not"
            f" ready after {_ENGINE_SHARE:.0%} of that is stopped, and the question stays charged."
        )

    @property
    def notes(self) -> tuple[str, ...]:
        """The note that answers carry under a weaker promise."""
        return () if self.promise is TimingPromise.fixed else (_UNTIMED_NOTE,)

    def wait_until(self, moment: float) -> bool:
        """Sleep until a moment of a slot; return False if it had passed."""
        if self.promise is not TimingPromise.fixed:
            return True
        in_time = time.monotonic() <= moment
        sleep_until(moment)
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
