"""Parts of dates, and their first days."""

from __future__ import annotations

from typing import Final

from sqlglot import exp

from hedgerow.sql.rule import Reader, Refusal, Rule
from hedgerow.sql.typed import Typed, aligned

__all__ = ["RULES"]

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
_STARTS: Final = {"YEAR": "start of year", "QUARTER": "start of quarter", "MONTH": "start of month"}


def _of(node: exp.Expr, reader: Reader, function: str, part: exp.Expr) -> Typed:
    return reader.call(node, function, *aligned([reader.read(part)], "date"))


def _word(part: exp.Expr | None) -> str:
    """The unit as it is written; a column of that name is none."""
    return part.name.upper() if isinstance(part, exp.Var | exp.Literal) else ""


def _extract(node: exp.Extract, reader: Reader) -> Typed:
    part = _PARTS.get(_word(node.this))
    if part is None:
        reader.refuse(node, "EXTRACT does not know this part", "The parts are YEAR, QUARTER, MONTH, DAY, DOW and DOY.")
    return _of(node, reader, part, node.expression)


def _start(node: exp.Expr, reader: Reader) -> Typed:
    start = _STARTS.get(_word(node.args.get("unit")))
    if start is None:
        reader.refuse(node, "DATE_TRUNC does not know this part", "Write DATE_TRUNC('month', d), with 'month', 'quarter' or 'year'.")
    return _of(node, reader, start, node.this)


def _part(node: exp.Expr, reader: Reader) -> Typed:
    return _of(node, reader, _FUNCTIONS[type(node)], node.this)


_NO_CLOCK: Final = "Write the date itself, such as DATE '2026-01-31': then the same question has the same answer tomorrow."
RULES: tuple[Rule | Refusal, ...] = (
    *(Rule(node, _part) for node in _FUNCTIONS),
    Rule(exp.Extract, _extract, ("this", "expression")),
    Rule(exp.TimestampTrunc, _start, ("this", "unit")),
    Rule(exp.DateTrunc, _start, ("this", "unit")),
    Refusal(exp.Interval, "Intervals are not read", "Compare with a date that is written out, such as d >= DATE '2026-01-31'."),
    Refusal(
        exp.DateDiff, "Differences of dates are not read", "Compare with a date that is written out, or declare the difference as a column."
    ),
    Refusal(exp.TimeToStr, "Dates as text are not read", "Write YEAR(d), MONTH(d) or DATE_TRUNC('month', d)."),
    Refusal(exp.CurrentDate, "The clock is not read", _NO_CLOCK),
    Refusal(exp.CurrentTimestamp, "The clock is not read", _NO_CLOCK),
    Refusal(exp.CurrentTime, "The clock is not read", _NO_CLOCK),
)
