from __future__ import annotations

import threading
import time
from typing import Any

import pytest

from hedgerow.service import engine_pool
from hedgerow.service.departures import Departures, TimingPromise
from hedgerow.service.engine_pool import EnginePool
from hedgerow.service.problems import Overloaded
from hedgerow.service.question_run import QuestionRun, track_run
from hedgerow.service.run_schedule import RunSchedule

PLAN: Any = "plan"


class Engine:
    """An engine that counts what it is asked."""

    def __init__(self) -> None:
        self.deadline = 0.0
        self.runs = self.restarts = 0
        self.is_closed = self.fails = False

    def schema(self, table: str) -> Any:
        return (table,)

    def prepare(self, plan: Any) -> None:
        assert plan == PLAN

    def run(self, plan: Any) -> Any:
        self.runs += 1
        if self.fails:
            raise RuntimeError
        return f"cells of {plan}"

    def restart_if_dead(self) -> None:
        self.restarts += 1

    def close(self) -> None:
        self.is_closed = True


def make_pool(
    size: int, departures: Departures, monkeypatch: pytest.MonkeyPatch, wait: float = 30.0
) -> tuple[EnginePool, list[Engine]]:
    started: list[Engine] = []
    seconds = departures.run_seconds or 9.0
    monkeypatch.setattr(engine_pool.RunSchedule, "find_seconds", lambda *_: seconds)

    def start() -> Engine:
        started.append(Engine())
        return started[-1]

    return EnginePool(start, size, RunSchedule(departures, {}), wait=wait), started


def ask(pool: EnginePool, caller: str, runs: int = 1) -> QuestionRun:
    with track_run(caller, lambda: False) as run:
        pool.prepare(PLAN)
        for _ in range(runs):
            pool.run(PLAN)
    return run


def test_engines_are_started_when_they_are_needed_and_closed_together(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    pool, started = make_pool(2, Departures(TimingPromise.none), monkeypatch)
    assert not started
    assert pool.schema("t") == ("t",)
    pool.prepare(PLAN)
    assert pool.run(PLAN) == "cells of plan"  # type: ignore[comparison-overlap]
    ask(pool, "ana")
    assert len(started) == 1
    with track_run("ana", lambda: False):
        pool.prepare(PLAN)
        ask(pool, "ben")
    assert [one.runs for one in started] == [2, 1]
    pool.close()
    assert all(one.is_closed for one in started)


@pytest.mark.parametrize("fails", [False, True])
def test_an_engine_stays_taken_until_its_slot_ends(
    fails: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    pool, started = make_pool(1, Departures(run_seconds=0.4), monkeypatch)
    pool.schema("t")
    started[0].fails = fails
    with track_run("ana", lambda: False) as run:
        pool.prepare(PLAN)
        if fails:
            with pytest.raises(RuntimeError):
                pool.run(PLAN)
        else:
            pool.run(PLAN)
    assert run.slot is not None
    assert started[0].deadline == run.slot.engine_seconds
    assert time.monotonic() < run.slot.end
    started[0].fails = False
    other = ask(pool, "ben")
    assert other.slot is not None
    assert other.slot.start >= run.slot.end  # it waited for the slot, not for the run
    assert started[0].restarts > 0


def test_the_runs_of_one_question_have_one_slot_after_the_other(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    pool, _ = make_pool(2, Departures(run_seconds=0.2), monkeypatch)
    begin = time.monotonic()
    run = ask(pool, "ana", runs=3)
    assert run.slot is not None
    assert run.slot.start >= begin + 0.4


def test_a_question_without_an_engine_is_refused_before_it_is_charged(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    pool, _ = make_pool(1, Departures(run_seconds=5.0), monkeypatch, wait=0.01)
    with track_run("ana", lambda: False):
        pool.prepare(PLAN)
        with track_run("ben", lambda: False), pytest.raises(Overloaded):
            pool.prepare(PLAN)
    ask(pool, "ben")  # ana gave hers back, without a run


def test_a_question_whose_caller_has_gone_leaves_the_queue(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    pool, _ = make_pool(1, Departures(run_seconds=5.0), monkeypatch)
    gone = threading.Event()
    threading.Timer(0.05, gone.set).start()
    with track_run("ana", lambda: False):
        pool.prepare(PLAN)
        with track_run("ben", gone.is_set), pytest.raises(Overloaded, match="cancelled"):
            pool.prepare(PLAN)


def test_an_engine_that_cannot_be_started_leaves_its_turn_to_others(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    pool, _ = make_pool(2, Departures(TimingPromise.none), monkeypatch)
    pool.schema("t")
    monkeypatch.setattr(pool, "_start", lambda: 1 / 0)
    with track_run("ana", lambda: False):
        pool.prepare(PLAN)
        for _ in range(3):
            with track_run("ben", lambda: False), pytest.raises(ZeroDivisionError):
                pool.prepare(PLAN)
    ask(pool, "ben")
