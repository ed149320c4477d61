"""The ledger in one SQLite file, with its anchor beside it.

Each step is one transaction that takes the write lock first: catch up with other processes, let the
book decide, insert, commit with a sync of the write-ahead log. Then the anchor moves, and only then
does the step return. So what the anchor does not know at the beginning of a step is in doubt, and
is written once more before anything is built on it. Why this and not something else, and what it
cannot notice: docs/decisions/0005-ledger.md.
"""

from __future__ import annotations

import os
import threading
import weakref
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import astuple
from pathlib import Path
from typing import Self

import apsw

from hedgerow.errors import InvalidArgument, LedgerError
from hedgerow.ledger.anchor import Anchor
from hedgerow.ledger.durable_files import lock_folder, rewrite_file, sync_to_disk
from hedgerow.ledger.entry import Entry
from hedgerow.ledger.interface import LedgerBase
from hedgerow.ledger.ledger_id import create_ledger_id
from hedgerow.ledger.location import resolve_ledger_path
from hedgerow.ledger.rules import FORMAT, LedgerState, compute_larger_loss
from hedgerow.ledger.unsynced_entries import read_tail, remove_tail, write_tail
from hedgerow.privacy.loss import Loss

__all__ = ["Ledger", "copy_entries", "explain_errors", "read_entries"]

_TABLE = """CREATE TABLE entries (seq INTEGER PRIMARY KEY, kind TEXT NOT NULL, time TEXT NOT NULL,
body TEXT NOT NULL, previous TEXT NOT NULL, hash TEXT NOT NULL) STRICT"""
_INSERT = "INSERT INTO entries VALUES (?, ?, ?, ?, ?, ?)"
_SELECT = "SELECT seq, kind, time, body, previous, hash FROM entries WHERE seq >= ? ORDER BY seq"
_ADOPT_HINT = "When no other copy is in use, the custodian runs 'hedgerow ledger adopt'."
_RESTORE_HINT = (
    "Put the newest copy back, with 'hedgerow ledger restore POLICY COPY'; if entries are lost for"
    " good, 'hedgerow ledger adopt --lost' goes on with all budgets closed."
)


class Ledger(LedgerBase):
    """A durable ledger. Several processes and threads may share it, and a forked child may go on
    using it.
    """

    _vfs: str | None = None
    _synchronous = "FULL"

    def __init__(self, path: str | Path, *, wait: float = 30.0) -> None:
        self.path = resolve_ledger_path(path)
        self._wait = wait
        self._lock = threading.RLock()
        self._state = LedgerState()
        self._database: apsw.Connection | None = None
        self._pid = 0
        self._closed = False
        self._uncommitted: list[Entry] = []  # in this turn
        self._doubtful: tuple[Entry, ...] = ()  # of turns that failed when something was written
        with _REGISTRY_LOCK:
            _OPEN_LEDGERS.add(self)

    @classmethod
    def open(cls, path: str | Path, *, create: bool, wait: float = 30.0) -> Self:
        """The ledger at ``path``, checked from its first entry to its last. ``create`` makes one
        where there never was one.

        ``wait``: seconds to wait for other processes before giving up.
        """
        ledger = cls(path, wait=wait)
        try:
            ledger._finish_creation()
            if create:
                ledger._create()
            # without the write lock, so that a long ledger does not keep others waiting
            ledger._catch_up()
            with ledger._transaction():  # an anchor that a crash left behind catches up
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
        """Vouch for a file that was moved or restored: the custodian made sure that no other copy
        is in use.

        With ``lost``, entries that the anchor knows are gone: every budget is closed, up to the
        largest total it ever had. So too when the whole file is gone; its successor starts closed.
        ``spent`` is the custodian's word that a population has lost no more than that so far.
        Broken chains and foreign ledgers are refused in any case.
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
        """What the entries add up to, those of other processes included."""
        self._catch_up()
        return self._state

    def entries(self) -> list[Entry]:
        """All entries in order."""
        self._catch_up()
        with self._lock, explain_errors(self.path):
            return list(_select_entries(self._get_connection()))

    def close(self) -> None:
        """Let go of the file."""
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
        """One transaction and its anchor. The folder's lock is held over both: nobody else sees
        what is not anchored yet.
        """
        db, before = self._get_connection(), -1
        self._uncommitted = []
        try:
            db.execute("BEGIN IMMEDIATE")
            with lock_folder(self.path.parent, self._wait):
                known = self._read_new_entries(trusting=trusting)
                # a sync failed, or a crash came before the anchor
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
        """Write entries of a turn that failed to a new file, and then into the ledger again, before
        anything else is done.

        One whose number another process has taken since was never committed, and nothing was
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
        self._get_connection().execute(_INSERT, astuple(entry))

    def _read_entry(self, seq: int) -> Entry:
        with self._lock, explain_errors(self.path):
            entry = next(_select_entries(self._get_connection(), seq), None)
        if entry is None or entry.seq != seq or not entry.has_valid_hash(self._state.ledger):
            raise LedgerError(
                f"Entry {seq} of the ledger is gone or was changed while it was open."
                f" {_RESTORE_HINT}"
            )
        return entry

    def _catch_up(self) -> None:
        """Read what other processes wrote since; where a turn of our own failed, mend that
        first.
        """
        with self._lock:
            if self._doubtful:
                with self._transaction():
                    return
            self._read_new_entries()

    def _read_new_entries(self, *, trusting: bool = False) -> Anchor | None:
        """Read what other processes wrote since, and compare with the anchor."""
        with self._lock, explain_errors(self.path):
            try:
                # The anchor first: what it names was committed before, so the entries read after it
                # must include that.
                anchor = None if trusting else Anchor.read(self.path)
                self._replay(_select_entries(self._get_connection(), max(self._state.seq, 1)))
                if not trusting:
                    self._check_anchor(anchor)
                return anchor
            except BaseException:
                self._reset()
                raise

    def _replay(self, entries: Iterator[Entry]) -> None:
        book = self._state
        try:
            # our own last entry comes first, unless somebody put an older file in its place
            if book.seq:
                last = next(entries, None)
                if last is None or (last.seq, last.hash) != (book.seq, book.head):
                    raise LedgerError(
                        f"Entry {book.seq} of the ledger is gone or changed: it was rolled back"
                        f" while open. {_RESTORE_HINT}"
                    )
            book.replay(entries)
        except (UnicodeDecodeError, apsw.CorruptError):
            raise LedgerError(
                f"Entry {book.seq + 1} of the ledger cannot be read: the file is damaged."
                f" {_RESTORE_HINT}"
            ) from None
        if not book.seq:
            raise LedgerError(f"Entry 1 of the ledger is missing. {_RESTORE_HINT}")

    def _check_anchor(self, anchor: Anchor | None) -> None:
        """The file must be the one that the anchor knows, and hold all that it knows."""
        if anchor is None:
            raise LedgerError(
                f"The anchor of the ledger, '{Anchor.path_for(self.path)}', is missing."
                f" {_RESTORE_HINT}"
            )
        self._check_ledger_id(anchor)
        if self._state.seq < anchor.seq:
            raise LedgerError(
                f"Entry {self._state.seq + 1} of the ledger is missing: it was rolled back from"
                f" entry {anchor.seq}. {_RESTORE_HINT}"
            )
        if self._read_hash(anchor.seq) != anchor.hash:
            raise LedgerError(
                f"Entry {anchor.seq} of the ledger is another than was written: it was rolled back"
                f" and written on. {_RESTORE_HINT}"
            )
        if not anchor.is_same_file(self.path):
            raise LedgerError(
                f"The ledger '{self.path}' is a copy: two copies would spend one budget twice."
                f" {_ADOPT_HINT}"
            )

    def _check_ledger_id(self, anchor: Anchor) -> None:
        if anchor.ledger != self._state.ledger:
            raise LedgerError(
                f"The ledger '{self.path}' was swapped: its entry 1 opens another ledger. Put the"
                " right one back."
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
        """Kind and body of the entry by which the custodian vouches for a file; ``whole``: it
        has all that the anchor knows.
        """
        if anchor is not None:
            self._check_ledger_id(anchor)
        if lost:
            return "exhausted", _build_exhausted_body(
                note, self._state.largest_totals, anchor, declared
            )
        if not whole:
            raise LedgerError(
                f"Entry {self._state.seq + 1} of the ledger may be lost: the anchor is missing or"
                f" knows more. {_RESTORE_HINT}"
            )
        return "adopt", {"note": note}

    def _create(self) -> None:
        """Make the file, unless it is there. An anchor without its file means that a ledger was
        lost, not that none was made.
        """
        with explain_errors(self.path), lock_folder(self.path.parent, self._wait):
            if not self.path.exists() and Anchor.read(self.path) is None:
                book = LedgerState()
                self._install(
                    book,
                    _append_entries(
                        book, ("open", {"ledger": create_ledger_id(), "format": FORMAT})
                    ),
                )

    def _finish_creation(self) -> None:
        """Go on where a crash came between the anchor of a new file and its name."""
        if not self._draft_path.exists() or self.path.exists():
            return
        with explain_errors(self.path), lock_folder(self.path.parent, self._wait):
            anchor = Anchor.read(self.path)
            if (
                anchor is not None
                and not self.path.exists()
                and self._draft_path.exists()
                and anchor.is_same_file(self._draft_path)
            ):
                # once more: its first writing may have failed in its last step
                anchor.write(self.path)
                self._rename_draft()

    def _install(self, book: LedgerState, entries: Iterable[Entry]) -> None:
        """Make a ledger of these entries. Up to the anchor nothing has happened, and from then
        on the file is there: ``_resume``.
        """
        try:
            self._write_draft(entries)
        except BaseException:
            self._remove_draft()
            raise
        Anchor.from_state(book, self._draft_path).write(self.path)
        self._rename_draft()

    def _write_draft(self, entries: Iterable[Entry]) -> None:
        """Write a draft that is one file, closed and synced: neither a log nor the journal of
        the switch to one may be needed.
        """
        self._remove_draft()
        db = self._connect(self._draft_path, apsw.SQLITE_OPEN_READWRITE | apsw.SQLITE_OPEN_CREATE)
        try:
            db.execute("PRAGMA journal_mode = WAL")
            db.execute(f"BEGIN; {_TABLE}")
            db.executemany(_INSERT, map(astuple, entries))
            db.execute("COMMIT")
            # by name: of the one at closing, errors are not told
            db.wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_TRUNCATE)
        finally:
            db.close(True)
        sync_to_disk(self._draft_path)

    def _create_closed(
        self, note: str, totals: Mapping[str, Loss], declared: Mapping[str, Loss] | None
    ) -> Entry:
        """A new ledger that knows of a loss before it serves, in the place of one that is gone."""
        self._finish_creation()
        with explain_errors(self.path), lock_folder(self.path.parent, self._wait):
            self._check_free()
            anchor = Anchor.read(self.path)
            book, name = LedgerState(), create_ledger_id() if anchor is None else anchor.ledger
            begun = ("open", {"ledger": name, "format": FORMAT})
            entries = _append_entries(
                book, begun, ("exhausted", _build_exhausted_body(note, totals, anchor, declared))
            )
            self._install(book, entries)
        return entries[-1]

    def _restore_copy(
        self, copy: Path, note: str, lost: bool, declared: Mapping[str, Loss] | None
    ) -> Entry:
        """Put a copy of the ledger in its place, with an entry that says so."""
        self._finish_creation()
        with explain_errors(self.path), lock_folder(self.path.parent, self._wait):
            self._check_free()
            anchor = Anchor.read(self.path)
            try:
                with explain_errors(copy), _open_readonly(copy) as db:
                    self._replay(_select_entries(db))
                    kept = list(_select_entries(db))
                whole = anchor is not None and any(
                    (entry.seq, entry.hash) == (anchor.seq, anchor.hash) for entry in kept
                )
                self._check_copy(anchor, copy, whole, lost)
                made = _append_entries(
                    self._state, self._build_adoption(anchor, note, whole, lost, declared)
                )
                self._install(self._state, [*kept, *made])
            except BaseException:
                self._reset()
                raise
        return made[-1]

    def _check_copy(self, anchor: Anchor | None, copy: Path, whole: bool, lost: bool) -> None:
        """Whether the copy has everything that the anchor knows, and the custodian says so."""
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
                " lost. Restore a newer copy. If there is none, '--lost' declares the loss, and"
                " goes on with all budgets closed."
            )

    def _check_free(self) -> None:
        if self.path.exists():
            raise LedgerError(
                f"There is a ledger at '{self.path}' already, and it is never written over. Move it"
                " away first."
            )

    def _remove_draft(self) -> None:
        for end in ("", "-wal", "-shm", "-journal"):
            self._draft_path.with_name(self._draft_path.name + end).unlink(missing_ok=True)

    def _rename_draft(self) -> None:
        # who asked what, when, and for how long it ran is not everybody's business
        self._draft_path.chmod(0o600)
        os.replace(self._draft_path, self.path)
        sync_to_disk(self.path.parent)

    @property
    def _draft_path(self) -> Path:
        return self.path.with_name(self.path.name + ".new")

    def _get_connection(self) -> apsw.Connection:
        if self._closed:
            raise LedgerError(f"The ledger '{self.path}' is closed.")
        if self._database is None:
            if not self.path.exists():
                known = Anchor.path_for(self.path).exists()
                raise LedgerError(
                    f"The ledger '{self.path}' is missing. {_RESTORE_HINT}"
                    if known
                    else f"There is no ledger at '{self.path}'."
                )
            self._database = self._connect(self.path, apsw.SQLITE_OPEN_READWRITE)
        if self._pid != os.getpid():
            raise LedgerError(
                "The ledger was carried into another process behind Python's back. Open it there"
                " instead."
            )
        return self._database

    def _connect(self, file: Path, flags: int) -> apsw.Connection:
        db = apsw.Connection(str(file), flags=flags, vfs=self._vfs)
        db.set_busy_timeout(int(self._wait * 1000))
        # Full syncs also reach the platter where a plain one stops at the drive's memory (the two
        # fullfsync settings; macOS).
        db.execute(
            f"PRAGMA synchronous = {self._synchronous}; PRAGMA fullfsync = 1; PRAGMA"
            " checkpoint_fullfsync = 1"
        )
        self._pid = os.getpid()
        return db

    def _disconnect(self) -> None:
        db, self._database = self._database, None
        if db is not None:
            # on a failing disk the last checkpoint fails too; the log keeps what it holds
            with suppress(apsw.Error):
                db.close(True)

    def _reset(self) -> None:
        """Something went wrong half-way: believe nothing, and read everything anew next time."""
        self._disconnect()
        self._state = LedgerState()


def read_entries(path: Path) -> Iterator[Entry]:
    """The stored entries, unchecked; the file is not written to."""
    with explain_errors(path), _open_readonly(path) as db:
        yield from _select_entries(db)


def copy_entries(db: apsw.Connection, target: Path) -> None:
    """Everything as it is at this moment, in one new file that is on disk when this returns.
    Others may go on reading and writing.
    """
    goal = apsw.Connection(str(target), flags=apsw.SQLITE_OPEN_READWRITE | apsw.SQLITE_OPEN_CREATE)
    try:
        with goal.backup("main", db, "main") as work:
            work.step()  # all pages in one step, and so of one moment
        goal.execute("PRAGMA journal_mode = DELETE")  # one file, without a log beside it
    finally:
        goal.close(True)
    sync_to_disk(target)


@contextmanager
def _open_readonly(path: Path) -> Iterator[apsw.Connection]:
    db = apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READONLY)
    try:
        yield db
    finally:
        db.close(True)


def _select_entries(db: apsw.Connection, first: int = 1) -> Iterator[Entry]:
    return (Entry(*row) for row in db.execute(_SELECT, (first,)))


def _append_entries(book: LedgerState, *bodies: tuple[str, dict[str, object]]) -> list[Entry]:
    """The next entries of a book, which takes them."""
    made = []
    for kind, body in bodies:
        made.append(book.build_entry(kind, body))
        book.apply(made[-1])
    return made


@contextmanager
def explain_errors(path: Path) -> Iterator[None]:
    """Say in plain words what the database or the system refused."""
    try:
        yield
    except apsw.BusyError:
        raise LedgerError(
            f"The ledger '{path}' is in use by another process that does not let go. Try again."
        ) from None
    except apsw.FullError:
        raise LedgerError(
            f"The disk of the ledger '{path}' is full. Make room; what was charged is kept."
        ) from None
    except (apsw.NotADBError, apsw.CorruptError, apsw.SQLError, UnicodeDecodeError):
        raise LedgerError(
            f"The file '{path}' is not a ledger, or is damaged. {_RESTORE_HINT}"
        ) from None
    except (apsw.Error, OSError) as problem:
        raise LedgerError(
            f"The ledger '{path}' cannot be read and written: {problem}. What was charged is kept."
        ) from None


def _build_exhausted_body(
    note: str, peaks: Mapping[str, Loss], anchor: Anchor | None, declared: Mapping[str, Loss] | None
) -> dict[str, object]:
    """The body of the entry that closes all budgets: at the largest totals that are known of, or
    at what the custodian declares.
    """
    spent = dict(peaks)
    for name, held in (anchor.peaks if anchor else {}).items():
        spent[name] = compute_larger_loss(spent.get(name, _NO_LOSS), Loss.from_dict(held))
    named = dict(declared or {})
    for name, loss in named.items():
        if name not in spent or not isinstance(loss, Loss):
            raise InvalidArgument(
                "spent",
                "must be a Loss for a population that the ledger knows:"
                f" {', '.join(sorted(spent))}",
                name,
            )
    body: dict[str, object] = {
        "note": note,
        "spent": {name: loss.to_dict() for name, loss in (spent | named).items()},
    }
    if anchor and anchor.sources:
        body["sources"] = dict(anchor.sources)
    return body | ({"declared": sorted(named)} if named else {})


_NO_LOSS = Loss(0)
_OPEN_LEDGERS: weakref.WeakSet[Ledger] = weakref.WeakSet()
_LOCKED_LEDGERS: list[Ledger] = []
_REGISTRY_LOCK = threading.Lock()


def _before_fork() -> None:
    """SQLite must not be carried through a fork: a child would believe in locks that its parent
    holds.
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
