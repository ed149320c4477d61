"""The ledger in one SQLite file, with its anchor beside it.

Each step is one transaction that takes the write lock first: catch up with other processes, let the
state decide, insert, commit with a sync of the write-ahead log. Then the anchor moves, and only
then does the step return. So entries that the anchor does not know at the beginning of a step are
in doubt, and are written once more before anything is built on them. The reasons, and what cannot
be noticed: docs/decisions/0005-ledger.md.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress

import apsw

from hedgerow.errors import LedgerError
from hedgerow.ledger.anchor import Anchor
from hedgerow.ledger.creation import NewLedgerFile
from hedgerow.ledger.durable_files import lock_folder, rewrite_file
from hedgerow.ledger.entry import RESTORE_HINT, Entry
from hedgerow.ledger.sqlite_file import (
    OPEN_EXISTING,
    Connection,
    explain_errors,
    insert_entries,
    select_entries,
)
from hedgerow.ledger.unsynced_entries import read_tail, remove_tail, write_tail

__all__ = ["Ledger"]


class Ledger(NewLedgerFile):
    """A ledger in a file."""

    _moved_hint = "It is another file than the one that the anchor knows."
    _database: Connection | None = None
    _uncommitted: tuple[Entry, ...] = ()  # of this transaction
    _doubtful: tuple[Entry, ...] = ()  # of transactions that failed while writing

    def entries(self) -> list[Entry]:
        """Return all entries in order."""
        self._catch_up()
        with self._lock, explain_errors(self.path):
            return list(select_entries(self._get_connection()))

    @contextmanager
    def _transaction(self, *, trusting: bool = False) -> Iterator[None]:
        with self._lock, explain_errors(self.path):
            if not trusting:
                self._recover_doubtful()
            with self._run_transaction(trusting=trusting):
                yield

    @contextmanager
    def _run_transaction(self, *, trusting: bool = False) -> Iterator[None]:
        """Run one transaction and move its anchor. The folder lock is held over both: no other
        process sees an entry that is not anchored yet.
        """
        db, before = self._get_connection(), -1
        self._uncommitted = tuple[Entry, ...]()
        try:
            db.execute("BEGIN IMMEDIATE")
            with lock_folder(self.path.parent, self._wait):
                known = self._read_new_entries(trusting=trusting)
                # A sync failed, or a crash came before the anchor moved.
                if known is None or known.seq < self._state.seq:
                    rewrite_file(self.path.with_name(self.path.name + "-wal"))
                before = self._state.seq
                yield
                db.execute("COMMIT")
                anchor = Anchor.from_state(self._state, self._identify())
                anchor.write(self.path) if trusting else anchor.advance(self.path)
        except BaseException:
            if self._state.seq == before and db.in_transaction:
                db.execute("ROLLBACK")  # refused before anything was written: nothing is in doubt
            else:
                self._doubtful += tuple(
                    entry for entry in self._uncommitted if entry not in self._doubtful
                )
                self._reset()
            raise

    def _recover_doubtful(self) -> None:
        """Write the entries of a failed transaction to a new file, and then into the ledger again,
        before anything else.

        An entry whose number another process has taken since was never committed, and nothing was
        answered for it.
        """
        doubt = self._doubtful or read_tail(self.path)
        if doubt:
            with lock_folder(self.path.parent, self._wait):
                write_tail(self.path, doubt)
            with self._run_transaction():
                for entry in doubt:
                    if (entry.seq, entry.previous) == (self._state.seq + 1, self._state.head):
                        self._state.apply(entry)
                        self._store_entry(entry)
            remove_tail(self.path)
            self._doubtful = ()

    def _store_entry(self, entry: Entry) -> None:
        self._uncommitted += (entry,)
        insert_entries(self._get_connection(), [entry])

    def _read_entry(self, seq: int) -> Entry:
        with self._lock, explain_errors(self.path):
            entry = next(select_entries(self._get_connection(), seq), None)
        return self._check_stored(entry, seq)

    def _catch_up(self) -> None:
        """Read the entries of other processes; recover a failed transaction of our own first."""
        with self._lock:
            if self._doubtful:
                with self._transaction():
                    return
            self._read_new_entries()

    def _read_new_entries(self, *, trusting: bool = False) -> Anchor | None:
        """Read the entries of other processes, and compare them with the anchor."""
        with self._lock, explain_errors(self.path):
            try:
                # The anchor first: its entry was committed before, so the entries read after it
                # must include that one.
                anchor = None if trusting else Anchor.read(self.path)
                self._replay(select_entries(self._get_connection(), max(self._state.seq, 1)))
                if not trusting:
                    self._check_anchor(anchor)
                return anchor
            except BaseException:
                self._reset()
                raise

    def _replay(self, entries: Iterator[Entry]) -> None:
        try:
            super()._replay(entries)
        except (UnicodeDecodeError, apsw.CorruptError):
            raise LedgerError(
                f"Entry {self._state.seq + 1} of the ledger cannot be read: the file is damaged."
                f" {RESTORE_HINT}"
            ) from None

    def _read_hash(self, seq: int) -> object:
        return self._get_connection().execute("SELECT hash FROM entries WHERE seq = ?", (seq,)).get

    def _get_connection(self) -> Connection:
        if self._closed:
            raise LedgerError(f"The ledger '{self.path}' is closed. Open it again.")
        if self._database is None:
            if not self.path.exists():
                known = Anchor.path_for(self.path).exists()
                raise LedgerError(
                    f"The ledger '{self.path}' is missing. {RESTORE_HINT}"
                    if known
                    else f"There is no ledger at '{self.path}'. Check the path in the policy."
                )
            self._database = self._connect(self.path, OPEN_EXISTING)
        if self._pid != os.getpid():
            raise LedgerError(
                "The ledger was carried into another process without os.fork. Open it there"
                " instead."
            )
        return self._database

    def _disconnect(self) -> None:
        db, self._database = self._database, None
        if db is not None:
            # On a failing disk the last checkpoint fails too; the log keeps its entries.
            with suppress(apsw.Error):
                db.close(True)
