"""CASE, IF, COALESCE, IFNULL, NULLIF."""

from __future__ import annotations

from sqlglot import exp

from hedgerow.sql.rule import Reader, Rule
from hedgerow.sql.typed import Typed, aligned, constant

__all__ = ["RULES"]


def _case(node: exp.Case, reader: Reader) -> Typed:
    operand = None if node.this is None else reader.read(node.this)
    conditions = []
    for branch in node.args["ifs"]:
        test = reader.read(branch.this)
        if operand is None:
            conditions += aligned([test], "boolean")
        else:
            conditions.append(reader.call(branch, "=", *aligned([operand, test])))
    default = node.args.get("default")
    results = [reader.read(branch.args["true"]) for branch in node.args["ifs"]]
    return _chosen(node, reader, conditions, [*results, constant(None, "integer") if default is None else reader.read(default)])


def _if(node: exp.If, reader: Reader) -> Typed:
    default = node.args.get("false")
    conditions = aligned([reader.read(node.this)], "boolean")
    results = [reader.read(node.args["true"]), constant(None, "integer") if default is None else reader.read(default)]
    return _chosen(node, reader, conditions, results)


def _chosen(node: exp.Expr, reader: Reader, conditions: list[Typed], results: list[Typed]) -> Typed:
    results = aligned(results)
    pairs = [part for pair in zip(conditions, results, strict=False) for part in pair]
    return reader.call(node, "case", *pairs, results[-1])


def _coalesce(node: exp.Coalesce, reader: Reader) -> Typed:
    return reader.call(node, "coalesce", *aligned([reader.read(part) for part in (node.this, *node.expressions)]))


def _nullif(node: exp.Nullif, reader: Reader) -> Typed:
    return reader.call(node, "nullif", *aligned([reader.read(node.this), reader.read(node.expression)]))


RULES = (
    Rule(exp.Case, _case, ("this", "ifs", "default")),
    Rule(exp.If, _if, ("this", "true", "false")),
    Rule(exp.Coalesce, _coalesce, ("this", "expressions")),
    Rule(exp.Nullif, _nullif, ("this", "expression")),
)
