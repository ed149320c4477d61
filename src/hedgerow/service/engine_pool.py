"""A pool of engine processes behind the interface of one source.

A question waits for an engine before it is charged, and holds it until its last slot ends, however
soon its runs are over: so nobody's waiting shows how long somebody else's question ran. A statement
of several questions has one slot after the other.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import Final

from hedgerow.engines.data_source import Cells, IsolatedSource, PhysicalColumn
from hedgerow.plan.nodes import Aggregate
from hedgerow.service.departures import RunSlot, TimingPromise, sleep_until
from hedgerow.service.engine_turns import EngineTurns
from hedgerow.service.question_run import QuestionRun, find_run
from hedgerow.service.run_schedule import RunSchedule

__all__ = ["EnginePool"]

_OPENING_CALLER: Final = ""  # measurements while the database is opened


class EnginePool:
    """Up to ``size`` engines, each started when it is first needed; a question has one of them to
    itself."""

    def __init__(
        self, start: Callable[[], IsolatedSource], size: int, schedule: RunSchedule, *, wait: float
    ) -> None:
        self._start, self._schedule = start, schedule
        self._turns = EngineTurns(size, wait=wait)
        self._engines: list[IsolatedSource | None] = [None] * size
        self._lock = threading.Lock()
        self._is_closed = False

    def schema(self, table: str) -> tuple[PhysicalColumn, ...]:
        """Return the columns of a table."""
        return self._get_engine(0).schema(table)

    def prepare(self, plan: Aggregate) -> None:
        """Prepare a plan without looking at data; a question takes its engine here, before it is
        charged."""
        self._get_engine(0).prepare(plan)
        run = find_run()
        if run is not None and run.engine is None:
            self._take_engine(run, plan)

    def run(self, plan: Aggregate) -> Cells:
        """Return the exact cells of a plan, from the engine that the question holds."""
        run = find_run()
        if run is None:
            run = QuestionRun(_OPENING_CALLER, lambda: False)
            try:
                return self._run(run, plan)
            finally:
                self.give_back(run)
        return self._run(run, plan)

    def give_back(self, run: QuestionRun) -> None:
        """Return the engine of a question at the end of its slot."""
        number, run.engine, run.give_back = run.engine, None, None
        if number is None:
            return
        left = run.slot.end - time.monotonic() if run.slot is not None and self._is_timed else 0
        if left <= 0:
            self._free_engine(number)
            return
        timer = threading.Timer(left, self._free_engine, (number,))
        timer.daemon = True
        timer.start()

    def close(self) -> None:
        """Close all engines."""
        with self._lock:
            self._is_closed = True
            for engine in self._engines:
                if engine is not None:
                    engine.close()

    @property
    def _is_timed(self) -> bool:
        return self._schedule.departures.promise is TimingPromise.fixed

    def _run(self, run: QuestionRun, plan: Aggregate) -> Cells:
        seconds = self._schedule.find_seconds(plan)
        if run.engine is None:
            self._take_engine(run, plan)
        elif run.slot is not None:
            self._turns.add_seconds(run.caller, seconds)
        assert run.engine is not None
        engine = self._get_engine(run.engine)
        engine.restart_if_dead()  # outside the slot: it takes as long as opening the data
        if run.slot is not None and self._is_timed:
            sleep_until(run.slot.end)
        run.slot = RunSlot(time.monotonic(), seconds)
        engine.deadline = run.slot.engine_seconds
        return engine.run(plan)

    def _take_engine(self, run: QuestionRun, plan: Aggregate) -> None:
        seconds = self._schedule.find_seconds(plan)
        run.engine = self._turns.take(run.caller, seconds, run.check_wanted)
        run.give_back = lambda: self.give_back(run)
        try:
            self._get_engine(run.engine)
        except BaseException:
            self.give_back(run)
            raise

    def _free_engine(self, number: int) -> None:
        engine = self._engines[number]
        if engine is not None and not self._is_closed:
            engine.restart_if_dead()
        self._turns.give_back(number)

    def _get_engine(self, number: int) -> IsolatedSource:
        """Return an engine, started if it is the first time; its schema and its compiler need no
        turn."""
        engine = self._engines[number]
        if engine is None:
            with self._lock:
                engine = self._engines[number]
                if engine is None:
                    engine = self._engines[number] = self._start()
        return engine
