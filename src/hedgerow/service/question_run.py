"""The run of one question through the service: who asks, the engine it holds, the slot it is in,
and whether its caller has gone.

The methods of the service run in threads; the run of the current one is found by a context
variable.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any, Final

from hedgerow.ledger.entry import Entry
from hedgerow.ledger.interface import LedgerBase
from hedgerow.privacy.loss import Loss
from hedgerow.service.departures import Departures, RunSlot
from hedgerow.service.problems import Overloaded

__all__ = ["PunctualLedger", "QuestionRun", "allow_abandonment", "find_run", "track_run"]


@dataclass(slots=True)
class QuestionRun:
    """The run of a question. ``slot`` is its last slot, None before the first; ``engine`` is the
    number of the engine that it holds, which ``give_back`` returns."""

    caller: str
    is_abandoned: Callable[[], bool]
    slot: RunSlot | None = None
    engine: int | None = None
    give_back: Callable[[], None] | None = None

    def return_engine(self) -> None:
        """Return the engine, if the question holds one, at the end of its slot."""
        if self.give_back is not None:
            self.give_back()

    def check_wanted(self) -> None:
        """Refuse a question whose caller has gone. It is called while the question waits, before
        it is charged."""
        if self.is_abandoned():
            raise Overloaded("The question was cancelled before it was charged.", 1)


_RUN: Final[ContextVar[QuestionRun | None]] = ContextVar("question_run", default=None)
_ABANDONED: Final[ContextVar[threading.Event | None]] = ContextVar("abandoned", default=None)


def find_run() -> QuestionRun | None:
    """Return the run of the current question."""
    return _RUN.get()


@contextmanager
def track_run(caller: str, is_stopping: Callable[[], bool]) -> Iterator[QuestionRun]:
    """Track the run of one question, all of which happens in this context."""
    abandoned = _ABANDONED.get()
    run = QuestionRun(
        caller, lambda: is_stopping() or (abandoned is not None and abandoned.is_set())
    )
    token = _RUN.set(run)
    try:
        yield run
    finally:
        _RUN.reset(token)
        run.return_engine()


@contextmanager
def allow_abandonment() -> Iterator[threading.Event]:
    """Let the questions that are started in this context be given up while they wait, by an
    event. One that is charged already runs to its end."""
    event = threading.Event()
    token = _ABANDONED.set(event)
    try:
        yield event
    finally:
        _ABANDONED.reset(token)


class PunctualLedger:
    """A ledger that stores the outcome of a run when its slot says so: an answer that is stored is
    free for others, so the moment must not depend on the run. An answer that is late is a failure.
    """

    def __init__(self, ledger: LedgerBase, departures: Departures) -> None:
        self._ledger, self._departures = ledger, departures

    def charge(self, charges: Mapping[str, Loss], **terms: Any) -> Entry:
        """Charge a question."""
        return self._ledger.charge(charges, **terms)

    def charge_together(
        self, charges: Sequence[Mapping[str, Any]], *, policy: str | None = None
    ) -> list[Entry]:
        """Charge several questions or none of them."""
        return self._ledger.charge_together(charges, policy=policy)

    def outcome(self, entry: Entry) -> Entry | None:
        """Return the answer or failure of a charge."""
        return self._ledger.outcome(entry)

    def answer(self, entry: Entry, payload: str, *, question: str | None = None) -> Entry:
        """Store the answer to a charge when its slot says so."""
        if not self._wait():
            return self._ledger.fail(entry)
        return self._ledger.answer(entry, payload, question=question)

    def fail(self, entry: Entry) -> Entry:
        """Store that a charge got no answer, when its slot says so."""
        self._wait()
        return self._ledger.fail(entry)

    def _wait(self) -> bool:
        run = find_run()
        return run is None or run.slot is None or self._departures.wait_until(run.slot.store_time)
