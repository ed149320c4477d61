"""The ledger file: durable, shared, and suspicious of every way in which a file can be another
than it was.
"""

from __future__ import annotations

import os
import shutil
import threading
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


def test_what_was_written_is_there_again(path: Path) -> None:
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


def test_the_file_is_a_write_ahead_log_with_full_syncs(path: Path) -> None:
    with Ledger.open(made(path), create=True) as ledger:
        db = ledger._get_connection()
        assert (db.execute("PRAGMA journal_mode").get, db.execute("PRAGMA synchronous").get) == (
            "wal",
            2,
        )


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
                r"is missing\. Put the newest copy back, with 'hedgerow ledger restore POLICY"
                r" COPY'.*adopt --lost"
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


def test_a_closed_ledger_says_so(path: Path) -> None:
    ledger = Ledger.open(path, create=True)
    ledger.close()
    ledger.close()
    for use in (ledger.entries, lambda: ledger.state, lambda: ledger.accept_policy(**policy())):
        with pytest.raises(LedgerError, match="is closed"):
            use()


# Things that are no ledger


@pytest.mark.parametrize(
    "content", [b"", b"not a database at all, but long enough to be read as one" * 40]
)
def test_another_file_is_refused(path: Path, content: bytes) -> None:
    path.write_bytes(content)
    for use in (lambda: Ledger.open(path, create=True), lambda: Ledger.adopt(path, "mine")):
        with pytest.raises(LedgerError, match="is not a ledger, or is damaged"):
            use()
    assert path.read_bytes() == content


def test_a_folder_where_nothing_can_be_made_is_refused() -> None:
    with pytest.raises(LedgerError, match="cannot be read and written"):
        Ledger.open("/proc/clinic.ledger", create=True)


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


def test_a_renumbered_entry_is_named(path: Path) -> None:
    change(made(path), "UPDATE entries SET seq = 20 WHERE seq = 8")
    with pytest.raises(LedgerError, match="Entry 8 of the ledger is missing"):
        Ledger.open(path, create=False)


def test_bytes_that_are_no_text_are_named(path: Path) -> None:
    change(made(path), "UPDATE entries SET body = CAST(x'ff' AS TEXT) WHERE seq = 4")
    with pytest.raises(
        LedgerError, match="Entry 4 of the ledger cannot be read: the file is damaged"
    ):
        Ledger.open(path, create=False)
    assert verify(path).first_bad == 4


def test_a_deleted_entry_is_named(path: Path) -> None:
    change(made(path), "DELETE FROM entries WHERE seq = 5")
    with pytest.raises(LedgerError, match="Entry 5 of the ledger is missing"):
        Ledger.open(path, create=False)


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
            LedgerError, match="Entry 7 of the ledger is missing: it was rolled back from entry 7"
        ):
            Ledger.open(path, create=create)
    with pytest.raises(LedgerError, match="Entry 7 of the ledger may be lost"):
        Ledger.adopt(path, "looks good")
    assert verify(path).first_bad == 7


def test_a_ledger_rolled_back_under_an_open_one_is_refused(path: Path) -> None:
    made(path)
    with Ledger.open(path, create=False) as ledger:
        change_while_open(path, "DELETE FROM entries WHERE seq > 6")
        with pytest.raises(LedgerError, match="Entry 8 of the ledger is gone or changed"):
            pay(ledger)
        with pytest.raises(LedgerError, match="Entry 7 of the ledger is missing"):
            pay(ledger)


def change_while_open(path: Path, statement: str) -> None:
    db = apsw.Connection(str(path))
    db.execute(statement)
    db.close()


def test_a_ledger_rolled_back_and_written_on_is_refused(path: Path) -> None:
    made(path, 2)
    anchor = Anchor.path_for(path).read_bytes()
    with Ledger.open(path, create=False) as ledger:
        pay(ledger, question="the real one")
    later = Anchor.path_for(path).read_bytes()
    change(path, "DELETE FROM entries WHERE seq > 6")
    Anchor.path_for(path).write_bytes(anchor)
    with Ledger.open(path, create=False) as ledger:
        pay(ledger, question="another")
        Anchor.path_for(path).write_bytes(later)
        with pytest.raises(LedgerError, match="Entry 7 of the ledger is another than was written"):
            pay(ledger)
    assert verify(path).first_bad == 7


def test_a_copy_is_refused_until_it_is_adopted(path: Path) -> None:
    made(path)
    shutil.copy(path, path.with_name("copy"))
    path.with_name("copy").rename(path)
    for use in (lambda: Ledger.open(path, create=False), lambda: Ledger.open(path, create=True)):
        with pytest.raises(
            LedgerError,
            match=r"is a copy: two copies would spend one budget twice.*'hedgerow ledger adopt'",
        ):
            use()
    assert "copy" in verify(path).problem
    entry = Ledger.adopt(path, "disk replaced; the old one was destroyed")
    assert (entry.kind, entry.body) == (
        "adopt",
        {"note": "disk replaced; the old one was destroyed"},
    )
    with Ledger.open(path, create=False) as ledger:
        assert ledger.state.budget("patients").charged == 3 * TENTH
        pay(ledger)
    assert verify(path).sound


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


def test_a_swapped_ledger_is_refused_and_cannot_be_adopted(path: Path) -> None:
    other = made(path.with_name("other.ledger"))
    made(path)
    overwrite(path, other.read_bytes())
    for use in (
        lambda: Ledger.open(path, create=False),
        lambda: Ledger.adopt(path, "x"),
        lambda: Ledger.adopt(path, "x", lost=True),
    ):
        with pytest.raises(LedgerError, match="was swapped: its entry 1 opens another ledger"):
            use()
    assert verify(path).first_bad == 1


def test_without_its_anchor_a_ledger_is_refused(path: Path) -> None:
    Anchor.path_for(made(path, 0)).unlink()
    for create in (True, False):
        with pytest.raises(LedgerError, match=r"The anchor of the ledger.*is missing"):
            Ledger.open(path, create=create)
    with pytest.raises(LedgerError, match="may be lost: the anchor is missing or knows more"):
        Ledger.adopt(path, "x")
    Ledger.adopt(path, "the anchor was deleted", lost=True)
    with Ledger.open(path, create=False) as ledger, pytest.raises(BudgetExceeded):
        pay(ledger)


def test_an_entry_edited_under_an_open_ledger_is_not_given_out(path: Path) -> None:
    made(path)
    with Ledger.open(path, create=False) as ledger:
        change_while_open(path, "UPDATE entries SET body = '{}' WHERE seq = 4")
        with pytest.raises(
            LedgerError, match="Entry 4 of the ledger is gone or was changed while it was open"
        ):
            ledger.answers("q0", "1")
        change_while_open(path, "UPDATE entries SET body = CAST(x'ff' AS TEXT) WHERE seq = 4")
        with pytest.raises(LedgerError, match="is damaged"):
            ledger.answers("q0", "1")
        change_while_open(path, "DELETE FROM entries WHERE seq = 4")
        with pytest.raises(LedgerError, match="Entry 4 of the ledger is gone"):
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
        with pytest.raises(LedgerError, match="Entry 7 of the ledger is gone"):
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


def test_a_lost_file_starts_again_with_closed_budgets(path: Path) -> None:
    made(path).unlink()
    with pytest.raises(LedgerError, match="is missing"):
        Ledger.adopt(path, "x")
    assert Ledger.adopt(path, "the disk died", lost=True).seq == 2
    with Ledger.open(path, create=True) as ledger:
        ledger.accept_policy(**policy())
        with pytest.raises(BudgetExceeded):
            pay(ledger)
        ledger.accept_policy(**policy(1.1))
        pay(ledger)
    assert verify(path).sound
    Anchor.path_for(path).unlink()
    path.unlink()
    with pytest.raises(LedgerError, match="There is no ledger"):
        Ledger.adopt(path, "x", lost=True)
