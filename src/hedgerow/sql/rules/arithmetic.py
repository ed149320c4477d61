"""+ - * / % and the sign."""

from __future__ import annotations

from sqlglot import exp

from hedgerow.plan.expressions import Constant
from hedgerow.sql.rule import Reader, Refusal, Rule
from hedgerow.sql.typed import Typed, constant

__all__ = ["RULES"]

_BOTH = ("this", "expression")


def _binary(node: exp.Binary, reader: Reader) -> Typed:
    sign = {exp.Add: "+", exp.Sub: "-", exp.Mul: "*", exp.Div: "/", exp.Mod: "%"}[type(node)]
    return reader.call(node, sign, reader.read(node.this), reader.read(node.expression))


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
