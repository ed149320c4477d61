"""A ledger that lives and dies with its process, or a copy of one with a file: the same rules, and nothing is written."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from hedgerow.errors import LedgerError
from hedgerow.ledger.book import FORMAT, Book
from hedgerow.ledger.entry import Entry
from hedgerow.ledger.name import fresh_id
from hedgerow.ledger.store import Store

__all__ = ["LedgerCopy", "MemoryLedger"]


class MemoryLedger(Store):
    """For a notebook. The budget is gone with the process, so a second session starts a second budget."""

    def __init__(self) -> None:
        self._book = Book()
        self._entries: list[Entry] = []
        self._lock = threading.RLock()
        self._pid = os.getpid()
        self._add("open", {"ledger": fresh_id(), "format": FORMAT})

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


class LedgerCopy(MemoryLedger):
    """The ``entries`` of another ledger, to try a policy on. Nothing is charged to it: that would be forgotten."""

    def __init__(self, entries: Sequence[Entry]) -> None:
        super().__init__()
        self._book, self._entries = Book(), list(entries)
        self._book.follow(entries)

    def charge(self, *_: Any, **__: Any) -> Entry:
        """Never."""
        raise LedgerError("This is a copy of a ledger, and nothing can be charged to it. Open the ledger itself.")
