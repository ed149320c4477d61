"""Regular expressions: the pairs in patterns.sql and patterns__refused.sql."""

from __future__ import annotations

import pytest

from sql.helpers_fixtures import check_answered, check_refused, pairs


@pytest.mark.parametrize(("sql", "expected"), pairs("patterns"))
def test_supported_sql_has_the_expected_plan(sql: str, expected: str) -> None:
    check_answered(sql, expected)


@pytest.mark.parametrize(("sql", "expected"), pairs("patterns__refused"))
def test_unsupported_sql_is_refused_with_the_expected_message(sql: str, expected: str) -> None:
    check_refused(sql, expected)
