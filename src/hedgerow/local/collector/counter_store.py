"""The collector's store: the sums of each metric's counters in one SQLite file, without reports.

Batches are added in one transaction that takes the write lock first: mark each batch's key as
counted, add the counters of the batches that are new, and commit with a sync of the write-ahead
log. Only then does ``add`` return, and only then is a batch acknowledged. A killed process leaves
the whole transaction or none of it, so a sender without an answer may send the same batch again
under the same key: it is counted once.

Only a hash of each key is kept, sorted by hash, so neither the contents of a key nor the order of
arrival can be read. There are no times, addresses or names. The log beside the file holds former
sums for a while: a reader of a running collector's disk sees the sums of single batches, as the
collector does, which are sums of randomised reports by unknown senders.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Sequence
from contextlib import AbstractContextManager, suppress
from dataclasses import InitVar, dataclass, field
from operator import itemgetter
from pathlib import Path

import apsw
import numpy as np

from hedgerow.errors import InvalidArgument, Refused, SourceError
from hedgerow.ledger.durable_files import sync_to_disk
from hedgerow.local.metric import Metric
from hedgerow.numeric.vectorised import Integers
from hedgerow.sqlite_file import SqliteFile

__all__ = ["CHUNK_COUNTERS", "BatchCounters", "CounterStore"]

_FORMAT_VERSION = 1
# the first letters of Hedgerow, which distinguish a store from other SQLite files
_APPLICATION_ID = 0x48656467
_TABLES = f"""CREATE TABLE metrics (hash BLOB NOT NULL, epoch INTEGER NOT NULL, spec TEXT NOT NULL,
PRIMARY KEY (hash, epoch)) STRICT, WITHOUT ROWID;
CREATE TABLE counters (hash BLOB NOT NULL, epoch INTEGER NOT NULL, piece INTEGER NOT NULL,
sums BLOB NOT NULL, PRIMARY KEY (hash, epoch, piece)) STRICT, WITHOUT ROWID;
CREATE TABLE batches (key BLOB PRIMARY KEY) STRICT, WITHOUT ROWID;
PRAGMA application_id = {_APPLICATION_ID};
PRAGMA user_version = {_FORMAT_VERSION}"""
# counters in one row: a small batch writes few rows, even if its metric has many counters
CHUNK_COUNTERS = 512
_KEY_HASH_BYTES = 16  # bytes kept of a key's hash
_MAX_COUNTER = (1 << 62) - 1  # half of what an int64 holds


@dataclass(frozen=True, slots=True, eq=False)
class BatchCounters:
    """The counters of one batch, and the key under which it is counted once. Only chunks with a
    nonzero counter are kept, by number: few reports need little memory, even for a metric with many
    counters.
    """

    metric: Metric
    key: bytes
    counters: InitVar[Integers]
    chunks: dict[int, Integers] = field(init=False)

    def __post_init__(self, counters: Integers) -> None:
        if not self.key:
            raise InvalidArgument(
                "key", "must not be empty: it keeps a batch from being counted twice"
            )
        if counters.dtype != np.int64 or counters.shape != (self.metric.scheme.counter_count,):
            raise InvalidArgument(
                "counters",
                f"must be {self.metric.scheme.counter_count} whole numbers of 64 bits",
                counters.shape,
            )
        object.__setattr__(self, "chunks", _split_counters(counters))

    @property
    def key_hash(self) -> bytes:
        """The stored hash of the key. It includes the metric, so that two metrics may use the same
        key.
        """
        return hashlib.sha256(self.metric.hash + self.key).digest()[:_KEY_HASH_BYTES]


class CounterStore(SqliteFile, AbstractContextManager["CounterStore"]):
    """The store at ``path``, created if it does not exist. Threads may share it; each process opens
    its own ``CounterStore``.
    """

    _noun = "store"
    _lost = "what was being added was not counted"
    _kept = "acknowledged batches are kept"
    _advice = " Restore it, or name another file."

    def __init__(self, path: str | Path, *, create: bool = True, wait: float = 30.0) -> None:
        super().__init__(path)
        if not create and not self.path.is_file():
            raise SourceError(f"There is no store at '{self.path}'. Check the path.")
        if not self.path.parent.is_dir():
            raise SourceError(
                f"The folder '{self.path.parent}' for the store does not exist. Create it first."
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

    def __exit__(self, *_: object) -> None:
        self.close()

    def add(self, additions: Sequence[BatchCounters]) -> list[bool]:
        """Count these batches in one transaction, and return False for each batch whose key was
        already counted.
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
        """Return the sums so far, or zeros if nothing was counted yet."""
        with self._locked():
            return self._read_counters(self._require_connection(), metric)

    def count_reports(self, metric: Metric) -> int:
        """Return the number of counted reports, which is the last counter, without reading the
        others.
        """
        last = metric.scheme.counter_count - 1
        query = "SELECT sums FROM counters WHERE hash = ? AND epoch = ? AND piece = ?"
        with self._locked():
            found = (
                self._require_connection()
                .execute(query, (metric.hash, metric.epoch, last // CHUNK_COUNTERS))
                .get
            )
            return (
                0
                if found is None
                else int(self._decode_sums(found, last % CHUNK_COUNTERS + 1, metric)[-1])
            )

    def list_metrics(self) -> list[Metric]:
        """Return all metrics with counted reports, sorted by name and epoch."""
        with self._locked():
            found = [
                Metric.from_json(spec)
                for (spec,) in self._require_connection().execute("SELECT spec FROM metrics")
            ]
        return sorted(found, key=lambda metric: (metric.id, metric.epoch, metric.hash))

    def merge(self, other: CounterStore) -> None:
        """Add the counts of another collector, or refuse if a batch was counted by both."""
        with other._locked():
            held = other._require_connection()
            with held:  # one transaction, so that all queries read the same state
                marks = list(held.execute("SELECT key FROM batches"))
                shard = [
                    (metric, other._read_counters(held, metric)) for metric in other.list_metrics()
                ]
        with self._locked(), self._transaction() as db:
            if not all(self._mark_counted(db, mark) for (mark,) in marks):
                raise Refused(
                    f"The stores '{self.path}' and '{other.path}' have a batch in common, which"
                    " would be counted twice: they were merged before, or a batch was sent to"
                    " both. Nothing was added. Merge only stores with different batches, and send"
                    " each batch to one collector."
                )
            for metric, counters in shard:
                self._add_counters(db, metric, _split_counters(counters))

    def _create_tables(self) -> None:
        """Create the tables in an empty file; a crash before the commit leaves it empty."""
        db = self._require_connection()
        if (
            db.execute("PRAGMA application_id").get == 0
            and not db.execute("SELECT count(*) FROM sqlite_schema").get
        ):
            db.execute("PRAGMA journal_mode = WAL")
            with self._transaction():
                # another process may have created them meanwhile
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
        """Mark a key as counted; return False if it already was."""
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
                f"The store '{self.path}' is damaged: the number of counters of '{metric.id}' does"
                " not fit its protocol. Restore the file from a copy."
            )
        return np.frombuffer(sums, "<i8").astype(np.int64)


def _split_counters(counters: Integers) -> dict[int, Integers]:
    """Copy the chunks that hold a nonzero counter, by number."""
    some = np.unique(np.flatnonzero(counters) // CHUNK_COUNTERS).tolist()
    return {
        piece: counters[piece * CHUNK_COUNTERS : (piece + 1) * CHUNK_COUNTERS].copy()
        for piece in some
    }


def _add_checked(one: Integers, other: Integers) -> Integers:
    total = one + other
    # int64 holds the sum of two counters within the limit, so the total is exact when checked
    for counters in (one, other, total):
        if counters.max(initial=0) > _MAX_COUNTER or counters.min(initial=0) < -_MAX_COUNTER:
            raise Refused(
                "The counters are full: each holds less than 2^62. Nothing was added. Start a new"
                " epoch."
            )
    return total
