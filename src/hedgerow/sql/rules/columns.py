"""Columns and brackets."""

from __future__ import annotations

from sqlglot import exp

from hedgerow.sql.rule import Reader, Rule
from hedgerow.sql.typed import Typed

__all__ = ["RULES"]


def _column(node: exp.Column, reader: Reader) -> Typed:
    if isinstance(node.this, exp.Star):
        reader.refuse(node, "* stands for rows, and rows are never shown", "Name aggregates, such as COUNT(*) or AVG(x).")
    return reader.column(node)


RULES = (
    Rule(exp.Column, _column, ("this", "table")),
    Rule(exp.Paren, lambda node, reader: reader.read(node.this)),
)
