"""Parts of dates, their first days, dates some time later, and the time between two."""

from __future__ import annotations

import re
from typing import Final

from sqlglot import exp
from sqlglot.tokenizer_core import TokenType

from hedgerow.errors import Refused
from hedgerow.plan.expressions import Constant
from hedgerow.sql.rule import Reader, Refusal, Rule, filled
from hedgerow.sql.typed import Typed, aligned, constant, no_day

__all__ = ["RULES", "moved"]

_FUNCTIONS: Final[dict[type[exp.Expr], str]] = {
    exp.Year: "year",
    exp.Quarter: "quarter",
    exp.Month: "month",
    exp.Day: "day",
    exp.DayOfMonth: "day",
    exp.DayOfWeek: "day of week",
    exp.DayOfYear: "day of year",
}
_PARTS: Final = {
    "YEAR": "year",
    "QUARTER": "quarter",
    "MONTH": "month",
    "DAY": "day",
    "DOW": "day of week",
    "DAYOFWEEK": "day of week",
    "DOY": "day of year",
    "DAYOFYEAR": "day of year",
}
_STARTS: Final = {"YEAR": "start of year", "QUARTER": "start of quarter", "MONTH": "start of month", "WEEK": "start of week"}


def _of(node: exp.Expr, reader: Reader, function: str, part: exp.Expr) -> Typed:
    return reader.call(node, function, *aligned([reader.read(part)], "date"))


def _word(part: exp.Expr | None) -> str:
    """The unit as it is written; a column of that name is none."""
    return part.name.upper() if isinstance(part, exp.Var | exp.Literal) else ""


def _extract(node: exp.Extract, reader: Reader) -> Typed:
    part = _PARTS.get(_word(node.this))
    if part is None:
        instead = "The parts are YEAR, QUARTER, MONTH, DAY, DOW (0 is Sunday) and DOY; for weeks write DATE_TRUNC('week', d)."
        reader.refuse(node, "EXTRACT does not know this part", instead)
    return _of(node, reader, part, node.expression)


def _start(node: exp.Expr, reader: Reader) -> Typed:
    unit = _word(node.args.get("unit"))
    if unit not in (*_STARTS, "DAY"):
        reader.refuse(node, "DATE_TRUNC does not know this part", _FIRST)
    if _turned(node, reader):
        reader.refuse(node, _EITHER, _FIRST)
    if unit == "DAY":
        return _day(node, reader)
    return _of(node, reader, _STARTS[unit], node.this)


def _day(node: exp.Expr, reader: Reader) -> Typed:
    """DATE(d), and DATE_TRUNC('day', d): the date itself, which has no time of day."""
    (value,) = aligned([reader.read(node.this)], "date")
    if value.type == "date":
        return value
    if isinstance(value.expression, Constant):
        reader.refuse(node, *no_day(str(value.expression.value)))
    return reader.refuse(node, f"A day is that of a date, and this is {value.type}", "Use a column that the policy declares as a date.")


def _part(node: exp.Expr, reader: Reader) -> Typed:
    return _of(node, reader, _FUNCTIONS[type(node)], node.this)


def moved(node: exp.Expr, reader: Reader, day: exp.Expr, interval: exp.Interval, sign: int) -> Typed:
    """A date some days or months later, or earlier."""
    unit = _UNITS.get(_word(interval.args.get("unit")).removesuffix("S"))
    written = str(interval.this.this) if isinstance(interval.this, exp.Literal) else ""
    if unit is None or not _WHOLE.fullmatch(written) or filled(interval) - {"this", "unit"}:
        reader.refuse(interval, "This interval is not read", _INTERVAL)
    function, times = unit
    return reader.call(node, function, *aligned([reader.read(day)], "date"), constant(sign * times * int(written), "integer"))


def _later(node: exp.DateAdd, reader: Reader) -> Typed:
    if not isinstance(node.expression, exp.Interval) or node.args.get("unit") is not None:
        reader.refuse(node, "DATE_ADD takes a date and an interval", "Write d + INTERVAL 3 DAY.")
    return moved(node, reader, node.this, node.expression, 1)


def _difference(node: exp.DateDiff, reader: Reader) -> Typed:
    """DATE_DIFF('day', a, b): from a to b. Months and years count how often one begins in between."""
    unit = _word(node.args.get("unit"))
    if unit not in ("DAY", "MONTH", "YEAR"):
        reader.refuse(node, "DATE_DIFF does not know this part", _DIFFERENCE)
    if _turned(node, reader):
        reader.refuse(node, _EITHER, _DIFFERENCE)
    first, last = (aligned([reader.read(part)], "date")[0] for part in (node.expression, node.this))
    if unit == "DAY":
        return reader.call(node, "days between", first, last)
    years = reader.call(node, "-", *(reader.call(node, "year", day) for day in (last, first)))
    if unit == "YEAR":
        return years
    months = reader.call(node, "-", *(reader.call(node, "month", day) for day in (last, first)))
    return reader.call(node, "+", reader.call(node, "*", years, constant(12, "integer")), months)


def _turned(node: exp.Expr, reader: Reader) -> bool:
    """Whether DATE_DIFF(month, a, day) may also mean DATE_DIFF(b, a, part), and DATE_TRUNC(day, month) DATE_TRUNC(d, part), as others write
    them: the first word is a part and a column, the last one is a part."""
    unit, last, span = node.args["unit"], node.this, reader.text.span(node)
    bare = isinstance(last, exp.Column) and "table" not in last.args and last.name.upper() in {*_PARTS, *_STARTS}
    if span is None or not bare or last.name.upper() == unit.name.upper():
        return False  # where the two words are one, both mean the same
    call = [token for token in reader.text.tokens if span[0] <= token.start < span[1]]
    if len(call) < 3 or call[2].token_type == TokenType.STRING:
        return False
    try:
        reader.read(exp.column(unit.name))
    except Refused:
        return False
    return True


_WHOLE: Final = re.compile(r"-?[0-9]{1,6}")
_UNITS: Final = {
    "DAY": ("add days", 1),
    "WEEK": ("add days", 7),
    "MONTH": ("add months", 1),
    "QUARTER": ("add months", 3),
    "YEAR": ("add months", 12),
}
_EITHER: Final = "Here a part of dates and a column have one name, and either may be meant"
_FIRST: Final = "Write DATE_TRUNC('month', d), with 'day', 'week', 'month', 'quarter' or 'year'."
_DIFFERENCE: Final = "Write DATE_DIFF('day', a, b), for the days from a to b; 'day', 'month' or 'year' stands first, in quotes."
_INTERVAL: Final = "Write d + INTERVAL 3 DAY, with a whole number of DAY, WEEK, MONTH, QUARTER or YEAR."
_NO_CLOCK: Final = "Write the date itself, such as DATE '2026-01-31': then the same question has the same answer tomorrow."
RULES: tuple[Rule | Refusal, ...] = (
    *(Rule(node, _part) for node in _FUNCTIONS),
    Rule(exp.Extract, _extract, ("this", "expression")),
    Rule(exp.TimestampTrunc, _start, ("this", "unit")),
    Rule(exp.DateTrunc, _start, ("this", "unit")),
    Rule(exp.Date, _day),
    Rule(exp.DateDiff, _difference, ("this", "expression", "unit", "date_part_boundary")),
    Rule(exp.DateAdd, _later, ("this", "expression", "unit")),
    Refusal(exp.Interval, "An interval is added to a date, or taken off it", _INTERVAL),
    *(
        Refusal(node, "Dates as text are not read", "Write YEAR(d), MONTH(d) or DATE_TRUNC('month', d).")
        for node in (exp.TimeToStr, exp.ToChar)
    ),
    Refusal(exp.CurrentDate, "The clock is not read", _NO_CLOCK),
    Refusal(exp.CurrentTimestamp, "The clock is not read", _NO_CLOCK),
    Refusal(exp.CurrentTime, "The clock is not read", _NO_CLOCK),
)
