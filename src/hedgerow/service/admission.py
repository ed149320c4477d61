"""Admission: how many requests a caller may send in a minute, and how many run or wait at once."""

from __future__ import annotations

import threading
import time
from collections import defaultdict, deque
from collections.abc import Iterator
from contextlib import contextmanager

from hedgerow.service.problems import Overloaded
from hedgerow.service.settings import RequestLimits

__all__ = ["Admission"]


class Admission:
    """The limits of one process. Callers are independent: one at its limit slows nobody else."""

    def __init__(self, limits: RequestLimits) -> None:
        self._limits = limits
        self._lock = threading.Lock()
        self._times: defaultdict[str, deque[float]] = defaultdict(deque)
        self._waiting: defaultdict[str, int] = defaultdict(int)
        self._turns: dict[str, threading.Semaphore] = {}

    @contextmanager
    def admit(self, caller: str) -> Iterator[None]:
        """Wait for a turn of this caller, or refuse a request beyond the limits."""
        with self._lock:
            self._count_request(caller)
            if self._waiting[caller] >= self._limits.waiting_per_caller:
                raise Overloaded("Too many of your questions are waiting. Try again later.", 1)
            self._waiting[caller] += 1
            turn = self._turns.setdefault(
                caller, threading.Semaphore(self._limits.questions_per_caller)
            )
        try:
            with turn:
                yield
        finally:
            with self._lock:
                self._waiting[caller] -= 1

    def _count_request(self, caller: str) -> None:
        now, times = time.monotonic(), self._times[caller]
        while times and times[0] <= now - 60:
            times.popleft()
        if len(times) >= self._limits.requests_per_minute:
            raise Overloaded("Too many requests in a minute. Try again later.", times[0] + 60 - now)
        times.append(now)
