"""Entries in a SQLite file: what is not a ledger is refused in plain words."""

from __future__ import annotations

from pathlib import Path

import pytest

from hedgerow.errors import LedgerError
from hedgerow.ledger.chain_verification import verify
from hedgerow.ledger.sqlite import Ledger
from ledger.filed import change, made, overwrite


def test_the_file_is_a_write_ahead_log_with_full_syncs(path: Path) -> None:
    with Ledger.open(made(path), create=True) as ledger:
        db = ledger._get_connection()
        assert (db.execute("PRAGMA journal_mode").get, db.execute("PRAGMA synchronous").get) == (
            "wal",
            2,
        )


@pytest.mark.parametrize(
    "content", [b"", b"not a database at all, but long enough to be read as one" * 40]
)
def test_another_file_is_refused(path: Path, content: bytes) -> None:
    path.write_bytes(content)
    for use in (lambda: Ledger.open(path, create=True), lambda: Ledger.adopt(path, "mine")):
        with pytest.raises(LedgerError, match="is not a ledger, or is damaged"):
            use()
    assert path.read_bytes() == content


def test_undecodable_bytes_are_named(path: Path) -> None:
    change(made(path), "UPDATE entries SET body = CAST(x'ff' AS TEXT) WHERE seq = 4")
    with pytest.raises(
        LedgerError, match="Entry 4 of the ledger cannot be read: the file is damaged"
    ):
        Ledger.open(path, create=False)
    assert verify(path).first_bad == 4


def test_damaged_pages_are_refused(path: Path) -> None:
    content = made(path).read_bytes()
    refused = 0
    for place in range(100, len(content), 997):
        overwrite(path, content[:place] + bytes(64) + content[place + 64 :])
        try:
            Ledger.open(path, create=False).close()
        except LedgerError:
            refused += 1
        else:  # a stretch that was empty anyway: all entries are still there
            assert verify(path).sound
        path.with_name("clinic.ledger-wal").unlink(missing_ok=True)
    assert refused > 3
