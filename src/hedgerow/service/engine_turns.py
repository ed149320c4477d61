"""Turns at the engines, shared fairly: the next one goes to the caller who has used them least.

Each caller has a clock that goes on by the seconds of every slot; the caller whose clock is the
furthest behind is next, and callers who come back do not catch up on turns they did not want
(start-time fair queueing). So one who asks a hundred questions holds up another by at most the
slots that are running.
"""

from __future__ import annotations

import itertools
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Final

from hedgerow.service.problems import Overloaded

__all__ = ["EngineTurns"]

_PAUSE: Final = 0.2  # seconds between two checks whether a waiting question is still wanted


@dataclass(frozen=True, slots=True, eq=False)
class _Waiter:
    caller: str
    number: int


class EngineTurns:
    """The engines that are free, by number, and the callers who wait for one."""

    def __init__(self, size: int, *, wait: float) -> None:
        self._wait = wait
        self._free, self._waiting = deque(range(size)), list[_Waiter]()
        self._used: dict[str, float] = {}
        self._served = 0.0  # the clock of the caller who was served last
        self._numbers = itertools.count()
        self._changed = threading.Condition()

    def take(self, caller: str, seconds: float, check: Callable[[], None] = lambda: None) -> int:
        """Wait for a turn of some seconds and return the number of an engine; ``check`` may end
        the wait by an error."""
        until = time.monotonic() + self._wait
        with self._changed:
            self._used[caller] = max(self._used.get(caller, 0.0), self._served)
            waiter = _Waiter(caller, next(self._numbers))
            self._waiting.append(waiter)
            try:
                while not self._free or self._choose() is not waiter:
                    check()
                    left = until - time.monotonic()
                    if left <= 0:
                        raise Overloaded("All engines are busy. Try again later.", seconds)
                    self._changed.wait(min(left, _PAUSE))
            finally:
                self._waiting.remove(waiter)
                self._changed.notify_all()
            self._served = self._used[caller]
            self._used[caller] += seconds
            return self._free.popleft()

    @contextmanager
    def hold(self, caller: str, seconds: float) -> Iterator[None]:
        """Hold an engine for some work."""
        engine = self.take(caller, seconds)
        try:
            yield
        finally:
            self.give_back(engine)

    def add_seconds(self, caller: str, seconds: float) -> None:
        """Count another slot of a turn."""
        with self._changed:
            self._used[caller] = self._used.get(caller, self._served) + seconds

    def give_back(self, engine: int) -> None:
        """Return an engine."""
        with self._changed:
            self._free.appendleft(engine)
            self._changed.notify_all()

    def _choose(self) -> _Waiter:
        return min(self._waiting, key=lambda one: (self._used[one.caller], one.number))
