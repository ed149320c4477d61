"""A client beside the database behind its service: the same answers, explanations and errors."""

from __future__ import annotations

import threading
from decimal import Decimal
from fractions import Fraction

import pandas
import pytest

import hedgerow
from hedgerow.answers.answer import Answer
from hedgerow.client.remote_answer import RemoteAnswer
from hedgerow.client.remote_database import RemoteDatabase, _read_balance, remote
from hedgerow.client.remote_explanation import RemoteExplanation
from hedgerow.client.service_errors import NotAuthenticated, RequestConflict
from hedgerow.database.uncharged.exact_table import ExactTable
from hedgerow.errors import HedgerowError, InvalidArgument, Refused, Unsupported
from hedgerow.privacy.budget_view import Balance, DualBalance
from service.helpers_service import COUNT, RunningService

SHARES = f"WITH c AS ({COUNT}) SELECT region, 1.0 * n / SUM(n) OVER () AS share FROM c"


def ask(db: RemoteDatabase, sql: str, epsilon: str | None = None) -> RemoteAnswer:
    answer = db.query(sql, epsilon=None if epsilon is None else Decimal(epsilon))
    assert isinstance(answer, RemoteAnswer)
    return answer


def test_a_new_question_is_charged_exactly(ana: RemoteDatabase, running: RunningService) -> None:
    answer = ask(ana, "SELECT COUNT(*) AS n FROM visits WHERE age > 3", "0.123456789012345678")
    assert answer.cost.epsilon == answer.receipt.epsilon == Fraction("0.123456789012345678")
    (entry,) = (
        entry
        for entry in running.service._database.ledger.entries()
        if entry.seq == answer.receipt.entry
    )
    assert (entry.hash, entry.body["analyst"]) == (answer.receipt.hash, "ana")
    assert not answer.receipt.reused


def test_budgets_are_those_of_the_database(ana: RemoteDatabase, running: RunningService) -> None:
    local = running.service._database
    assert repr(ana.budget) == repr(local.budget)
    assert ana.budget.to_dict() == local.budget.to_dict()
    assert list(ana.budgets) == ["patients"]
    assert isinstance(ana.budget, DualBalance)


def test_a_closed_or_a_partitioned_budget_is_read() -> None:
    part = Balance(Fraction(1), Fraction(1, 4))
    whole = Balance(Fraction(2), float("inf"), {"visits": {"2026-01": part}})
    assert _read_balance(whole.to_dict()) == whole
    assert _read_balance(whole.to_dict()).parts == whole.parts


def test_an_explanation_is_that_of_the_database(
    ana: RemoteDatabase, running: RunningService
) -> None:
    sql = "SELECT region, AVG(age) AS a FROM visits WHERE age > 4 GROUP BY region"
    local = running.service._database
    for options in ({"epsilon": 0.25}, {}):
        found, own = ana.explain(sql, **options), local.explain(sql, analyst="ana", **options)
        assert (repr(found), found._repr_html_()) == (repr(own), own._repr_html_())
        assert found.to_dict() == own.to_dict()
        assert (found.epsilon, found.free, found.cost) == (own.epsilon, False, own.cost)
    assert ana.explain(COUNT, error=5).epsilon == local.explain(COUNT, error=5).epsilon
    by_query = ana.query(f"EXPLAIN PRIVACY {sql}")
    assert isinstance(by_query, RemoteExplanation)
    ask(ana, sql)
    assert ana.explain(sql).free


def test_a_public_answer_is_an_exact_table(ana: RemoteDatabase, running: RunningService) -> None:
    sql = "SELECT name, population FROM hedgerow.tables"
    found, own = ana.query(sql), running.service._database.query(sql, analyst="ana")
    assert isinstance(found, ExactTable)
    assert isinstance(own, ExactTable)
    assert (found.rows, repr(found), found.to_dict()) == (own.rows, repr(own), own.to_dict())


@pytest.mark.parametrize(
    ("sql", "options", "error"),
    [
        ("SELECT age FROM visits", {}, Unsupported),
        ("SELECT COUNT(*) FROM visits WHERE age ~ 'x'", {}, Unsupported),
        ("SELECT COUNT(*) FROM nowhere", {}, HedgerowError),
        (COUNT, {"epsilon": -1}, InvalidArgument),
        (COUNT, {"epsilon": 1000}, Refused),
        ("", {}, InvalidArgument),
    ],
)
def test_errors_are_those_of_the_database(
    ana: RemoteDatabase,
    running: RunningService,
    sql: str,
    options: dict[str, int],
    error: type[HedgerowError],
) -> None:
    with pytest.raises(error) as found:
        ana.query(sql, **options)
    if sql:
        with pytest.raises(error) as own:
            running.service._database.query(sql, analyst="ana", **options)
        assert type(found.value) is type(own.value)
        assert str(found.value) == str(own.value)


def test_a_number_that_no_decimal_is_is_refused(ana: RemoteDatabase) -> None:
    with pytest.raises(InvalidArgument, match="finite decimal form"):
        ana.query(COUNT, epsilon=Fraction(1, 3))


def test_one_request_key_is_charged_once(ana: RemoteDatabase, running: RunningService) -> None:
    sql = "SELECT COUNT(*) AS n FROM visits WHERE age > 5"
    first = ana.query(sql, epsilon=0.25, request="mine")
    before = ana.budget.to_dict()
    again = ana.query(sql, epsilon=0.25, request="mine")
    assert isinstance(first, RemoteAnswer)
    assert isinstance(again, RemoteAnswer)
    assert first.rows == again.rows
    assert ana.budget.to_dict() == before
    with pytest.raises(RequestConflict, match="another question"):
        ana.query(COUNT, request="mine")


def test_threads_share_a_client(ana: RemoteDatabase) -> None:
    rows: list[object] = []

    def work() -> None:
        rows.append(ask(ana, COUNT).rows)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert len(rows) == 4
    assert all(row == rows[0] for row in rows)


def test_a_wrong_token_and_wrong_options_are_refused(running: RunningService) -> None:
    url = f"http://127.0.0.1:{running.port}"
    with remote(url, token="hr_wrong") as db, pytest.raises(NotAuthenticated, match="unknown"):
        _ = db.budget
    assert repr(db) == f"RemoteDatabase('{url}')"
    with pytest.raises(InvalidArgument, match="timeout must"):
        remote(url, token="x", timeout=0)
    with pytest.raises(InvalidArgument, match="could read the token"):
        remote("http://data.example", token="x")


def test_the_answer_of_the_database_comes_through_the_service(
    ana: RemoteDatabase, running: RunningService
) -> None:
    for sql in (COUNT, SHARES):
        ask(ana, sql)
        found, own = ask(ana, sql), running.service._database.query(sql, analyst="ana")
        assert not isinstance(own, ExactTable)
        assert found.rows == own.rows
        assert isinstance(own, Answer) == (sql == COUNT)


def test_a_connection_asks_through_the_service(running: RunningService) -> None:
    url, token = f"http://127.0.0.1:{running.port}", running.tokens["ana"]
    sql = "SELECT region, COUNT(*) AS n FROM visits WHERE age > ? GROUP BY region"
    with hedgerow.connect(url, token=token) as connection, connection.cursor() as cursor:
        cursor.epsilon = 0.5
        rows = cursor.execute(sql, [6]).fetchall()
        assert [name for name, *_ in cursor.description or ()] == ["region", "n"]
        assert cursor.answer.receipt.epsilon == Fraction(1, 2)
        assert pandas.read_sql(sql.replace("?", "6"), connection).to_numpy().tolist() == [
            list(row) for row in rows
        ]
        with pytest.raises(connection.ProgrammingError, match="neither in GROUP BY") as refusal:
            cursor.execute("SELECT age FROM visits")
        assert isinstance(refusal.value, Unsupported)
        assert isinstance(connection.database, RemoteDatabase)
    with (
        hedgerow.connect(url, token="hr_wrong") as stranger,
        pytest.raises(stranger.ProgrammingError, match="unknown"),
    ):
        stranger.cursor().execute(sql, [6])
