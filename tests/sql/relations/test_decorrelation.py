"""Correlated scalar subqueries: the pairs in decorrelation.sql, and what they mean."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from sql.helpers_fixtures import check_answered, check_refused, pairs
from sql.helpers_three_readers import Readers, open_readers


@pytest.mark.parametrize(("sql", "expected"), pairs("decorrelation"))
def test_supported_sql_has_the_expected_plan(sql: str, expected: str) -> None:
    check_answered(sql, expected)


@pytest.mark.parametrize(("sql", "expected"), pairs("decorrelation__refused"))
def test_unsupported_sql_is_refused_with_the_expected_message(sql: str, expected: str) -> None:
    check_refused(sql, expected)


@pytest.fixture(scope="module")
def readers() -> Iterator[Readers]:
    with open_readers() as opened:
        yield opened


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT COUNT(*), SUM(LEAST((SELECT COUNT(*) FROM labs l WHERE l.patient_id = p.id), 9))"
        " FROM patients p",
        "SELECT COUNT(*) FROM patients p WHERE (SELECT COUNT(*) FILTER (WHERE value > 50) FROM labs"
        " WHERE labs.patient_id = p.id) = 0",
        "SELECT COUNT(*) FROM patients WHERE (SELECT MIN(visit_age) FROM labs WHERE patient_id ="
        " id) > 20",
        "SELECT COUNT(*), SUM((SELECT COALESCE(LEAST(SUM(amount), 30), 7) FROM lines WHERE"
        " lines.order_id = orders.order_id AND drug > 'b')) FROM orders WHERE (SELECT COUNT(*) FROM"
        " lines WHERE lines.order_id = orders.order_id) < 9",
        "SELECT COUNT(*), SUM(LEAST((SELECT LEAST(COUNT(value), 4) + 1 FROM labs WHERE patient_id"
        " = id), 20)) FROM patients",
        "SELECT COUNT(*), SUM(LEAST((SELECT COUNT(*) FROM visits v WHERE v.patient_id = p.id), 5) -"
        " LEAST((SELECT COUNT(*) FROM labs l WHERE l.patient_id = p.id), 5)) FROM patients p",
        "SELECT COUNT(*) FROM patients p WHERE (SELECT COUNT(*) FROM visits v WHERE v.patient_id ="
        " p.id AND v.region = p.region) > 1",
    ],
)
def test_a_correlated_subquery_means_what_plain_sql_says(readers: Readers, sql: str) -> None:
    readers.read(sql)
