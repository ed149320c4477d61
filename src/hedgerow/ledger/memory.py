"""A ledger that lives and dies with its process: the same rules, no file."""

from __future__ import annotations

import os
import secrets
import threading
from collections.abc import Iterator
from contextlib import contextmanager

from hedgerow.errors import LedgerError
from hedgerow.ledger.book import FORMAT, Book
from hedgerow.ledger.entry import Entry
from hedgerow.ledger.store import Store

__all__ = ["MemoryLedger"]


class MemoryLedger(Store):
    """For a notebook. The budget is gone with the process, so a second session starts a second budget."""

    def __init__(self) -> None:
        self._book = Book()
        self._entries: list[Entry] = []
        self._lock = threading.RLock()
        self._pid = os.getpid()
        self._add("open", {"ledger": secrets.token_hex(16), "format": FORMAT})

    def entries(self) -> list[Entry]:
        """All entries in order."""
        return list(self._entries)

    def close(self) -> None:
        """Nothing to let go of."""

    @contextmanager
    def _turn(self) -> Iterator[None]:
        if self._pid != os.getpid():
            raise LedgerError("A ledger in memory cannot be used after a fork: two copies would be two budgets. Name a ledger file.")
        with self._lock:
            yield

    def _keep(self, entry: Entry) -> None:
        self._entries.append(entry)

    def _read(self, seq: int) -> Entry:
        return self._entries[seq - 1]
