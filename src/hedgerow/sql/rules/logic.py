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
from hedgerow.sql.syntax.operator_chains import split_chain

__all__ = ["RULES"]


def _bind_connector(node: exp.Connector, binder: Binder) -> TypedExpression:
    """Bind a AND b AND c as one flat call: lists of conditions are long."""
    parts = split_chain(node, type(node), unnest=False)
    return binder.apply(
        node,
        "and" if isinstance(node, exp.And) else "or",
        *align_types([binder.bind(part) for part in parts], "boolean"),
    )


def _bind_is(node: exp.Is, binder: Binder) -> TypedExpression:
    if isinstance(node.expression, exp.Null):
        return binder.apply(node, "is null", binder.bind_presence(node.this))
    value = binder.bind(node.this)
    if isinstance(node.expression, exp.Boolean):
        value = require_condition(binder.text, "IS TRUE or IS FALSE", node, value)
        wanted = value if node.expression.this else binder.apply(node, "not", value)
        return binder.apply(node, "coalesce", wanted, build_constant(False, "boolean"))
    return binder.refuse(
        node, "IS must be followed by NULL, TRUE or FALSE", "Write x IS NULL, or x = y."
    )


RULES = (
    Rule(exp.And, _bind_connector, ("this", "expression")),
    Rule(exp.Or, _bind_connector, ("this", "expression")),
    Rule(
        exp.Not,
        lambda node, binder: binder.apply(
            node, "not", *align_types([binder.bind(node.this)], "boolean")
        ),
    ),
    Rule(exp.Is, _bind_is, ("this", "expression")),
)
