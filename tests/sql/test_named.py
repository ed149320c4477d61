"""Named arguments: what is taken off the tokens, and the pairs in named__refused.sql."""

from __future__ import annotations

from fractions import Fraction

import pytest
from sqlglot import exp

from hedgerow.sql.heading import read_heading
from hedgerow.sql.named import Arguments, named_of
from sql.fixtures import check_refused, pairs


@pytest.mark.parametrize(("sql", "told"), pairs("named__refused"))
def test_what_is_refused(sql: str, told: str) -> None:
    check_refused(sql, told)


def test_arguments_are_taken_off_and_the_function_is_wrapped() -> None:
    heading = read_heading("SELECT SUM(x, contribution_bounds_per_group => (-1.5, .5)), MAX(y, method => 'Propose', bound => 1e2) FROM t")
    assert [token.text for token in heading.body] == (
        ["SELECT", "\0" + "0", "(", "SUM", "(", "x", ")", ")", ",", "\0" + "1", "(", "MAX", "(", "y", ")", ")", "FROM", "t"]
    )
    assert heading.text.named == (
        Arguments(limits=(Fraction(-3, 2), Fraction(1, 2))),
        Arguments(method="propose", bound=Fraction(100)),
    )


def test_a_function_that_is_not_wrapped_has_none() -> None:
    heading = read_heading("SELECT SUM(x, contribution_bounds_per_group => (0, 1)) FROM t")
    assert named_of(heading.text, exp.Anonymous(this="x")) is None
    assert named_of(heading.text, exp.Anonymous(this="\0" + "0")) == Arguments(limits=(Fraction(0), Fraction(1)))


def test_without_named_arguments_the_tokens_stay() -> None:
    heading = read_heading("SELECT SUM(x) FROM t")
    assert heading.body == heading.text.tokens
    assert heading.text.named == ()
