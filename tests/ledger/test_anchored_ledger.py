"""What every store of a ledger must do: durable, shared, and suspicious of every way in which it
can be another than it was. Each test runs on a file and on a table of a real server.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from hedgerow.errors import BudgetExceeded, LedgerError
from hedgerow.ledger import anchored_ledger
from hedgerow.ledger.anchor import Anchor
from hedgerow.ledger.chain_verification import verify
from hedgerow.ledger.recovery import backup, begin_after_loss, find_store, restore
from hedgerow.privacy.loss import Loss
from ledger.helpers_stores import STORES, Store, allow_lossy_server
from ledger.making import TENTH, pay, policy

ONE = {"patients": Loss(Fraction(1))}


@pytest.fixture(params=STORES)
def build(
    request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Callable[[], Store]:
    allow_lossy_server(monkeypatch)
    return lambda: STORES[request.param](tmp_path)


@pytest.fixture
def store(build: Callable[[], Store]) -> Store:
    return build()


def left(store: Store) -> Any:
    with store.open() as ledger:
        return ledger.state.budget("patients").balance.left  # type: ignore[union-attr]


def adopt(store: Store, note: str = "x", **more: Any) -> Any:
    return find_store(store.place).adopt(store.place, note, **more)


# Opening and sharing


def test_entries_are_there_after_reopening(store: Store) -> None:
    store.make()
    with store.open() as ledger:
        kinds = [entry.kind for entry in ledger.entries()]
        assert kinds == ["open", "policy", *["charge", "answer"] * 3]
        assert ledger.state.budget("patients").charged == 3 * TENTH
        ((charge, payload),) = ledger.answers("q1", "1")
        assert (charge.seq, payload) == (5, "answer 1")
        assert ledger.outcome(charge) == ledger.entries()[5]
    assert [row[0] for row in store.read_rows()] == list(range(1, 9))


def test_a_closed_ledger_raises(store: Store) -> None:
    ledger = store.open(create=True)
    ledger.close()
    ledger.close()
    for use in (ledger.entries, lambda: ledger.state, lambda: ledger.accept_policy(**policy())):
        with pytest.raises(LedgerError, match="is closed"):
            use()


def test_two_objects_see_each_other(store: Store) -> None:
    store.make()
    with store.open() as one, store.open() as two:
        charge = pay(one, Loss(Fraction(6, 10)), request="r")
        assert two.state.budget("patients").charged.epsilon == Fraction(9, 10)
        assert pay(two, Loss(Fraction(6, 10)), request="r") == charge
        two.answer(charge, "x")
        assert one.answers("q", "1") == [(charge, "x")]
        with pytest.raises(BudgetExceeded):
            pay(one, Loss(Fraction(2, 10)))
        pay(one)
        assert [entry.seq for entry in one.entries()] == list(range(1, 12))


def test_threads_spend_a_budget_to_the_last_unit(store: Store) -> None:
    store.make(0)
    granted: list[int] = []

    def spend() -> None:
        with store.open() as ledger:
            while True:
                try:
                    granted.append(pay(ledger, Loss(Fraction(1, 20))).seq)
                except BudgetExceeded:
                    return

    threads = [threading.Thread(target=spend) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(granted) == list(range(3, 23))
    assert verify(store.place).sound


def test_a_lost_connection_is_opened_again(store: Store) -> None:
    store.make()
    with store.open() as ledger:
        for _ in range(2):
            store.break_while(ledger)
            pay(ledger)
            store.break_while(ledger)
            assert ledger.state.seq == len(ledger.entries())
        assert ledger.state.budget("patients").charged == 5 * TENTH


def test_forking_lets_go_of_the_store_and_of_the_lock(store: Store) -> None:
    with store.make().open() as ledger:
        anchored_ledger._before_fork()
        assert ledger._database is None  # type: ignore[attr-defined]
        taken: list[bool] = []
        thread = threading.Thread(target=lambda: taken.append(ledger._lock.acquire(blocking=False)))
        thread.start()
        thread.join()
        assert taken == [False]
        anchored_ledger._after_fork()
        pay(ledger)


def test_a_refusal_costs_no_second_reading(store: Store) -> None:
    with store.make().open() as ledger:
        book = ledger.state
        with pytest.raises(BudgetExceeded):
            pay(ledger, Loss(Fraction(1)))
        assert ledger.state is book


# Creating


def test_a_missing_ledger_is_made_only_when_asked(store: Store) -> None:
    with pytest.raises(LedgerError, match=r"There is no ledger|Entry 1 of the ledger is missing"):
        store.open()
    assert not store.anchor.exists()


def test_a_ledger_that_is_gone_is_not_made_anew(store: Store) -> None:
    store.make().lose()
    for create in (True, False):
        with pytest.raises(LedgerError, match=r"is missing.*adopt POLICY --lost"):
            store.open(create=create)


def test_two_who_make_a_ledger_at_once_make_one(store: Store) -> None:
    found: list[str] = []

    def make() -> None:
        with store.open(create=True) as ledger:
            found.append(ledger.state.ledger)

    threads = [threading.Thread(target=make) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 4
    assert len(set(found)) == 1


# Attacks


@pytest.mark.parametrize("column", ["kind", "time", "body", "previous", "hash"])
def test_an_edited_entry_is_named(store: Store, column: str) -> None:
    store.make().change(f"UPDATE entries SET {column} = {column} || 'x' WHERE seq = 5")
    for use in (store.open, lambda: adopt(store, lost=True)):
        with pytest.raises(LedgerError, match=r"^Entry 5 "):
            use()
    assert verify(store.place).first_bad == 5


def test_a_renumbered_or_deleted_entry_is_named(store: Store) -> None:
    store.make().change("UPDATE entries SET seq = 20 WHERE seq = 8")
    with pytest.raises(LedgerError, match="Entry 8 of the ledger is missing"):
        store.open()
    store.change("DELETE FROM entries WHERE seq = 5")
    with pytest.raises(LedgerError, match="Entry 5 of the ledger is missing"):
        store.open()


def test_a_shortened_ledger_is_refused(store: Store) -> None:
    store.make(2)
    with store.open() as ledger:
        pay(ledger)
    store.change("DELETE FROM entries WHERE seq > 6")
    for create in (True, False):
        with pytest.raises(
            LedgerError,
            match="Entry 7 of the ledger is missing: it was rolled back from entry 7",
        ):
            store.open(create=create)
    with pytest.raises(LedgerError, match="Entry 7 of the ledger may be lost"):
        adopt(store, "looks good")
    assert verify(store.place).first_bad == 7


def test_a_ledger_rolled_back_under_an_open_one_is_refused(store: Store) -> None:
    with store.make().open() as ledger:
        store.change("DELETE FROM entries WHERE seq > 6")
        with pytest.raises(LedgerError, match="Entry 8 of the ledger was removed or changed"):
            pay(ledger)
        with pytest.raises(LedgerError, match="Entry 7 of the ledger is missing"):
            pay(ledger)


def test_a_ledger_rolled_back_and_written_on_is_refused(store: Store) -> None:
    store.make(2)
    anchor, rows = store.anchor.read_bytes(), store.read_rows()
    with store.open() as ledger:
        pay(ledger, question="the real one")
    later = store.anchor.read_bytes()
    store.replace_rows(rows)
    store.anchor.write_bytes(anchor)
    with store.open() as ledger:
        pay(ledger, question="another")
        store.anchor.write_bytes(later)
        with pytest.raises(
            LedgerError, match="Entry 7 of the ledger differs from the one that was written"
        ):
            pay(ledger)
    assert verify(store.place).first_bad == 7


def test_a_copy_is_refused_until_it_is_adopted(store: Store) -> None:
    store.make().copy_table()
    for create in (True, False):
        with pytest.raises(
            LedgerError,
            match=r"is a copy: two copies would spend one budget twice.*'hedgerow ledger adopt'",
        ):
            store.open(create=create)
    assert "copy" in verify(store.place).problem
    entry = adopt(store, "the old disk was destroyed")
    assert (entry.kind, entry.body) == ("adopt", {"note": "the old disk was destroyed"})
    with store.open() as ledger:
        assert ledger.state.budget("patients").charged == 3 * TENTH
        pay(ledger)
    assert verify(store.place).sound


def test_a_store_replaced_under_an_open_ledger_is_refused(store: Store) -> None:
    with store.make().open() as ledger:
        store.copy_table()
        with pytest.raises(LedgerError, match="is a copy"):
            pay(ledger)


def test_a_swapped_ledger_is_refused_and_cannot_be_adopted(build: Callable[[], Store]) -> None:
    store = build()
    rows = store.make(2).read_rows()
    with store.open() as ledger:
        name = ledger.state.ledger
    store.lose()
    store.anchor.unlink()
    store.make()
    store.replace_rows(rows)
    for use in (store.open, lambda: adopt(store), lambda: adopt(store, lost=True)):
        with pytest.raises(LedgerError, match="was replaced: its entry 1 opens another ledger"):
            use()
    report = verify(store.place)
    assert (report.first_bad, report.ledger) == (1, name)


def test_without_its_anchor_a_ledger_is_refused(store: Store) -> None:
    store.make(0).anchor.unlink()
    for create in (True, False):
        with pytest.raises(LedgerError, match=r"The anchor of the ledger.*is missing"):
            store.open(create=create)
    with pytest.raises(LedgerError, match="may be lost: the anchor is missing or knows a later"):
        adopt(store)
    adopt(store, "the anchor was deleted", lost=True)
    with store.open() as ledger, pytest.raises(BudgetExceeded):
        pay(ledger)


def test_an_entry_edited_under_an_open_ledger_is_not_given_out(store: Store) -> None:
    with store.make().open() as ledger:
        for attack in (
            "UPDATE entries SET body = '{}' WHERE seq = 4",
            "DELETE FROM entries WHERE seq = 4",
        ):
            store.change(attack)
            with pytest.raises(LedgerError, match="Entry 4 of the ledger was removed or changed"):
                ledger.answers("q0", "1")


# Backup, restore and loss


def test_the_newest_copy_is_restored_with_nothing_lost(store: Store, tmp_path: Path) -> None:
    last = backup(store.make().place, tmp_path / "monday")
    with pytest.raises(LedgerError, match=r"never overwritten\. Move it away first"):
        restore(tmp_path / "monday", store.place, "x")
    store.lose()
    entry = restore(tmp_path / "monday", store.place, "the disk died")
    assert (entry.kind, entry.previous) == ("adopt", last.hash)
    assert left(store) == Fraction(7, 10)
    assert verify(store.place).sound


def test_an_older_copy_is_refused_until_the_loss_is_declared(store: Store, tmp_path: Path) -> None:
    backup(store.make().place, tmp_path / "monday")
    with store.open() as ledger:
        pay(ledger)
    store.lose()
    with pytest.raises(LedgerError, match="ends with entry 8, and the anchor knows entry 9"):
        restore(tmp_path / "monday", store.place, "x")
    entry = restore(tmp_path / "monday", store.place, "Tuesday is gone", lost=True)
    assert (entry.kind, entry.body["spent"]) == ("exhausted", {"patients": Loss(1).to_dict()})
    assert left(store) == 0
    with store.open() as ledger:
        assert [payload for _, payload in ledger.answers("q1", "1")] == ["answer 1"]
        ledger.accept_policy(**policy(1.5))
    assert left(store) == Fraction(1, 2)
    assert verify(store.place).sound


def test_a_lost_ledger_starts_again_with_closed_budgets(store: Store) -> None:
    store.make().lose()
    with pytest.raises(LedgerError, match="is missing"):
        adopt(store)
    assert adopt(store, "the disk died", lost=True).seq == 2
    with store.open(create=True) as ledger:
        ledger.accept_policy(**policy())
        with pytest.raises(BudgetExceeded):
            pay(ledger)
        ledger.accept_policy(**policy(1.1))
        pay(ledger)
    assert verify(store.place).sound
    store.anchor.unlink()
    store.lose()
    entry = begin_after_loss(store.place, "and again", ONE, spent={"patients": 3 * TENTH})
    assert (entry.seq, entry.body["declared"]) == (2, ["patients"])
    assert verify(store.place).sound


def test_the_anchor_names_the_last_entry_and_the_store(store: Store) -> None:
    with store.make().open() as ledger:
        entry = pay(ledger)
        held = Anchor.read(store.path)
        assert held is not None
        assert (held.seq, held.hash, held.ledger) == (entry.seq, entry.hash, ledger.state.ledger)
        assert held.is_same_store(ledger._identify())
