"""EXPLAIN PRIVACY and OPTIONS: the pairs in privacy_clause.sql."""

from __future__ import annotations

from fractions import Fraction

import pytest

from hedgerow.errors import Unsupported
from hedgerow.sql.syntax.privacy_clause import tokenise_query
from sql.helpers_fixtures import ask, check_answered, check_refused, pairs


@pytest.mark.parametrize(("sql", "expected"), pairs("privacy_clause"))
def test_supported_sql_has_the_expected_plan(sql: str, expected: str) -> None:
    check_answered(sql, expected)


@pytest.mark.parametrize(("sql", "expected"), pairs("privacy_clause__refused"))
def test_unsupported_sql_is_refused_with_the_expected_message(sql: str, expected: str) -> None:
    check_refused(sql, expected)


@pytest.mark.parametrize(
    ("option", "expected"),
    [
        ("privacy_unit_column = id", "the policy declares the privacy unit."),
        ("max_rows_contributed = 3", "use contribution_bounds_per_group."),
    ],
)
def test_options_that_the_policy_sets_are_refused(option: str, expected: str) -> None:
    with pytest.raises(Unsupported) as caught:
        tokenise_query(
            f"SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS(epsilon = 1, {option}) COUNT(*) FROM visits"
        )
    assert str(caught.value).endswith(expected)


def test_numbers_are_exact_decimals() -> None:
    heading = tokenise_query(
        "SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS(epsilon = 0.1, delta = 1.5e-12) 1"
    )
    assert heading.options.epsilon == Fraction(1, 10)
    assert heading.options.delta == Fraction(3, 2 * 10**12)


def test_the_privacy_clause_is_extracted_and_positions_stay() -> None:
    sql = "EXPLAIN PRIVACY SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS(epsilon = 1) COUNT(*)"
    heading = tokenise_query(sql)
    assert [token.text for token in heading.body] == ["SELECT", "COUNT", "(", "*", ")"]
    assert sql[heading.body[1].start :] == "COUNT(*)"
    assert heading.text.sql == sql


def test_a_smaller_cap_of_the_question_counts() -> None:
    sql = (
        "SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS(max_groups_contributed = 2) age, COUNT(*) FROM"
        " visits GROUP BY age"
    )
    assert ask(sql).plan.bound.max_groups == 2
    assert ask("SELECT age, COUNT(*) FROM visits GROUP BY age").plan.bound.max_groups == 3
