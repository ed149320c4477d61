"""One flight per question: whoever asks what somebody is being answered already waits, and then
finds the stored answer for free.

A flight is a lock on one byte of a file beside the ledger; the digest of the question chooses the
byte, so two questions do not meet in one. The kernel releases it when its process dies: the rule
holds between all processes of a host, survives kill -9, and leaves nothing to clean up.
"""

from __future__ import annotations

import fcntl
import functools
import hashlib
import os
import struct
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from hedgerow.service.problems import Overloaded

__all__ = ["FlightLocks", "choose_place", "wait_for_lock"]

_PLACES: Final = 2**62
_PAUSES: Final = (0.01, 0.02, 0.05)  # seconds between two tries; the last one is repeated


class FlightLocks:
    """The locks of the questions that are being answered."""

    def __init__(self, path: Path, *, wait: float) -> None:
        self._path, self._wait = path, wait

    @contextmanager
    def enter(self, *keys: str, check: Callable[[], None] = lambda: None) -> Iterator[None]:
        """Hold the flights of questions; ``check`` may end the wait by an error."""
        # Everybody takes the places in one order, so that nobody waits in a circle. Each flight
        # opens the file anew: its locks belong to that handle, so that threads exclude each other.
        file = os.open(self._path, os.O_RDWR | os.O_CREAT, 0o600)
        try:
            until = time.monotonic() + self._wait
            for place in sorted({choose_place(key) for key in keys}):
                wait_for_lock(functools.partial(_lock_place, file, place), until, check)
            yield
        finally:
            os.close(file)


def wait_for_lock(take: Callable[[], bool], until: float, check: Callable[[], None]) -> None:
    """Try to take a lock until it is ours; ``check`` may end the wait by an error."""
    tries = 0
    while not take():
        check()
        if time.monotonic() > until:
            raise Overloaded(
                "Somebody else has been asking the same question for too long. Try again.", 5
            )
        time.sleep(_PAUSES[min(tries, len(_PAUSES) - 1)])
        tries += 1


def _lock_place(file: int, place: int) -> bool:
    lock = struct.pack("hhqqi0q", fcntl.F_WRLCK, os.SEEK_SET, place, 1, 0)
    try:
        fcntl.fcntl(file, fcntl.F_OFD_SETLK, lock)
    except (BlockingIOError, PermissionError):
        return False
    return True


def choose_place(key: str) -> int:
    """Return the number of a question's lock."""
    return int.from_bytes(hashlib.sha256(key.encode()).digest()[:8], "big") % _PLACES
