"""Entries whose sync failed: kept in a file of their own until the ledger has them."""

from __future__ import annotations

from pathlib import Path

import pytest

from hedgerow.errors import LedgerError
from hedgerow.ledger.rules import LedgerState
from hedgerow.ledger.sqlite import Ledger
from hedgerow.ledger.unsynced_entries import read_tail, remove_tail, write_tail
from ledger.filed import made
from ledger.making import TENTH, cost, pay


def test_unsynced_entries_are_read_until_removed(path: Path) -> None:
    book = LedgerState()
    entries = (book.build_entry("open", {"ledger": "a", "format": 1}),)
    assert read_tail(path) == ()
    write_tail(path, entries)
    assert read_tail(path) == entries
    remove_tail(path)
    remove_tail(path)
    assert read_tail(path) == ()


@pytest.mark.parametrize("text", ["", "{", "3", "[3]", "[[1, 2]]"])
def test_an_unreadable_file_is_refused(path: Path, text: str) -> None:
    path.with_name("clinic.ledger.tail").write_text(text)
    with pytest.raises(LedgerError, match="remove it"):
        read_tail(path)


def test_unsynced_entries_of_a_crash_are_brought_in_at_opening(path: Path) -> None:
    made(path, 0)
    with Ledger.open(path, create=False) as ledger:
        entry = ledger.state.build_entry("charge", cost())
    write_tail(path, [entry])
    with Ledger.open(path, create=False) as ledger:
        assert ledger.state.budget("patients").charged == TENTH
        assert ledger.entries()[-1] == entry
    assert read_tail(path) == ()


def test_an_entry_with_a_used_number_is_dropped(path: Path) -> None:
    made(path, 0)
    with Ledger.open(path, create=False) as ledger:
        entry = ledger.state.build_entry("charge", cost())
        other = pay(ledger)
        write_tail(path, [entry, other])  # one that was overtaken, and one that is there
    with Ledger.open(path, create=False) as ledger:
        assert ledger.entries()[-1] == other
        assert ledger.state.budget("patients").charged == TENTH
    assert read_tail(path) == ()
