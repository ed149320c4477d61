"""The ledger file: durable, shared, and suspicious of every way in which a file can be another
than it was.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path

import apsw
import pytest

from hedgerow.errors import BudgetExceeded, LedgerError
from hedgerow.ledger.anchor import Anchor
from hedgerow.ledger.chain_verification import verify
from hedgerow.ledger.sqlite import Ledger
from hedgerow.privacy.loss import Loss
from ledger.filed import change, made, overwrite
from ledger.making import TENTH, pay, policy

# Opening and making


def test_entries_are_there_after_reopening(path: Path) -> None:
    made(path)
    with Ledger.open(path, create=False) as ledger:
        assert [entry.kind for entry in ledger.entries()] == [
            "open",
            "policy",
            *["charge", "answer"] * 3,
        ]
        assert ledger.state.budget("patients").charged == 3 * TENTH
        ((charge, payload),) = ledger.answers("q1", "1")
        assert (charge.seq, payload) == (5, "answer 1")
        assert ledger.outcome(charge) == ledger.entries()[5]
    assert sorted(os.listdir(path.parent)) == ["clinic.ledger", "clinic.ledger.anchor"]


# Things that are no ledger


def test_a_ledger_without_entries_is_refused(path: Path) -> None:
    change(made(path), "DELETE FROM entries")
    with pytest.raises(LedgerError, match="Entry 1 of the ledger is missing"):
        Ledger.open(path, create=False)


# Attacks on the file


@pytest.mark.parametrize("column", ["kind", "time", "body", "previous", "hash"])
@pytest.mark.parametrize("seq", [1, 2, 5, 8])
def test_an_edited_entry_is_named(path: Path, column: str, seq: int) -> None:
    change(made(path), f"UPDATE entries SET {column} = {column} || 'x' WHERE seq = ?", seq)
    for use in (
        lambda: Ledger.open(path, create=False),
        lambda: Ledger.adopt(path, "fine", lost=True),
    ):
        with pytest.raises(LedgerError, match=f"^Entry {seq} "):
            use()
    assert verify(path).first_bad == seq


def cut_off(path: Path, copy: Path) -> None:
    change(path, "DELETE FROM entries WHERE seq > 6")


def rolled_back(path: Path, copy: Path) -> None:
    overwrite(path, copy.read_bytes())


def put_back(path: Path, copy: Path) -> None:
    copy.rename(path)


@pytest.mark.parametrize("attack", [cut_off, rolled_back, put_back])
def test_a_shortened_ledger_is_refused(path: Path, attack: Callable[[Path, Path], None]) -> None:
    copy = path.with_name("backup")
    shutil.copy(made(path, 2), copy)
    with Ledger.open(path, create=False) as ledger:
        pay(ledger)
    attack(path, copy)
    for create in (True, False):
        with pytest.raises(
            LedgerError,
            match="Entry 7 of the ledger is missing: it was rolled back from entry 7",
        ):
            Ledger.open(path, create=create)
    with pytest.raises(LedgerError, match="Entry 7 of the ledger may be lost"):
        Ledger.adopt(path, "looks good")
    assert verify(path).first_bad == 7


def change_while_open(path: Path, statement: str) -> None:
    db = apsw.Connection(str(path))
    db.execute(statement)
    db.close()


def test_a_clone_with_its_anchor_is_refused(path: Path) -> None:
    clone = path.with_name("clone.ledger")
    shutil.copy(made(path), clone)
    shutil.copy(Anchor.path_for(path), Anchor.path_for(clone))
    with pytest.raises(LedgerError, match="is a copy"):
        Ledger.open(clone, create=False)


def test_a_file_replaced_under_an_open_ledger_is_refused(path: Path) -> None:
    made(path)
    with Ledger.open(path, create=False) as ledger:
        shutil.copy(path, path.with_name("copy"))
        path.with_name("copy").rename(path)
        with pytest.raises(LedgerError, match="is a copy"):
            pay(ledger)


def test_an_entry_edited_under_an_open_ledger_is_not_given_out(path: Path) -> None:
    made(path)
    with Ledger.open(path, create=False) as ledger:
        change_while_open(path, "UPDATE entries SET body = '{}' WHERE seq = 4")
        with pytest.raises(
            LedgerError, match="Entry 4 of the ledger was removed or changed while it was open"
        ):
            ledger.answers("q0", "1")
        change_while_open(path, "UPDATE entries SET body = CAST(x'ff' AS TEXT) WHERE seq = 4")
        with pytest.raises(LedgerError, match="is damaged"):
            ledger.answers("q0", "1")
        change_while_open(path, "DELETE FROM entries WHERE seq = 4")
        with pytest.raises(LedgerError, match="Entry 4 of the ledger was removed"):
            ledger.answers("q0", "1")


def test_an_answer_that_vanishes_while_it_is_looked_up(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made(path)
    with Ledger.open(path, create=False) as ledger:
        book = ledger.state
        # as if it had been read just before the file was cut off
        monkeypatch.setattr(Ledger, "state", book)
        change_while_open(path, "DELETE FROM entries WHERE seq > 6")
        with pytest.raises(LedgerError, match="Entry 7 of the ledger was removed"):
            ledger.answers("q2", "1")


# Loss


def test_lost_charges_close_the_budget_until_it_is_raised(path: Path) -> None:
    copy = path.with_name("backup")
    shutil.copy(made(path, 1), copy)
    with Ledger.open(path, create=False) as ledger:
        ledger.accept_policy(
            **policy(
                2,
                budgets={
                    "patients": policy()["budgets"]["patients"] | {"epsilon": 2},
                    "staff": policy()["budgets"]["patients"],
                },
            )
        )
        pay(ledger, Loss(Fraction(3, 2)))
    copy.rename(path)
    entry = Ledger.adopt(path, "restored from Monday", lost=True)
    assert entry.kind == "exhausted"
    with Ledger.open(path, create=False) as ledger:
        with pytest.raises(BudgetExceeded, match="The budget does not cover"):
            pay(ledger)
        # The lost policy had raised the budget to 2, and another population had come: both count as
        # spent.
        assert entry.body["spent"] == {
            "patients": Loss(Fraction(2)).to_dict(),
            "staff": Loss(Fraction(1)).to_dict(),
        }
        both = {
            name: policy()["budgets"]["patients"] | {"epsilon": 3} for name in ("patients", "staff")
        }
        ledger.accept_policy(**policy(budgets=both))
        assert ledger.state.budget("patients").balance.left == 1
        assert ledger.state.budget("staff").balance.left == 2
    assert verify(path).sound
