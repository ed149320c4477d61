"""LEFT JOIN from a public table and RIGHT JOIN: plans, refusals, and what the answers mean."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from sql.helpers_fixtures import ask, check_answered, check_refused, pairs
from sql.helpers_three_readers import Readers, open_readers


@pytest.fixture(scope="module")
def readers() -> Iterator[Readers]:
    with open_readers() as opened:
        yield opened


@pytest.mark.parametrize(("sql", "expected"), pairs("public_outer_joins"))
def test_supported_sql_has_the_expected_plan(sql: str, expected: str) -> None:
    check_answered(sql, expected)


@pytest.mark.parametrize(("sql", "expected"), pairs("public_outer_joins__refused"))
def test_unsupported_sql_is_refused_with_the_expected_message(sql: str, expected: str) -> None:
    check_refused(sql, expected)


def test_the_plan_is_that_of_the_inner_join() -> None:
    asked = (
        "SELECT r.zone, COUNT(v.age) AS n, COUNT(DISTINCT v.patient_id) AS p FROM {} GROUP BY"
        " r.zone"
    )
    plans = [
        ask(asked.format(rows)).plan
        for rows in (
            "visits v JOIN regions r ON v.region = r.region AND v.smoker",
            "regions r LEFT JOIN visits v ON v.region = r.region AND v.smoker",
            "visits v RIGHT JOIN regions r ON v.region = r.region AND v.smoker",
        )
    ]
    assert plans[1:] == plans[:1] * 2


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT COUNT(v.age) AS n, SUM(v.age) AS s FROM regions r LEFT JOIN visits v ON v.region ="
        " r.region",
        "SELECT COUNT(v.patient_id) AS n, COUNT(DISTINCT v.patient_id) AS p FROM regions r"
        " LEFT JOIN visits v ON v.region = r.region AND v.age > 30 AND r.zone = 'a'",
        "SELECT SUM(CASE WHEN v.age > 30 THEN 1 ELSE 0 END) AS n FROM visits v RIGHT JOIN"
        " regions r USING (region) WHERE r.zone = 'b'",
        "SELECT COUNT(l.value) AS n FROM regions r LEFT JOIN visits v ON v.region = r.region LEFT"
        " JOIN labs l ON l.patient_id = v.patient_id",
        "SELECT COUNT(v.age) FILTER (WHERE r.zone = 'a') AS n FROM regions r LEFT JOIN visits v ON"
        " v.region = r.region WHERE v.smoker",
        "SELECT COUNT(p.sex) AS n FROM labs l JOIN patients p ON p.id = l.patient_id RIGHT JOIN"
        " regions r ON r.region = p.region",
        # the sides of a RIGHT JOIN are swapped
        "SELECT COUNT(*) AS n, COUNT(r.zone) AS z FROM regions r RIGHT JOIN visits v ON v.region ="
        " r.region",
        "SELECT COUNT(*) AS n, COUNT(l.patient_id) AS m FROM labs l RIGHT JOIN visits v USING"
        " (patient_id)",
    ],
)
def test_answers_mean_what_they_mean_in_sql(sql: str, readers: Readers) -> None:
    assert readers.read(sql)


def test_groups_have_the_numbers_of_sql(readers: Readers) -> None:
    for rows in ("regions LEFT JOIN visits", "visits RIGHT JOIN regions"):
        readers.read(f"SELECT zone, COUNT(age) AS n FROM {rows} USING (region) GROUP BY zone")
        sql = f"SELECT region, COUNT(age) AS n FROM {rows} USING (region) GROUP BY region"
        found = readers.plain_sql.execute(sql).fetchall()
        assert ("moon", 0) in found  # our noisy groups: those of the public table, too
        assert ask(sql).keys
