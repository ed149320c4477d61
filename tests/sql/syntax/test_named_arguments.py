"""Named arguments: extraction from tokens, and the pairs in named_arguments__refused.sql."""

from __future__ import annotations

from fractions import Fraction

import pytest
from sqlglot import exp

from hedgerow.sql.syntax.named_arguments import NamedArguments, find_named_arguments
from hedgerow.sql.syntax.privacy_clause import tokenise_query
from sql.helpers_fixtures import check_refused, pairs


@pytest.mark.parametrize(("sql", "expected"), pairs("named_arguments__refused"))
def test_unsupported_sql_is_refused_with_the_expected_message(sql: str, expected: str) -> None:
    check_refused(sql, expected)


def test_arguments_are_taken_off_and_the_function_is_wrapped() -> None:
    heading = tokenise_query(
        "SELECT SUM(x, contribution_bounds_per_group => (-1.5, .5)), MAX(y, method => 'Propose',"
        " bound => 1e2) FROM t"
    )
    assert [token.text for token in heading.body] == (
        [
            "SELECT",
            "\0" + "0",
            "(",
            "SUM",
            "(",
            "x",
            ")",
            ")",
            ",",
            "\0" + "1",
            "(",
            "MAX",
            "(",
            "y",
            ")",
            ")",
            "FROM",
            "t",
        ]
    )
    assert heading.text.named_arguments == (
        NamedArguments(limits=(Fraction(-3, 2), Fraction(1, 2))),
        NamedArguments(method="propose", bound=Fraction(100)),
    )


def test_a_function_that_is_not_wrapped_has_none() -> None:
    heading = tokenise_query("SELECT SUM(x, contribution_bounds_per_group => (0, 1)) FROM t")
    assert find_named_arguments(heading.text, exp.Anonymous(this="x")) is None
    assert find_named_arguments(heading.text, exp.Anonymous(this="\0" + "0")) == NamedArguments(
        limits=(Fraction(0), Fraction(1))
    )


def test_without_named_arguments_the_tokens_stay() -> None:
    heading = tokenise_query("SELECT SUM(x) FROM t")
    assert heading.body == heading.text.tokens
    assert heading.text.named_arguments == ()
