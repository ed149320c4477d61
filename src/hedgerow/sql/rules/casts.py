"""Rules for CAST between numbers, and to dates."""

from __future__ import annotations

from typing import Final

from sqlglot import exp

from hedgerow.plan.scalar.expressions import Constant
from hedgerow.sql.binder.rule import Binder, Refusal, Rule, find_filled_args
from hedgerow.sql.binder.typed_expression import (
    NO_TIME_OF_DAY,
    TypedExpression,
    align_types,
    explain_invalid_date,
    format_as_number,
)

__all__ = ["RULES"]

_REAL_TYPES: Final = {exp.DType.DOUBLE, exp.DType.FLOAT}
_INTEGER_TYPES: Final = {exp.DType.INT, exp.DType.BIGINT}


def _bind_cast(node: exp.Cast, binder: Binder) -> TypedExpression:
    wanted = node.args["to"]
    kind = wanted.this if find_filled_args(wanted) <= {"this"} else None
    value = binder.bind(node.this)
    if (
        kind in _REAL_TYPES | _INTEGER_TYPES
        and value.type in ("integer", "real")
        and not value.is_null
    ):
        return binder.apply(node, "to real" if kind in _REAL_TYPES else "round", value)
    if kind is not None and kind.name.startswith(("TIMESTAMP", "DATETIME")):
        binder.refuse(
            node,
            NO_TIME_OF_DAY,
            "Write the date alone, such as DATE '2026-01-31', and use columns without CAST.",
        )
    if kind == exp.DType.DATE:
        (value,) = align_types([value], "date")
        if value.type == "date":
            return value
        if isinstance(value.expression, Constant):
            binder.refuse(node, *explain_invalid_date(str(value.expression.value)))
    if value.type == "boolean":
        return binder.refuse(
            node,
            "This CAST is not supported",
            f"Write {format_as_number(binder.text.format_node(node.this))}.",
        )
    fix = (
        "Use CAST for numbers, to DOUBLE or INTEGER. For other types, declare the type"
        " of the column in the policy."
    )
    return binder.refuse(node, "This CAST is not supported", fix)


RULES = (
    Rule(exp.Cast, _bind_cast, ("this", "to")),
    Rule(exp.TryCast, _bind_cast, ("this", "to", "safe")),
    Refusal(
        exp.Collate, "COLLATE is not supported", "Leave it out: text is compared by code point."
    ),
)
