"""New ledger files: whole or not there, whatever interrupts their creation."""

from __future__ import annotations

import os
import shutil
import threading
from pathlib import Path

import pytest

from hedgerow.errors import LedgerError
from hedgerow.ledger.anchor import Anchor
from hedgerow.ledger.chain_verification import verify
from hedgerow.ledger.sqlite import Ledger
from ledger.filed import made
from ledger.making import pay


def test_the_file_is_its_owners_alone(path: Path) -> None:
    with Ledger.open(made(path), create=True) as ledger:
        pay(ledger)  # the log beside it
        assert [
            file.stat().st_mode & 0o777
            for file in path.parent.glob(f"{path.name}*")
            if ".anchor" not in file.name
        ] == [0o600] * 3


def test_a_missing_ledger_is_made_only_when_asked(path: Path) -> None:
    with pytest.raises(LedgerError, match="There is no ledger at"):
        Ledger.open(path, create=False)
    assert os.listdir(path.parent) == []


def test_a_ledger_that_is_gone_is_not_made_anew(path: Path) -> None:
    made(path).unlink()
    for create in (True, False):
        with pytest.raises(
            LedgerError,
            match=(
                r"is missing\. Restore the newest intact copy with 'hedgerow ledger restore POLICY"
                r" COPY'.*adopt POLICY --lost"
            ),
        ):
            Ledger.open(path, create=create)
    assert not path.exists()


def test_making_goes_on_where_a_crash_interrupted_it(path: Path) -> None:
    made(path, 0)
    draft = path.with_name("clinic.ledger.new")
    with Ledger.open(path.with_name("other.ledger"), create=True) as other:
        name = other.state.ledger
    path.with_name("other.ledger").rename(draft)
    path.with_name("other.ledger.anchor").rename(Anchor.path_for(path))
    path.unlink()
    # the anchor was written, the file not yet put in place
    with Ledger.open(path, create=True) as ledger:
        assert ledger.state.ledger == name
    path.rename(draft)
    shutil.copy(draft, path)
    draft.unlink()
    path.rename(draft)
    with pytest.raises(LedgerError, match="is missing"):  # another file than the anchor knows
        Ledger.open(path, create=True)


def test_leftovers_of_a_crash_before_the_anchor_are_swept_away(path: Path) -> None:
    for end in ("", "-wal", "-shm", "-journal"):
        path.with_name(f"clinic.ledger.new{end}").write_bytes(b"half")
    made(path)
    assert verify(path).sound


def test_two_who_make_a_ledger_at_once_make_one(path: Path) -> None:
    found: list[str] = []

    def make() -> None:
        with Ledger.open(path, create=True) as ledger:
            found.append(ledger.state.ledger)

    threads = [threading.Thread(target=make) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 8
    assert len(set(found)) == 1


def test_a_folder_where_nothing_can_be_made_is_refused() -> None:
    with pytest.raises(LedgerError, match="cannot be read and written"):
        Ledger.open("/proc/clinic.ledger", create=True)
