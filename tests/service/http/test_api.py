from __future__ import annotations

import csv
import io
from decimal import Decimal

import pyarrow as pa
import pytest

import hedgerow
from hedgerow.service.accounts.records import Role
from service.helpers_service import COUNT, RunningService


def test_an_answer_has_the_fields_of_the_command_line(running: RunningService) -> None:
    answer = running.ask("ana", COUNT, epsilon=0.5)
    assert answer.status == 200
    found = answer.document
    assert set(found) == {
        *("columns", "types", "keys", "rows", "intervals", "cost", "receipt", "notes")
    }
    assert [row["region"] for row in found["rows"]] == ["north", "south"]
    assert all(
        low <= row["n"] <= high
        for row, (low, high) in zip(found["rows"], found["intervals"]["n"], strict=True)
    )
    again = running.ask(
        "ben", "select REGION, count(*) n from VISITS group by region", epsilon="0.5"
    )
    assert again.document["receipt"]["reused"]
    assert [row["n"] for row in again.document["rows"]] == [row["n"] for row in found["rows"]]


def test_csv_and_arrow_hold_the_same_rows(running: RunningService) -> None:
    running.ask("ana", COUNT, epsilon=0.5)
    answers = [
        running.request(
            "POST",
            "/api/v1/query",
            who="ana",
            body={"sql": COUNT, "epsilon": 0.5},
            headers={"Accept": kind},
        )
        for kind in ("application/json", "text/csv", "application/vnd.apache.arrow.stream")
    ]
    rows = answers[0].document["rows"]
    read = list(csv.DictReader(io.StringIO(answers[1].text)))
    assert [(row["region"], int(row["n"])) for row in read] == [(r["region"], r["n"]) for r in rows]
    assert pa.ipc.open_stream(answers[2].body).read_all().to_pylist() == rows


def test_a_format_that_is_not_written_is_refused_before_anything_is_charged(
    running: RunningService,
) -> None:
    before = running.request("GET", "/api/v1/budget", who="ana").document
    body = {"sql": "SELECT COUNT(*) FROM visits WHERE age < 62", "epsilon": 0.5}
    for accept in ("text/html", "application/json;q=0"):
        headers = {"Accept": accept}
        answer = running.request("POST", "/api/v1/query", who="ana", body=body, headers=headers)
        assert (answer.status, answer.document["status"]) == (406, 406)
    assert running.request("GET", "/api/v1/budget", who="ana").document == before


def test_numbers_stay_exact(running: RunningService) -> None:
    body = b'{"sql": "SELECT COUNT(*) FROM shifts", "epsilon": 0.1}'
    answer = running.request("POST", "/api/v1/query", who="ana", body=body)
    assert answer.document["cost"]["epsilon"] == "1/10"


def test_explain_costs_nothing_and_takes_an_error(running: RunningService) -> None:
    before = running.request("GET", "/api/v1/budget", who="ana").document
    sql = "SELECT COUNT(*) FROM visits WHERE age > 3"
    found = running.request("POST", "/api/v1/explain", who="ana", body={"sql": sql, "error": "5"})
    assert found.status == 200
    assert Decimal(found.document["epsilon"]) > 0
    assert found.document["aggregates"][0]["expected_error"] <= 5
    assert running.request("GET", "/api/v1/budget", who="ana").document == before


@pytest.mark.parametrize(
    ("body", "status", "words"),
    [
        (b"{", 422, "JSON object"),
        (b"[]", 422, "JSON object"),
        (b'{"sql": 1}', 422, "must be text"),
        (b"{}", 422, "must be text"),
        (b'{"sql": "SELECT 1", "epsilom": 1}', 422, "only the keys"),
        (b'{"sql": "SELECT COUNT(*) FROM visits", "epsilon": true}', 422, "must be a number"),
        (b'{"sql": "SELECT COUNT(*) FROM visits", "epsilon": NaN}', 422, "JSON object"),
        (b'{"sql": "SELECT COUNT(*) FROM visits", "epsilon": "x"}', 422, "must be a number"),
        (b'{"sql": "SELECT COUNT(*) FROM visits", "epsilon": "1_0"}', 422, "must be a number"),
        (b'{"sql": "SELECT COUNT(*) FROM visits", "epsilon": 1, "epsilon": 2}', 422, "key once"),
        (b'{"sql": "SELECT COUNT(*) FROM visits", "request": ""}', 422, "1 to 200"),
        (b'{"sql": "SELECT COUNT(*) FROM visits", "request": "\\ud800"}', 422, "printable"),
        (b'{"sql": ""}', 422, "SELECT statement"),
        (b'{"sql": "SELECT * FROM visits"}', 400, "individual rows"),
        (b'{"sql": "SELECT COUNT(*) FROM visits", "epsilon": 99999}', 422, "epsilon"),
        (b'{"sql": "' + b"x" * 300_000 + b'"}', 413, "bytes"),
    ],
)
def test_a_bad_request_is_a_problem_with_the_fix(
    running: RunningService, body: bytes, status: int, words: str
) -> None:
    answer = running.request("POST", "/api/v1/query", who="ana", body=body)
    assert answer.status == status, answer.text
    assert answer.headers["content-type"] == "application/problem+json"
    assert words in answer.document["detail"]
    assert answer.document["status"] == status


def test_the_words_are_those_of_python(running: RunningService) -> None:
    sql = "SELECT age FROM visits"
    answer = running.ask("ana", sql)
    with (
        hedgerow.open(running.service.settings.policy, analyst="ana") as db,
        pytest.raises(hedgerow.Refused) as refusal,
    ):
        db.query(sql)
    assert answer.document["detail"] == str(refusal.value)


@pytest.mark.parametrize("token", [None, "", "hr_wrong"])
def test_a_request_without_a_valid_token_is_401(running: RunningService, token: str | None) -> None:
    for path in ("/api/v1/query", "/api/v1/explain"):
        answer = running.request("POST", path, token=token, body={"sql": COUNT})
        assert answer.status == 401
        assert answer.headers["www-authenticate"] == "Bearer"


def test_a_request_key_pays_once_and_takes_no_other_question(running: RunningService) -> None:
    sql = "SELECT COUNT(*) FROM visits WHERE age < 50"
    first = running.ask("ana", sql, epsilon=0.25, request="key-1")
    again = running.ask("ana", sql, epsilon=0.25, request="key-1")
    assert first.document["rows"] == again.document["rows"]
    other = running.ask("ana", COUNT, epsilon=0.25, request="key-1")
    assert other.status == 409
    assert running.ask("ben", sql, epsilon=0.25, request="key-1").status == 200


def test_tables_that_were_not_granted_do_not_exist(running: RunningService) -> None:
    assert running.ask("ben", "SELECT COUNT(*) FROM shifts").status == 400
    assert "There is no table shifts" in running.ask("ben", "SELECT COUNT(*) FROM shifts").text
    tables = running.request("GET", "/api/v1/tables", who="ben").document["tables"]
    assert [table["name"] for table in tables] == ["visits"]
    explained = running.request(
        "POST", "/api/v1/explain", who="ben", body={"sql": "SELECT COUNT(*) FROM shifts"}
    )
    assert explained.status == 400
    # an answer that is stored for others stays hidden too
    assert running.ask("ana", "SELECT COUNT(*) FROM shifts").status == 200
    assert running.ask("ben", "SELECT COUNT(*) FROM shifts").status == 400


def test_a_quota_and_a_budget_that_are_exhausted_are_402(running: RunningService) -> None:
    assert running.ask("ben", COUNT, epsilon=3).status == 402
    day = running.ask("eve", "SELECT COUNT(*) FROM visits WHERE age > 70", epsilon="1.5")
    assert day.status == 402
    assert "quota for a day" in day.document["detail"]


def test_an_analyst_sees_their_own_history_only(running: RunningService) -> None:
    running.ask("ana", COUNT)
    entries = running.request("GET", "/api/v1/history", who="eve").document["entries"]
    assert all(entry["analyst"] == "eve" for entry in entries)
    entries = running.request("GET", "/api/v1/history", who="aude").document["entries"]
    assert {"ana"} <= {entry["analyst"] for entry in entries}


def test_health_readiness_and_metrics(running: RunningService) -> None:
    assert running.request("GET", "/healthz").document == {"status": "ok"}
    assert running.request("GET", "/readyz").document == {"status": "ready"}
    text = running.request("GET", "/metrics", who="aude").text
    assert 'hedgerow_budget{population="patients",currency="epsilon",which="total"} 100' in text
    assert "hedgerow_responses_total" in text
    assert "process_" not in text
    assert running.request("GET", "/metrics", who="ana").status == 403


def test_documents_of_custodians_and_auditors(running: RunningService) -> None:
    policy = running.request("GET", "/api/v1/policy", who="aude").document
    assert "[tables.visits]" in policy["policy"]
    ledger = running.request("GET", "/api/v1/ledger", who="carl").document
    assert "nothing is wrong" in ledger["verification"]
    accounts = running.request("GET", "/api/v1/accounts", who="carl").document
    assert {one["name"] for one in accounts["accounts"]} >= {"ana", "carl"}
    assert all("digest" not in token for token in accounts["tokens"])
    quotas = running.request("GET", "/api/v1/quotas", who="carl").document["quotas"]
    assert {one["analyst"] for one in quotas} == {"ana", "ben", "eve"}
    assert running.request("GET", "/api/v1/publications", who="ana").document == {
        "publications": []
    }


def test_a_request_key_belongs_to_one_account_and_one_question(running: RunningService) -> None:
    running.service.accounts.add_account("cora", Role.custodian, None, "test")
    cora, _ = running.service.accounts.add_token("cora", "test", "test")

    def ask(sql: str, epsilon: float, token: str = running.tokens["carl"]) -> int:
        body = {"sql": sql, "epsilon": epsilon, "request": "key-2"}
        return running.request("POST", "/api/v1/query", body=body, token=token).status

    sql = "SELECT COUNT(*) FROM visits WHERE region = 'a  b'"
    assert ask(sql, 0.25) == 200
    assert ask(sql.replace("  ", " "), 0.25) == 409
    assert ask(sql, 0.5) == 409
    # Custodians share a name in the ledger, but not their keys.
    assert ask("SELECT COUNT(*) FROM visits WHERE age < 49", 0.25, token=cora) == 200
