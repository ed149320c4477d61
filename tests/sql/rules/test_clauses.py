"""Clauses that are refused: the pairs in clauses__refused.sql."""

from __future__ import annotations

import pytest

from hedgerow.errors import Unsupported
from sql.helpers_fixtures import ask, check_refused, pairs


@pytest.mark.parametrize(("sql", "expected"), pairs("clauses__refused"))
def test_unsupported_sql_is_refused_with_the_expected_message(sql: str, expected: str) -> None:
    check_refused(sql, expected)


@pytest.mark.parametrize(
    ("sql", "expected"),
    [
        (
            "SELECT * FROM information_schema.tables",
            "SELECT * FROM hedgerow.columns lists tables and columns for free.",
        ),
        (
            "SELECT DISTINCT region, COUNT(*) FROM visits GROUP BY region",
            "leave DISTINCT out: each group is returned once.",
        ),
    ],
)
def test_habits_of_other_databases_get_a_replacement(sql: str, expected: str) -> None:
    with pytest.raises(Unsupported) as caught:
        ask(sql)
    assert str(caught.value).endswith(expected)
