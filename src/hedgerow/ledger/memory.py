"""A ledger in memory that ends with its process, and a copy of a stored one: the same rules,
nothing is written.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from hedgerow.errors import LedgerError
from hedgerow.ledger.entry import Entry
from hedgerow.ledger.interface import LedgerBase
from hedgerow.ledger.ledger_id import create_ledger_id
from hedgerow.ledger.rules import FORMAT, LedgerState

__all__ = ["LedgerCopy", "MemoryLedger"]


class MemoryLedger(LedgerBase):
    """A ledger for a notebook. The budget ends with the process, so a second session starts a
    second budget.
    """

    def __init__(self) -> None:
        self._state = LedgerState()
        self._entries: list[Entry] = []
        self._lock = threading.RLock()
        self._pid = os.getpid()
        self._append("open", {"ledger": create_ledger_id(), "format": FORMAT})

    def entries(self) -> list[Entry]:
        """Return all entries in order."""
        return list(self._entries)

    def close(self) -> None:
        """Do nothing: there is no store."""

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        if self._pid != os.getpid():
            raise LedgerError(
                "A ledger in memory cannot be used after a fork: two copies would be two budgets."
                " Use a ledger file."
            )
        with self._lock:
            yield

    def _store_entry(self, entry: Entry) -> None:
        self._entries.append(entry)

    def _read_entry(self, seq: int) -> Entry:
        return self._entries[seq - 1]


class LedgerCopy(MemoryLedger):
    """A copy of the ``entries`` of another ledger, to try a policy on. It cannot be charged: the
    charge would be forgotten.
    """

    def __init__(self, entries: Sequence[Entry]) -> None:
        super().__init__()
        self._state, self._entries = LedgerState(), list(entries)
        self._state.replay(entries)

    def _append_charges(self, *_: Any) -> list[Entry]:
        """Refuse every charge."""
        raise LedgerError(
            "This is a copy of a ledger, and nothing can be charged to it. Open the ledger itself."
        )
