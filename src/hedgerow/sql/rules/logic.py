"""Rules for AND, OR, NOT, IS NULL, IS TRUE and IS FALSE."""

from __future__ import annotations

from sqlglot import exp

from hedgerow.sql.binder.rule import Binder, Rule
from hedgerow.sql.binder.typed_expression import (
    TypedExpression,
    align_types,
    build_constant,
    require_condition,
)

__all__ = ["RULES"]


def _bind_connector(node: exp.Connector, reader: Binder) -> TypedExpression:
    """Bind a AND b AND c as one flat call: lists of conditions are long."""
    parts: list[exp.Expr] = []
    rest = [node]
    while rest:
        one = rest.pop()
        if type(one) is type(node):
            rest += [one.expression, one.this]
        else:
            parts.append(one)
    return reader.apply(
        node,
        "and" if isinstance(node, exp.And) else "or",
        *align_types([reader.bind(part) for part in parts], "boolean"),
    )


def _bind_is(node: exp.Is, reader: Binder) -> TypedExpression:
    value = reader.bind(node.this)
    if isinstance(node.expression, exp.Null):
        return reader.apply(node, "is null", value)
    if isinstance(node.expression, exp.Boolean):
        value = require_condition(reader.text, "IS TRUE or IS FALSE", node, value)
        wanted = value if node.expression.this else reader.apply(node, "not", value)
        return reader.apply(node, "coalesce", wanted, build_constant(False, "boolean"))
    return reader.refuse(
        node, "IS must be followed by NULL, TRUE or FALSE", "Write x IS NULL, or x = y."
    )


RULES = (
    Rule(exp.And, _bind_connector, ("this", "expression")),
    Rule(exp.Or, _bind_connector, ("this", "expression")),
    Rule(
        exp.Not,
        lambda node, reader: reader.apply(
            node, "not", *align_types([reader.bind(node.this)], "boolean")
        ),
    ),
    Rule(exp.Is, _bind_is, ("this", "expression")),
)
