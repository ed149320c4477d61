"""What a collector keeps: for each metric the sums of its counters, in one SQLite file. Never a report.

Batches are added in one transaction that takes the write lock first: mark each batch's key as counted, add up the counters of those that
were not counted before, commit with a sync of the write-ahead log. Only then does ``add`` return, and only then is a batch acknowledged.
A process that is killed leaves the whole transaction or none of it, so that a sender who heard nothing may send the same batch again
under the same key: it is counted once.

Of a key only a hash is kept, and those in the order of the hashes: neither what a sender wrote into it nor the order of arrival is there to
be read. There are no times, addresses or names. The log beside the file holds former sums for a while: who reads the disk of a running
collector sees batch by batch what the collector sees, randomised reports of nobody knows whom.
"""

from __future__ import annotations

import hashlib
import os
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import InitVar, dataclass, field
from operator import itemgetter
from pathlib import Path
from typing import Self

import apsw
import numpy as np

from hedgerow.errors import InvalidArgument, Refused, SourceError
from hedgerow.ledger.files import sync
from hedgerow.local.spec import Metric
from hedgerow.numeric.chunk import Integers

__all__ = ["PIECE", "Addition", "Store"]

_FORMAT = 1
_NAME = 0x48656467  # the first letters of Hedgerow: tells a store from the other SQLite files
_TABLES = f"""CREATE TABLE metrics (hash BLOB NOT NULL, epoch INTEGER NOT NULL, spec TEXT NOT NULL,
PRIMARY KEY (hash, epoch)) STRICT, WITHOUT ROWID;
CREATE TABLE counters (hash BLOB NOT NULL, epoch INTEGER NOT NULL, piece INTEGER NOT NULL, sums BLOB NOT NULL,
PRIMARY KEY (hash, epoch, piece)) STRICT, WITHOUT ROWID;
CREATE TABLE batches (key BLOB PRIMARY KEY) STRICT, WITHOUT ROWID;
PRAGMA application_id = {_NAME};
PRAGMA user_version = {_FORMAT}"""
PIECE = 512  # counters in one row: a batch of few reports writes few rows, however many counters its metric has
_KEY = 16  # bytes kept of a key's hash
_LARGEST = (1 << 62) - 1  # half of what an int64 holds


@dataclass(frozen=True, slots=True, eq=False)
class Addition:
    """The counters of one batch, and the key by which it is counted once. Kept are the stretches of them that are not all 0, by number: few
    reports take little memory, however many counters their metric has."""

    metric: Metric
    key: bytes
    counters: InitVar[Integers]
    pieces: dict[int, Integers] = field(init=False)

    def __post_init__(self, counters: Integers) -> None:
        if not self.key:
            raise InvalidArgument("key", "must not be empty: by it a batch is counted once")
        if counters.dtype != np.int64 or counters.shape != (self.metric.scheme.counters,):
            raise InvalidArgument("counters", f"must be {self.metric.scheme.counters} whole numbers of 64 bits", counters.shape)
        object.__setattr__(self, "pieces", _pieces(counters))

    @property
    def mark(self) -> bytes:
        """What is kept of the key. The metric is part of it: two metrics may use the same key."""
        return hashlib.sha256(self.metric.hash + self.key).digest()[:_KEY]


class Store:
    """The file at ``path``, made if it is not there. Threads may share it; processes too, each by its own ``Store``."""

    _vfs: str | None = None
    _synchronous = "FULL"

    def __init__(self, path: str | Path, *, create: bool = True, wait: float = 30.0) -> None:
        self.path = Path(path).resolve()
        self._lock = threading.RLock()
        self._process = os.getpid()
        self._db: apsw.Connection | None = None
        if not create and not self.path.is_file():
            raise SourceError(f"There is no store at '{self.path}'.")
        if not self.path.parent.is_dir():
            raise SourceError(f"The folder '{self.path.parent}' for the store does not exist. Make it first.")
        with self._plainly():
            with suppress(FileExistsError):
                os.close(os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600))
            self._db = self._connect(wait)
            try:
                self._prepare()
            except BaseException:
                self.close()
                raise

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def add(self, additions: Sequence[Addition]) -> list[bool]:
        """Count these batches, all in one transaction, and say of each whether it was counted: False where its key was already."""
        with self._plainly(), self._turn() as db:
            fresh = [self._marked(db, addition.mark) for addition in additions]
            sums: dict[bytes, tuple[Metric, dict[int, Integers]]] = {}
            for addition in (addition for addition, new in zip(additions, fresh, strict=True) if new):
                _, held = sums.setdefault(addition.metric.hash, (addition.metric, {}))
                for piece, more in addition.pieces.items():
                    held[piece] = _sum(held[piece], more) if piece in held else more
            for metric, pieces in sums.values():
                self._grow(db, metric, pieces)
        return fresh

    def counters(self, metric: Metric) -> Integers:
        """The sums so far; zeros where nothing was counted yet."""
        with self._plainly():
            return self._read(self._connection(), metric)

    def reports(self, metric: Metric) -> int:
        """How many reports were counted: the last counter, read without the others."""
        last = metric.scheme.counters - 1
        asked = "SELECT sums FROM counters WHERE hash = ? AND epoch = ? AND piece = ?"
        with self._plainly():
            found = self._connection().execute(asked, (metric.hash, metric.epoch, last // PIECE)).get
            return 0 if found is None else int(self._whole(found, last % PIECE + 1, metric)[-1])

    def metrics(self) -> list[Metric]:
        """All metrics that something was counted of, by name and epoch."""
        with self._plainly():
            found = [Metric.from_json(spec) for (spec,) in self._connection().execute("SELECT spec FROM metrics")]
        return sorted(found, key=lambda metric: (metric.id, metric.epoch, metric.hash))

    def merge(self, other: Store) -> None:
        """Add what another collector counted. A batch that both have counted is found by its key, and then nothing is added."""
        with other._plainly():
            held = other._connection()
            with _reading(held):
                marks = list(held.execute("SELECT key FROM batches"))
                shard = [(metric, other._read(held, metric)) for metric in other.metrics()]
        with self._plainly(), self._turn() as db:
            if not all(self._marked(db, mark) for (mark,) in marks):
                raise Refused(
                    f"The stores '{self.path}' and '{other.path}' have a batch in common: it would be counted twice. "
                    "Either they were merged before, or a batch was sent to both. Nothing was added."
                )
            for metric, counters in shard:
                self._grow(db, metric, _pieces(counters))

    def close(self) -> None:
        """Let go of the file."""
        with self._lock:
            db, self._db = self._db, None
            if db is not None and self._process == os.getpid():
                with suppress(apsw.Error):  # on a failing disk the last checkpoint fails too; the log keeps what it holds
                    db.close(True)

    def _connect(self, wait: float) -> apsw.Connection:
        db = apsw.Connection(str(self.path), flags=apsw.SQLITE_OPEN_READWRITE, vfs=self._vfs)
        db.set_busy_timeout(int(wait * 1000))
        # Full syncs also reach the platter where a plain one stops at the drive's memory (the two fullfsync settings; macOS).
        db.execute(f"PRAGMA synchronous = {self._synchronous}; PRAGMA fullfsync = 1; PRAGMA checkpoint_fullfsync = 1")
        return db

    def _prepare(self) -> None:
        """Make the tables in a file that is empty; a crash before their commit leaves it empty."""
        db = self._connection()
        if db.execute("PRAGMA application_id").get == 0 and not db.execute("SELECT count(*) FROM sqlite_schema").get:
            db.execute("PRAGMA journal_mode = WAL")
            with self._turn():
                if not db.execute("SELECT count(*) FROM sqlite_schema").get:  # another process may have been faster
                    db.execute(_TABLES)
            sync(self.path.parent)
        found = db.execute("PRAGMA application_id").get, db.execute("PRAGMA user_version").get
        if found != (_NAME, _FORMAT):
            raise SourceError(f"The file '{self.path}' is not a store of this version of Hedgerow. Name another file.")

    def _marked(self, db: apsw.Connection, mark: bytes) -> bool:
        """Mark a key as counted; False where it was."""
        db.execute("INSERT OR IGNORE INTO batches VALUES (?)", (mark,))
        return bool(db.changes())

    def _read(self, db: apsw.Connection, metric: Metric) -> Integers:
        total = np.zeros(metric.scheme.counters, np.int64)
        rows = db.execute("SELECT piece, sums FROM counters WHERE hash = ? AND epoch = ?", (metric.hash, metric.epoch))
        for piece, sums in rows:
            place = total[piece * PIECE : (piece + 1) * PIECE]
            place += self._whole(sums, len(place), metric)
        return total

    def _grow(self, db: apsw.Connection, metric: Metric, pieces: dict[int, Integers]) -> None:
        """Add to the rows that change, and only to those."""
        name = metric.hash, metric.epoch
        db.execute("INSERT OR IGNORE INTO metrics VALUES (?, ?, ?)", (*name, metric.to_json()))
        for piece, more in sorted(pieces.items(), key=itemgetter(0)):
            found = db.execute("SELECT sums FROM counters WHERE hash = ? AND epoch = ? AND piece = ?", (*name, piece)).get
            sums = _sum(more, np.zeros_like(more) if found is None else self._whole(found, len(more), metric))
            db.execute("INSERT OR REPLACE INTO counters VALUES (?, ?, ?, ?)", (*name, piece, sums.astype("<i8").tobytes()))

    def _whole(self, sums: bytes, length: int, metric: Metric) -> Integers:
        if not length or len(sums) != 8 * length:
            raise SourceError(f"The store '{self.path}' is damaged: the counters of '{metric.id}' are not those of its protocol.")
        return np.frombuffer(sums, "<i8").astype(np.int64)

    def _connection(self) -> apsw.Connection:
        if self._process != os.getpid():
            raise SourceError("The store was opened in another process. Open it here anew.")
        if self._db is None:
            raise SourceError(f"The store '{self.path}' is closed.")
        return self._db

    @contextmanager
    def _turn(self) -> Iterator[apsw.Connection]:
        db = self._connection()
        db.execute("BEGIN IMMEDIATE")
        try:
            yield db
            db.execute("COMMIT")
        except BaseException:
            if db.in_transaction:
                db.execute("ROLLBACK")
            raise

    @contextmanager
    def _plainly(self) -> Iterator[None]:
        """Say in plain words what the database or the system refused."""
        with self._lock:
            try:
                yield
            except apsw.BusyError:
                raise SourceError(f"The store '{self.path}' is in use by another process that does not let go. Try again.") from None
            except apsw.FullError:
                raise SourceError(
                    f"The disk of the store '{self.path}' is full. Make room; what was being added was not counted."
                ) from None
            except (apsw.NotADBError, apsw.CorruptError, apsw.SQLError):
                raise SourceError(f"The file '{self.path}' is not a store, or is damaged.") from None
            except (apsw.Error, OSError):
                raise SourceError(f"The store '{self.path}' cannot be read and written. What was acknowledged is kept.") from None


@contextmanager
def _reading(db: apsw.Connection) -> Iterator[None]:
    """One view of the file for several questions."""
    db.execute("BEGIN")
    try:
        yield
    finally:
        db.execute("ROLLBACK")


def _pieces(counters: Integers) -> dict[int, Integers]:
    """The rows of these counters that are not all 0, each by itself: the rest is let go."""
    some = np.unique(np.flatnonzero(counters) // PIECE).tolist()
    return {piece: counters[piece * PIECE : (piece + 1) * PIECE].copy() for piece in some}


def _sum(one: Integers, other: Integers) -> Integers:
    total = one + other
    for counters in (one, other, total):  # the total of two that fit is right, though it may not fit
        if counters.max(initial=0) > _LARGEST or counters.min(initial=0) < -_LARGEST:
            raise Refused("The counters are full: they hold less than 2^62 each. Begin a new epoch. Nothing was added.")
    return total
