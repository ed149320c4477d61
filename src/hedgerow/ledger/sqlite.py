"""The ledger in one SQLite file, with its anchor beside it.

Each step is one transaction that takes the write lock first: catch up with other processes, let the
state decide, insert, commit with a sync of the write-ahead log. Then the anchor moves, and only
then does the step return. So entries that the anchor does not know at the beginning of a step are
in doubt, and are written once more before anything is built on them. The reasons, and what cannot
be noticed: docs/decisions/0005-ledger.md.
"""

from __future__ import annotations

import os
import threading
import weakref
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Self

import apsw

from hedgerow.errors import LedgerError
from hedgerow.ledger.anchor import Anchor
from hedgerow.ledger.creation import NewLedgerFile, append_entries, build_exhausted_body
from hedgerow.ledger.durable_files import lock_folder, rewrite_file
from hedgerow.ledger.entry import RESTORE_HINT, Entry
from hedgerow.ledger.location import resolve_ledger_path
from hedgerow.ledger.rules import LedgerState
from hedgerow.ledger.sqlite_file import (
    OPEN_EXISTING,
    Connection,
    explain_errors,
    insert_entries,
    open_readonly,
    select_entries,
)
from hedgerow.ledger.unsynced_entries import read_tail, remove_tail, write_tail
from hedgerow.privacy.loss import Loss

__all__ = ["Ledger"]

_ADOPT_HINT = "If no other copy is in use, the custodian runs 'hedgerow ledger adopt'."


class Ledger(NewLedgerFile):
    """A durable ledger. Several processes and threads may share it, and a forked child may go on
    using it.
    """

    def __init__(self, path: str | Path, *, wait: float = 30.0) -> None:
        self.path = resolve_ledger_path(path)
        self._wait = wait
        self._lock = threading.RLock()
        self._state = LedgerState()
        self._database: Connection | None = None
        self._closed = False
        self._uncommitted: list[Entry] = []  # of this transaction
        self._doubtful: tuple[Entry, ...] = ()  # of transactions that failed while writing
        with _REGISTRY_LOCK:
            _OPEN_LEDGERS.add(self)

    @classmethod
    def open(cls, path: str | Path, *, create: bool, wait: float = 30.0) -> Self:
        """Open the ledger at ``path`` and verify it from its first entry to its last. With
        ``create``, create one where there never was one.

        ``wait`` is the number of seconds to wait for other processes.
        """
        ledger = cls(path, wait=wait)
        try:
            ledger._finish_creation()
            if create:
                ledger._create()
            # Without the write lock, so that a long ledger does not keep others waiting.
            ledger._catch_up()
            with ledger._transaction():  # moves an anchor that a crash left behind
                return ledger
        except BaseException:
            ledger.close()
            raise

    @classmethod
    def adopt(
        cls,
        path: str | Path,
        note: str,
        *,
        lost: bool = False,
        spent: Mapping[str, Loss] | None = None,
        wait: float = 30.0,
    ) -> Entry:
        """Adopt a file that was moved or restored: the custodian vouches that no other copy is in
        use.

        With ``lost``, entries that the anchor knows are gone: every budget is closed, up to the
        largest total it ever had. The same holds when the whole file is gone; its successor starts
        closed. ``spent`` is the custodian's declaration that a population has lost no more than
        that so far. Broken chains and foreign ledgers are refused in any case.
        """
        with cls(path, wait=wait) as ledger, explain_errors(ledger.path):
            ledger._finish_creation()
            anchor = Anchor.read(ledger.path)
            if lost and anchor is not None and not ledger.path.exists():
                return ledger._create_closed(note, {}, spent)
            with ledger._transaction(trusting=True):
                whole = anchor is not None and ledger._read_hash(anchor.seq) == anchor.hash
                return ledger._append(*ledger._build_adoption(anchor, note, whole, lost, spent))

    @property
    def state(self) -> LedgerState:
        """The state after all entries, including those of other processes."""
        self._catch_up()
        return self._state

    def entries(self) -> list[Entry]:
        """Return all entries in order."""
        self._catch_up()
        with self._lock, explain_errors(self.path):
            return list(select_entries(self._get_connection()))

    def close(self) -> None:
        """Close the file."""
        with self._lock:
            self._closed = True
            self._disconnect()

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
        self._uncommitted = []
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
                anchor = Anchor.from_state(self._state, self.path)
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
        self._uncommitted.append(entry)
        insert_entries(self._get_connection(), [entry])

    def _read_entry(self, seq: int) -> Entry:
        with self._lock, explain_errors(self.path):
            entry = next(select_entries(self._get_connection(), seq), None)
        if entry is None or entry.seq != seq or not entry.has_valid_hash(self._state.ledger):
            raise LedgerError(
                f"Entry {seq} of the ledger was removed or changed while it was open."
                f" {RESTORE_HINT}"
            )
        return entry

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
        state = self._state
        try:
            # Our own last entry comes first, unless an older file was put in its place.
            if state.seq:
                last = next(entries, None)
                if last is None or (last.seq, last.hash) != (state.seq, state.head):
                    raise LedgerError(
                        f"Entry {state.seq} of the ledger was removed or changed: the file was"
                        f" rolled back while open. {RESTORE_HINT}"
                    )
            state.replay(entries)
        except (UnicodeDecodeError, apsw.CorruptError):
            raise LedgerError(
                f"Entry {state.seq + 1} of the ledger cannot be read: the file is damaged."
                f" {RESTORE_HINT}"
            ) from None
        if not state.seq:
            raise LedgerError(f"Entry 1 of the ledger is missing. {RESTORE_HINT}")

    def _check_anchor(self, anchor: Anchor | None) -> None:
        """Refuse a file that is not the anchored one, or lacks an entry that the anchor knows."""
        if anchor is None:
            raise LedgerError(
                f"The anchor of the ledger, '{Anchor.path_for(self.path)}', is missing."
                f" {RESTORE_HINT}"
            )
        self._check_ledger_id(anchor)
        if self._state.seq < anchor.seq:
            raise LedgerError(
                f"Entry {self._state.seq + 1} of the ledger is missing: the file was rolled back"
                f" from entry {anchor.seq}. {RESTORE_HINT}"
            )
        if self._read_hash(anchor.seq) != anchor.hash:
            raise LedgerError(
                f"Entry {anchor.seq} of the ledger differs from the one that was written: the file"
                f" was rolled back and continued. {RESTORE_HINT}"
            )
        if not anchor.is_same_file(self.path):
            raise LedgerError(
                f"The ledger '{self.path}' is a copy: two copies would spend one budget twice."
                f" {_ADOPT_HINT}"
            )

    def _check_ledger_id(self, anchor: Anchor) -> None:
        if anchor.ledger != self._state.ledger:
            raise LedgerError(
                f"The ledger '{self.path}' was replaced: its entry 1 opens another ledger. Put the"
                " right file back."
            )

    def _read_hash(self, seq: int) -> object:
        return self._get_connection().execute("SELECT hash FROM entries WHERE seq = ?", (seq,)).get

    def _build_adoption(
        self,
        anchor: Anchor | None,
        note: str,
        whole: bool,
        lost: bool,
        declared: Mapping[str, Loss] | None,
    ) -> tuple[str, dict[str, object]]:
        """Return kind and body of the entry by which the custodian vouches for a file; a ``whole``
        file has all that the anchor knows.
        """
        if anchor is not None:
            self._check_ledger_id(anchor)
        if lost:
            return "exhausted", build_exhausted_body(
                note, self._state.largest_totals, anchor, declared
            )
        if not whole:
            raise LedgerError(
                f"Entry {self._state.seq + 1} of the ledger may be lost: the anchor is missing or"
                f" knows a later entry. {RESTORE_HINT}"
            )
        return "adopt", {"note": note}

    def _restore_copy(
        self, copy: Path, note: str, lost: bool, declared: Mapping[str, Loss] | None
    ) -> Entry:
        """Put a copy of the ledger in its place, with an entry that records it."""
        self._finish_creation()
        with explain_errors(self.path), lock_folder(self.path.parent, self._wait):
            self._check_free()
            anchor = Anchor.read(self.path)
            try:
                with explain_errors(copy), open_readonly(copy) as db:
                    self._replay(select_entries(db))
                    kept = list(select_entries(db))
                whole = anchor is not None and any(
                    (entry.seq, entry.hash) == (anchor.seq, anchor.hash) for entry in kept
                )
                self._check_copy(anchor, copy, whole, lost)
                made = append_entries(
                    self._state, self._build_adoption(anchor, note, whole, lost, declared)
                )
                self._install(self._state, [*kept, *made])
            except BaseException:
                self._reset()
                raise
        return made[-1]

    def _check_copy(self, anchor: Anchor | None, copy: Path, whole: bool, lost: bool) -> None:
        """Refuse a copy whose completeness and the custodian's declaration of a loss contradict
        each other.
        """
        if whole and lost:
            raise LedgerError(
                f"The copy '{copy}' has every entry that the anchor knows: nothing is lost. Restore"
                " it without '--lost'."
            )
        if not whole and not lost:
            known = (
                "there is no anchor to compare it with"
                if anchor is None
                else f"the anchor knows entry {anchor.seq}"
            )
            raise LedgerError(
                f"The copy '{copy}' ends with entry {self._state.seq}, and {known}: charges may be"
                " lost. Restore a newer copy. If there is none, '--lost' declares the loss and goes"
                " on with all budgets closed."
            )

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

    def _reset(self) -> None:
        """Forget everything after a failure half-way, and read it anew next time."""
        self._disconnect()
        self._state = LedgerState()


_OPEN_LEDGERS: weakref.WeakSet[Ledger] = weakref.WeakSet()
_LOCKED_LEDGERS: list[Ledger] = []
_REGISTRY_LOCK = threading.Lock()


def _before_fork() -> None:
    """Close all ledgers: SQLite must not be carried through a fork, or a child trusts locks of its
    parent.
    """
    _REGISTRY_LOCK.acquire()
    for ledger in tuple(_OPEN_LEDGERS):
        ledger._lock.acquire()
        ledger._disconnect()
        _LOCKED_LEDGERS.append(ledger)


def _after_fork() -> None:
    while _LOCKED_LEDGERS:
        _LOCKED_LEDGERS.pop()._lock.release()
    _REGISTRY_LOCK.release()


os.register_at_fork(before=_before_fork, after_in_parent=_after_fork, after_in_child=_after_fork)
