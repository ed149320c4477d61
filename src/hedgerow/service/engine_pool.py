"""A pool of engine processes behind the interface of one source.

Each run has a slot, whose length is fixed before it starts. The engine stays taken until the slot
ends, however soon the run is over, so that nobody's waiting shows how long somebody else's question
ran. A statement of several questions has one slot after the other.
"""

from __future__ import annotations

import queue
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Final

from hedgerow.engines.data_source import Cells, PhysicalColumn, Source
from hedgerow.plan.nodes import Aggregate
from hedgerow.service.departures import Departures, TimingPromise, sleep_until

__all__ = ["EnginePool", "RequestSlots", "track_slots"]


@dataclass(slots=True)
class RequestSlots:
    """The end of the last slot of a request; 0 before its first run."""

    end: float = 0.0


_SLOTS: Final[ContextVar[RequestSlots | None]] = ContextVar("request_slots", default=None)


@contextmanager
def track_slots() -> Iterator[RequestSlots]:
    """Track the slots of one request, all of whose runs happen in this context."""
    slots = RequestSlots()
    token = _SLOTS.set(slots)
    try:
        yield slots
    finally:
        _SLOTS.reset(token)


class EnginePool:
    """Up to ``size`` engines, each started when it is first needed; a run has one of them to
    itself."""

    def __init__(self, start: Callable[[], Source], size: int, departures: Departures) -> None:
        self._start, self._departures = start, departures
        self._free: queue.LifoQueue[Source | None] = queue.LifoQueue()
        self._started: list[Source] = []
        self._lock, self._first_lock = threading.Lock(), threading.Lock()
        for _ in range(size):
            self._free.put(None)

    def schema(self, table: str) -> tuple[PhysicalColumn, ...]:
        """Return the columns of a table."""
        return self._get_first().schema(table)

    def prepare(self, plan: Aggregate) -> None:
        """Prepare a plan without looking at data."""
        self._get_first().prepare(plan)

    def run(self, plan: Aggregate) -> Cells:
        """Return the exact cells of a plan, from an engine that is free; the engine stays taken
        until the slot ends."""
        slots, is_fixed = _SLOTS.get(), self._departures.promise is TimingPromise.fixed
        if slots is not None and is_fixed:
            sleep_until(slots.end)
        engine = self._free.get()
        end = time.monotonic() + self._departures.run_seconds
        if slots is not None:
            slots.end = end
        try:
            engine = engine or self._start_engine()
            return engine.run(plan)
        finally:
            left = end - time.monotonic()
            if is_fixed and left > 0:
                timer = threading.Timer(left, self._free.put, (engine,))
                timer.daemon = True
                timer.start()
            else:
                self._free.put(engine)

    def close(self) -> None:
        """Close all engines."""
        with self._lock:
            for engine in self._started:
                engine.close()
            self._started.clear()

    def _get_first(self) -> Source:
        """Return an engine for its schema and its compiler, which need no turn."""
        with self._first_lock:
            if not self._started:
                self._free.get()  # it gives way to one that is started
                self._free.put(self._start_engine())
            return self._started[0]

    def _start_engine(self) -> Source:
        engine = self._start()
        with self._lock:
            self._started.append(engine)
        return engine
