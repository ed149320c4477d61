"""What a question costs on each way through the protocol, and how it fails."""

from __future__ import annotations

import asyncio
import threading
from typing import Any

import asyncpg
import psycopg
import pytest
from pygwire import messages as pg
from pygwire.messages import PGMessage

from service.helpers_service import COUNT, RunningService
from service.wire.helpers_wire_fuzz import FuzzedSession


def connect(running: RunningService, who: str = "ana", **options: Any) -> psycopg.Connection[Any]:
    return psycopg.connect(
        host="127.0.0.1",
        port=running.pg_port,
        user=who,
        password=running.tokens[who],
        dbname="clinic",
        **options,
    )


def count_charges(running: RunningService) -> int:
    entries = running.service._database.ledger.entries()
    return sum(entry.kind == "charge" for entry in entries)


def test_only_execute_charges_and_only_once(running: RunningService) -> None:
    sql = "SELECT region, COUNT(*) AS n FROM visits WHERE age < 41 GROUP BY region"
    before = count_charges(running)

    async def prepare() -> None:
        connection = await asyncpg.connect(
            host="127.0.0.1",
            port=running.pg_port,
            user="ana",
            password=running.tokens["ana"],
            database="clinic",
        )
        try:
            statement = await connection.prepare(sql)  # Parse and Describe
            assert [one.name for one in statement.get_attributes()] == ["region", "n"]
            assert count_charges(running) == before
            async with connection.transaction():
                cursor = await statement.cursor()
                assert len(await cursor.fetch(1)) == 1  # Execute, suspended
                assert count_charges(running) == before + 1
                assert len(await cursor.fetch(1)) == 1  # the same portal again
            assert count_charges(running) == before + 1
        finally:
            await connection.close()

    asyncio.run(prepare())


def test_a_cursor_is_charged_at_its_first_row_and_rollback_refunds_nothing(
    running: RunningService,
) -> None:
    sql = "SELECT region, COUNT(*) AS n FROM visits WHERE age < 42 GROUP BY region"
    before, notes = count_charges(running), []
    with connect(running) as connection:
        connection.add_notice_handler(lambda note: notes.append(note.message_primary))
        with connection.cursor(name="c") as cursor:
            cursor.execute(sql)
            first = cursor.fetchone()
            assert count_charges(running) == before + 1
            assert cursor.fetchone() is not None
            assert cursor.fetchone() is None
        connection.rollback()
        assert any("ROLLBACK refunds nothing" in str(note) for note in notes)
        notes.clear()
        again = connection.execute(sql).fetchone()
        assert str(notes[0]).startswith("Answered before, free now · ledger entry")
        notes.clear()
        connection.execute(sql.replace("42", "43"))
        assert str(notes[0]).startswith("Cost: epsilon 0.5")
    assert again == first
    assert count_charges(running) == before + 2


def test_a_failed_transaction_waits_for_its_end(running: RunningService) -> None:
    with connect(running) as connection:
        with pytest.raises(psycopg.errors.InsufficientPrivilege, match="individual rows"):
            connection.execute("SELECT * FROM visits")
        with pytest.raises(psycopg.errors.InFailedSqlTransaction):
            connection.execute(COUNT)
        connection.rollback()
        assert len(connection.execute(COUNT).fetchall()) == 2


@pytest.mark.parametrize(
    ("sql", "error"),
    [
        ("SELECT * FROM visits", psycopg.errors.InsufficientPrivilege),
        ("SELECT nonsense FROM", psycopg.errors.InsufficientPrivilege),
        ("INSERT INTO visits VALUES (1)", psycopg.errors.InsufficientPrivilege),
        ("SET hedgerow.epsilon = 'much'", psycopg.errors.InvalidParameterValue),
        ("FETCH 1 FROM nothing", psycopg.errors.InvalidCursorName),
        ("SET hedgerow.epsilon = 5000; " + COUNT, psycopg.Error),
    ],
)
def test_errors_have_their_sqlstate_and_the_connection_lives(
    running: RunningService, sql: str, error: type[Exception]
) -> None:
    with connect(running, autocommit=True) as connection:
        with pytest.raises(error):
            connection.execute(sql)  # type: ignore[call-overload]
        connection.execute("RESET ALL")
        assert len(connection.execute(COUNT).fetchall()) == 2


def test_the_budget_has_a_sqlstate_of_its_own(running: RunningService) -> None:
    with connect(running, "ben", autocommit=True) as connection:
        connection.execute("SET hedgerow.epsilon = 90")
        with pytest.raises(psycopg.errors.ConfigurationLimitExceeded, match="quota"):
            connection.execute("SELECT COUNT(*) FROM visits WHERE age < 43")


def test_settings_price_and_widen_answers(running: RunningService) -> None:
    with connect(running, autocommit=True) as connection:
        connection.execute("SET hedgerow.epsilon = 0.125")
        assert connection.execute("SHOW hedgerow.epsilon").fetchone() == ("0.125",)
        connection.execute("SET hedgerow.intervals = on")
        row = connection.execute("SELECT COUNT(*) AS n FROM visits WHERE age < 44").fetchone()
        assert row is not None
        assert row[1] <= row[0] <= row[2]
        last = [e for e in running.service._database.ledger.entries() if e.kind == "charge"][-1]
        assert last.body["epsilon"] == "1/8"


def test_a_cancelled_question_says_so_and_stays_charged(
    running: RunningService, monkeypatch: pytest.MonkeyPatch
) -> None:
    entered, leave = threading.Event(), threading.Event()
    ask = running.service.ask

    def wait(*arguments: Any, **options: Any) -> Any:
        entered.set()
        leave.wait(30)
        return ask(*arguments, **options)

    monkeypatch.setattr(running.service, "ask", wait)
    with connect(running, autocommit=True) as connection:

        def cancel() -> None:
            entered.wait(30)
            connection.cancel_safe(timeout=20)  # the plain one would hold the interpreter

        thread = threading.Thread(target=cancel)
        thread.start()
        with pytest.raises(psycopg.errors.QueryCanceled, match="stays charged"):
            connection.execute(COUNT)
        thread.join(30)
        leave.set()
        monkeypatch.undo()
        assert len(connection.execute(COUNT).fetchall()) == 2


def test_a_revoked_token_ends_its_connection(running: RunningService) -> None:
    text, token = running.service.accounts.add_token("eve", "short", "eve")
    with psycopg.connect(
        host="127.0.0.1",
        port=running.pg_port,
        user="eve",
        password=text,
        dbname="clinic",
        autocommit=True,
    ) as connection:
        connection.execute("SELECT 1")
        running.service.accounts.revoke_token(token.number, "carl")
        with pytest.raises(psycopg.OperationalError, match="revoked"):
            connection.execute("SELECT 1")


def test_a_malformed_message_is_an_error_and_the_connection_lives(running: RunningService) -> None:
    session = FuzzedSession(running, "ana", running.tokens["ana"])
    session.send(b"Q\0\0\0\x05x" + b"P\0\0\0\x06a\0" + b"Q\0\0\0\x0dSELECT 1\0" + b"S\0\0\0\x04")
    session.send(b"F\0\0\0\x04" + b"d\0\0\0\x04" + b"Q\0\0\0\x05\0")
    found = [session.read_until(pg.ReadyForQuery) for _ in range(4)]
    session.close()
    codes = [
        [one.fields["C"] for one in part if isinstance(one, pg.ErrorResponse)] for part in found
    ]
    # What follows a failed Parse is skipped up to Sync.
    assert codes == [["08P01"], ["08P01"], ["0A000"], []]


@pytest.mark.parametrize(
    ("message", "sqlstate"),
    [
        (pg.Bind(statement="nothing"), "26000"),
        (pg.Execute(portal="nothing"), "34000"),
        (pg.Bind(statement="", param_values=[b"1"]), "08P01"),
        (pg.Bind(statement="", result_formats=[7]), "22023"),
        (pg.Parse(query="SELECT 1; SELECT 2"), "42601"),
        (pg.Parse(statement="s", query="SELECT 2"), "42P05"),
    ],
)
def test_mistakes_in_the_extended_protocol_have_their_sqlstate(
    running: RunningService, message: PGMessage, sqlstate: str
) -> None:
    session = FuzzedSession(running, "ana", running.tokens["ana"])
    for statement in ("", "s"):
        session.send(pg.Parse(statement=statement, query="SELECT 1").to_wire())
    session.send(message.to_wire() + pg.Execute().to_wire() + pg.Sync().to_wire())
    found = session.read_until(pg.ReadyForQuery)
    session.close()
    assert [one.fields["C"] for one in found if isinstance(one, pg.ErrorResponse)] == [sqlstate]


def test_a_suspended_portal_goes_on_for_free_until_its_transaction_ends(
    running: RunningService,
) -> None:
    sql = "SELECT region, COUNT(*) AS n FROM visits WHERE age < 45 GROUP BY region"
    before = count_charges(running)
    session = FuzzedSession(running, "ana", running.tokens["ana"])

    def send(*messages: PGMessage) -> list[PGMessage]:
        session.send(b"".join(one.to_wire() for one in (*messages, pg.Sync())))
        return session.read_until(pg.ReadyForQuery)

    send(pg.Parse(query="BEGIN"), pg.Bind(), pg.Execute())
    bind = pg.Bind(portal="p", result_formats=[1])
    opened = send(pg.Parse(query=sql), bind, pg.Describe(kind="P", name="p"))
    assert count_charges(running) == before
    assert [one.name for one in opened[-2].fields] == ["region", "n"]
    cells = []
    for _ in range(3):
        found = send(pg.Execute(portal="p", max_rows=1))
        cells += [one.columns for one in found if isinstance(one, pg.DataRow)]
        assert count_charges(running) == before + 1
    assert [cell[0] for cell in cells] == [b"north", b"south"]
    assert isinstance(found[-2], pg.CommandComplete)
    send(pg.Parse(query="COMMIT"), pg.Bind(), pg.Execute())
    gone = send(pg.Execute(portal="p"))
    session.close()
    assert [one.fields["C"] for one in gone if isinstance(one, pg.ErrorResponse)] == ["34000"]


def test_a_token_that_spends_nothing_unasked_gets_stored_and_declared_answers_only(
    running: RunningService,
) -> None:
    text, _ = running.service.accounts.add_token("ana", "tool", "ana", needs_epsilon=True)
    stored = "SELECT region, COUNT(*) AS n FROM visits WHERE age < 46 GROUP BY region"
    with connect(running) as asker:
        expected = asker.execute(stored).fetchall()
    before = count_charges(running)
    address = {"host": "127.0.0.1", "port": running.pg_port, "user": "ana", "dbname": "clinic"}
    with psycopg.connect(**address, password=text, autocommit=True) as tool:
        assert tool.execute(stored).fetchall() == expected
        assert len(tool.execute("SELECT * FROM hedgerow.columns").fetchall()) == 5
        declared = tool.execute("SELECT region FROM visits GROUP BY region").fetchall()
        assert declared == [("north",), ("south",)]
        assert tool.execute("SELECT true FROM visits WHERE 1 <> 1 LIMIT 0").fetchall() == []
        for fresh in (
            "SELECT COUNT(*) FROM visits WHERE age < 47",
            "SELECT MAX(age) FROM visits",
        ):
            with pytest.raises(psycopg.errors.InsufficientPrivilege):
                tool.execute(fresh)
        assert count_charges(running) == before
        tool.execute("SET hedgerow.epsilon = 0.25")
        assert tool.execute("SELECT COUNT(*) FROM visits WHERE age < 47").fetchone() is not None
    assert count_charges(running) == before + 1
