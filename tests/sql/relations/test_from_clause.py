"""Subqueries and WITH: the pairs in from_clause.sql, and limits."""

from __future__ import annotations

import pytest

from hedgerow.errors import Unsupported
from sql.helpers_fixtures import ask, check_answered, check_refused, pairs


@pytest.mark.parametrize(("sql", "expected"), pairs("from_clause"))
def test_supported_sql_has_the_expected_plan(sql: str, expected: str) -> None:
    check_answered(sql, expected)


@pytest.mark.parametrize(("sql", "expected"), pairs("from_clause__refused"))
def test_unsupported_sql_is_refused_with_the_expected_message(sql: str, expected: str) -> None:
    check_refused(sql, expected)


def chain(first: str, part: str, last: str, count: int) -> str:
    """Return WITH a0 AS (first), a1 AS (part of a0), …, and the last SELECT over the last one."""
    parts = [f"a{i + 1} AS ({part.format(i)})" for i in range(count)]
    return f"WITH a0 AS ({first}), {', '.join(parts)} {last.format(count)}"


TWICE = "SELECT x.* FROM a{0} x JOIN a{0} y USING (patient_id)"
BOTH = "SELECT * FROM a{0} UNION ALL SELECT * FROM a{0}"


@pytest.mark.parametrize("part", [TWICE, BOTH])
def test_expressions_that_grow_exponentially_are_refused(part: str) -> None:
    visits = "SELECT * FROM visits"
    assert ask(chain(visits, part, "SELECT COUNT(*) FROM a{0}", 3)).aggregates
    with pytest.raises(Unsupported, match="more than 50 tables"):
        ask(chain(visits, part, "SELECT COUNT(*) FROM a{0}", 30))


def test_expressions_that_double_are_refused() -> None:
    first, part, last = (
        "SELECT age AS x FROM visits",
        "SELECT (x + x) % 7 AS x FROM a{0}",
        "SELECT SUM(x) FROM a{0}",
    )
    assert ask(chain(first, part, last, 3)).aggregates
    with pytest.raises(Unsupported, match="too complex"):
        ask(chain(first, part, last, 30))


def test_too_many_per_unit_aggregations_are_refused() -> None:
    first, part = (
        "SELECT patient_id, age FROM visits",
        "SELECT patient_id, MAX(age) AS age FROM a{0} GROUP BY patient_id",
    )
    assert ask(chain(first, part, "SELECT AVG(age) FROM a{0}", 20)).plan.bound.max_rows == 1
    with pytest.raises(Unsupported, match="more than 50 tables"):
        ask(chain(first, part, "SELECT AVG(age) FROM a{0}", 60))


def test_the_tables_of_a_question_are_the_protected_tables_it_reads() -> None:
    joined = "visits JOIN patients ON patient_id = id JOIN regions r ON r.region = visits.region"
    sql = f"WITH unused AS (SELECT * FROM labs) SELECT COUNT(*) FROM {joined}"
    assert ask(sql).tables == ("visits", "patients")
