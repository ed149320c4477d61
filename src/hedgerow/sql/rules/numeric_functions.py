"""Rules for ABS, FLOOR, CEIL, ROUND, SQRT, LN, LEAST and GREATEST."""

from __future__ import annotations

from sqlglot import exp

from hedgerow.plan.scalar.expressions import Constant
from hedgerow.sql.binder.rule import Binder, Refusal, Rule
from hedgerow.sql.binder.typed_expression import TypedExpression, align_types, build_constant

__all__ = ["RULES"]

_FUNCTIONS = {
    exp.Abs: "abs",
    exp.Floor: "floor",
    exp.Ceil: "ceil",
    exp.Sqrt: "sqrt",
    exp.Ln: "ln",
    exp.Least: "least",
    exp.Greatest: "greatest",
}


def _bind_extremum(node: exp.Func, binder: Binder) -> TypedExpression:
    parts = align_types([binder.bind(part) for part in (node.this, *node.expressions)])
    return parts[0] if len(parts) == 1 else binder.apply(node, _FUNCTIONS[type(node)], *parts)


def _bind_round(node: exp.Round, binder: Binder) -> TypedExpression:
    """Bind ROUND to d decimals as the nearest whole number of 10^-d."""
    value = binder.bind(node.this)
    digits = _parse_decimals(node, binder)
    if digits == 0 or (digits > 0 and value.type == "integer"):
        return binder.apply(node, "round", value)
    ten = build_constant(10 ** abs(digits), "integer")
    if digits > 0:
        return binder.apply(
            node, "/", binder.apply(node, "round", binder.apply(node, "*", value, ten)), ten
        )
    return binder.apply(
        node, "*", binder.apply(node, "round", binder.apply(node, "/", value, ten)), ten
    )


def _parse_decimals(node: exp.Round, binder: Binder) -> int:
    if node.args.get("decimals") is None:
        return 0
    written = binder.bind(node.args["decimals"]).expression
    if (
        not isinstance(written, Constant)
        or type(written.value) is not int
        or abs(written.value) > 12
    ):
        binder.refuse(
            node,
            "ROUND takes a literal number of decimals from -12 to 12",
            "Write ROUND(x, 2).",
        )
    return written.value


RULES: tuple[Rule | Refusal, ...] = (
    *(
        Rule(
            node,
            lambda node, binder: binder.apply(node, _FUNCTIONS[type(node)], binder.bind(node.this)),
        )
        for node in (exp.Abs, exp.Floor, exp.Ceil, exp.Sqrt, exp.Ln)
    ),
    Rule(exp.Round, _bind_round, ("this", "decimals")),
    Rule(exp.Least, _bind_extremum, ("this", "expressions", "ignore_nulls")),
    Rule(exp.Greatest, _bind_extremum, ("this", "expressions", "ignore_nulls")),
    Refusal(
        exp.Log,
        "LOG is ambiguous: databases disagree on its base",
        "Write LN(x), or LN(x) / LN(10).",
    ),
    Refusal(
        exp.Exp,
        "EXP is not supported",
        "Use ABS, FLOOR, CEIL, ROUND, SQRT, LN, LEAST or GREATEST.",
    ),
    Refusal(
        exp.Sign,
        "SIGN is not supported",
        "Write CASE WHEN x > 0 THEN 1 WHEN x < 0 THEN -1 ELSE 0 END.",
    ),
    Refusal(exp.Trunc, "TRUNC is not supported", "Write FLOOR(x) or ROUND(x)."),
    Refusal(exp.Rand, "Random functions are not supported", "Leave it out."),
)
