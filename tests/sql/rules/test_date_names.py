"""Dates as text, and their computed parts: plans, refusals, and what DuckDB answers."""

from __future__ import annotations

import pytest

from sql.helpers_calls import list_calls
from sql.helpers_fixtures import ask, check_answered, check_refused, pairs
from sql.helpers_three_readers import open_readers

MEANINGS = (
    "DAYNAME(day)",
    "MONTHNAME(booked)",
    "STRFTIME(day, '%Y-%m')",
    "STRFTIME(day, '%d/%m/%y')",
    "STRFTIME(day, '%Y')",
    "STRFTIME(booked, '%Y-%m-%d %H:%M:%S')",
    "STRFTIME(\"at\", '%H h %M')",
    "STRFTIME(\"at\", '%m.%d')",
    "EXTRACT(week FROM day)",
    "EXTRACT(isoyear FROM day)",
    "EXTRACT(isodow FROM booked)",
    "EXTRACT(decade FROM day)",
    "EXTRACT(century FROM day)",
    "CAST(EPOCH(booked) AS BIGINT)",
    'WEEK("at")',
    "LAST_DAY(day)",
    "DATE_DIFF('quarter', day, CAST(booked AS DATE))",
)


@pytest.mark.parametrize(("sql", "expected"), pairs("date_names"))
def test_supported_sql_has_the_expected_plan(sql: str, expected: str) -> None:
    check_answered(sql, expected)


@pytest.mark.parametrize(("sql", "expected"), pairs("date_names__refused"))
def test_unsupported_sql_is_refused_with_the_expected_message(sql: str, expected: str) -> None:
    check_refused(sql, expected)


def test_each_function_means_what_duckdb_says() -> None:
    with open_readers({"calls": list_calls()}) as readers:
        for function in MEANINGS:
            readers.read(
                f"SELECT {function} AS k, COUNT(*) AS n FROM calls WHERE day IS NOT NULL AND"
                " booked IS NOT NULL GROUP BY k HAVING COUNT(*) > 0"
            )


@pytest.mark.parametrize(
    "function",
    [
        "TO_CHAR(at, 'YYYY-MM-DD HH24:MI')",
        "DATE_FORMAT(at, '%Y-%m-%d %H:%i')",
        "DATE_FORMAT(at, 'yyyy-MM-dd HH:mm')",
        "FORMAT_TIMESTAMP('%Y-%m-%d %H:%M', at)",
    ],
)
def test_formats_of_other_databases_ask_the_same(function: str) -> None:
    keys = [
        ask(f"SELECT {text}, COUNT(*) FROM calls GROUP BY 1").plan
        for text in (function, "STRFTIME(at, '%Y-%m-%d %H:%M')")
    ]
    assert keys[0] == keys[1]
