"""A shared SQLite file says in plain words what went wrong, and undoes what was not committed."""

from __future__ import annotations

import os
from pathlib import Path

import apsw
import pytest

from hedgerow.errors import SourceError
from hedgerow.sqlite_file import SqliteFile


class Notes(SqliteFile):
    _noun = "notebook"
    _lost = "the note was not kept"
    _kept = "earlier notes are kept"
    _advice = " Name another file."

    def __init__(self, path: Path) -> None:
        super().__init__(path)
        self.path.touch(0o600)
        with self._locked():
            self._db = self._connect(self.path, 0)
            self._db.execute("CREATE TABLE IF NOT EXISTS notes (text TEXT)")

    def add(self, *texts: str) -> None:
        with self._locked(), self._transaction() as db:
            for text in texts:
                if not text:
                    raise ValueError("empty")
                db.execute("INSERT INTO notes VALUES (?)", (text,))

    @property
    def texts(self) -> list[str]:
        with self._locked():
            return [text for (text,) in self._require_connection().execute("SELECT * FROM notes")]


def test_a_transaction_is_kept_whole_or_not_at_all(tmp_path: Path) -> None:
    notes = Notes(tmp_path / "notes")
    notes.add("a", "b")
    with pytest.raises(ValueError, match="empty"):
        notes.add("c", "")
    assert notes.texts == ["a", "b"]
    notes.close()
    notes.close()
    assert Notes(tmp_path / "notes").texts == ["a", "b"]


def test_a_closed_file_and_one_of_another_process_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    notes = Notes(tmp_path / "notes")
    notes.close()
    with pytest.raises(SourceError, match=r"The notebook '.*' is closed\. Open it again"):
        notes.add("a")
    other = Notes(tmp_path / "notes")
    monkeypatch.setattr(os, "getpid", lambda: -1)
    with pytest.raises(SourceError, match="was opened in another process"):
        other.add("a")


@pytest.mark.parametrize(
    ("error", "message"),
    [
        (apsw.BusyError, "is locked by another process. Try again"),
        (apsw.FullError, "is on a full disk; the note was not kept. Free some space"),
        (apsw.CorruptError, "is not a notebook, or is damaged. Name another file"),
        (apsw.IOError, "cannot be read or written; earlier notes are kept"),
        (PermissionError, "cannot be read or written; earlier notes are kept"),
    ],
)
def test_errors_are_plain_and_name_the_file(
    tmp_path: Path, error: type[Exception], message: str
) -> None:
    notes = Notes(tmp_path / "notes")
    with pytest.raises(SourceError, match=message), notes._locked():
        raise error("secret")
