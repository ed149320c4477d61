"""A ledger that is moved: it goes on with all that it knows, and is never open in two places."""

from __future__ import annotations

import itertools
from fractions import Fraction
from pathlib import Path

import pytest

from engines.postgresql.helpers_server import get_server
from hedgerow.errors import BudgetExceeded, LedgerError, Refused
from hedgerow.ledger.anchor import Anchor
from hedgerow.ledger.chain_verification import verify
from hedgerow.ledger.recovery import find_store, move
from hedgerow.privacy.loss import Loss
from ledger.filed import program
from ledger.helpers_stores import STORES, FileStore, Store, allow_lossy_server
from ledger.making import TENTH, pay, policy, quick_folder, rule


@pytest.fixture(autouse=True)
def lossy(monkeypatch: pytest.MonkeyPatch) -> None:
    allow_lossy_server(monkeypatch)


def places(old: str, new: str, folder: Path) -> tuple[Store, Store]:
    source, target = STORES[old](folder), STORES[new](folder / "there")
    return source, target


@pytest.mark.parametrize(("old", "new"), list(itertools.product(STORES, STORES)))
def test_a_moved_ledger_goes_on_with_all_that_it_knows(old: str, new: str, tmp_path: Path) -> None:
    (tmp_path / "there").mkdir()
    source, target = places(old, new, tmp_path)
    with source.open(create=True) as ledger:
        ledger.accept_policy(**policy(quotas={"ana": Fraction(1, 2)}))
        first = pay(ledger, request="r")
        ledger.answer(first, "noisy")
        ledger.record_act("add account", "ann", {}, "act 1")
    arrived = move(source.place, target.place, "a larger house")
    assert (arrived.kind, arrived.seq) == ("arrived", 7)
    with target.open() as ledger:
        assert ledger.state.budget("patients").charged == TENTH
        assert ledger.answers("q", "1") == [(first, "noisy")]
        assert pay(ledger, request="r") == first
        assert ledger.state.has_act("act 1")
        assert ledger.state.place == find_store(target.place)(target.place).name
        with pytest.raises(BudgetExceeded, match="quota of analyst 'ana'"):
            pay(ledger, Loss(Fraction(1, 2)))
        pay(ledger, analyst="ben")
    held = Anchor.read(target.path)
    assert held is not None
    assert (held.seq, held.sources) == (8, {"visits.csv": "patients"})
    assert verify(target.place).sound
    assert verify(source.place).sound


@pytest.mark.parametrize("old", STORES)
def test_a_moved_ledger_is_closed_and_names_its_successor(old: str, tmp_path: Path) -> None:
    (tmp_path / "there").mkdir()
    source, target = places(old, "sqlite", tmp_path)
    source.make()
    with source.open() as before:
        move(source.place, target.place, "x")
        with pytest.raises(LedgerError, match=rf"was moved to {target.path}\. Name that"):
            pay(before)
    with source.open() as after:
        for use in (lambda: pay(after), lambda: after.accept_policy(**policy(2))):
            with pytest.raises(LedgerError, match="is closed: it was moved"):
                use()
        assert after.answers("q1", "1") != []  # what was answered can still be read
    with pytest.raises(LedgerError, match="is closed"):
        move(source.place, FileStore(tmp_path, "third").place, "x")
    assert not (tmp_path / "third.ledger").exists()
    again = move(source.place, target.place, "x")
    assert again.kind == "arrived"
    assert [row[1] for row in target.read_rows()].count("arrived") == 1


def test_a_loss_of_the_successor_opens_the_source_with_closed_budgets(tmp_path: Path) -> None:
    (tmp_path / "there").mkdir()
    source, target = places("sqlite", "sqlite", tmp_path)
    move(source.make().place, target.place, "x")
    find_store(source.place).adopt(source.place, "the new machine burned down", lost=True)
    with source.open() as ledger:
        with pytest.raises(BudgetExceeded):
            pay(ledger)
        ledger.accept_policy(**policy(2))
        pay(ledger)


@pytest.mark.parametrize("new", STORES)
def test_a_place_that_has_a_ledger_is_refused_before_anything_is_closed(
    new: str, tmp_path: Path
) -> None:
    (tmp_path / "there").mkdir()
    source, target = places("sqlite", new, tmp_path)
    source.make()
    target.make(0)
    with pytest.raises(LedgerError, match="never overwritten"):
        move(source.place, target.place, "x")
    with source.open() as ledger:
        pay(ledger)


def test_entries_of_a_move_keep_their_order(tmp_path: Path) -> None:
    """An arrival follows its departure; nothing else does, and it names the same place."""
    from ledger.making import opened

    book = opened(("policy", rule()), ("moved", {"to": "there", "note": ""}))
    for kind, body in (
        ("arrived", {"at": "elsewhere"}),
        ("moved", {"to": "third", "note": ""}),
        ("policy", rule()),
    ):
        with pytest.raises(LedgerError):
            book.apply(book.build_entry(kind, body))
    book.apply(book.build_entry("arrived", {"at": "there"}))
    for kind, body in (("arrived", {"at": "there"}), ("moved", {"to": "", "note": ""})):
        with pytest.raises((LedgerError, Refused)):
            book.apply(book.build_entry(kind, body))
    assert (book.successor, book.place) == ("", "there")


@pytest.mark.long
@pytest.mark.parametrize(("old", "new"), [("sqlite", "postgresql"), ("postgresql", "sqlite")])
def test_a_move_that_dies_leaves_at_most_one_open(old: str, new: str, tmp_path: Path) -> None:
    """At some of its steps; tests/slow/test_killed_long.py dies at all of them."""
    with quick_folder(tmp_path) as folder:
        deaths, opened = map(
            int, program("moving.py", folder, get_server().port, old, new, 4, 9).split()
        )
    assert deaths > 3
    assert 0 < opened <= deaths + 1
