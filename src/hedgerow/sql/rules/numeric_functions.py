"""Rules for ABS, FLOOR, CEIL, ROUND, TRUNC, SIGN, SQRT, POWER, LN, LOG, DEGREES, RADIANS, PI,
WIDTH_BUCKET, LEAST and GREATEST."""

from __future__ import annotations

import math
from typing import Final

from sqlglot import exp

from hedgerow.plan.scalar.expressions import Constant
from hedgerow.sql.binder.rule import Binder, Refusal, Rule
from hedgerow.sql.binder.typed_expression import TypedExpression, align_types, build_constant

__all__ = ["RULES"]

_MAX_EXPONENT: Final = 8
_MAX_BUCKETS: Final = 10_000
_NULL: Final = build_constant(None, "integer")
_ANGLES: Final = {exp.Degrees: 180 / math.pi, exp.Radians: math.pi / 180}
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


def _bind_round(node: exp.Round | exp.Trunc, binder: Binder) -> TypedExpression:
    """Bind ROUND or TRUNC to d decimals as a whole number of 10^-d."""
    value = binder.bind(node.this)
    digits = _parse_decimals(node, binder)
    round_value = _truncate if isinstance(node, exp.Trunc) else _round_half_away
    if digits == 0 or (digits > 0 and value.type == "integer"):
        return round_value(node, binder, value)
    ten = build_constant(10 ** abs(digits), "integer")
    if digits > 0:
        return binder.apply(
            node, "/", round_value(node, binder, binder.apply(node, "*", value, ten)), ten
        )
    return binder.apply(
        node, "*", round_value(node, binder, binder.apply(node, "/", value, ten)), ten
    )


def _round_half_away(node: exp.Expr, binder: Binder, value: TypedExpression) -> TypedExpression:
    return binder.apply(node, "round", value)


def _truncate(node: exp.Expr, binder: Binder, value: TypedExpression) -> TypedExpression:
    if value.type == "integer":
        return value
    is_negative = binder.apply(node, "<", value, build_constant(0, "integer"))
    ends = binder.apply(node, "ceil", value), binder.apply(node, "floor", value)
    return binder.apply(node, "case", is_negative, *ends)


def _bind_sign(node: exp.Sign, binder: Binder) -> TypedExpression:
    value, zero = binder.bind(node.this), build_constant(0, "integer")
    branches = [
        part
        for sign, number in ((">", 1), ("<", -1), ("=", 0))
        for part in (binder.apply(node, sign, value, zero), build_constant(number, "integer"))
    ]
    return binder.apply(node, "case", *branches, *align_types([zero, _NULL])[1:])


def _bind_power(node: exp.Pow, binder: Binder) -> TypedExpression:
    """Bind a power with a small whole exponent as a product (that of an integer stays one), and one
    of 0.5 as a root."""
    base = binder.bind(node.this)
    written = binder.bind(node.expression).expression
    exponent = written.value if isinstance(written, Constant) else None
    if exponent == 0.5:
        return binder.apply(node, "sqrt", base)
    if type(exponent) is not int or not 1 <= exponent <= _MAX_EXPONENT:
        binder.refuse(
            node,
            f"POWER takes an exponent of 0.5, or a whole one from 1 to {_MAX_EXPONENT}",
            "Write POWER(x, 2), or SQRT(x).",
        )
    product = base
    for _ in range(exponent - 1):
        product = binder.apply(node, "*", product, base)
    return product


def _bind_logarithm(node: exp.Log, binder: Binder) -> TypedExpression:
    """Bind LOG(x), to base 10 as in DuckDB and PostgreSQL, or LOG(base, x) with a literal base."""
    if node.args.get("expression") is None:
        return binder.apply(node, "log10", binder.bind(node.this))
    written, value = binder.bind(node.this).expression, binder.bind(node.expression)
    base = written.value if isinstance(written, Constant) else None
    if not isinstance(base, int | float) or base <= 0 or base == 1:
        binder.refuse(
            node, "LOG takes a literal base above 0 that is not 1", "Write LOG(2, x), or LN(x)."
        )
    if base in (2, 10):
        return binder.apply(node, f"log{int(base)}", value)
    logarithm = binder.apply(node, "ln", value)
    return binder.apply(node, "/", logarithm, build_constant(math.log(base), "real"))


def _bind_width_bucket(node: exp.WidthBucket, binder: Binder) -> TypedExpression:
    """Bind WIDTH_BUCKET(x, low, high, n): n buckets of equal width, 0 below and n + 1 above them.

    The value is clamped to the ends first, so it needs no bounds.
    """
    parts = [binder.bind(node.args[name]) for name in ("min_value", "max_value", "num_buckets")]
    low, high, count = (
        part.expression.value if isinstance(part.expression, Constant) else None for part in parts
    )
    if (
        not isinstance(low, int | float)
        or not isinstance(high, int | float)
        or type(count) is not int
        or not (low < high and 1 <= count <= _MAX_BUCKETS)
    ):
        binder.refuse(
            node,
            "WIDTH_BUCKET takes literal ends, the lower one first, and a number of buckets up to"
            f" {_MAX_BUCKETS}",
            "Write WIDTH_BUCKET(x, 0, 100, 10).",
        )
    value, one = binder.bind(node.this), build_constant(1, "integer")
    clamped = binder.apply(node, "least", binder.apply(node, "greatest", value, parts[0]), parts[1])
    scaled = binder.apply(node, "*", binder.apply(node, "-", clamped, parts[0]), parts[2])
    wide = build_constant(high - low, "real" if isinstance(high - low, float) else "integer")
    place = binder.apply(node, "floor", binder.apply(node, "/", scaled, wide))
    inside = binder.apply(node, "least", binder.apply(node, "+", place, one), parts[2])
    return binder.apply(
        node,
        "case",
        binder.apply(node, "<", value, parts[0]),
        build_constant(0, "integer"),
        binder.apply(node, ">=", value, parts[1]),
        build_constant(count + 1, "integer"),
        inside,
    )


def _parse_decimals(node: exp.Round | exp.Trunc, binder: Binder) -> int:
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
            f"{node.key.upper()} takes a literal number of decimals from -12 to 12",
            f"Write {node.key.upper()}(x, 2).",
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
    Rule(exp.Trunc, _bind_round, ("this", "decimals")),
    Rule(exp.Sign, _bind_sign),
    Rule(exp.Pow, _bind_power, ("this", "expression")),
    Rule(exp.Pi, lambda _, __: build_constant(math.pi, "real"), ()),
    Rule(
        exp.WidthBucket,
        _bind_width_bucket,
        ("this", "min_value", "max_value", "num_buckets"),
    ),
    Rule(exp.Least, _bind_extremum, ("this", "expressions", "ignore_nulls")),
    Rule(exp.Greatest, _bind_extremum, ("this", "expressions", "ignore_nulls")),
    Rule(exp.Log, _bind_logarithm, ("this", "expression")),
    *(
        Rule(
            node,
            lambda node, binder: binder.apply(
                node, "*", binder.bind(node.this), build_constant(_ANGLES[type(node)], "real")
            ),
        )
        for node in _ANGLES
    ),
    Refusal(
        exp.Exp,
        "EXP is not supported",
        "Use ABS, FLOOR, CEIL, ROUND, TRUNC, SQRT, POWER, LN, LEAST or GREATEST.",
    ),
    Refusal(exp.Rand, "Random functions are not supported", "Leave it out."),
)
