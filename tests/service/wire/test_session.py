"""What a question costs on each way through the protocol, and how it fails."""

from __future__ import annotations

import asyncio
import threading
from typing import Any

import asyncpg
import psycopg
import pytest

from service.helpers_service import COUNT, RunningService


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
        again = connection.execute(sql).fetchone()
    assert again == first
    assert count_charges(running) == before + 1


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
