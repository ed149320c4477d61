"""AND, OR, NOT, and IS NULL, IS TRUE, IS FALSE."""

from __future__ import annotations

from sqlglot import exp

from hedgerow.sql.rule import Reader, Rule
from hedgerow.sql.typed import Typed, aligned, constant

__all__ = ["RULES"]


def _chain(node: exp.Connector, reader: Reader) -> Typed:
    """a AND b AND c is one function of three: long lists of conditions stay flat."""
    parts: list[exp.Expr] = []
    rest = [node]
    while rest:
        one = rest.pop()
        if type(one) is type(node):
            rest += [one.expression, one.this]
        else:
            parts.append(one)
    return reader.call(node, "and" if isinstance(node, exp.And) else "or", *aligned([reader.read(part) for part in parts], "boolean"))


def _not(node: exp.Not, reader: Reader) -> Typed:
    return reader.call(node, "not", *aligned([reader.read(node.this)], "boolean"))


def _is(node: exp.Is, reader: Reader) -> Typed:
    value = reader.read(node.this)
    if isinstance(node.expression, exp.Null):
        return reader.call(node, "is null", value)
    if isinstance(node.expression, exp.Boolean):
        (value,) = aligned([value], "boolean")
        if value.type != "boolean":
            reader.refuse(node, f"IS TRUE and IS FALSE work on conditions, and this is {value.type}", "Write a comparison, such as x > 0.")
        wanted = value if node.expression.this else reader.call(node, "not", value)
        return reader.call(node, "coalesce", wanted, constant(False, "boolean"))
    return reader.refuse(node, "IS is followed by NULL, TRUE or FALSE", "Write x IS NULL, or x = y.")


RULES = (
    Rule(exp.And, _chain, ("this", "expression")),
    Rule(exp.Or, _chain, ("this", "expression")),
    Rule(exp.Not, _not),
    Rule(exp.Is, _is, ("this", "expression")),
)
