"""Functions of other databases: foreign_functions__refused.sql, and advice that is answered."""

from __future__ import annotations

import pytest

from hedgerow.errors import Unsupported
from hedgerow.sql.rules.foreign_functions import REPLACEMENTS, RULES
from sql.helpers_fixtures import ask, check_refused, pairs

# What is advised, and the same about columns of the fixtures.
ADVISED = {
    "d + INTERVAL 3 DAY": "day + INTERVAL 3 DAY",
    "d - INTERVAL 3 DAY": "day - INTERVAL 3 DAY",
    "DATE_DIFF('day', a, b)": "DATE_DIFF('day', month, day)",
    "DATE_TRUNC('month', d)": "DATE_TRUNC('month', day)",
    "STRFTIME(d, '%Y-%m')": "STRFTIME(day, '%Y-%m')",
    "DATE_TRUNC('week', d)": "DATE_TRUNC('week', day)",
    "DAYOFWEEK(d)": "DAYOFWEEK(day)",
    "CASE WHEN x LIKE 'abc%' THEN 'abc' ELSE 'other' END": (
        "CASE WHEN city LIKE 'abc%' THEN 'abc' ELSE 'other' END"
    ),
    "LEFT(x, 3)": "LEFT(city, 3)",
    "UPPER(x)": "UPPER(city)",
    "CASE WHEN x > 0 THEN 'a' ELSE 'b' END": "CASE WHEN age > 0 THEN 'a' ELSE 'b' END",
    "a / b": "Cost / age",
    "FLOOR(a / b)": "FLOOR(Cost / 10)",
}
AGGREGATES = {
    "QUANTILE(x, [0.25, 0.5, 0.75])": "QUANTILE(age, [0.25, 0.5, 0.75])",
    "COUNT(DISTINCT x)": "COUNT(DISTINCT age)",
}


@pytest.mark.parametrize(("sql", "expected"), pairs("foreign_functions__refused"))
def test_unsupported_sql_is_refused_with_the_expected_message(sql: str, expected: str) -> None:
    check_refused(sql, expected)


def test_the_advised_replacement_is_answered() -> None:
    fixes = "\n".join([*REPLACEMENTS.values(), *(rule.fix for rule in RULES)])
    for advised, written in (ADVISED | AGGREGATES).items():
        assert advised in fixes
        ask(
            f"SELECT COUNT({written}) FROM visits"
            if advised in ADVISED
            else f"SELECT {written} FROM visits"
        )


@pytest.mark.parametrize("name", sorted(REPLACEMENTS))
def test_a_foreign_function_is_refused_with_its_replacement(name: str) -> None:
    if name in ("DIV", "DECODE"):  # their brackets are no SQL for the parser
        return
    with pytest.raises(Unsupported) as caught:
        ask(f"SELECT COUNT({name}(age)) FROM visits")
    assert str(caught.value).endswith(REPLACEMENTS[name])


def test_the_whole_call_is_underlined() -> None:
    with pytest.raises(Unsupported) as caught:
        ask("SELECT COUNT(*) FROM visits WHERE TRANSLATE(city, 'b', 'c') = 'a'")
    assert str(caught.value).split("\n")[2] == " " * 38 + "^" * len("TRANSLATE(city, 'b', 'c')")
