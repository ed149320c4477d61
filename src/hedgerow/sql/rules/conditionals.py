"""Rules for CASE, IF, NVL2, COALESCE, IFNULL and NULLIF."""

from __future__ import annotations

from sqlglot import exp

from hedgerow.sql.binder.rule import Binder, Rule
from hedgerow.sql.binder.typed_expression import TypedExpression, align_types, build_constant

__all__ = ["RULES"]


def _bind_case(node: exp.Case, binder: Binder) -> TypedExpression:
    operand = None if node.this is None else binder.bind(node.this)
    conditions = []
    for branch in node.args["ifs"]:
        test = binder.bind(branch.this)
        if operand is None:
            conditions += align_types([test], "boolean")
        else:
            conditions.append(binder.apply(branch, "=", *align_types([operand, test])))
    default = node.args.get("default")
    results = [binder.bind(branch.args["true"]) for branch in node.args["ifs"]]
    return _build_case(
        node,
        binder,
        conditions,
        [*results, build_constant(None, "integer") if default is None else binder.bind(default)],
    )


def _bind_if(node: exp.If, binder: Binder) -> TypedExpression:
    default = node.args.get("false")
    conditions = align_types([binder.bind(node.this)], "boolean")
    results = [
        binder.bind(node.args["true"]),
        build_constant(None, "integer") if default is None else binder.bind(default),
    ]
    return _build_case(node, binder, conditions, results)


def _bind_nvl2(node: exp.Nvl2, binder: Binder) -> TypedExpression:
    """Bind NVL2(x, y, z): y where x is not NULL, z where it is."""
    default = node.args.get("false")
    results = [
        build_constant(None, "integer") if default is None else binder.bind(default),
        binder.bind(node.args["true"]),
    ]
    missing = binder.apply(node, "is null", binder.bind(node.this))
    return _build_case(node, binder, [missing], results)


def _build_case(
    node: exp.Expr,
    binder: Binder,
    conditions: list[TypedExpression],
    results: list[TypedExpression],
) -> TypedExpression:
    results = align_types(results)
    pairs = [part for pair in zip(conditions, results, strict=False) for part in pair]
    return binder.apply(node, "case", *pairs, results[-1])


RULES = (
    Rule(exp.Case, _bind_case, ("this", "ifs", "default")),
    Rule(exp.If, _bind_if, ("this", "true", "false")),
    Rule(exp.Nvl2, _bind_nvl2, ("this", "true", "false")),
    Rule(
        exp.Coalesce,
        lambda node, binder: binder.apply(
            node,
            "coalesce",
            *align_types([binder.bind(part) for part in (node.this, *node.expressions)]),
        ),
        ("this", "expressions"),
    ),
    Rule(
        exp.Nullif,
        lambda node, binder: binder.apply(
            node, "nullif", *align_types([binder.bind(node.this), binder.bind(node.expression)])
        ),
        ("this", "expression"),
    ),
)
