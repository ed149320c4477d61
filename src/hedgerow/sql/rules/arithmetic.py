"""+ - * / % and the sign."""

from __future__ import annotations

from fractions import Fraction

from sqlglot import exp

from hedgerow.plan.expressions import Constant
from hedgerow.sql.rule import Reader, Refusal, Rule
from hedgerow.sql.rules.dates import moved
from hedgerow.sql.typed import Typed, aligned, constant

__all__ = ["RULES"]

_BOTH = ("this", "expression")


def _binary(node: exp.Binary, reader: Reader) -> Typed:
    sign = {exp.Add: "+", exp.Sub: "-", exp.Mul: "*", exp.Div: "/", exp.Mod: "%"}[type(node)]
    if sign in "+-" and isinstance(node.expression, exp.Interval):
        return moved(node, reader, node.this, node.expression, 1 if sign == "+" else -1)
    left, right = reader.read(node.this), reader.read(node.expression)
    if sign in "+-" and "date" in (left.type, right.type):
        return _days(node, reader, left, right)
    if sign in "/%" and isinstance(right.expression, Constant) and right.expression.value == 0:
        reader.refuse(node, "This divides by 0, and is always NULL", "Divide by something else.")
    return _written(sign, left, right) or reader.call(node, sign, left, right)


def _written(sign: str, left: Typed, right: Typed) -> Typed | None:
    """Numbers that are written out are decimals: 0.06 + 0.01 is 0.07, which it is not for doubles."""
    values = [side.expression.value for side in (left, right) if isinstance(side.expression, Constant)]
    if sign not in "+-*" or [type(value) for value in values] not in ([float, float], [int, float], [float, int]):
        return None
    a, b = (Fraction(repr(value)) for value in values)
    try:
        return constant(float({"+": a + b, "-": a - b, "*": a * b}[sign]), "real")
    except OverflowError:
        return None


def _days(node: exp.Binary, reader: Reader, left: Typed, right: Typed) -> Typed:
    """A date and a number of days, or two dates."""
    plus = isinstance(node, exp.Add)
    if plus and right.type == "date":
        left, right = right, left
    if right.type == "integer" and not right.is_null:
        return reader.call(node, "add days", left, right if plus else reader.call(node, "negate", right))
    left, right = aligned([left, right])
    if plus or right.type != "date" or left.type != "date":
        reader.refuse(node, "This is not done with dates", "Write d + INTERVAL 3 DAY, d + 3, or d - e for the days between two dates.")
    return reader.call(node, "days between", right, left)


def _negative(node: exp.Neg, reader: Reader) -> Typed:
    inner = reader.read(node.this)
    if isinstance(inner.expression, Constant) and isinstance(inner.expression.value, int | float) and inner.type in ("integer", "real"):
        return constant(-inner.expression.value, inner.type)
    return reader.call(node, "negate", inner)


RULES = (
    Rule(exp.Add, _binary, _BOTH),
    Rule(exp.Sub, _binary, _BOTH),
    Rule(exp.Mul, _binary, _BOTH),
    Rule(exp.Div, _binary, (*_BOTH, "typed", "safe")),
    Rule(exp.Mod, _binary, _BOTH),
    Rule(exp.Neg, _negative),
    Refusal(exp.IntDiv, "// is not read", "Write FLOOR(a / b)."),
    Refusal(exp.Pow, "Powers are not read", "Multiply: x * x."),
    Refusal(exp.BitwiseXor, "Work on bits is not read", "Use + - * / %."),
    Refusal(exp.BitwiseAnd, "Work on bits is not read", "Use + - * / %, and AND between conditions."),
    Refusal(exp.BitwiseOr, "Work on bits is not read", "Use + - * / %, and OR between conditions."),
    Refusal(exp.BitwiseNot, "Work on bits is not read", "Use + - * / %, and NOT before a condition."),
    Refusal(exp.BitwiseLeftShift, "Work on bits is not read", "Multiply by a power of two."),
    Refusal(exp.BitwiseRightShift, "Work on bits is not read", "Write FLOOR(a / 2)."),
)
