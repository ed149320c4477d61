"""Rules for dates as text: DAYNAME, MONTHNAME, STRFTIME, DATE_FORMAT and TO_CHAR."""

from __future__ import annotations

import calendar
import re
from collections.abc import Mapping, Sequence
from typing import Final

from sqlglot import exp

from hedgerow.plan.scalar.expressions import Constant
from hedgerow.sql.binder.rule import Binder, Rule
from hedgerow.sql.binder.typed_expression import TypedExpression, build_constant
from hedgerow.sql.rules.dates import bind_day

__all__ = ["RULES", "bind_date_format"]

# Where a field stands in 2026-01-31 09:30:00: its first character, and how many.
_FIELDS: Final = {
    "year": (1, 4),
    "short year": (3, 2),
    "month": (6, 2),
    "day": (9, 2),
    "hour": (12, 2),
    "minute": (15, 2),
    "second": (18, 2),
}
_UNITS: Final = ("year", "month", "day", "hour", "minute", "second")
_PERCENT: Final = {"%Y": "year", "%y": "short year", "%m": "month", "%d": "day", "%H": "hour"}
# By function: the fields of its formats, and the characters that may stand between them.
_STRFTIME: Final = {**_PERCENT, "%M": "minute", "%S": "second"}
_MYSQL: Final = {**_PERCENT, "%i": "minute", "%s": "second", "%S": "second"}
_ORACLE: Final = {
    "YYYY": "year",
    "YY": "short year",
    "MM": "month",
    "DD": "day",
    "HH24": "hour",
    "MI": "minute",
    "SS": "second",
}
_SPARK: Final = {
    "yyyy": "year",
    "yy": "short year",
    "MM": "month",
    "dd": "day",
    "HH": "hour",
    "mm": "minute",
    "ss": "second",
}
_FORMAT_FIX: Final = (
    "Write STRFTIME(d, '%Y-%m'), with %Y, %m, %d, %H, %M and %S; or YEAR(d), MONTH(d) or"
    " DATE_TRUNC('month', d)."
)


def _bind_name(node: exp.Dayname | exp.Monthname, binder: Binder) -> TypedExpression:
    """Bind the English name of the day of the week, or of the month."""
    is_day = isinstance(node, exp.Dayname)
    names: Sequence[str] = (
        [*calendar.day_name[-1:], *calendar.day_name[:-1]]
        if is_day
        else list(calendar.month_name)[1:]
    )
    part = binder.apply(
        node,
        "day of week" if is_day else "month",
        bind_day(node, binder, binder.bind(node.this)),
    )
    branches = [
        piece
        for number, name in enumerate(names, 0 if is_day else 1)
        for piece in (
            binder.apply(node, "=", part, build_constant(number, "integer")),
            build_constant(name, "text"),
        )
    ]
    return binder.apply(node, "case", *branches, build_constant(None, "text"))


def _bind_strftime(node: exp.TimeToStr, binder: Binder) -> TypedExpression:
    return _format(node, binder, node.this, node.args.get("format"), _STRFTIME)


def _bind_to_char(node: exp.ToChar, binder: Binder) -> TypedExpression:
    return _format(node, binder, node.this, node.args.get("format"), _ORACLE)


def bind_date_format(node: exp.Anonymous, binder: Binder) -> TypedExpression:
    """Bind DATE_FORMAT(d, format) of MySQL and Spark, or FORMAT_DATE(format, d) of BigQuery."""
    if len(node.expressions) != 2:
        binder.refuse(node, f"{node.this} takes a date and a format", _FORMAT_FIX)
    first, second = node.expressions
    if str(node.this).upper().startswith("FORMAT"):
        return _format(node, binder, second, first, _STRFTIME)
    fields = _MYSQL if "%" in second.name else _SPARK
    return _format(node, binder, first, second, fields)


def _format(
    node: exp.Expr,
    binder: Binder,
    moment: exp.Expr,
    written: exp.Expr | None,
    fields: Mapping[str, str],
) -> TypedExpression:
    """Bind a format as pieces of the standard text of the moment, cut off behind its last field.

    So a date by month has one text for each month, and only those.
    """
    pieces = _split_format(node, binder, written, fields)
    units = [_UNITS.index(field.removeprefix("short ")) for kind, field in pieces if kind]
    value = binder.bind(moment)
    if not units or (value.type != "timestamp" and max(units) > 2):
        binder.refuse(
            node, "This format names no field of a date, or more than a date has", _FORMAT_FIX
        )
    if max(units) < 2 or value.type != "timestamp":
        value = bind_day(node, binder, value)
    if max(units) != 2:
        value = binder.apply(node, f"start of {_UNITS[max(units)]}", value)
    elif value.type == "timestamp":
        value = bind_day(node, binder, value)
    text = binder.apply(node, "to text", value)
    parts = [
        binder.apply(
            node, "substring", text, *(build_constant(n, "integer") for n in _FIELDS[piece])
        )
        if is_field
        else build_constant(piece, "text")
        for is_field, piece in pieces
    ]
    return parts[0] if len(parts) == 1 else binder.apply(node, "concat", *parts)


def _split_format(
    node: exp.Expr, binder: Binder, written: exp.Expr | None, fields: Mapping[str, str]
) -> list[tuple[bool, str]]:
    """Split a format into fields, and the text between them."""
    value = None if written is None else binder.bind(written).expression
    text = value.value if isinstance(value, Constant) else None
    if not isinstance(text, str) or len(text) > 100:
        binder.refuse(node, "This function takes a literal format", _FORMAT_FIX)
    names = "|".join(map(re.escape, sorted(fields, key=len, reverse=True)))
    reserved = "%" if "%Y" in fields else "A-Za-z"
    found: list[tuple[bool, str]] = []
    for field, between in re.findall(rf"({names})|([^{reserved}]+|%?.)", text, re.DOTALL):
        if re.match(f"[{reserved}]", between):
            binder.refuse(node, f"The format has {between!r}, which is not supported", _FORMAT_FIX)
        found.append((bool(field), fields.get(field, between)))
    return found


RULES: tuple[Rule, ...] = (
    Rule(exp.Dayname, _bind_name, ("this", "abbreviated")),
    Rule(exp.Monthname, _bind_name, ("this", "abbreviated")),
    Rule(exp.TimeToStr, _bind_strftime, ("this", "format")),
    Rule(exp.ToChar, _bind_to_char, ("this", "format")),
)
