"""Chains of AND and OR."""

from __future__ import annotations

import sqlglot
from sqlglot import exp

from hedgerow.sql.syntax.connectors import split_connector


def test_a_chain_is_split_in_order_and_through_parentheses() -> None:
    chain = sqlglot.parse_one("a AND (b AND (c OR d)) AND e")
    assert [part.sql() for part in split_connector(chain)] == ["a", "b", "(c OR d)", "e"]
    assert [part.sql() for part in split_connector(chain, exp.Or)] == [chain.sql()]


def test_a_long_chain_is_split_without_recursion() -> None:
    chain: exp.Expr = exp.column("x")
    for _ in range(5000):
        chain = exp.And(this=chain, expression=exp.column("x"))
    assert len(list(split_connector(chain))) == 5001
