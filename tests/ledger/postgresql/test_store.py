"""The ledger in a PostgreSQL server: what its conformance suite (``test_anchored_ledger``) cannot
say of a file as well.
"""

from __future__ import annotations

import threading
import traceback
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import psycopg
import pytest

from engines.postgresql.helpers_server import ROLE, get_server
from hedgerow.errors import BudgetExceeded, LedgerError
from hedgerow.ledger.anchor import Anchor
from hedgerow.ledger.chain_verification import verify
from hedgerow.ledger.location import ServerLocation
from hedgerow.ledger.postgresql.connection import DURABLE_SETTINGS
from hedgerow.ledger.postgresql.store import PostgresLedger
from hedgerow.privacy.loss import Loss
from ledger.helpers_stores import TableStore, allow_lossy_server
from ledger.making import TENTH, pay, policy


@pytest.fixture
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> TableStore:
    allow_lossy_server(monkeypatch)
    return TableStore(tmp_path)


@pytest.mark.parametrize("name", ["fsync", "full_page_writes", "synchronous_commit"])
def test_a_server_that_may_lose_commits_is_refused(
    store: TableStore, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    store.make(0)
    monkeypatch.setattr(PostgresLedger, "_required", {name: DURABLE_SETTINGS[name]})
    for create in (True, False):
        with pytest.raises(
            LedgerError, match=f"has {name} = off, and may lose charges. Set {name}"
        ):
            store.open(create=create)
    assert len(store.read_rows()) == 2


def test_a_server_that_keeps_its_commits_is_taken(
    store: TableStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    lossy = {"fsync", "full_page_writes", "synchronous_commit"}  # as the tests' server is
    rest = {name: DURABLE_SETTINGS[name] for name in DURABLE_SETTINGS.keys() - lossy}
    monkeypatch.setattr(PostgresLedger, "_required", rest)
    with store.make().open() as ledger:
        pay(ledger)
    assert [row[1] for row in store.read_rows()].count("charge") == 4


def test_a_missing_table_is_named_with_the_statements_that_make_it(store: TableStore) -> None:
    store.change("DROP TABLE entries")
    with pytest.raises(LedgerError, match=rf"CREATE TABLE \"{store.schema}\".entries"):
        store.open(create=True)


@pytest.mark.parametrize(
    "change",
    [
        "ALTER TABLE entries SET UNLOGGED",
        "CREATE FUNCTION f() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NULL; END';"
        "CREATE TRIGGER t BEFORE INSERT ON entries FOR EACH ROW EXECUTE FUNCTION f()",
        "CREATE RULE r AS ON INSERT TO entries DO INSTEAD NOTHING",
        "ALTER TABLE entries ENABLE ROW LEVEL SECURITY",
        "CREATE TABLE child () INHERITS (entries)",
        "ALTER TABLE entries RENAME TO other; CREATE VIEW entries AS SELECT * FROM other;"
        f"GRANT SELECT ON entries TO {ROLE}",
    ],
)
def test_a_table_that_may_swallow_or_hide_entries_is_refused(
    store: TableStore, change: str
) -> None:
    store.change(change)
    with pytest.raises(LedgerError, match="must be a plain, logged table"):
        store.open(create=True)


def test_an_open_ledger_notices_that_its_table_was_changed(store: TableStore) -> None:
    with store.make().open() as ledger:
        store.change("ALTER TABLE entries SET UNLOGGED")
        with pytest.raises(LedgerError, match="must be a plain, logged table"):
            pay(ledger)
        store.change("ALTER TABLE entries SET LOGGED")
        pay(ledger)


def test_the_role_may_add_and_read_only(store: TableStore) -> None:
    store.make()
    for statement in ("UPDATE", "DELETE", "TRUNCATE"):
        with store.connect() as owner:
            row = owner.execute(
                "SELECT has_table_privilege(%s, 'entries', %s)", (ROLE, statement)
            ).fetchone()
            assert row == (False,)
    store.change(f"REVOKE INSERT ON entries FROM {ROLE}")
    with store.open() as ledger:
        with pytest.raises(LedgerError, match=r"cannot be used by this role.*GRANT SELECT, INSERT"):
            pay(ledger)
        assert ledger.state.budget("patients").charged == 3 * TENTH
        store.change(f"GRANT INSERT ON entries TO {ROLE}")
        pay(ledger)


def test_a_lock_that_is_held_too_long_is_reported(store: TableStore) -> None:
    store.make()
    with store.open(wait=0.1) as ledger, store.open() as other:
        book = ledger.state
        with other._transaction(), pytest.raises(LedgerError, match="is locked by another process"):
            pay(ledger)
        assert ledger.state is book
        pay(ledger)


def break_before(store: TableStore, ledger: PostgresLedger, write: Callable[[], None]) -> None:
    """The connection is lost before the commit arrives."""
    store.break_while(ledger)
    write()


def break_after(store: TableStore, ledger: PostgresLedger, write: Callable[[], None]) -> None:
    """It is lost before the server's word comes back."""
    write()
    store.break_while(ledger)
    ledger._get_connection().execute("SELECT 1")


def break_and_overtake(store: TableStore, ledger: PostgresLedger, write: Any) -> None:
    """It is lost, and somebody else takes the number before it is back."""
    store.break_while(ledger)
    with store.open() as other:
        pay(other, question="overtaking")
    write()


def fail_once(
    monkeypatch: pytest.MonkeyPatch,
    store: TableStore,
    how: Callable[[TableStore, PostgresLedger, Callable[[], None]], None],
) -> None:
    real, tries = PostgresLedger._write, list[int]()

    def write(ledger: PostgresLedger) -> None:
        tries.append(1)
        if len(tries) == 1:
            how(store, ledger, lambda: real(ledger))
        else:
            real(ledger)

    monkeypatch.setattr(PostgresLedger, "_write", write)


@pytest.mark.parametrize("how", [break_before, break_after])
def test_a_commit_in_doubt_is_made_exactly_once(
    store: TableStore, monkeypatch: pytest.MonkeyPatch, how: Any
) -> None:
    store.make()
    with store.open() as ledger:
        fail_once(monkeypatch, store, how)
        charge = pay(ledger, request="r")
        assert (charge.seq, ledger.state.seq) == (9, 9)
        assert pay(ledger, request="r") == charge
        assert Anchor.read(store.path).seq == 9  # type: ignore[union-attr]
    assert [row[1] for row in store.read_rows()].count("charge") == 4
    assert verify(store.place).sound


def test_an_entry_whose_number_was_taken_meanwhile_is_not_written(
    store: TableStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    store.make()
    with store.open() as ledger:
        fail_once(monkeypatch, store, break_and_overtake)
        with pytest.raises(LedgerError, match=r"entry 9 was not written\. Ask again"):
            pay(ledger, request="r")
        assert pay(ledger, request="r").seq == 10
    assert verify(store.place).sound


def test_a_server_that_fails_over_meanwhile_confirms_nothing(
    store: TableStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    store.make()

    def replace(store: TableStore, ledger: PostgresLedger, write: Callable[[], None]) -> None:
        write()
        store.copy_table()
        store.break_while(ledger)
        ledger._get_connection().execute("SELECT 1")

    with store.open() as ledger:
        fail_once(monkeypatch, store, replace)
        with pytest.raises(LedgerError, match="was not written"):
            pay(ledger)
        with pytest.raises(LedgerError, match="is a copy"):
            pay(ledger)


def test_a_server_that_stays_away_is_reported_and_leaks_nothing(
    store: TableStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    store.make()
    monkeypatch.setenv("PGPASSWORD", "the secret of it")

    def vanish(store: TableStore, ledger: PostgresLedger, write: Callable[[], None]) -> None:
        monkeypatch.setattr(
            "hedgerow.ledger.postgresql.store.connect", lambda *_: psycopg.connect("host=/nowhere")
        )
        store.break_while(ledger)
        write()

    with store.open(wait=0.2) as ledger:
        fail_once(monkeypatch, store, vanish)
        with pytest.raises(LedgerError, match="cannot be reached") as caught:
            pay(ledger)
        told = "".join(traceback.format_exception(caught.value))
        assert "secret" not in told
        assert "/nowhere" not in told


def test_an_entry_without_its_transaction_is_not_confirmed(store: TableStore) -> None:
    """The server warns that nothing was there to commit: it was written without the lock."""
    store.make()
    with store.open() as ledger:
        assert isinstance(ledger, PostgresLedger)

        def append() -> None:
            with ledger._transaction():
                ledger._append("adopt", {"note": "x"})
                ledger._get_connection().execute("ROLLBACK")

        with pytest.raises(LedgerError, match="did not confirm entry 9"):
            append()


def test_a_step_whose_connection_breaks_before_it_wrote_is_refused(store: TableStore) -> None:
    store.make()
    with store.open() as ledger:

        def append() -> None:
            with ledger._transaction():
                store.break_while(ledger)
                ledger._read_entry(3)

        with pytest.raises(LedgerError, match="cannot be reached"):
            append()
        pay(ledger)


# Creation


def test_a_crash_between_commit_and_anchor_is_repaired(
    store: TableStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = Anchor.write

    def write(anchor: Anchor, ledger: Path) -> None:
        if ledger == store.path:
            raise OSError("no power")
        real(anchor, ledger)

    with monkeypatch.context() as broken:
        broken.setattr(Anchor, "write", write)
        with pytest.raises(OSError, match="no power"):
            store.open(create=True)
    assert len(store.read_rows()) == 1
    assert not store.anchor.exists()
    with store.open(create=False) as ledger:
        assert ledger.state.seq == 1
    assert sorted(path.name for path in store.path.parent.iterdir()) == [store.anchor.name]


def test_a_crash_before_the_commit_leaves_nothing(
    store: TableStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    def write(_: PostgresLedger) -> None:
        raise OSError("no power")

    with monkeypatch.context() as broken:
        broken.setattr(PostgresLedger, "_write", write)
        with pytest.raises(OSError, match="no power"):
            store.open(create=True)
    assert store.read_rows() == []
    with store.open(create=True) as ledger:
        assert ledger.state.seq == 1
    assert sorted(path.name for path in store.path.parent.iterdir()) == [store.anchor.name]


def test_a_charge_whose_anchor_cannot_be_written_counts(
    store: TableStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    def write(_: Anchor, __: Path) -> None:
        raise LedgerError("The disk is full. Make room.")

    store.make(0)
    with store.open() as ledger:
        with monkeypatch.context() as broken:
            broken.setattr(Anchor, "write", write)
            with pytest.raises(LedgerError, match="full"):
                pay(ledger)
        assert ledger.state.budget("patients").charged == TENTH
        with pytest.raises(BudgetExceeded):
            pay(ledger, Loss(Fraction(1)))


def test_a_thread_that_waits_sees_what_was_committed_before(store: TableStore) -> None:
    """The lock is the first statement, so the look that follows it is newer than the lock."""
    store.make(0)
    done = threading.Event()
    with store.open() as one, store.open() as two:
        waiting = threading.Thread(target=lambda: (pay(two), done.set()))
        with one._transaction():
            waiting.start()
            assert not done.wait(0.2)
            one._append("adopt", {"note": "meanwhile"})
        waiting.join()
        assert [entry.kind for entry in one.entries()][2:] == ["adopt", "charge"]


@pytest.mark.parametrize("has_key", [True, False])
def test_without_the_lock_only_the_key_is_left(
    store: TableStore, monkeypatch: pytest.MonkeyPatch, has_key: bool
) -> None:
    """The planted mistake: look first, write later. Without the key as well, both are granted."""
    store.make(0)
    if not has_key:
        store.change("ALTER TABLE entries DROP CONSTRAINT entries_pkey")
    with store.open() as one, store.open() as two:
        for ledger in (one, two):
            assert isinstance(ledger, PostgresLedger)
            monkeypatch.setitem(ledger._sql, "lock", "BEGIN")

        def overlap() -> None:
            with one._transaction():
                one._append("adopt", {"note": "x"})
                pay(two)

        if has_key:
            with pytest.raises(LedgerError, match="SQLSTATE 23505"):
                overlap()
        else:
            overlap()
    assert verify(store.place).sound == has_key


def test_a_policy_change_by_another_host_is_seen(store: TableStore, tmp_path: Path) -> None:
    """Two hosts are two folders: each has its own anchor, copied once."""
    store.make(0)
    other = tmp_path / "other host"
    other.mkdir()
    place = type(store.place)(
        store.place.address, store.schema, store.place.name, other / store.path.name
    )
    with pytest.raises(LedgerError, match="anchor of the ledger"):
        PostgresLedger.open(place, create=True)
    Anchor.path_for(place.path).write_bytes(store.anchor.read_bytes())
    with PostgresLedger.open(place, create=False) as there, store.open() as here:
        pay(there)
        here.accept_policy(**policy(digest="d2"))
        assert there.policy_digest == "d2"
        pay(there, policy="d2")
        assert Anchor.read(place.path).seq == 5  # type: ignore[union-attr]
    store.change("DELETE FROM entries WHERE seq > 4")
    with pytest.raises(LedgerError, match="Entry 5 of the ledger is missing"):
        PostgresLedger.open(place, create=False)


def test_the_statements_of_the_page_make_a_ledger(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    allow_lossy_server(monkeypatch)
    page = (Path(__file__).parents[3] / "docs" / "ledger.md").read_text(encoding="utf-8")
    statements = page.split("```sql\n")[1].split("```")[0]
    server = get_server()
    with server.new_database() as name:
        with server.connect(name) as owner:
            owner.execute(statements)
        place = ServerLocation(server.address(name, "hedgerow"), "hedgerow", "x", tmp_path / "x")
        with PostgresLedger.open(place, create=True) as ledger:
            ledger.accept_policy(**policy())
            pay(ledger)
        with server.connect(name) as owner:
            owner.execute("DROP OWNED BY hedgerow; DROP ROLE hedgerow")
