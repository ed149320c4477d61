"""Aggregate calls as written."""

from __future__ import annotations

from sqlglot import exp

from hedgerow.sql.aggregates.aggregate_syntax import AggregateSyntax
from hedgerow.sql.syntax.named_arguments import NamedArguments


def test_a_word_that_is_not_in_the_text_has_no_span() -> None:
    asked = AggregateSyntax(exp.Count(this=exp.Star()), "COUNT", "COUNT")
    assert (
        asked.arguments,
        asked.distinct,
        asked.conditions,
        asked.probability,
        asked.named_arguments,
    ) == ((), False, (), None, NamedArguments())
