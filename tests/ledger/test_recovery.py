"""Backup, restore and loss: nothing that was spent comes back."""

from __future__ import annotations

import json
import os
import shutil
import sys
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from hedgerow.errors import BudgetExceeded, InvalidArgument, LedgerError, Refused
from hedgerow.ledger import recovery as rescue
from hedgerow.ledger.anchor import Anchor
from hedgerow.ledger.chain_verification import verify
from hedgerow.ledger.entry import Entry
from hedgerow.ledger.location import ServerLocation
from hedgerow.ledger.recovery import backup, begin_after_loss, list_sources, restore
from hedgerow.ledger.sqlite import Ledger
from hedgerow.ledger.sqlite_file import read_entries
from hedgerow.privacy.loss import Loss
from ledger.filed import change, made, overwrite
from ledger.making import TENTH, pay, policy, terms

ONE = {"patients": Loss(Fraction(1))}


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    return tmp_path / "copies" / "monday.ledger"


@pytest.fixture(autouse=True)
def folder(tmp_path: Path) -> None:
    (tmp_path / "copies").mkdir()


def left(path: Path) -> Fraction:
    with Ledger.open(path, create=False) as ledger:
        return ledger.state.budget("patients").balance.left  # type: ignore[union-attr]


# Backup


def test_a_copy_is_made_while_the_ledger_is_in_use(path: Path, copy: Path) -> None:
    made(path)
    with Ledger.open(path, create=False) as ledger:
        charge = pay(ledger)  # still in the log beside the file
        last = backup(path, copy)
        assert last == charge
        pay(ledger)
    assert list(read_entries(copy)) == list(read_entries(path))[:-1]
    assert os.listdir(copy.parent) == ["monday.ledger"]
    with pytest.raises(LedgerError, match=r"The anchor of the ledger.*is missing"):
        Ledger.open(copy, create=False)


def test_a_copy_never_replaces_anything(path: Path, copy: Path) -> None:
    made(path)
    copy.with_name("monday.ledger.new").write_text("left over")
    backup(path, copy)
    before = copy.read_bytes()
    with pytest.raises(LedgerError, match="exists already, and a copy never replaces a file"):
        backup(path, copy)
    assert copy.read_bytes() == before
    with pytest.raises(LedgerError, match="cannot be read and written"):
        backup(path, copy.parent / "none" / "x")


def test_a_broken_ledger_is_not_copied(path: Path, copy: Path) -> None:
    change(made(path), "UPDATE entries SET body = '{}' WHERE seq = 4")
    with pytest.raises(LedgerError, match="Entry 4 "):
        backup(path, copy)
    assert os.listdir(copy.parent) == []


def test_a_copy_that_went_wrong_is_not_kept(
    path: Path, copy: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = rescue.copy_entries

    def torn(entries: list[Entry], target: Path) -> None:
        real(entries, target)
        change(target, "DELETE FROM entries WHERE seq = 3")

    made(path)
    monkeypatch.setattr(rescue, "copy_entries", torn)
    with pytest.raises(LedgerError, match="Entry 3 of the ledger is missing"):
        backup(path, copy)
    assert [name for name in os.listdir(copy.parent) if not name.endswith(("-wal", "-shm"))] == []


# Restore


def test_the_newest_copy_is_restored_with_nothing_lost(path: Path, copy: Path) -> None:
    last = backup(made(path), copy)
    path.unlink()
    entry = restore(copy, path, "the disk died")
    assert (entry.kind, entry.body, entry.previous) == (
        "adopt",
        {"note": "the disk died"},
        last.hash,
    )
    assert left(path) == Fraction(7, 10)
    with Ledger.open(path, create=False) as ledger:
        assert [payload for _, payload in ledger.answers("q1", "1")] == ["answer 1"]
        assert ledger._get_connection().execute("PRAGMA journal_mode").get == "wal"
        pay(ledger)
    assert sorted(os.listdir(path.parent)) == ["clinic.ledger", "clinic.ledger.anchor", "copies"]
    assert verify(path).sound


def test_an_older_copy_is_refused_until_the_loss_is_declared(path: Path, copy: Path) -> None:
    backup(made(path), copy)
    with Ledger.open(path, create=False) as ledger:
        pay(ledger)
    path.unlink()
    with pytest.raises(
        LedgerError, match="ends with entry 8, and the anchor knows entry 9: charges may be lost"
    ):
        restore(copy, path, "x")
    assert not path.exists()
    assert not path.with_name("clinic.ledger.new").exists()
    entry = restore(copy, path, "Tuesday is gone", lost=True)
    assert (entry.kind, entry.body["spent"]) == (
        "exhausted",
        {"patients": ONE["patients"].to_dict()},
    )
    assert left(path) == 0
    with Ledger.open(path, create=False) as ledger:
        # what was answered is still known
        assert [payload for _, payload in ledger.answers("q1", "1")] == ["answer 1"]
        with pytest.raises(BudgetExceeded):
            pay(ledger)
        ledger.accept_policy(**policy(1.5))
        assert ledger.state.budget("patients").balance.left == Fraction(1, 2)
    assert verify(path).sound


def test_a_custodian_may_declare_a_known_loss(path: Path, copy: Path) -> None:
    backup(made(path), copy)
    with Ledger.open(path, create=False) as ledger:
        pay(ledger)
    path.unlink()
    for spent, told in (
        ({"staff": TENTH}, "got 'staff'"),
        ({"patients": 0.5}, "must be a Loss for a population that the ledger knows: patients"),
    ):
        with pytest.raises(InvalidArgument, match=told):
            restore(copy, path, "x", lost=True, spent=spent)  # type: ignore[arg-type]
    with pytest.raises(Refused, match="has spent more than is declared"):
        restore(copy, path, "x", lost=True, spent={"patients": TENTH})
    assert not path.with_name("clinic.ledger.new").exists()
    entry = restore(copy, path, "four receipts of 0.1", lost=True, spent={"patients": 4 * TENTH})
    assert entry.body["declared"] == ["patients"]
    assert left(path) == Fraction(6, 10)
    assert verify(path).sound


def test_without_an_anchor_a_copy_may_lack_anything(path: Path, copy: Path) -> None:
    backup(made(path), copy)
    path.unlink()
    Anchor.path_for(path).unlink()
    with pytest.raises(
        LedgerError, match="there is no anchor to compare it with: charges may be lost"
    ):
        restore(copy, path, "x")
    restore(copy, path, "both files are gone", lost=True)
    assert left(path) == 0


def test_declaring_a_loss_of_an_intact_ledger_is_refused(path: Path, copy: Path) -> None:
    backup(made(path), copy)
    path.unlink()
    with pytest.raises(LedgerError, match="nothing is lost"):
        restore(copy, path, "x", lost=True)
    with pytest.raises(InvalidArgument, match="spent is for a loss; pass lost=True"):
        restore(copy, path, "x", spent=ONE)
    restore(copy, path, "x")


def test_a_ledger_is_never_written_over(path: Path, copy: Path) -> None:
    backup(made(path), copy)
    for act in (lambda: restore(copy, path, "x"), lambda: begin_after_loss(path, "x", ONE)):
        with pytest.raises(LedgerError, match=r"never overwritten\. Move it away first"):
            act()
    assert left(path) == Fraction(7, 10)


def test_copies_of_other_ledgers_and_broken_ones_are_refused(path: Path, copy: Path) -> None:
    other = made(path.with_name("other.ledger"))
    backup(other, copy)
    made(path)
    path.unlink()
    for lost in (True, False):
        with pytest.raises(LedgerError, match=r"charges may be lost|was replaced"):
            restore(copy, path, "x", lost=lost)
    change(copy, "DELETE FROM entries WHERE seq = 4")
    with pytest.raises(LedgerError, match="Entry 4 of the ledger is missing"):
        restore(copy, path, "x", lost=True)
    overwrite(copy, b"no database at all" * 100)
    with pytest.raises(LedgerError, match=r"monday\.ledger' is not a ledger"):
        restore(copy, path, "x", lost=True)
    with pytest.raises(LedgerError, match="cannot be read"):
        restore(copy.with_name("gone"), path, "x", lost=True)
    assert not path.exists()


def _no_power(*_: object) -> None:
    raise OSError("no power")


def test_a_crash_before_the_anchor_leaves_nothing_of_a_restore(
    path: Path, copy: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    backup(made(path), copy)
    path.rename(path.with_name("broken"))
    with monkeypatch.context() as broken:
        broken.setattr(Anchor, "write", _no_power)
        with pytest.raises(LedgerError, match="no power"):
            restore(copy, path, "x")
    with pytest.raises(LedgerError, match="is missing"):
        Ledger.open(path, create=True)
    restore(copy, path, "again")
    assert left(path) == Fraction(7, 10)


def test_the_next_opening_repairs_a_crash_after_the_anchor(
    path: Path, copy: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    backup(made(path), copy)
    path.rename(path.with_name("broken"))
    with monkeypatch.context() as broken:
        broken.setattr(Ledger, "_rename_draft", _no_power)
        with pytest.raises(LedgerError, match="no power"):
            restore(copy, path, "x")
    assert not path.exists()
    with pytest.raises(LedgerError, match="There is a ledger"):  # the restore was done after all
        restore(copy, path, "again")
    assert left(path) == Fraction(7, 10)
    assert verify(path).sound


def test_a_crash_while_a_lost_ledger_begins_leaves_no_fresh_budget(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as broken:
        broken.setattr(Ledger, "_rename_draft", _no_power)
        with pytest.raises(LedgerError, match="no power"):
            begin_after_loss(path, "x", ONE)
    with Ledger.open(path, create=True) as ledger:
        assert ledger.state.unit_loss("patients").epsilon == 1


# Loss


@pytest.mark.parametrize("anchored", [True, False])
def test_a_lost_ledger_begins_closed(path: Path, anchored: bool) -> None:
    with Ledger.open(path, create=True) as ledger:
        ledger.accept_policy(**policy(2))
        pay(ledger)
        name = ledger.state.ledger
    path.unlink()
    if not anchored:
        Anchor.path_for(path).unlink()
    entry = begin_after_loss(path, "the disk died", ONE)
    assert (entry.seq, entry.kind, entry.body["note"]) == (2, "exhausted", "the disk died")
    report = verify(path)
    assert report.sound, report.problem
    # the anchor knew of more than the policy at hand
    assert report.spent["patients"]["epsilon"] == (2 if anchored else 1)
    assert (report.ledger == name) == anchored
    with Ledger.open(path, create=True) as ledger:
        ledger.accept_policy(**policy(1))
        with pytest.raises(BudgetExceeded):
            pay(ledger)
        ledger.accept_policy(**policy(2.1))
        assert ledger.state.budget("patients").balance.left == (
            Fraction(1, 10) if anchored else Fraction(11, 10)
        )


def test_a_lost_ledger_restarts_with_the_declared_loss(path: Path) -> None:
    entry = begin_after_loss(path, "three receipts", ONE, spent={"patients": 3 * TENTH})
    assert entry.body["declared"] == ["patients"]
    with Ledger.open(path, create=False) as ledger:
        ledger.accept_policy(**policy(1))
        assert ledger.state.budget("patients").balance.left == Fraction(7, 10)
    assert verify(path).sound


@pytest.mark.parametrize("totals", [{}, {"patients": 1}])
def test_a_loss_of_no_or_an_unknown_population_is_refused(path: Path, totals: Any) -> None:
    with pytest.raises(InvalidArgument, match="totals must be a Loss for at least one population"):
        begin_after_loss(path, "x", totals)
    with pytest.raises(
        InvalidArgument,
        match="spent must be a Loss for a population that the ledger knows: patients; got 'staff'",
    ):
        begin_after_loss(path, "x", ONE, spent={"staff": TENTH})
    assert os.listdir(path.parent) == ["copies"]


def test_adoption_may_declare_as_well(path: Path) -> None:
    Anchor.path_for(made(path)).unlink()
    entry = Ledger.adopt(path, "nobody has asked since", lost=True, spent={"patients": 3 * TENTH})
    assert entry.kind == "exhausted"
    assert left(path) == Fraction(7, 10)


# Stores


def test_a_server_needs_its_driver(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    place = ServerLocation("postgresql://localhost/x", "house", "x", tmp_path / "x")
    assert rescue.find_store(place).__name__ == "PostgresLedger"
    assert rescue.find_store(tmp_path / "x.ledger") is Ledger
    monkeypatch.setitem(sys.modules, "hedgerow.ledger.postgresql.store", None)
    with pytest.raises(LedgerError, match=r"pip install 'hedgerow\[postgres\]'"):
        rescue.find_store(place)


# Sources


def test_the_sources_of_a_damaged_ledger_are_listed_from_its_remains(path: Path) -> None:
    assert list_sources(path) == frozenset()
    known = {"visits.csv"}
    made(path)
    assert list_sources(path) == known
    place = Anchor.path_for(path)
    held = json.loads(place.read_text(encoding="utf-8"))
    assert held.pop("sources") == {"visits.csv": "patients"}
    place.write_text(json.dumps(held), encoding="utf-8")
    assert list_sources(path) == known  # an anchor of an earlier version, and the file
    with Ledger.open(path, create=False) as ledger:
        pay(ledger)
    kept = path.with_name("kept")
    shutil.move(path, kept)
    assert list_sources(path) == known  # the anchor alone
    shutil.move(kept, path)
    place.write_text("{", encoding="utf-8")
    assert list_sources(path) == known  # the file alone
    path.write_bytes(b"no database" * 100)
    assert list_sources(path) == frozenset()


def test_after_a_loss_the_sources_are_remembered(path: Path) -> None:
    made(path)
    path.unlink()
    begin_after_loss(path, "x", ONE)
    assert list_sources(path) == {"visits.csv"}
    with (
        Ledger.open(path, create=False) as ledger,
        pytest.raises(Refused, match="cannot move to 'fresh'"),
    ):
        ledger.accept_policy(
            **policy(budgets={"patients": terms(), "fresh": terms()})
            | {"sources": {"visits.csv": "fresh"}}
        )
