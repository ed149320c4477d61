"""An aggregate as it is written."""

from __future__ import annotations

from sqlglot import exp

from hedgerow.sql.asked import Asked
from hedgerow.sql.named import Arguments


def test_what_is_not_written_is_not_there() -> None:
    asked = Asked(exp.Count(this=exp.Star()), "COUNT", "COUNT")
    assert (asked.arguments, asked.distinct, asked.conditions, asked.at, asked.named) == ((), False, (), None, Arguments())
