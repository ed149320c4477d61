"""An SQLite file that threads and processes share: connection, transactions and plain errors.

The ledger has its own connection: it belongs to the trusted core, goes on in forked processes and
keeps entries whose commit is in doubt.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import ClassVar

import apsw

from hedgerow.errors import SourceError

__all__ = ["SqliteFile"]


class SqliteFile:
    """A durable file of one process, opened by a subclass. Every process opens its own."""

    _noun: ClassVar[str]  # the file's name in messages
    _lost: ClassVar[str]  # what a full disk means for the caller
    _kept: ClassVar[str]  # what any other error leaves intact
    _advice: ClassVar[str] = ""  # what to do about a damaged file
    _damage: ClassVar[tuple[type[Exception], ...]] = (
        apsw.NotADBError,
        apsw.CorruptError,
        apsw.SQLError,
    )
    _vfs: ClassVar[str | None] = None
    _synchronous: ClassVar[str] = "FULL"

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path).resolve()
        self._lock = threading.RLock()
        self._process = os.getpid()
        self._db: apsw.Connection | None = None

    def close(self) -> None:
        with self._lock:
            db, self._db = self._db, None
            if db is not None and self._process == os.getpid():
                # on a failing disk the last checkpoint fails too; the log keeps what was committed
                with suppress(apsw.Error):
                    db.close(True)

    @classmethod
    def _connect(cls, file: Path, wait: float) -> apsw.Connection:
        db = apsw.Connection(str(file), flags=apsw.SQLITE_OPEN_READWRITE, vfs=cls._vfs)
        db.set_busy_timeout(int(wait * 1000))
        # On macOS a plain sync stops at the drive's cache; the fullfsync settings reach the disk.
        db.execute(
            f"PRAGMA synchronous = {cls._synchronous}; PRAGMA fullfsync = 1; PRAGMA"
            " checkpoint_fullfsync = 1"
        )
        return db

    def _require_connection(self) -> apsw.Connection:
        if self._process != os.getpid():
            raise SourceError(
                f"The {self._noun} was opened in another process. Open it again in this one."
            )
        if self._db is None:
            raise SourceError(f"The {self._noun} '{self.path}' is closed. Open it again.")
        return self._db

    @contextmanager
    def _transaction(self) -> Iterator[apsw.Connection]:
        """Run one transaction that takes the write lock first."""
        db = self._require_connection()
        db.execute("BEGIN IMMEDIATE")
        try:
            yield db
            db.execute("COMMIT")
        except BaseException:
            if db.in_transaction:
                db.execute("ROLLBACK")
            raise

    @contextmanager
    def _locked(self) -> Iterator[None]:
        """Keep other threads out, and turn errors into plain words."""
        with self._lock, self._translate_errors(self.path):
            yield

    @classmethod
    @contextmanager
    def _translate_errors(cls, path: Path) -> Iterator[None]:
        """Turn errors of the database or the system into plain words, never with data."""
        name = f"The {cls._noun} '{path}'"
        try:
            yield
        except apsw.BusyError:
            raise SourceError(f"{name} is locked by another process. Try again.") from None
        except apsw.FullError:
            raise SourceError(
                f"{name} is on a full disk; {cls._lost}. Free some space and try again."
            ) from None
        except cls._damage:
            raise SourceError(
                f"The file '{path}' is not a {cls._noun}, or is damaged.{cls._advice}"
            ) from None
        except (apsw.Error, OSError):
            raise SourceError(
                f"{name} cannot be read or written; {cls._kept}. Check its permissions and its"
                " disk."
            ) from None
