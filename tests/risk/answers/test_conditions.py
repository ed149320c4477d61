"""Conditions are read from SQL, written for people, and refused where they are more than tests
of columns.
"""

from __future__ import annotations

from fractions import Fraction

import pytest

from hedgerow.errors import Unsupported
from hedgerow.risk.answers.conditions import (
    EVERYBODY,
    And,
    Comparison,
    Not,
    Or,
    describe_condition,
    iterate_comparisons,
    normalise_condition,
    parse_condition,
    parse_number,
    parse_select,
)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("age = 21 AND sex = 'm'", "age = 21 and sex = 'm'"),
        ("21 < age", "age > 21"),
        ("21 >= Age", "age <= 21"),
        ("age BETWEEN 20 AND 21.5", "age >= 20 and age <= 21.5"),
        ("NOT age < 3 OR b IN (1, 2)", "(age >= 3 or b in (1, 2))"),
        ("b NOT IN ('it''s')", "b not in ('it''s')"),
        ("NOT (a = 1 AND b <> -2)", "not (a = 1 and b <> -2)"),
        ("drugs", "drugs = true"),
        ("drugs IS FALSE", "drugs = false"),
        ("x IS NULL OR y IS NOT NULL", "(x is missing or y is known)"),
        ("d >= DATE '2026-01-31'", "d >= '2026-01-31'"),
        ("(((a = 1)))", "a = 1"),
        ("TRUE", "any values"),
        ("FALSE", "no values"),
        ("", "any values"),
        ("*", "any values"),
    ],
)
def test_conditions_are_described_in_words(text: str, said: str) -> None:
    assert describe_condition(parse_condition(text)) == said


@pytest.mark.parametrize(
    "text",
    [
        "age = height",
        "age + 1 = 2",
        "lower(a) = 'x'",
        "a IN (SELECT b FROM c)",
        "a = 1 GROUP BY b",
        "a LIKE 'x%'",
        "a = 1; DROP TABLE b",
        "a = ",
        "'open",
        "a = 1e999999999",
        "d = DATE 'yesterday'",
        "a = -'x'",
        "1 = 1",
        "(" * 60 + "a = 1" + ")" * 60,
    ],
)
def test_other_expressions_are_refused(text: str) -> None:
    with pytest.raises(Unsupported):
        parse_condition(text)


def test_only_one_select_is_read() -> None:
    with pytest.raises(Unsupported, match="a single SELECT"):
        parse_select("INSERT INTO a VALUES (1)")


def test_two_ways_of_writing_are_one_normal_form() -> None:
    assert normalise_condition(parse_condition("a = 1 AND b = 2")) == normalise_condition(
        parse_condition("(b in (2)) and NOT NOT a = 1")
    )
    assert normalise_condition(parse_condition("x in (2, 1)")) == normalise_condition(
        parse_condition("x IN (1, 2)")
    )
    assert normalise_condition(parse_condition("a = 1 OR b = 2")) != normalise_condition(
        parse_condition("a = 1 AND b = 2")
    )
    assert normalise_condition(EVERYBODY) == EVERYBODY
    assert normalise_condition(Not(Comparison("a", "null"))) == Not(Comparison("a", "null"))


def test_every_test_is_found() -> None:
    assert [
        test.column
        for test in iterate_comparisons(
            Or((And((Comparison("a", "null"),)), Not(Comparison("b", "null"))))
        )
    ] == ["a", "b"]


def test_numbers_are_exact_and_short() -> None:
    assert parse_number("0.1") == Fraction(1, 10)
    assert parse_number("1,234") == 1234
    assert parse_number("-2e3") == -2000
    assert [parse_number(text) for text in ("", "-", "e5", "1e999", "0x1", "nan", "9" * 40)] == [
        None
    ] * 7
