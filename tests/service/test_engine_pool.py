from __future__ import annotations

import threading
import time
from typing import Any

import pytest

from hedgerow.service.departures import Departures, TimingPromise
from hedgerow.service.engine_pool import EnginePool, track_slots


class Engine:
    """A source that counts what it is asked."""

    def __init__(self) -> None:
        self.runs = 0
        self.is_closed = False
        self.fails = False

    def schema(self, table: str) -> Any:
        return (table,)

    def prepare(self, plan: Any) -> None:
        assert plan == "plan"

    def run(self, plan: Any) -> Any:
        self.runs += 1
        if self.fails:
            raise RuntimeError
        return f"cells of {plan}"

    def close(self) -> None:
        self.is_closed = True


def make_pool(size: int, departures: Departures) -> tuple[EnginePool, list[Engine]]:
    started: list[Engine] = []

    def start() -> Engine:
        started.append(Engine())
        return started[-1]

    return EnginePool(start, size, departures), started  # type: ignore[arg-type]


def test_engines_are_started_when_they_are_needed_and_closed_together() -> None:
    pool, started = make_pool(2, Departures(TimingPromise.none))
    assert not started
    assert pool.schema("t") == ("t",)
    pool.prepare("plan")  # type: ignore[arg-type]
    assert pool.run("plan") == "cells of plan"  # type: ignore[arg-type, comparison-overlap]
    assert len(started) == 1
    pool.close()
    assert started[0].is_closed


@pytest.mark.parametrize("fails", [False, True])
def test_an_engine_stays_taken_until_its_slot_ends(fails: bool) -> None:
    pool, started = make_pool(1, Departures(run_seconds=0.4))
    pool.schema("t")
    started[0].fails = fails
    with track_slots() as slots:
        begin = time.monotonic()
        if fails:
            with pytest.raises(RuntimeError):
                pool.run("plan")  # type: ignore[arg-type]
        else:
            pool.run("plan")  # type: ignore[arg-type]
    assert slots.end >= begin + 0.4
    assert pool._free.empty()
    started[0].fails = False
    ended: list[float] = []

    def ask() -> None:
        pool.run("plan")  # type: ignore[arg-type]
        ended.append(time.monotonic())

    other = threading.Thread(target=ask)
    other.start()
    other.join(30)
    assert ended[0] >= slots.end  # it waited for the slot, not for the run


def test_the_runs_of_one_request_have_one_slot_after_the_other() -> None:
    pool, _ = make_pool(2, Departures(run_seconds=0.2))
    with track_slots() as slots:
        pool.run("plan")  # type: ignore[arg-type]
        first = slots.end
        pool.run("plan")  # type: ignore[arg-type]
    assert slots.end >= first + 0.2
