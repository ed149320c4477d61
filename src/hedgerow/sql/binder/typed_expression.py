"""Bound expressions, with the range of their values."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime
from typing import Final

from sqlglot import exp

from hedgerow.errors import Unsupported
from hedgerow.plan.scalar.expressions import Constant, Expression
from hedgerow.plan.values import Range, Type, Value
from hedgerow.sql.syntax.source_text import SourceText

__all__ = [
    "TypedExpression",
    "align_types",
    "build_constant",
    "explain_invalid_date",
    "parse_iso_date",
    "parse_iso_timestamp",
    "parse_number",
    "require_condition",
]

_DAY: Final = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
_TIMESTAMP: Final = re.compile(_DAY.pattern + r"[ T][0-9]{2}:[0-9]{2}(:[0-9]{2}(\.[0-9]{1,6})?)?")
_WHOLE: Final = re.compile(r" *[+-]?[0-9]{1,18} *")
_NUMBER: Final = re.compile(r" *[+-]?([0-9]{1,18}\.?[0-9]{0,18}|\.[0-9]{1,18}) *")
_TIMES: Final = ("date", "timestamp")


@dataclass(frozen=True, slots=True)
class TypedExpression:
    """An expression and the range of its values.

    ``size`` counts its parts, which may be more than were written (BETWEEN, CASE x WHEN). ``work``
    is the sum of the sizes of all parts: the cost of the normal form.
    """

    expression: Expression
    range: Range
    size: int = 1
    work: int = 1

    @property
    def type(self) -> Type:
        """The type of the values."""
        return self.range.type

    @property
    def is_null(self) -> bool:
        """True for the constant NULL, which fits every type."""
        return isinstance(self.expression, Constant) and self.expression.value is None


def build_constant(value: Value, type_: Type) -> TypedExpression:
    """Build a constant."""
    written = Constant(value, type_)
    return TypedExpression(written, written.range)


def align_types(
    values: Sequence[TypedExpression], type_: Type | None = None
) -> list[TypedExpression]:
    """Return values with constants cast to the type of the others: NULL to any, text to a number,
    date or timestamp, a date to a timestamp.
    """
    types = [value.type for value in values if not value.is_null]
    default: Type = types[0] if types else "integer"
    wanted: Type = (
        type_
        if type_ is not None
        else "timestamp"
        if "timestamp" in types
        else next((known for known in types if known != "text"), default)
    )
    return [_convert_constant(value, wanted) for value in values]


def _convert_constant(value: TypedExpression, wanted: Type) -> TypedExpression:
    if not isinstance(value.expression, Constant) or value.type == wanted:
        return value
    if value.is_null:
        return replace(value, expression=Constant(None, wanted), range=Range(wanted, values=()))
    written, found = value.expression.value, None
    if isinstance(written, str) and wanted in ("integer", "real"):
        return parse_number(written, wanted) or value
    if isinstance(written, str) and wanted in _TIMES:
        found = parse_iso_date(written) if wanted == "date" else parse_iso_timestamp(written)
    elif isinstance(written, date) and wanted == "timestamp":
        found = datetime.combine(written, datetime.min.time())
    return value if found is None else build_constant(found, wanted)


def parse_number(text: str, type_: Type) -> TypedExpression | None:
    """Parse a number in quotes as one of this type; None if it is not one."""
    if _WHOLE.fullmatch(text) and type_ == "integer":
        return build_constant(int(text), "integer")
    if _NUMBER.fullmatch(text) and type_ == "real":
        return build_constant(float(text), "real")
    return None


def require_condition(
    text: SourceText, clause: str, node: exp.Expr, value: TypedExpression
) -> TypedExpression:
    """Return a value as a condition, and refuse a value of any other type."""
    (condition,) = align_types([value], "boolean")
    if condition.type != "boolean":
        problem = f"{clause} needs a condition, but this is {condition.type}"
        fix = "Write a comparison, such as x > 0 or x = 'a'."
        raise text.refusal(Unsupported, problem, node, fix)
    return condition


def parse_iso_date(text: str) -> date | None:
    """Parse a date written as year-month-day."""
    try:
        return date.fromisoformat(text) if len(text) == 10 else None
    except ValueError:
        return None


def parse_iso_timestamp(text: str) -> datetime | None:
    """Parse a date, or a date and a time of day without a zone."""
    try:
        is_written = _DAY.fullmatch(text) or _TIMESTAMP.fullmatch(text)
        return datetime.fromisoformat(text) if is_written else None
    except ValueError:
        return None


def explain_invalid_date(text: str, type_: Type = "date") -> tuple[str, str]:
    """Return the problem and the fix for text that is not a date, or not a timestamp."""
    if type_ == "timestamp":
        return (
            "This is not a timestamp without a zone",
            "Write date and time: TIMESTAMP '2026-01-31 09:30:00'.",
        )
    if _TIMESTAMP.fullmatch(text):
        return (
            "A date has no time of day",
            f"Write the date alone, which covers the whole day: '{text[:10]}'; or a timestamp:"
            f" TIMESTAMP '{text}'.",
        )
    if _DAY.fullmatch(text):
        return f"{text} is not a valid date", "Write a date that exists, such as '2026-01-31'."
    return "This is not a date", "Write year, month and day: '2026-01-31', or DATE '2026-01-31'."
