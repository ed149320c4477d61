"""Rules for CAST to numbers, text, dates and timestamps."""

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
    parse_iso_timestamp,
    parse_number,
)

__all__ = ["RULES"]

_TIME_TYPES: Final[dict[exp.DType, Type]] = {
    exp.DType.DATE: "date",
    exp.DType.TIMESTAMP: "timestamp",
    exp.DType.TIMESTAMPNTZ: "timestamp",
    exp.DType.DATETIME: "timestamp",
}
_REAL_TYPES: Final = {exp.DType.DOUBLE, exp.DType.FLOAT}
_INTEGER_TYPES: Final = {
    *(exp.DType.TINYINT, exp.DType.SMALLINT, exp.DType.INT, exp.DType.BIGINT),
    *(exp.DType.UTINYINT, exp.DType.USMALLINT, exp.DType.UINT, exp.DType.UBIGINT),
}


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
    if value.type == "text":
        return binder.apply(node, f"parse {type_}", value)
    return value if value.type == type_ else None


def _bind_cast(node: exp.Cast, binder: Binder) -> TypedExpression:
    wanted = node.args["to"]
    kind = wanted.this if find_filled_args(wanted) <= {"this"} else None
    time = None if kind not in _TIME_TYPES else _bind_time(node, binder, _TIME_TYPES[kind])
    if time is not None:
        return time
    value = binder.bind(node.this)
    if kind == exp.DType.TEXT and not value.is_null and value.type != "real":
        return value if value.type == "text" else binder.apply(node, "to text", value)
    if kind == exp.DType.BOOLEAN and not value.is_null and value.type in ("integer", "boolean"):
        zero = build_constant(0, "integer")
        return value if value.type == "boolean" else binder.apply(node, "<>", value, zero)
    if wanted.this == exp.DType.DECIMAL and not value.is_null:
        value = _convert_to_number(node, binder, value)
        if value.type in ("integer", "real"):
            return _bind_decimal(node, binder, value)
    if kind in _REAL_TYPES | _INTEGER_TYPES and not value.is_null:
        number: Type = "real" if kind in _REAL_TYPES else "integer"
        if value.type == "text" and not isinstance(value.expression, Constant):
            return binder.apply(node, f"parse {number}", value)
        value = _convert_to_number(node, binder, value)
        if value.type in ("integer", "real"):
            return binder.apply(node, "to real" if number == "real" else "round", value)
    fix = (
        "Use CAST to DOUBLE, INTEGER or DECIMAL for numbers and text, to TEXT for anything but"
        " reals, to DATE or TIMESTAMP for either and for text. For other types, declare the type of"
        " the column in the policy."
    )
    if kind == exp.DType.TEXT and value.type == "real":
        fix = "Round it to whole numbers first: CAST(CAST(x AS INTEGER) AS TEXT)."
    return binder.refuse(node, "This CAST is not supported", fix)


def _convert_to_number(node: exp.Cast, binder: Binder, value: TypedExpression) -> TypedExpression:
    """Convert a condition to 1 and 0, and a number in quotes to itself."""
    if value.type == "boolean":
        one, zero, none = (build_constant(number, "integer") for number in (1, 0, None))
        return binder.apply(node, "case", value, one, binder.apply(node, "not", value), zero, none)
    written = value.expression.value if isinstance(value.expression, Constant) else None
    if isinstance(written, str):
        return parse_number(written, "integer") or parse_number(written, "real") or value
    return value


def _bind_decimal(node: exp.Cast, binder: Binder, value: TypedExpression) -> TypedExpression:
    """Bind DECIMAL(p, s): the nearest number with s decimals, halves away from zero, as a real."""
    digits = [part.name for part in node.args["to"].expressions] or ["18", "3"]
    precision, scale = (int(part) if part.isdecimal() else 99 for part in (*digits, "0")[:2])
    if not 0 <= scale <= min(precision, 12) or precision > 38:
        binder.refuse(
            node, "DECIMAL takes at most 38 digits, and 12 decimals", "Write DECIMAL(18, 2)."
        )
    highest = 10 ** (precision - scale)
    ends = [end for end in (value.range.low, value.range.high) if end is not None]
    if any(abs(end) >= highest for end in ends):
        binder.refuse(
            node,
            f"The bounds of this value do not fit DECIMAL({precision}, {scale})",
            "Write more digits, such as DECIMAL(18, 2).",
        )
    if scale == 0:
        return value if value.type == "integer" else binder.apply(node, "round", value)
    if value.type == "integer":
        return binder.apply(node, "to real", value)
    ten = build_constant(10**scale, "integer")
    whole = binder.apply(node, "round", binder.apply(node, "*", value, ten))
    return binder.apply(node, "/", whole, ten)


RULES = (
    Rule(exp.Cast, _bind_cast, ("this", "to")),
    Rule(exp.TryCast, _bind_cast, ("this", "to", "safe")),
    Refusal(
        exp.Collate, "COLLATE is not supported", "Leave it out: text is compared by code point."
    ),
)
