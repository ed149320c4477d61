"""Statements that are refused: the pairs in statements__refused.sql."""

from __future__ import annotations

import pytest

from sql.helpers_fixtures import check_refused, pairs


@pytest.mark.parametrize(("sql", "expected"), pairs("statements__refused"))
def test_unsupported_sql_is_refused_with_the_expected_message(sql: str, expected: str) -> None:
    check_refused(sql, expected)
