"""Rules for columns and parentheses."""

from __future__ import annotations

from sqlglot import exp

from hedgerow.sql.binder.rule import Binder, Rule
from hedgerow.sql.binder.typed_expression import TypedExpression

__all__ = ["RULES"]


def _bind_column(node: exp.Column, binder: Binder) -> TypedExpression:
    if isinstance(node.this, exp.Star):
        binder.refuse(
            node,
            "SELECT * returns individual rows",
            "Use aggregates, such as COUNT(*) or AVG(x).",
        )
    return binder.bind_column(node)


RULES = (
    Rule(exp.Column, _bind_column, ("this", "table")),
    Rule(exp.Paren, lambda node, binder: binder.bind(node.this)),
)
