"""CAST between numbers, and dates that are written out."""

from __future__ import annotations

from typing import Final

from sqlglot import exp

from hedgerow.plan.expressions import Constant
from hedgerow.sql.rule import Reader, Refusal, Rule, filled
from hedgerow.sql.typed import NO_CLOCK, Typed, aligned, as_number, no_day

__all__ = ["RULES"]

_REAL: Final = {exp.DType.DOUBLE, exp.DType.FLOAT}
_WHOLE: Final = {exp.DType.INT, exp.DType.BIGINT}


def _cast(node: exp.Cast, reader: Reader) -> Typed:
    wanted = node.args["to"]
    kind = wanted.this if filled(wanted) <= {"this"} else None
    value = reader.read(node.this)
    if kind in _REAL | _WHOLE and value.type in ("integer", "real") and not value.is_null:
        return reader.call(node, "to real" if kind in _REAL else "round", value)
    if kind is not None and kind.name.startswith(("TIMESTAMP", "DATETIME")):
        reader.refuse(node, NO_CLOCK, "Write the day alone, such as DATE '2026-01-31', and a column without CAST.")
    if kind == exp.DType.DATE:
        (value,) = aligned([value], "date")
        if value.type == "date":
            return value
        if isinstance(value.expression, Constant):
            reader.refuse(node, *no_day(str(value.expression.value)))
    if value.type == "boolean":
        return reader.refuse(node, "This CAST is not read", f"Write {as_number(reader.text.cut(node.this))}.")
    instead = "CAST turns numbers into DOUBLE or INTEGER; for other types declare the column in the policy."
    return reader.refuse(node, "This CAST is not read", instead)


RULES = (
    Rule(exp.Cast, _cast, ("this", "to")),
    Rule(exp.TryCast, _cast, ("this", "to", "safe")),
    Refusal(exp.Collate, "COLLATE is not read", "Text compares by code point; leave it out."),
)
