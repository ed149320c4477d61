"""Text functions that are patterns in other words: plans, refusals, and what DuckDB answers."""

from __future__ import annotations

import pytest

from sql.helpers_calls import list_calls
from sql.helpers_fixtures import check_answered, check_refused, pairs
from sql.helpers_three_readers import open_readers

MEANINGS = (
    "REPLACE(url, '.', '|')",
    "REPLACE(url, 'a', '')",
    r"REPLACE(url, '*', '\1')",
    "LTRIM(url)",
    "RTRIM(url)",
    "SPLIT_PART(url, '.', 1)",
    "SPLIT_PART(url, '.', 3)",
    "SPLIT_PART(url, '|', 2)",
    r"SPLIT_PART(url, '\', 1)",
    "CONCAT_WS('-', url, seconds, NULLIF(url, 'a'))",
    "CONCAT_WS('--', NULLIF(url, 'a'))",
    "CONCAT(url, seconds, day)",
    "url || seconds",
)


@pytest.mark.parametrize(("sql", "expected"), pairs("text_patterns"))
def test_supported_sql_has_the_expected_plan(sql: str, expected: str) -> None:
    check_answered(sql, expected)


@pytest.mark.parametrize(("sql", "expected"), pairs("text_patterns__refused"))
def test_unsupported_sql_is_refused_with_the_expected_message(sql: str, expected: str) -> None:
    check_refused(sql, expected)


def test_each_function_means_what_duckdb_says() -> None:
    with open_readers({"calls": list_calls()}) as readers:
        for function in MEANINGS:
            readers.read(f"SELECT {function} AS k, COUNT(*) AS n FROM calls GROUP BY k")
