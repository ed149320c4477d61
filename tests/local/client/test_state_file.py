from __future__ import annotations

import json
import os
import stat
from pathlib import Path

import pytest

from hedgerow.errors import BudgetExceeded, InvalidArgument, LedgerError
from hedgerow.ledger.durable_files import sync_to_disk
from hedgerow.local.client import state_file as module
from hedgerow.local.client.state_file import SECRET_BYTES, ClientState
from local.vectors import PLACE

ONES = b"\x01" * SECRET_BYTES


@pytest.fixture
def place(tmp_path: Path) -> Path:
    return tmp_path / "client.json"


def test_a_secret_is_drawn_once_and_kept(place: Path) -> None:
    secret = ClientState(place).secret
    assert len(secret) == SECRET_BYTES
    assert ClientState(place).secret == secret
    assert ClientState(place.with_name("other.json")).secret != secret


def test_only_the_owner_reads_the_file_and_no_draft_is_left(place: Path) -> None:
    ClientState(place).charge("home", "aa", 1)
    assert stat.S_IMODE(place.stat().st_mode) == 0o600
    assert [file.name for file in place.parent.iterdir()] == [place.name]


def test_a_payment_is_on_disk_before_anybody_hears_of_it(
    place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The new file first, then its name: a machine that stops in between has the old file or the
    new one, whole.
    """
    held, done, replace = ClientState(place), list[str](), os.replace

    def named(draft: Path, path: Path) -> None:
        done.append(f"named {path.name}")
        replace(draft, path)

    def synced(path: Path) -> None:
        done.append(f"synced {path.name}")
        sync_to_disk(path)

    monkeypatch.setattr(module, "sync_to_disk", synced)
    monkeypatch.setattr(os, "replace", named)
    held.charge("home", None, 2)
    assert done == [
        f"synced {place.name}.new",
        f"named {place.name}",
        f"synced {place.parent.name}",
    ]


def test_a_value_is_paid_for_once_and_a_report_each_time(place: Path) -> None:
    memory = ClientState(place)
    assert [memory.charge("home", tag, 3) for tag in ("aa", "bb", "aa", "bb", "aa")] == [
        2,
        1,
        1,
        1,
        1,
    ]
    assert [memory.charge("age", None, 3) for _ in range(3)] == [2, 1, 0]
    assert (
        memory.count_payments("home"),
        memory.count_payments("age"),
        memory.count_payments("none"),
    ) == (2, 3, 0)


def test_the_cap_holds_over_a_restart_and_says_so(place: Path) -> None:
    for tag in ("aa", "bb"):
        ClientState(place).charge("home", tag, 2)
    before = place.read_bytes()
    with pytest.raises(
        BudgetExceeded,
        match=(
            r"^The metric 'home' has used its cap of 2 distinct values on this client, and this"
            r" value is"
        ),
    ):
        ClientState(place).charge("home", "cc", 2)
    assert place.read_bytes() == before
    assert ClientState(place).charge("home", "aa", 2) == 0
    # what was paid for stays paid for where the cap was lowered since
    assert ClientState(place).charge("home", "aa", 1) == 0
    ClientState(place).charge("age", None, 1)
    with pytest.raises(
        BudgetExceeded, match=r"^The metric 'age' has used its cap of 1 report on this client\. "
    ):
        ClientState(place).charge("age", None, 1)


def test_deleted_storage_is_a_new_client_which_starts_to_pay_anew(place: Path) -> None:
    memory = ClientState(place)
    memory.charge("home", "aa", 1)
    place.unlink()
    # the old one does not go on unnoticed
    with pytest.raises(LedgerError, match="was deleted or replaced"):
        memory.charge("home", "aa", 1)
    fresh = ClientState(place)
    assert fresh.secret != memory.secret
    assert fresh.count_payments("home") == 0
    with pytest.raises(LedgerError, match="was deleted or replaced"):
        memory.count_payments("home")


def test_two_who_share_a_file_pay_together(place: Path) -> None:
    one, other = ClientState(place), ClientState(place)
    one.charge("home", "aa", 2)
    assert other.charge("home", "bb", 2) == 0
    with pytest.raises(BudgetExceeded):
        one.charge("home", "cc", 2)


@pytest.mark.parametrize("text", json.loads(PLACE.read_text(encoding="ascii"))["memories"])
def test_a_file_that_cannot_be_read_is_refused_and_kept(place: Path, text: str) -> None:
    place.write_text(text, encoding="utf-8")
    with pytest.raises(
        LedgerError, match=r"cannot be read\. Restore it: deleting it creates a new client"
    ):
        ClientState(place)
    assert place.read_text(encoding="utf-8") == text


def test_a_secret_from_elsewhere(place: Path) -> None:
    assert ClientState(place, ONES).secret == ONES
    assert ClientState(place).secret == ONES
    with pytest.raises(LedgerError, match="belongs to another secret"):
        ClientState(place, bytes(SECRET_BYTES))
    with pytest.raises(InvalidArgument, match=r"^secret must be 32 bytes\.$"):
        ClientState(place, b"short")


def test_the_folder_must_be_there(tmp_path: Path) -> None:
    with pytest.raises(LedgerError, match=r"does not exist\. Create it first"):
        ClientState(tmp_path / "none" / "client.json")
