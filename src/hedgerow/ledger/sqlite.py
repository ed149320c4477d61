"""The ledger in one SQLite file, with its anchor beside it.

Each step is one transaction that takes the write lock first: catch up with other processes, let the book decide, insert, commit
with a sync of the write-ahead log. Then the anchor moves, and only then does the step return. So what the anchor does not know at the
beginning of a step is in doubt, and is written once more before anything is built on it. Why this and not something else, and what it
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
from hedgerow.ledger.book import FORMAT, Book, larger
from hedgerow.ledger.entry import Entry
from hedgerow.ledger.files import alone, sync, write_again
from hedgerow.ledger.name import fresh_id
from hedgerow.ledger.place import settle
from hedgerow.ledger.store import Store
from hedgerow.ledger.tail import drop_tail, keep_tail, read_tail
from hedgerow.privacy.loss import Loss

__all__ = ["Ledger", "copy_entries", "entries_of", "plainly"]

_TABLE = """CREATE TABLE entries (seq INTEGER PRIMARY KEY, kind TEXT NOT NULL, time TEXT NOT NULL,
body TEXT NOT NULL, previous TEXT NOT NULL, hash TEXT NOT NULL) STRICT"""
_INSERT = "INSERT INTO entries VALUES (?, ?, ?, ?, ?, ?)"
_SELECT = "SELECT seq, kind, time, body, previous, hash FROM entries WHERE seq >= ? ORDER BY seq"
_ADOPT = "When no other copy is in use, the custodian runs 'hedgerow ledger adopt'."
_LOST = (
    "Put the newest copy back, with 'hedgerow ledger restore POLICY COPY'; if entries are lost for good, 'hedgerow ledger adopt --lost' "
    "goes on with all budgets closed."
)


class Ledger(Store):
    """A durable ledger. Several processes and threads may share it, and a forked child may go on using it."""

    _vfs: str | None = None
    _synchronous = "FULL"

    def __init__(self, path: str | Path, *, wait: float = 30.0) -> None:
        self.path = settle(path)
        self._wait = wait
        self._lock = threading.RLock()
        self._book = Book()
        self._db: apsw.Connection | None = None
        self._pid = 0
        self._closed = False
        self._written: list[Entry] = []  # in this turn
        self._doubt: tuple[Entry, ...] = ()  # of turns that failed when something was written
        with _GATE:
            _LIVE.add(self)

    @classmethod
    def open(cls, path: str | Path, *, create: bool, wait: float = 30.0) -> Self:
        """The ledger at ``path``, checked from its first entry to its last. ``create`` makes one where there never was one.

        ``wait``: seconds to wait for other processes before giving up.
        """
        ledger = cls(path, wait=wait)
        try:
            ledger._resume()
            if create:
                ledger._create()
            ledger._catch_up()  # without the write lock, so that a long ledger does not keep others waiting
            with ledger._turn():  # an anchor that a crash left behind catches up
                return ledger
        except BaseException:
            ledger.close()
            raise

    @classmethod
    def adopt(
        cls, path: str | Path, note: str, *, lost: bool = False, spent: Mapping[str, Loss] | None = None, wait: float = 30.0
    ) -> Entry:
        """Vouch for a file that was moved or restored: the custodian made sure that no other copy is in use.

        With ``lost``, entries that the anchor knows are gone: every budget is closed, up to the largest total it ever had. So too
        when the whole file is gone; its successor starts closed. ``spent`` is the custodian's word that a population has lost no more
        than that so far. Broken chains and foreign ledgers are refused in any case.
        """
        with cls(path, wait=wait) as ledger, plainly(ledger.path):
            ledger._resume()
            anchor = Anchor.read(ledger.path)
            if lost and anchor is not None and not ledger.path.exists():
                return ledger._begin_closed(note, {}, spent)
            with ledger._turn(trusting=True):
                whole = anchor is not None and ledger._hash(anchor.seq) == anchor.hash
                return ledger._add(*ledger._vouched(anchor, note, whole, lost, spent))

    @property
    def book(self) -> Book:
        """What the entries add up to, those of other processes included."""
        self._catch_up()
        return self._book

    def entries(self) -> list[Entry]:
        """All entries in order."""
        self._catch_up()
        with self._lock, plainly(self.path):
            return list(_stored(self._connection()))

    def close(self) -> None:
        """Let go of the file."""
        with self._lock:
            self._closed = True
            self._disconnect()

    @contextmanager
    def _turn(self, *, trusting: bool = False) -> Iterator[None]:
        with self._lock, plainly(self.path):
            if not trusting:
                self._mend()
            with self._step(trusting=trusting):
                yield

    @contextmanager
    def _step(self, *, trusting: bool = False) -> Iterator[None]:
        """One transaction and its anchor. The folder's lock is held over both: nobody else sees what is not anchored yet."""
        db, before = self._connection(), -1
        self._written = []
        try:
            db.execute("BEGIN IMMEDIATE")
            with alone(self.path.parent, self._wait):
                known = self._look(trusting=trusting)
                if known is None or known.seq < self._book.seq:  # a sync failed, or a crash came before the anchor
                    write_again(self.path.with_name(self.path.name + "-wal"))
                before = self._book.seq
                yield
                db.execute("COMMIT")
                anchor = Anchor.of(self._book, self.path)
                anchor.write(self.path) if trusting else anchor.advance(self.path)
        except BaseException:
            if self._book.seq == before and db.in_transaction:
                db.execute("ROLLBACK")  # refused before anything was written: nothing is in doubt
            else:
                self._doubt += tuple(entry for entry in self._written if entry not in self._doubt)
                self._forget()
            raise

    def _mend(self) -> None:
        """Write entries of a turn that failed to a new file, and then into the ledger again, before anything else is done.

        One whose number another process has taken since was never committed, and nothing was answered for it.
        """
        doubt = self._doubt or read_tail(self.path)
        if doubt:
            with alone(self.path.parent, self._wait):
                keep_tail(self.path, doubt)
            with self._step():
                for entry in doubt:
                    if (entry.seq, entry.previous) == (self._book.seq + 1, self._book.head):
                        self._book.apply(entry)
                        self._keep(entry)
            drop_tail(self.path)
            self._doubt = ()

    def _keep(self, entry: Entry) -> None:
        self._written.append(entry)
        self._connection().execute(_INSERT, astuple(entry))

    def _read(self, seq: int) -> Entry:
        with self._lock, plainly(self.path):
            entry = next(_stored(self._connection(), seq), None)
        if entry is None or entry.seq != seq or not entry.fits(self._book.ledger):
            raise LedgerError(f"Entry {seq} of the ledger is gone or was changed while it was open. {_LOST}")
        return entry

    def _catch_up(self) -> None:
        """Read what other processes wrote since; where a turn of our own failed, mend that first."""
        with self._lock:
            if self._doubt:
                with self._turn():
                    return
            self._look()

    def _look(self, *, trusting: bool = False) -> Anchor | None:
        """Read what other processes wrote since, and compare with the anchor."""
        with self._lock, plainly(self.path):
            try:
                # The anchor first: what it names was committed before, so the entries read after it must include that.
                anchor = None if trusting else Anchor.read(self.path)
                self._follow(_stored(self._connection(), max(self._book.seq, 1)))
                if not trusting:
                    self._compare(anchor)
                return anchor
            except BaseException:
                self._forget()
                raise

    def _follow(self, entries: Iterator[Entry]) -> None:
        book = self._book
        try:
            if book.seq:  # our own last entry comes first, unless somebody put an older file in its place
                last = next(entries, None)
                if last is None or (last.seq, last.hash) != (book.seq, book.head):
                    raise LedgerError(f"Entry {book.seq} of the ledger is gone or changed: it was rolled back while open. {_LOST}")
            book.follow(entries)
        except (UnicodeDecodeError, apsw.CorruptError):
            raise LedgerError(f"Entry {book.seq + 1} of the ledger cannot be read: the file is damaged. {_LOST}") from None
        if not book.seq:
            raise LedgerError(f"Entry 1 of the ledger is missing. {_LOST}")

    def _compare(self, anchor: Anchor | None) -> None:
        """The file must be the one that the anchor knows, and hold all that it knows."""
        if anchor is None:
            raise LedgerError(f"The anchor of the ledger, '{Anchor.place(self.path)}', is missing. {_LOST}")
        self._belongs(anchor)
        if self._book.seq < anchor.seq:
            raise LedgerError(f"Entry {self._book.seq + 1} of the ledger is missing: it was rolled back from entry {anchor.seq}. {_LOST}")
        if self._hash(anchor.seq) != anchor.hash:
            raise LedgerError(f"Entry {anchor.seq} of the ledger is another than was written: it was rolled back and written on. {_LOST}")
        if not anchor.lies_at(self.path):
            raise LedgerError(f"The ledger '{self.path}' is a copy: two copies would spend one budget twice. {_ADOPT}")

    def _belongs(self, anchor: Anchor) -> None:
        if anchor.ledger != self._book.ledger:
            raise LedgerError(f"The ledger '{self.path}' was swapped: its entry 1 opens another ledger. Put the right one back.")

    def _hash(self, seq: int) -> object:
        return self._connection().execute("SELECT hash FROM entries WHERE seq = ?", (seq,)).get

    def _vouched(
        self, anchor: Anchor | None, note: str, whole: bool, lost: bool, declared: Mapping[str, Loss] | None
    ) -> tuple[str, dict[str, object]]:
        """Kind and body of the entry by which the custodian vouches for a file; ``whole``: it has all that the anchor knows."""
        if anchor is not None:
            self._belongs(anchor)
        if lost:
            return "exhausted", _exhausted(note, self._book.peaks, anchor, declared)
        if not whole:
            raise LedgerError(f"Entry {self._book.seq + 1} of the ledger may be lost: the anchor is missing or knows more. {_LOST}")
        return "adopt", {"note": note}

    def _create(self) -> None:
        """Make the file, unless it is there. An anchor without its file means that a ledger was lost, not that none was made."""
        with plainly(self.path), alone(self.path.parent, self._wait):
            if not self.path.exists() and Anchor.read(self.path) is None:
                book = Book()
                self._place(book, _written_on(book, ("open", {"ledger": fresh_id(), "format": FORMAT})))

    def _resume(self) -> None:
        """Go on where a crash came between the anchor of a new file and its name."""
        if not self._draft.exists() or self.path.exists():
            return
        with plainly(self.path), alone(self.path.parent, self._wait):
            anchor = Anchor.read(self.path)
            if anchor is not None and not self.path.exists() and self._draft.exists() and anchor.lies_at(self._draft):
                anchor.write(self.path)  # once more: its first writing may have failed in its last step
                self._put_in_place()

    def _place(self, book: Book, entries: Iterable[Entry]) -> None:
        """Make a ledger of these entries. Up to the anchor nothing has happened, and from then on the file is there: ``_resume``."""
        try:
            self._build(entries)
        except BaseException:
            self._sweep()
            raise
        Anchor.of(book, self._draft).write(self.path)
        self._put_in_place()

    def _build(self, entries: Iterable[Entry]) -> None:
        """Write a draft that is one file, closed and synced: neither a log nor the journal of the switch to one may be needed."""
        self._sweep()
        db = self._connect(self._draft, apsw.SQLITE_OPEN_READWRITE | apsw.SQLITE_OPEN_CREATE)
        try:
            db.execute("PRAGMA journal_mode = WAL")
            db.execute(f"BEGIN; {_TABLE}")
            db.executemany(_INSERT, map(astuple, entries))
            db.execute("COMMIT")
            db.wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_TRUNCATE)  # by name: of the one at closing, errors are not told
        finally:
            db.close(True)
        sync(self._draft)

    def _begin_closed(self, note: str, totals: Mapping[str, Loss], declared: Mapping[str, Loss] | None) -> Entry:
        """A new ledger that knows of a loss before it serves, in the place of one that is gone."""
        self._resume()
        with plainly(self.path), alone(self.path.parent, self._wait):
            self._check_free()
            anchor = Anchor.read(self.path)
            book, name = Book(), fresh_id() if anchor is None else anchor.ledger
            begun = ("open", {"ledger": name, "format": FORMAT})
            entries = _written_on(book, begun, ("exhausted", _exhausted(note, totals, anchor, declared)))
            self._place(book, entries)
        return entries[-1]

    def _refill(self, copy: Path, note: str, lost: bool, declared: Mapping[str, Loss] | None) -> Entry:
        """Put a copy of the ledger in its place, with an entry that says so."""
        self._resume()
        with plainly(self.path), alone(self.path.parent, self._wait):
            self._check_free()
            anchor = Anchor.read(self.path)
            try:
                with plainly(copy), _reading(copy) as db:
                    self._follow(_stored(db))
                    kept = list(_stored(db))
                whole = anchor is not None and any((entry.seq, entry.hash) == (anchor.seq, anchor.hash) for entry in kept)
                self._judge(anchor, copy, whole, lost)
                made = _written_on(self._book, self._vouched(anchor, note, whole, lost, declared))
                self._place(self._book, [*kept, *made])
            except BaseException:
                self._forget()
                raise
        return made[-1]

    def _judge(self, anchor: Anchor | None, copy: Path, whole: bool, lost: bool) -> None:
        """Whether the copy has everything that the anchor knows, and the custodian says so."""
        if whole and lost:
            raise LedgerError(f"The copy '{copy}' has every entry that the anchor knows: nothing is lost. Restore it without '--lost'.")
        if not whole and not lost:
            known = "there is no anchor to compare it with" if anchor is None else f"the anchor knows entry {anchor.seq}"
            raise LedgerError(
                f"The copy '{copy}' ends with entry {self._book.seq}, and {known}: charges may be lost. Restore a newer copy. "
                "If there is none, '--lost' declares the loss, and goes on with all budgets closed."
            )

    def _check_free(self) -> None:
        if self.path.exists():
            raise LedgerError(f"There is a ledger at '{self.path}' already, and it is never written over. Move it away first.")

    def _sweep(self) -> None:
        for end in ("", "-wal", "-shm", "-journal"):
            self._draft.with_name(self._draft.name + end).unlink(missing_ok=True)

    def _put_in_place(self) -> None:
        self._draft.chmod(0o600)  # who asked what, when, and for how long it ran is not everybody's business
        os.replace(self._draft, self.path)
        sync(self.path.parent)

    @property
    def _draft(self) -> Path:
        return self.path.with_name(self.path.name + ".new")

    def _connection(self) -> apsw.Connection:
        if self._closed:
            raise LedgerError(f"The ledger '{self.path}' is closed.")
        if self._db is None:
            if not self.path.exists():
                known = Anchor.place(self.path).exists()
                raise LedgerError(f"The ledger '{self.path}' is missing. {_LOST}" if known else f"There is no ledger at '{self.path}'.")
            self._db = self._connect(self.path, apsw.SQLITE_OPEN_READWRITE)
        if self._pid != os.getpid():
            raise LedgerError("The ledger was carried into another process behind Python's back. Open it there instead.")
        return self._db

    def _connect(self, file: Path, flags: int) -> apsw.Connection:
        db = apsw.Connection(str(file), flags=flags, vfs=self._vfs)
        db.set_busy_timeout(int(self._wait * 1000))
        # Full syncs also reach the platter where a plain one stops at the drive's memory (the two fullfsync settings; macOS).
        db.execute(f"PRAGMA synchronous = {self._synchronous}; PRAGMA fullfsync = 1; PRAGMA checkpoint_fullfsync = 1")
        self._pid = os.getpid()
        return db

    def _disconnect(self) -> None:
        db, self._db = self._db, None
        if db is not None:
            with suppress(apsw.Error):  # on a failing disk the last checkpoint fails too; the log keeps what it holds
                db.close(True)

    def _forget(self) -> None:
        """Something went wrong half-way: believe nothing, and read everything anew next time."""
        self._disconnect()
        self._book = Book()


def entries_of(path: Path) -> Iterator[Entry]:
    """The stored entries, unchecked; the file is not written to."""
    with plainly(path), _reading(path) as db:
        yield from _stored(db)


def copy_entries(db: apsw.Connection, target: Path) -> None:
    """Everything as it is at this moment, in one new file that is on disk when this returns. Others may go on reading and writing."""
    goal = apsw.Connection(str(target), flags=apsw.SQLITE_OPEN_READWRITE | apsw.SQLITE_OPEN_CREATE)
    try:
        with goal.backup("main", db, "main") as work:
            work.step()  # all pages in one step, and so of one moment
        goal.execute("PRAGMA journal_mode = DELETE")  # one file, without a log beside it
    finally:
        goal.close(True)
    sync(target)


@contextmanager
def _reading(path: Path) -> Iterator[apsw.Connection]:
    db = apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READONLY)
    try:
        yield db
    finally:
        db.close(True)


def _stored(db: apsw.Connection, first: int = 1) -> Iterator[Entry]:
    return (Entry(*row) for row in db.execute(_SELECT, (first,)))


def _written_on(book: Book, *bodies: tuple[str, dict[str, object]]) -> list[Entry]:
    """The next entries of a book, which takes them."""
    made = []
    for kind, body in bodies:
        made.append(book.next(kind, body))
        book.apply(made[-1])
    return made


@contextmanager
def plainly(path: Path) -> Iterator[None]:
    """Say in plain words what the database or the system refused."""
    try:
        yield
    except apsw.BusyError:
        raise LedgerError(f"The ledger '{path}' is in use by another process that does not let go. Try again.") from None
    except apsw.FullError:
        raise LedgerError(f"The disk of the ledger '{path}' is full. Make room; what was charged is kept.") from None
    except (apsw.NotADBError, apsw.CorruptError, apsw.SQLError, UnicodeDecodeError):
        raise LedgerError(f"The file '{path}' is not a ledger, or is damaged. {_LOST}") from None
    except (apsw.Error, OSError) as problem:
        raise LedgerError(f"The ledger '{path}' cannot be read and written: {problem}. What was charged is kept.") from None


def _exhausted(note: str, peaks: Mapping[str, Loss], anchor: Anchor | None, declared: Mapping[str, Loss] | None) -> dict[str, object]:
    """The body of the entry that closes all budgets: at the largest totals that are known of, or at what the custodian declares."""
    spent = dict(peaks)
    for name, held in (anchor.peaks if anchor else {}).items():
        spent[name] = larger(spent.get(name, _NOTHING), Loss.from_dict(held))
    named = dict(declared or {})
    for name, loss in named.items():
        if name not in spent or not isinstance(loss, Loss):
            raise InvalidArgument("spent", f"must be a Loss for a population that the ledger knows: {', '.join(sorted(spent))}", name)
    body: dict[str, object] = {"note": note, "spent": {name: loss.to_dict() for name, loss in (spent | named).items()}}
    if anchor and anchor.sources:
        body["sources"] = dict(anchor.sources)
    return body | ({"declared": sorted(named)} if named else {})


_NOTHING = Loss(0)
_LIVE: weakref.WeakSet[Ledger] = weakref.WeakSet()
_HELD: list[Ledger] = []
_GATE = threading.Lock()


def _before_fork() -> None:
    """SQLite must not be carried through a fork: a child would believe in locks that its parent holds."""
    _GATE.acquire()
    for ledger in tuple(_LIVE):
        ledger._lock.acquire()
        ledger._disconnect()
        _HELD.append(ledger)


def _after_fork() -> None:
    while _HELD:
        _HELD.pop()._lock.release()
    _GATE.release()


os.register_at_fork(before=_before_fork, after_in_parent=_after_fork, after_in_child=_after_fork)
