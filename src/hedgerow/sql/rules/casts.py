"""Rules for CAST between numbers, dates and timestamps."""

from __future__ import annotations

from typing import Final

from sqlglot import exp

from hedgerow.plan.scalar.expressions import Constant
from hedgerow.plan.values import Type
from hedgerow.sql.binder.rule import Binder, Refusal, Rule, find_filled_args
from hedgerow.sql.binder.typed_expression import (
    TypedExpression,
    align_types,
    build_constant,
    explain_invalid_date,
    format_as_number,
    parse_iso_timestamp,
)

__all__ = ["RULES"]

_TIME_TYPES: Final[dict[exp.DType, Type]] = {
    exp.DType.DATE: "date",
    exp.DType.TIMESTAMP: "timestamp",
    exp.DType.TIMESTAMPNTZ: "timestamp",
    exp.DType.DATETIME: "timestamp",
}
_REAL_TYPES: Final = {exp.DType.DOUBLE, exp.DType.FLOAT}
_INTEGER_TYPES: Final = {exp.DType.INT, exp.DType.BIGINT}


def _bind_time(node: exp.Cast, binder: Binder, type_: Type) -> TypedExpression | None:
    """Bind a cast to a date or timestamp; None for a value of another type."""
    value = binder.bind(node.this)
    if isinstance(value.expression, Constant) and isinstance(value.expression.value, str):
        found = parse_iso_timestamp(value.expression.value)
        if found is None:
            binder.refuse(node, *explain_invalid_date(value.expression.value, type_))
        return build_constant(found.date() if type_ == "date" else found, type_)
    (value,) = align_types([value], type_)
    if value.type in ("date", "timestamp") and value.type != type_:
        return binder.apply(node, f"to {type_}", value)
    return value if value.type == type_ else None


def _bind_cast(node: exp.Cast, binder: Binder) -> TypedExpression:
    wanted = node.args["to"]
    kind = wanted.this if find_filled_args(wanted) <= {"this"} else None
    time = None if kind not in _TIME_TYPES else _bind_time(node, binder, _TIME_TYPES[kind])
    if time is not None:
        return time
    value = binder.bind(node.this)
    if (
        kind in _REAL_TYPES | _INTEGER_TYPES
        and value.type in ("integer", "real")
        and not value.is_null
    ):
        return binder.apply(node, "to real" if kind in _REAL_TYPES else "round", value)
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
