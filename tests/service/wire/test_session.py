"""The protocol as real clients speak it, and what a question costs on each way through it."""

from __future__ import annotations

import asyncio
import shutil
import subprocess
import threading
from typing import Any

import asyncpg
import pandas as pd
import pg8000.native
import psycopg
import psycopg2
import pytest
import sqlalchemy

from service.helpers_service import COUNT, RunningService

AGES = (
    "SELECT region, COUNT(*) AS n, AVG(age) AS mean_age FROM visits WHERE age > {} GROUP BY region"
)


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


def test_all_drivers_get_the_answer_of_http(running: RunningService) -> None:
    expected = [tuple(row.values()) for row in running.ask("ana", AGES.format(30)).document["rows"]]
    host, port, token = "127.0.0.1", running.pg_port, running.tokens["ana"]
    with connect(running) as one:
        assert one.execute(AGES.format("%s"), (30,)).fetchall() == expected
        assert one.cursor(binary=True).execute(AGES.format("%s"), (30,)).fetchall() == expected
    two = psycopg2.connect(host=host, port=port, user="ana", password=token, dbname="clinic")
    with two.cursor() as cursor:
        cursor.execute(AGES.format("%s"), (30,))
        assert cursor.fetchall() == expected
    two.close()

    async def fetch() -> list[tuple[Any, ...]]:
        three = await asyncpg.connect(
            host=host, port=port, user="ana", password=token, database="clinic"
        )
        try:
            return [tuple(row) for row in await three.fetch(AGES.format("$1"), 30)]
        finally:
            await three.close()

    assert asyncio.run(fetch()) == expected
    four = pg8000.native.Connection("ana", host=host, port=port, password=token, database="clinic")
    assert [tuple(row) for row in four.run(AGES.format(":a"), a=30)] == expected
    four.close()
    assert count_charges(running) >= 1


def test_sqlalchemy_and_pandas_read_answers(running: RunningService) -> None:
    url = f"postgresql+pg8000://ana:{running.tokens['ana']}@127.0.0.1:{running.pg_port}/clinic"
    engine = sqlalchemy.create_engine(url)
    with engine.connect() as connection:
        found = pd.read_sql_query(sqlalchemy.text(COUNT), connection)
    engine.dispose()
    assert list(found["region"]) == ["north", "south"]
    assert list(found.columns) == ["region", "n"]


@pytest.mark.skipif(shutil.which("psql") is None, reason="psql is missing")
def test_psql_shows_the_answer_its_notes_and_a_refusal(running: RunningService) -> None:
    def run(*commands: str) -> subprocess.CompletedProcess[str]:
        words = ["psql", "-X", "-h", "127.0.0.1", "-p", str(running.pg_port), "-U", "ana", "clinic"]
        for command in commands:
            words += ["-c", command]
        return subprocess.run(
            words,
            env={"PGPASSWORD": running.tokens["ana"], "PATH": "/usr/bin:/bin"},
            capture_output=True,
            text=True,
            check=False,
        )

    shown = run("SET hedgerow.intervals = on", COUNT)
    assert "n_low" in shown.stdout
    assert "north" in shown.stdout
    assert "Each patient contributes" in shown.stderr
    refused = run("SELECT * FROM visits")
    assert "ERROR:  SELECT * returns individual rows" in refused.stderr
    assert "HINT:  Use aggregates" in refused.stderr
    copied = run(f"\\copy ({COUNT}) to stdout csv header")
    assert copied.stdout.splitlines()[0] == "region,n"


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
