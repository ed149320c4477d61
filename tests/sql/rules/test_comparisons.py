"""Comparisons: the pairs in comparisons.sql and comparisons__refused.sql."""

from __future__ import annotations

import pytest

from sql.helpers_descriptions import describe
from sql.helpers_fixtures import ask, check_answered, check_refused, pairs, refusal


@pytest.mark.parametrize(("sql", "expected"), pairs("comparisons"))
def test_supported_sql_has_the_expected_plan(sql: str, expected: str) -> None:
    check_answered(sql, expected)


@pytest.mark.parametrize(("sql", "expected"), pairs("comparisons__refused"))
def test_unsupported_sql_is_refused_with_the_expected_message(sql: str, expected: str) -> None:
    check_refused(sql, expected)


def test_a_long_list_is_refused_and_a_thousand_is_read() -> None:
    listed = ", ".join(map(str, range(1001)))
    assert (
        refusal(f"SELECT COUNT(*) FROM visits WHERE age IN ({listed})")
        == "Unsupported: IN has more than 1000 values"
    )
    assert "IN (" in describe(
        ask(f"SELECT COUNT(*) FROM visits WHERE visits_before IN ({listed.removesuffix(', 1000')})")
    )
