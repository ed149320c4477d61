"""ABS, FLOOR, CEIL, ROUND, SQRT, LN, LEAST, GREATEST."""

from __future__ import annotations

from sqlglot import exp

from hedgerow.plan.expressions import Constant
from hedgerow.sql.rule import Reader, Refusal, Rule
from hedgerow.sql.typed import Typed, aligned, constant

__all__ = ["RULES"]

_NAMES = {
    exp.Abs: "abs",
    exp.Floor: "floor",
    exp.Ceil: "ceil",
    exp.Sqrt: "sqrt",
    exp.Ln: "ln",
    exp.Least: "least",
    exp.Greatest: "greatest",
}


def _one(node: exp.Func, reader: Reader) -> Typed:
    return reader.call(node, _NAMES[type(node)], reader.read(node.this))


def _several(node: exp.Func, reader: Reader) -> Typed:
    parts = aligned([reader.read(part) for part in (node.this, *node.expressions)])
    return parts[0] if len(parts) == 1 else reader.call(node, _NAMES[type(node)], *parts)


def _round(node: exp.Round, reader: Reader) -> Typed:
    """To d decimals is to the nearest whole number of 10^-d."""
    value = reader.read(node.this)
    digits = _digits(node, reader)
    if digits == 0 or (digits > 0 and value.type == "integer"):
        return reader.call(node, "round", value)
    ten = constant(10 ** abs(digits), "integer")
    if digits > 0:
        return reader.call(node, "/", reader.call(node, "round", reader.call(node, "*", value, ten)), ten)
    return reader.call(node, "*", reader.call(node, "round", reader.call(node, "/", value, ten)), ten)


def _digits(node: exp.Round, reader: Reader) -> int:
    if node.args.get("decimals") is None:
        return 0
    written = reader.read(node.args["decimals"]).expression
    if not isinstance(written, Constant) or type(written.value) is not int or abs(written.value) > 12:
        reader.refuse(node, "ROUND takes a number of decimals from -12 to 12", "Write it out, such as ROUND(x, 2).")
    return written.value


RULES = (
    Rule(exp.Abs, _one),
    Rule(exp.Floor, _one),
    Rule(exp.Ceil, _one),
    Rule(exp.Sqrt, _one),
    Rule(exp.Ln, _one),
    Rule(exp.Round, _round, ("this", "decimals")),
    Rule(exp.Least, _several, ("this", "expressions", "ignore_nulls")),
    Rule(exp.Greatest, _several, ("this", "expressions", "ignore_nulls")),
    Refusal(exp.Log, "LOG means different things in different databases", "Write LN(x), or LN(x) / LN(10)."),
    Refusal(exp.Exp, "EXP is not read", "The functions of numbers are ABS, FLOOR, CEIL, ROUND, SQRT, LN, LEAST, GREATEST."),
    Refusal(exp.Sign, "SIGN is not read", "Write CASE WHEN x > 0 THEN 1 WHEN x < 0 THEN -1 ELSE 0 END."),
    Refusal(exp.Trunc, "TRUNC is not read", "Write FLOOR(x) or ROUND(x)."),
    Refusal(exp.Rand, "Chance comes with the noise, not with the question", "Leave it out."),
)
