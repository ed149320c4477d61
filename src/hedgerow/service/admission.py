"""Admission: how many requests of each kind a caller may send in a minute and have at once, and how
many questions of all callers run or wait at once.

Who is beyond a limit is refused at once, with the time after which to try again, so that no thread
waits for them. Fairness among those who are admitted is that of the engines (``engine_turns``).
"""

from __future__ import annotations

import threading
import time
from collections import Counter, defaultdict, deque
from collections.abc import Iterator
from contextlib import contextmanager
from enum import StrEnum
from typing import Final

from hedgerow.service.problems import Overloaded
from hedgerow.service.settings import RequestLimits

__all__ = ["Admission", "RequestKind"]

_STOP_SECONDS: Final = 10.0


class RequestKind(StrEnum):
    """A question, which may wait for an engine and for its departure, or a mere reading."""

    question = "questions"
    reading = "requests"


class Admission:
    """The limits of one process. Callers are independent: one at its limit slows nobody else."""

    def __init__(self, limits: RequestLimits) -> None:
        self._limits = limits
        self._lock = threading.Lock()
        self._times: defaultdict[tuple[RequestKind, str], deque[float]] = defaultdict(deque)
        self._running: Counter[tuple[RequestKind, str]] = Counter()
        self._questions = 0
        self._is_stopping = False

    @contextmanager
    def admit(self, caller: str, kind: RequestKind) -> Iterator[None]:
        """Hold a place for a request of a caller; refuse one beyond the limits."""
        is_question = kind is RequestKind.question
        with self._lock:
            self._check_limits(caller, kind)
            self._running[kind, caller] += 1
            self._questions += is_question
        try:
            yield
        finally:
            with self._lock:
                self._running[kind, caller] -= 1
                self._running += Counter()  # forgets those who have nothing any more
                self._questions -= is_question

    def stop(self) -> None:
        """Refuse all questions from now on, and let those that wait be refused."""
        self._is_stopping = True

    def is_stopping(self) -> bool:
        """Return whether the service stops."""
        return self._is_stopping

    def _check_limits(self, caller: str, kind: RequestKind) -> None:
        if self._is_stopping:
            raise Overloaded("The service is being stopped. Try again later.", _STOP_SECONDS)
        if self._running[kind, caller] >= self._limits.requests_per_caller:
            raise Overloaded(
                f"Too many of your {kind} are waiting. Try again when one is answered.", 1
            )
        if kind is RequestKind.question and self._questions >= self._limits.questions:
            raise Overloaded("Too many questions are waiting. Try again later.", 2)
        now, times = time.monotonic(), self._times[kind, caller]
        while times and times[0] <= now - 60:
            times.popleft()
        if len(times) >= self._limits.requests_per_minute:
            raise Overloaded(f"Too many {kind} in a minute. Try again later.", times[0] + 60 - now)
        times.append(now)
