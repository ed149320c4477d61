"""What a collector keeps: for each metric the sums of its counters, in one SQLite file. Never a
report.

Batches are added in one transaction that takes the write lock first: mark each batch's key as
counted, add up the counters of those that were not counted before, commit with a sync of the
write-ahead log. Only then does ``add`` return, and only then is a batch acknowledged. A process
that is killed leaves the whole transaction or none of it, so that a sender who heard nothing may
send the same batch again under the same key: it is counted once.

Of a key only a hash is kept, and those in the order of the hashes: neither what a sender wrote into
it nor the order of arrival is there to be read. There are no times, addresses or names. The log
beside the file holds former sums for a while: who reads the disk of a running collector sees batch
by batch what the collector sees, randomised reports of nobody knows whom.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import InitVar, dataclass, field
from operator import itemgetter
from pathlib import Path
from typing import Self

import apsw
import numpy as np

from hedgerow.errors import InvalidArgument, Refused, SourceError
from hedgerow.ledger.durable_files import sync_to_disk
from hedgerow.local.metric import Metric
from hedgerow.numeric.vectorised import Integers
from hedgerow.sqlite_file import SqliteFile

__all__ = ["CHUNK_COUNTERS", "BatchCounters", "CounterStore"]

_FORMAT_VERSION = 1
# the first letters of Hedgerow: tells a store from the other SQLite files
_APPLICATION_ID = 0x48656467
_TABLES = f"""CREATE TABLE metrics (hash BLOB NOT NULL, epoch INTEGER NOT NULL, spec TEXT NOT NULL,
PRIMARY KEY (hash, epoch)) STRICT, WITHOUT ROWID;
CREATE TABLE counters (hash BLOB NOT NULL, epoch INTEGER NOT NULL, piece INTEGER NOT NULL,
sums BLOB NOT NULL, PRIMARY KEY (hash, epoch, piece)) STRICT, WITHOUT ROWID;
CREATE TABLE batches (key BLOB PRIMARY KEY) STRICT, WITHOUT ROWID;
PRAGMA application_id = {_APPLICATION_ID};
PRAGMA user_version = {_FORMAT_VERSION}"""
# counters in one row: a batch of few reports writes few rows, however many counters its metric has
CHUNK_COUNTERS = 512
_KEY_HASH_BYTES = 16  # bytes kept of a key's hash
_MAX_COUNTER = (1 << 62) - 1  # half of what an int64 holds


@dataclass(frozen=True, slots=True, eq=False)
class BatchCounters:
    """The counters of one batch, and the key by which it is counted once. Kept are the stretches of
    them that are not all 0, by number: few reports take little memory, however many counters their
    metric has."""

    metric: Metric
    key: bytes
    counters: InitVar[Integers]
    chunks: dict[int, Integers] = field(init=False)

    def __post_init__(self, counters: Integers) -> None:
        if not self.key:
            raise InvalidArgument("key", "must not be empty: by it a batch is counted once")
        if counters.dtype != np.int64 or counters.shape != (self.metric.scheme.counter_count,):
            raise InvalidArgument(
                "counters",
                f"must be {self.metric.scheme.counter_count} whole numbers of 64 bits",
                counters.shape,
            )
        object.__setattr__(self, "chunks", _split_counters(counters))

    @property
    def key_hash(self) -> bytes:
        """What is kept of the key. The metric is part of it: two metrics may use the same key."""
        return hashlib.sha256(self.metric.hash + self.key).digest()[:_KEY_HASH_BYTES]


class CounterStore(SqliteFile):
    """The file at ``path``, made if it is not there. Threads may share it; processes too, each
    by its own ``CounterStore``.
    """

    _noun = "store"
    _lost = "what was being added was not counted"
    _kept = "acknowledged batches are kept"
    _advice = " Restore it, or name another file."

    def __init__(self, path: str | Path, *, create: bool = True, wait: float = 30.0) -> None:
        super().__init__(path)
        if not create and not self.path.is_file():
            raise SourceError(f"There is no store at '{self.path}'.")
        if not self.path.parent.is_dir():
            raise SourceError(
                f"The folder '{self.path.parent}' for the store does not exist. Make it first."
            )
        with self._locked():
            with suppress(FileExistsError):
                os.close(os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600))
            self._db = self._connect(self.path, wait)
            try:
                self._create_tables()
            except BaseException:
                self.close()
                raise

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def add(self, additions: Sequence[BatchCounters]) -> list[bool]:
        """Count these batches, all in one transaction, and say of each whether it was counted:
        False where its key was already.
        """
        with self._locked(), self._transaction() as db:
            fresh = [self._mark_counted(db, addition.key_hash) for addition in additions]
            sums: dict[bytes, tuple[Metric, dict[int, Integers]]] = {}
            for addition in (
                addition for addition, new in zip(additions, fresh, strict=True) if new
            ):
                _, held = sums.setdefault(addition.metric.hash, (addition.metric, {}))
                for piece, more in addition.chunks.items():
                    held[piece] = _add_checked(held[piece], more) if piece in held else more
            for metric, pieces in sums.values():
                self._add_counters(db, metric, pieces)
        return fresh

    def read_counters(self, metric: Metric) -> Integers:
        """The sums so far; zeros where nothing was counted yet."""
        with self._locked():
            return self._read_counters(self._require_connection(), metric)

    def count_reports(self, metric: Metric) -> int:
        """How many reports were counted: the last counter, read without the others."""
        last = metric.scheme.counter_count - 1
        asked = "SELECT sums FROM counters WHERE hash = ? AND epoch = ? AND piece = ?"
        with self._locked():
            found = (
                self._require_connection()
                .execute(asked, (metric.hash, metric.epoch, last // CHUNK_COUNTERS))
                .get
            )
            return (
                0
                if found is None
                else int(self._decode_sums(found, last % CHUNK_COUNTERS + 1, metric)[-1])
            )

    def list_metrics(self) -> list[Metric]:
        """All metrics that something was counted of, by name and epoch."""
        with self._locked():
            found = [
                Metric.from_json(spec)
                for (spec,) in self._require_connection().execute("SELECT spec FROM metrics")
            ]
        return sorted(found, key=lambda metric: (metric.id, metric.epoch, metric.hash))

    def merge(self, other: CounterStore) -> None:
        """Add what another collector counted. A batch that both have counted is found by its
        key, and then nothing is added.
        """
        with other._locked():
            held = other._require_connection()
            with _read_snapshot(held):
                marks = list(held.execute("SELECT key FROM batches"))
                shard = [
                    (metric, other._read_counters(held, metric)) for metric in other.list_metrics()
                ]
        with self._locked(), self._transaction() as db:
            if not all(self._mark_counted(db, mark) for (mark,) in marks):
                raise Refused(
                    f"The stores '{self.path}' and '{other.path}' have a batch in common: it would"
                    " be counted twice. Either they were merged before, or a batch was sent to"
                    " both. Nothing was added."
                )
            for metric, counters in shard:
                self._add_counters(db, metric, _split_counters(counters))

    def _create_tables(self) -> None:
        """Make the tables in a file that is empty; a crash before their commit leaves it empty."""
        db = self._require_connection()
        if (
            db.execute("PRAGMA application_id").get == 0
            and not db.execute("SELECT count(*) FROM sqlite_schema").get
        ):
            db.execute("PRAGMA journal_mode = WAL")
            with self._transaction():
                # another process may have been faster
                if not db.execute("SELECT count(*) FROM sqlite_schema").get:
                    db.execute(_TABLES)
            sync_to_disk(self.path.parent)
        found = db.execute("PRAGMA application_id").get, db.execute("PRAGMA user_version").get
        if found != (_APPLICATION_ID, _FORMAT_VERSION):
            raise SourceError(
                f"The file '{self.path}' is not a store of this version of Hedgerow. Name another"
                " file."
            )

    def _mark_counted(self, db: apsw.Connection, mark: bytes) -> bool:
        """Mark a key as counted; False where it was."""
        db.execute("INSERT OR IGNORE INTO batches VALUES (?)", (mark,))
        return bool(db.changes())

    def _read_counters(self, db: apsw.Connection, metric: Metric) -> Integers:
        total = np.zeros(metric.scheme.counter_count, np.int64)
        rows = db.execute(
            "SELECT piece, sums FROM counters WHERE hash = ? AND epoch = ?",
            (metric.hash, metric.epoch),
        )
        for piece, sums in rows:
            place = total[piece * CHUNK_COUNTERS : (piece + 1) * CHUNK_COUNTERS]
            place += self._decode_sums(sums, len(place), metric)
        return total

    def _add_counters(
        self, db: apsw.Connection, metric: Metric, pieces: dict[int, Integers]
    ) -> None:
        """Add to the rows that change, and only to those."""
        name = metric.hash, metric.epoch
        db.execute("INSERT OR IGNORE INTO metrics VALUES (?, ?, ?)", (*name, metric.to_json()))
        for piece, more in sorted(pieces.items(), key=itemgetter(0)):
            found = db.execute(
                "SELECT sums FROM counters WHERE hash = ? AND epoch = ? AND piece = ?",
                (*name, piece),
            ).get
            sums = _add_checked(
                more,
                (
                    np.zeros_like(more)
                    if found is None
                    else self._decode_sums(found, len(more), metric)
                ),
            )
            db.execute(
                "INSERT OR REPLACE INTO counters VALUES (?, ?, ?, ?)",
                (*name, piece, sums.astype("<i8").tobytes()),
            )

    def _decode_sums(self, sums: bytes, length: int, metric: Metric) -> Integers:
        if not length or len(sums) != 8 * length:
            raise SourceError(
                f"The store '{self.path}' is damaged: the counters of '{metric.id}' are not those"
                " of its protocol."
            )
        return np.frombuffer(sums, "<i8").astype(np.int64)


@contextmanager
def _read_snapshot(db: apsw.Connection) -> Iterator[None]:
    """One view of the file for several questions."""
    db.execute("BEGIN")
    try:
        yield
    finally:
        db.execute("ROLLBACK")


def _split_counters(counters: Integers) -> dict[int, Integers]:
    """The rows of these counters that are not all 0, each by itself: the rest is let go."""
    some = np.unique(np.flatnonzero(counters) // CHUNK_COUNTERS).tolist()
    return {
        piece: counters[piece * CHUNK_COUNTERS : (piece + 1) * CHUNK_COUNTERS].copy()
        for piece in some
    }


def _add_checked(one: Integers, other: Integers) -> Integers:
    total = one + other
    # the total of two that fit is right, though it may not fit
    for counters in (one, other, total):
        if counters.max(initial=0) > _MAX_COUNTER or counters.min(initial=0) < -_MAX_COUNTER:
            raise Refused(
                "The counters are full: they hold less than 2^62 each. Begin a new epoch. Nothing"
                " was added."
            )
    return total
