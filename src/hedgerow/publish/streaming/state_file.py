"""The state of a stream in one SQLite file: a step is on disk before its answer is returned.

A step is one transaction that takes the write lock first: read the position, compute, store the
answer and the new state, commit with a sync of the write-ahead log. A process that is killed leaves
either the whole step or nothing, and in the latter case nothing was answered. An answered element
keeps its answer: asked again it gets the same one, without fresh noise.

The file holds exact sums. Only its owner may read it, and it stores its own inode: a copy, which
would answer the same elements with other noise, is refused. An older state restored into the same
file is refused too: the anchor, which is a separate file, knows of more answers
(``rollback_anchor``). Restoring both together is not detected.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import apsw

from hedgerow.errors import Refused, SourceError
from hedgerow.ledger.durable_files import lock_folder, sync_to_disk
from hedgerow.ledger.ledger_id import create_ledger_id
from hedgerow.publish.streaming.mechanism import StreamState
from hedgerow.publish.streaming.rollback_anchor import StreamAnchor, hash_next_answer
from hedgerow.sqlite_file import SqliteFile

__all__ = ["StateFile"]

_SCHEMA = """CREATE TABLE stream (terms TEXT NOT NULL, horizon INTEGER NOT NULL,
device INTEGER NOT NULL, inode INTEGER NOT NULL, name TEXT NOT NULL, anchor TEXT) STRICT;
CREATE TABLE state (number INTEGER NOT NULL, private TEXT NOT NULL, public TEXT NOT NULL) STRICT;
CREATE TABLE answers (number INTEGER PRIMARY KEY, told REAL NOT NULL, head TEXT NOT NULL) STRICT"""
_FILE_SUFFIXES = ("", "-wal", "-shm", "-journal")


class StateFile(SqliteFile):
    """The state file at ``path``. Threads and processes may share it, each process with its own
    ``StateFile``.
    """

    _noun = "stream"
    _lost = "the element was not answered"
    _kept = "earlier answers are kept"
    _advice = " Restore its newest state, or declare a new stream."
    _damage = (*SqliteFile._damage, StopIteration, UnicodeDecodeError, json.JSONDecodeError)

    def __init__(self, path: str | Path, *, wait: float = 30.0, moved: bool = False) -> None:
        super().__init__(path)
        with self._locked():
            if not self.path.is_file():
                raise SourceError(
                    f"There is no stream at '{self.path}'. Create it, or name its state file."
                )
            seen = self.path.stat()
            if seen.st_mode & 0o077:
                raise SourceError(
                    f"'{self.path}' holds exact sums, and other users may read it. Run chmod 600 on"
                    " it."
                )
            # SQLite names its log after the file: two names would have two logs
            if seen.st_nlink > 1:
                raise SourceError(
                    f"The stream '{self.path}' has several hard links. Remove the other ones."
                )
            self._db = self._connect(self.path, wait)
            try:
                self._check_identity(seen, moved)
            except BaseException:
                self.close()
                raise

    @classmethod
    def create(
        cls,
        path: str | Path,
        terms: str,
        horizon: int,
        state: StreamState,
        anchor: Path | None = None,
    ) -> StateFile:
        """Create a new file atomically. An existing file is never overwritten. Its anchor is beside
        it, or at ``anchor``.
        """
        place = Path(path).resolve()
        mark = StreamAnchor.default_path(place) if anchor is None else anchor.resolve()
        draft = place.with_name(place.name + ".new")
        if not place.parent.is_dir():
            raise SourceError(
                f"The folder '{place.parent}' for the stream does not exist. Create it first."
            )
        with cls._translate_errors(place), ExitStack() as held:
            for folder in sorted({place.parent, mark.parent}):
                held.enter_context(lock_folder(folder, 30.0))
            if place.exists():
                raise SourceError(
                    f"'{place}' already exists, and a stream never overwrites a file. Name another"
                    " file."
                )
            for end in _FILE_SUFFIXES:
                draft.with_name(draft.name + end).unlink(missing_ok=True)
            os.close(os.open(draft, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600))
            seen, name = draft.stat(), create_ledger_id()
            db = cls._connect(draft, 0)
            try:
                db.execute("PRAGMA journal_mode = WAL")
                with db:
                    db.execute(_SCHEMA)
                    kept = None if anchor is None else str(mark)
                    row = (terms, horizon, seen.st_dev, seen.st_ino, name, kept)
                    db.execute("INSERT INTO stream VALUES (?, ?, ?, ?, ?, ?)", row)
                    db.execute("INSERT INTO state VALUES (0, ?, ?)", _encode_state(state))
                # an explicit checkpoint: the one on closing does not report errors
                db.wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_TRUNCATE)
            finally:
                db.close(True)
            sync_to_disk(draft)
            StreamAnchor(name, 0, name, str(place)).create(mark)
            draft.rename(place)
            sync_to_disk(place.parent)
        return cls(place)

    @property
    def parameters(self) -> str:
        """The stream's parameters as they were stored at its creation."""
        with self._locked():
            return str(self._fetch_row("SELECT terms FROM stream")[0])

    @property
    def number(self) -> int:
        """The number of answered elements."""
        with self._locked():
            return int(self._fetch_row("SELECT number FROM state")[0])

    def answers(self) -> list[float]:
        """Return all answers so far."""
        with self._locked():
            rows = self._require_connection().execute("SELECT told FROM answers ORDER BY number")
            return [answer for (answer,) in rows]

    def advance(
        self, number: int | None, step: Callable[[StreamState, int], tuple[StreamState, float]]
    ) -> tuple[int, float]:
        """Return the answer to element ``number``, from 1 on, or to the next one if it is None.
        ``step`` computes it if there is none yet.
        """
        with self._locked():
            with self._transaction() as db:
                at, private, public = self._fetch_row("SELECT number, private, public FROM state")
                # an earlier process may have crashed before it advanced the anchor
                self._advance_anchor(at, self._check_newest())
                if number is not None and number <= at:
                    (answer,) = self._fetch_row("SELECT told FROM answers WHERE number = ?", number)
                    return number, float(answer)
                self._check_next(at, number)
                before = StreamState(tuple(json.loads(private)), tuple(json.loads(public)))
                state, answer = step(before, at)
                head = hash_next_answer(self._read_head(at), at + 1, answer)
                db.execute("INSERT INTO answers VALUES (?, ?, ?)", (at + 1, answer, head))
                db.execute(
                    "UPDATE state SET number = ?, private = ?, public = ?",
                    (at + 1, *_encode_state(state)),
                )
            self._advance_anchor(at + 1, at)
            return at + 1, answer

    def _check_next(self, at: int, number: int | None) -> None:
        (horizon,) = self._fetch_row("SELECT horizon FROM stream")
        if at == horizon or (number is not None and number > horizon):
            raise Refused(
                f"The stream was declared and charged for {horizon:,} elements and has ended."
                " Declare a new stream."
            )
        if number is not None and number != at + 1:
            raise Refused(
                f"Element {at + 1:,} is next; got element {number:,}. Add elements in order."
            )

    def _check_identity(self, seen: os.stat_result, moved: bool) -> None:
        """Refuse a copy of the file, or one older than its anchor."""
        here = self._fetch_row("SELECT device, inode FROM stream") == (seen.st_dev, seen.st_ino)
        if not here and not moved:
            raise SourceError(
                f"The stream '{self.path}' is a copy, or was moved to another disk. Two copies"
                " would give two answers to one element. If this is the newest state and no other"
                " copy is in use, open it once with moved=True."
            )
        if moved and StreamAnchor.read(self._anchor_path) is None:
            self._require_connection().execute("UPDATE stream SET anchor = NULL")
            name, at = self._fetch_row("SELECT name, number FROM stream, state")
            with lock_folder(self._anchor_path.parent, 30.0):
                StreamAnchor(name, at, self._read_head(at), str(self.path)).create(
                    self._anchor_path
                )
        self._check_newest()
        if not here:
            self._require_connection().execute(
                "UPDATE stream SET device = ?, inode = ?", (seen.st_dev, seen.st_ino)
            )

    @property
    def _anchor_path(self) -> Path:
        (place,) = self._fetch_row("SELECT anchor FROM stream")
        return StreamAnchor.default_path(self.path) if place is None else Path(place)

    def _read_head(self, at: int) -> str:
        """Return the hash of the answers up to this element; for none, the name of the stream."""
        return str(
            self._fetch_row("SELECT head FROM answers WHERE number = ?", at)[0]
            if at
            else self._fetch_row("SELECT name FROM stream")[0]
        )

    def _check_newest(self) -> int:
        """Return the number of answers that the anchor knows of; refuse a state without all of
        them.
        """
        mark = self._anchor_path
        # Read the anchor first: its answers were committed before, so the state must have them.
        anchor = StreamAnchor.read(mark)
        name, at = self._fetch_row("SELECT name, number FROM stream, state")
        if anchor is None:
            raise SourceError(
                f"The anchor of the stream, '{mark}', is missing; it shows whether '{self.path}' is"
                " the newest state. Restore it. If this is the newest state and no other copy is in"
                " use, open it once with moved=True."
            )
        if (
            anchor.stream != name
            or at < anchor.number
            or self._read_head(anchor.number) != anchor.head
        ):
            raise SourceError(
                f"The stream '{self.path}' is not the newest state: its anchor, '{mark}', records"
                f" {anchor.number:,} answers, and this state has {at:,}, or different ones."
                " Continuing would answer elements a second time. Restore the newest state, or"
                " declare a new stream."
            )
        return anchor.number

    def _advance_anchor(self, at: int, known: int) -> None:
        """Advance the anchor to this element, before the answer is returned."""
        if known < at:
            (name,) = self._fetch_row("SELECT name FROM stream")
            StreamAnchor(name, at, self._read_head(at), str(self.path)).advance(self._anchor_path)

    def _fetch_row(self, text: str, *values: int) -> tuple[Any, ...]:
        """Return the one row that must be there."""
        return next(self._require_connection().execute(text, values))


def _encode_state(state: StreamState) -> tuple[str, str]:
    """Encode integers of any size, and doubles that read back as the same doubles."""
    return json.dumps(state.private), json.dumps(state.public)
