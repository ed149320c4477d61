"""Chains of AND, OR and other operators."""

from __future__ import annotations

import sqlglot
from sqlglot import exp

from hedgerow.sql.syntax.operator_chains import split_chain


def test_a_chain_is_split_in_order_and_through_parentheses() -> None:
    chain = sqlglot.parse_one("a AND (b AND (c OR d)) AND e")
    assert [part.sql() for part in split_chain(chain)] == ["a", "b", "(c OR d)", "e"]
    assert [part.sql() for part in split_chain(chain, exp.Or)] == [chain.sql()]
    bare = split_chain(chain, unnest=False)
    assert [part.sql() for part in bare] == ["a", "(b AND (c OR d))", "e"]


def test_a_long_chain_is_split_without_recursion() -> None:
    chain: exp.Expr = exp.column("x")
    for _ in range(5000):
        chain = exp.And(this=chain, expression=exp.column("x"))
    assert len(list(split_chain(chain))) == 5001
