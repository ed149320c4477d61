"""Rules for CASE, IF, COALESCE, IFNULL and NULLIF."""

from __future__ import annotations

from sqlglot import exp

from hedgerow.sql.binder.rule import Binder, Rule
from hedgerow.sql.binder.typed_expression import TypedExpression, align_types, build_constant

__all__ = ["RULES"]


def _bind_case(node: exp.Case, reader: Binder) -> TypedExpression:
    operand = None if node.this is None else reader.bind(node.this)
    conditions = []
    for branch in node.args["ifs"]:
        test = reader.bind(branch.this)
        if operand is None:
            conditions += align_types([test], "boolean")
        else:
            conditions.append(reader.apply(branch, "=", *align_types([operand, test])))
    default = node.args.get("default")
    results = [reader.bind(branch.args["true"]) for branch in node.args["ifs"]]
    return _build_case(
        node,
        reader,
        conditions,
        [*results, build_constant(None, "integer") if default is None else reader.bind(default)],
    )


def _bind_if(node: exp.If, reader: Binder) -> TypedExpression:
    default = node.args.get("false")
    conditions = align_types([reader.bind(node.this)], "boolean")
    results = [
        reader.bind(node.args["true"]),
        build_constant(None, "integer") if default is None else reader.bind(default),
    ]
    return _build_case(node, reader, conditions, results)


def _build_case(
    node: exp.Expr,
    reader: Binder,
    conditions: list[TypedExpression],
    results: list[TypedExpression],
) -> TypedExpression:
    results = align_types(results)
    pairs = [part for pair in zip(conditions, results, strict=False) for part in pair]
    return reader.apply(node, "case", *pairs, results[-1])


RULES = (
    Rule(exp.Case, _bind_case, ("this", "ifs", "default")),
    Rule(exp.If, _bind_if, ("this", "true", "false")),
    Rule(
        exp.Coalesce,
        lambda node, reader: reader.apply(
            node,
            "coalesce",
            *align_types([reader.bind(part) for part in (node.this, *node.expressions)]),
        ),
        ("this", "expressions"),
    ),
    Rule(
        exp.Nullif,
        lambda node, reader: reader.apply(
            node, "nullif", *align_types([reader.bind(node.this), reader.bind(node.expression)])
        ),
        ("this", "expression"),
    ),
)
