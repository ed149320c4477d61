"""An expression that was read, with what is known about its values."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date
from typing import Final

from hedgerow.plan.expressions import Constant, Expression
from hedgerow.plan.values import Range, Type, Value

__all__ = ["NO_CLOCK", "Typed", "aligned", "as_number", "constant", "iso_date", "no_day"]

NO_CLOCK: Final = "Times of day are not known: a timestamp is read as its date"
_DAY: Final = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
_MOMENT: Final = re.compile(_DAY.pattern + r"[ T]+[0-9].*")


@dataclass(frozen=True, slots=True)
class Typed:
    """``size`` counts the parts: SQL that says a thing once may mean it often (BETWEEN, CASE x WHEN). ``work`` is the sum of the sizes
    of all parts, which is what it costs to put the expression into its normal form."""

    expression: Expression
    range: Range
    size: int = 1
    work: int = 1

    @property
    def type(self) -> Type:
        """The type of its values."""
        return self.range.type

    @property
    def is_null(self) -> bool:
        """Whether it is the constant NULL, which goes with every type."""
        return isinstance(self.expression, Constant) and self.expression.value is None


def constant(value: Value, type_: Type) -> Typed:
    """A value that the question wrote."""
    written = Constant(value, type_)
    return Typed(written, written.range)


def aligned(values: Sequence[Typed], type_: Type | None = None) -> list[Typed]:
    """Constants take the type of their company: NULL any, text that is a date beside a date becomes one."""
    types = [value.type for value in values if not value.is_null]
    usual: Type = types[0] if types else "integer"
    wanted: Type = type_ if type_ is not None else next((one for one in types if one != "text"), usual)
    return [_as(value, wanted) for value in values]


def _as(value: Typed, wanted: Type) -> Typed:
    if not isinstance(value.expression, Constant) or value.type == wanted:
        return value
    if value.is_null:
        return replace(value, expression=Constant(None, wanted), range=Range(wanted, values=()))
    found = iso_date(value.expression.value) if wanted == "date" and isinstance(value.expression.value, str) else None
    return value if found is None else constant(found, "date")


def iso_date(text: str) -> date | None:
    """A day written as year-month-day."""
    try:
        return date.fromisoformat(text) if len(text) == 10 else None
    except ValueError:
        return None


def no_day(text: str) -> tuple[str, str]:
    """What is wrong with text that should be a day, and what to write."""
    if _MOMENT.fullmatch(text):
        return NO_CLOCK, f"Write the day alone, which means all of it: '{text[:10]}'."
    if _DAY.fullmatch(text):
        return f"There is no day {text}", "Write a day that the calendar has, such as '2026-01-31'."
    return "This is no date", "Write year, month and day: '2026-01-31', or DATE '2026-01-31'."


def as_number(condition: str) -> str:
    """A condition as 1 and 0, which leaves NULL out: with ELSE 0 it would count as 0."""
    return f"CASE WHEN {condition} THEN 1 WHEN NOT ({condition}) THEN 0 END"
