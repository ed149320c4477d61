"""Rules for + - * / % and the sign."""

from __future__ import annotations

from fractions import Fraction

from sqlglot import exp

from hedgerow.plan.scalar.expressions import Constant
from hedgerow.sql.binder.rule import Binder, Refusal, Rule
from hedgerow.sql.binder.typed_expression import TypedExpression, align_types, build_constant
from hedgerow.sql.rules.dates import shift_date

__all__ = ["RULES"]

_OPERANDS = ("this", "expression")


def _bind_binary(node: exp.Binary, binder: Binder) -> TypedExpression:
    sign = {exp.Add: "+", exp.Sub: "-", exp.Mul: "*", exp.Div: "/", exp.Mod: "%"}[type(node)]
    if sign in "+-" and isinstance(node.expression, exp.Interval):
        return shift_date(node, binder, node.this, node.expression, 1 if sign == "+" else -1)
    left, right = binder.bind(node.this), binder.bind(node.expression)
    if "timestamp" in (left.type, right.type):
        binder.refuse(
            node,
            "This operation is not defined for timestamps",
            "Write t + INTERVAL 3 HOUR, or DATE_DIFF('second', a, b) for the seconds from a to b.",
        )
    if sign in "+-" and "date" in (left.type, right.type):
        return _bind_date_arithmetic(node, binder, left, right)
    if sign in "/%" and isinstance(right.expression, Constant) and right.expression.value == 0:
        binder.refuse(node, "Division by 0 is always NULL", "Divide by another value.")
    return _fold_decimals(sign, left, right) or binder.apply(node, sign, left, right)


def _bind_whole_quotient(node: exp.IntDiv, binder: Binder) -> TypedExpression:
    """Bind a // b of integers, which drops the remainder: (a - a % b) / b is whole."""
    left, right = binder.bind(node.this), binder.bind(node.expression)
    if (left.type, right.type) != ("integer", "integer"):
        binder.refuse(node, "// needs integers", "Write FLOOR(a / b).")
    if isinstance(right.expression, Constant) and right.expression.value == 0:
        binder.refuse(node, "Division by 0 is always NULL", "Divide by another value.")
    whole = binder.apply(node, "-", left, binder.apply(node, "%", left, right))
    return binder.apply(node, "floor", binder.apply(node, "/", whole, right))


def _fold_decimals(
    sign: str, left: TypedExpression, right: TypedExpression
) -> TypedExpression | None:
    """Fold literal decimals exactly: 0.06 + 0.01 is 0.07, which doubles would miss."""
    values = [
        side.expression.value for side in (left, right) if isinstance(side.expression, Constant)
    ]
    if sign not in "+-*" or [type(value) for value in values] not in (
        [float, float],
        [int, float],
        [float, int],
    ):
        return None
    a, b = (Fraction(repr(value)) for value in values)
    try:
        return build_constant(float({"+": a + b, "-": a - b, "*": a * b}[sign]), "real")
    except OverflowError:
        return None


def _bind_date_arithmetic(
    node: exp.Binary, binder: Binder, left: TypedExpression, right: TypedExpression
) -> TypedExpression:
    plus = isinstance(node, exp.Add)
    if plus and right.type == "date":
        left, right = right, left
    if right.type == "integer" and not right.is_null:
        return binder.apply(
            node, "add days", left, right if plus else binder.apply(node, "negate", right)
        )
    left, right = align_types([left, right])
    if plus or right.type != "date" or left.type != "date":
        binder.refuse(
            node,
            "This operation is not defined for dates",
            "Write d + INTERVAL 3 DAY, d + 3, or d - e for the days between two dates.",
        )
    return binder.apply(node, "days between", right, left)


def _bind_negation(node: exp.Neg, binder: Binder) -> TypedExpression:
    inner = binder.bind(node.this)
    if (
        isinstance(inner.expression, Constant)
        and isinstance(inner.expression.value, int | float)
        and inner.type in ("integer", "real")
    ):
        return build_constant(-inner.expression.value, inner.type)
    return binder.apply(node, "negate", inner)


RULES = (
    Rule(exp.Add, _bind_binary, _OPERANDS),
    Rule(exp.Sub, _bind_binary, _OPERANDS),
    Rule(exp.Mul, _bind_binary, _OPERANDS),
    Rule(exp.Div, _bind_binary, (*_OPERANDS, "typed", "safe")),
    Rule(exp.Mod, _bind_binary, _OPERANDS),
    Rule(exp.Neg, _bind_negation),
    Rule(exp.IntDiv, _bind_whole_quotient, _OPERANDS),
    Refusal(exp.BitwiseXor, "Bitwise operators are not supported", "Use + - * / %."),
    Refusal(
        exp.BitwiseAnd,
        "Bitwise operators are not supported",
        "Use + - * / %, and AND between conditions.",
    ),
    Refusal(
        exp.BitwiseOr,
        "Bitwise operators are not supported",
        "Use + - * / %, and OR between conditions.",
    ),
    Refusal(
        exp.BitwiseNot,
        "Bitwise operators are not supported",
        "Use + - * / %, and NOT before a condition.",
    ),
    Refusal(
        exp.BitwiseLeftShift, "Bitwise operators are not supported", "Multiply by a power of two."
    ),
    Refusal(exp.BitwiseRightShift, "Bitwise operators are not supported", "Write FLOOR(a / 2)."),
)
