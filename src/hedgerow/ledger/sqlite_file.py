"""Entries in a SQLite file: the statements, reading without a lock, copies, and plain errors."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

import apsw

from hedgerow.errors import LedgerError
from hedgerow.ledger.durable_files import sync_to_disk
from hedgerow.ledger.entry import RESTORE_HINT, Entry

__all__ = [
    "OPEN_EXISTING",
    "OPEN_NEW",
    "Connection",
    "connect",
    "copy_entries",
    "explain_errors",
    "fill_file",
    "insert_entries",
    "open_readonly",
    "read_entries",
    "select_entries",
]

Connection = apsw.Connection
OPEN_EXISTING: Final = apsw.SQLITE_OPEN_READWRITE
OPEN_NEW: Final = apsw.SQLITE_OPEN_READWRITE | apsw.SQLITE_OPEN_CREATE
_TABLE = """CREATE TABLE entries (seq INTEGER PRIMARY KEY, kind TEXT NOT NULL, time TEXT NOT NULL,
body TEXT NOT NULL, previous TEXT NOT NULL, hash TEXT NOT NULL) STRICT"""
_INSERT = "INSERT INTO entries VALUES (?, ?, ?, ?, ?, ?)"
_SELECT = "SELECT seq, kind, time, body, previous, hash FROM entries WHERE seq >= ? ORDER BY seq"


def connect(file: Path, flags: int, vfs: str | None = None) -> Connection:
    """Connect to a SQLite file."""
    return apsw.Connection(str(file), flags=flags, vfs=vfs)


def read_entries(path: Path) -> Iterator[Entry]:
    """Yield the stored entries, unverified, without writing to the file."""
    with explain_errors(path), open_readonly(path) as db:
        yield from select_entries(db)


def copy_entries(entries: Iterable[Entry], target: Path) -> None:
    """Write entries to a new file, on disk when this returns."""
    goal = connect(target, OPEN_NEW)
    try:
        fill_file(goal, entries)
        goal.execute("PRAGMA journal_mode = DELETE")  # one file, without a log beside it
    finally:
        goal.close(True)
    sync_to_disk(target)


@contextmanager
def open_readonly(path: Path) -> Iterator[Connection]:
    db = connect(path, apsw.SQLITE_OPEN_READONLY)
    try:
        yield db
    finally:
        db.close(True)


def select_entries(db: Connection, first: int = 1) -> Iterator[Entry]:
    return (Entry(*row) for row in db.execute(_SELECT, (first,)))


def insert_entries(db: Connection, entries: Iterable[Entry]) -> None:
    """Insert entries, in the transaction that is open."""
    db.executemany(_INSERT, (entry.columns for entry in entries))


def fill_file(db: Connection, entries: Iterable[Entry]) -> None:
    """Write entries to a new file that needs neither a log nor a journal when it is closed."""
    db.execute("PRAGMA journal_mode = WAL")
    db.execute(f"BEGIN; {_TABLE}")
    insert_entries(db, entries)
    db.execute("COMMIT")
    # Explicitly: SQLite does not report errors of the checkpoint at closing.
    db.wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_TRUNCATE)


@contextmanager
def explain_errors(path: Path) -> Iterator[None]:
    """Turn errors of the database or the system into plain words."""
    try:
        yield
    except apsw.BusyError:
        raise LedgerError(f"The ledger '{path}' is locked by another process. Try again.") from None
    except apsw.FullError:
        raise LedgerError(
            f"The disk of the ledger '{path}' is full. Make room; no charge is lost."
        ) from None
    except (apsw.NotADBError, apsw.CorruptError, apsw.SQLError, UnicodeDecodeError):
        raise LedgerError(
            f"The file '{path}' is not a ledger, or is damaged. {RESTORE_HINT}"
        ) from None
    except (apsw.Error, OSError) as problem:
        raise LedgerError(
            f"The ledger '{path}' cannot be read and written: {problem}. Check the disk and the"
            " permissions; no charge is lost."
        ) from None
