"""One flight per question: whoever asks what somebody is being answered already waits, and then
finds the stored answer for free.

A flight holds a lock file that the kernel releases when its process dies, so the rule holds between
processes on one host and survives kill -9. Questions share a fixed number of lock files; two
different questions that meet in one only take turns.
"""

from __future__ import annotations

import fcntl
import hashlib
import os
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Final

from hedgerow.errors import SourceError

__all__ = ["FlightLocks"]

_SLOTS: Final = 256
_PAUSE: Final = 0.02  # seconds between two tries


class FlightLocks:
    """The lock files of the questions that are being answered, in a folder beside the ledger."""

    def __init__(self, folder: Path, *, wait: float) -> None:
        folder.mkdir(mode=0o700, exist_ok=True)
        self._folder, self._wait = folder, wait

    @contextmanager
    def enter(self, *keys: str) -> Iterator[bool]:
        """Hold the flights of questions; the value tells whether somebody else held one before."""
        # Everybody takes the slots in one order, so that nobody waits in a circle. Each flight
        # opens the files anew, so that threads of one process exclude each other too.
        slots = sorted({_choose_slot(key) for key in keys})
        with ExitStack() as held:
            has_waited = False
            for slot in slots:
                file = os.open(self._folder / f"{slot:03}.lock", os.O_RDWR | os.O_CREAT, 0o600)
                held.callback(os.close, file)
                has_waited |= self._lock_file(file)
            yield has_waited

    def _lock_file(self, file: int) -> bool:
        until, has_waited = time.monotonic() + self._wait, False
        while True:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                return has_waited
            except BlockingIOError:
                has_waited = True
            if time.monotonic() > until:
                raise SourceError(
                    "Somebody else has been asking the same question for too long. Try again."
                )
            time.sleep(_PAUSE)


def _choose_slot(key: str) -> int:
    return int.from_bytes(hashlib.sha256(key.encode()).digest()[:4], "big") % _SLOTS
