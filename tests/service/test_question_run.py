from __future__ import annotations

import contextvars
import threading
import time
from fractions import Fraction

import pytest

from hedgerow.ledger import MemoryLedger
from hedgerow.ledger.entry import Entry
from hedgerow.privacy.loss import Loss
from hedgerow.service.departures import Departures, RunSlot, TimingPromise
from hedgerow.service.problems import Overloaded
from hedgerow.service.question_run import (
    PunctualLedger,
    allow_abandonment,
    find_run,
    track_run,
)


@pytest.fixture
def ledger() -> MemoryLedger:
    made = MemoryLedger()
    budget = {"epsilon": 10, "delta": None, "unit": "id", "neighbours": "add-remove"}
    made.accept_policy(digest="p", text="{}", budgets={"people": budget})
    return made


def charge(ledger: PunctualLedger, question: str) -> Entry:
    return ledger.charge(
        {"people": Loss(Fraction(1))},
        analyst="ana",
        epsilon=Fraction(1),
        question=question,
        version="1",
        request=question,
        about={},
    )


def test_a_run_is_known_in_its_own_context_alone() -> None:
    assert find_run() is None
    with track_run("ana", lambda: False) as run:
        assert find_run() is run
        assert contextvars.Context().run(find_run) is None
    assert find_run() is None


def test_an_engine_is_returned_at_the_end_whatever_happens() -> None:
    returned = []

    def fail() -> None:
        with track_run("ana", lambda: False) as run:
            run.give_back = lambda: returned.append("engine")
            raise RuntimeError

    with pytest.raises(RuntimeError):
        fail()
    assert returned == ["engine"]


def test_a_waiting_question_is_given_up_with_its_caller_and_with_the_service() -> None:
    stopping = threading.Event()
    with allow_abandonment() as abandoned:
        context = contextvars.copy_context()

        def ask() -> None:
            with track_run("ana", stopping.is_set) as run:
                run.check_wanted()

        context.run(ask)
        abandoned.set()
        with pytest.raises(Overloaded, match="before it was charged"):
            context.run(ask)
    ask()  # in a context of its own
    stopping.set()
    with pytest.raises(Overloaded):
        ask()


@pytest.mark.parametrize("fails", [False, True])
def test_an_outcome_is_stored_when_its_slot_says_so(ledger: MemoryLedger, fails: bool) -> None:
    punctual = PunctualLedger(ledger, Departures())
    with track_run("ana", lambda: False) as run:
        entry = charge(punctual, "q")
        assert punctual.outcome(entry) is None
        run.slot = RunSlot(time.monotonic(), 0.2)
        outcome = punctual.fail(entry) if fails else punctual.answer(entry, "payload")
        assert time.monotonic() >= run.slot.store_time
    assert outcome.kind == ("failure" if fails else "answer")
    assert punctual.outcome(entry) == outcome


def test_an_answer_that_is_late_is_a_failure(ledger: MemoryLedger) -> None:
    with track_run("ana", lambda: False) as run:
        run.slot = RunSlot(time.monotonic() - 1, 1.0)
        for promise, kind in ((TimingPromise.fixed, "failure"), (TimingPromise.none, "answer")):
            punctual = PunctualLedger(ledger, Departures(promise))
            (entry,) = [charge(punctual, promise)]
            assert punctual.answer(entry, "payload").kind == kind


def test_without_a_slot_nobody_waits(ledger: MemoryLedger) -> None:
    punctual = PunctualLedger(ledger, Departures())
    terms = {
        "charges": {"people": Loss(Fraction(1))},
        "analyst": "ana",
        "epsilon": Fraction(1),
        "version": "1",
    }
    entries = punctual.charge_together(
        [terms | {"question": name, "request": name} for name in ("a", "b")], policy="p"
    )
    assert [punctual.answer(entry, "payload").kind for entry in entries] == ["answer"] * 2
