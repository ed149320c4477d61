"""The engine process of SQL over answers, kept between statements: starting one takes longer than
most such SQL.

It was started without any file, and opens a new database in memory for each statement, so nothing
of one statement is there for the next. A process that was killed, at a deadline or after a broken
request, is not used again.
"""

from __future__ import annotations

import contextlib
import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from hedgerow.engines.duckdb.process.engine_process import EngineProcess
from hedgerow.engines.duckdb.session_protocol import EngineLimits

__all__ = ["borrow_process", "prepare_process"]

_LIMITS: Final = EngineLimits(memory=4 * 2**30)
_START_SECONDS: Final = 60.0


class _KeptProcess:
    """One idle process or none. Starting one ahead of its use holds ``_starting``."""

    def __init__(self) -> None:
        self._starting = threading.Lock()
        self._idle: EngineProcess | None = None
        self._owner_pid = os.getpid()

    def take(self) -> EngineProcess | None:
        """Return the idle process with an empty database, if there is one."""
        with self._starting:
            child, self._idle = self._idle, None
        if child is None:
            return None
        if self._owner_pid != os.getpid():  # it answers the process that was forked
            child.kill.detach()
            return None
        with contextlib.suppress(Exception):
            child.set_timeout(_START_SECONDS)
            child.open_new_database()
            return child
        child.kill()
        return None

    def put_back(self, child: EngineProcess) -> None:
        """Keep a process, if it is alive and no other is kept."""
        with self._starting:
            if child.is_alive and self._idle is None:
                self._idle, self._owner_pid = child, os.getpid()
                return
        child.kill()

    def prepare(self) -> None:
        """Start a process in the background, unless one is kept or being started."""
        if not self._starting.acquire(blocking=False):
            return
        if self._idle is not None and self._owner_pid == os.getpid():
            self._starting.release()
            return
        threading.Thread(target=self._start, daemon=True).start()

    def _start(self) -> None:
        try:
            with contextlib.suppress(Exception):  # the statement that needs it says so
                self._idle, self._owner_pid = (
                    EngineProcess([], _LIMITS, _START_SECONDS),
                    os.getpid(),
                )
        finally:
            self._starting.release()


_KEPT: Final = _KeptProcess()


def prepare_process() -> None:
    """Start the process for SQL over answers in the background, if there is none."""
    _KEPT.prepare()


@contextmanager
def borrow_process(paths: list[Path], seconds: float) -> Iterator[EngineProcess]:
    """Open a process that can read these files alone; one that reads none is kept.

    Each of its requests must be answered within ``seconds``.
    """
    child = None if paths else _KEPT.take()
    if child is None:
        child = EngineProcess([path.resolve() for path in paths], _LIMITS, seconds)
    child.set_timeout(seconds)
    try:
        yield child
    finally:
        if paths:
            child.kill()
        else:
            _KEPT.put_back(child)
