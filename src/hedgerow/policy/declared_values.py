"""The ``values`` of a column: a list, or a range.

    values = ["north", "south"]            a list of texts, numbers, dates or booleans
    values = "2026-01 … 2026-12"           months: dates, each as its first day
    values = "2026-01-01 ... 2026-01-31"   days; three dots or an ellipsis
    values = "1 … 12"                      integers; with type = "date", years

A timestamp has a range only, whose ends are days or moments; a last day counts whole:

    values = "2026-01-01 … 2026-01-31"     to 23:59:59.999999 on the last day

Numbers are exact: integers as int, others as Fraction.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from datetime import date, datetime, time
from decimal import Decimal
from fractions import Fraction
from numbers import Integral, Real
from typing import Any, Final, Literal

from hedgerow.errors import InvalidArgument
from hedgerow.numeric.exact_number import parse_exact

__all__ = [
    "GRANULARITIES",
    "MAX_VALUES",
    "TYPES",
    "Granularity",
    "Value",
    "read_moment",
    "read_moments",
    "read_values",
]

Value = str | int | Fraction | date
Granularity = Literal["day", "month", "year"]

# granularity -> the number of characters of 2026-01-31 that it needs
GRANULARITIES: Final[dict[Granularity, int]] = {"day": 10, "month": 7, "year": 4}

TYPES: Final = ("integer", "real", "text", "date", "timestamp", "boolean")
MAX_VALUES: Final = 100_000

# In this order: bool is an int. Integral includes numpy integers, but not numpy booleans.
_VALUE_CLASSES: Final = (
    (bool, "boolean"),
    (Integral, "integer"),
    ((Real, Decimal), "real"),
    (str, "text"),
    (date, "date"),
)
_MOMENTS = re.compile(r"\s*(\S.*?)\s*(?:…|\.\.\.)\s*(.*?\S)\s*")
_RANGE = re.compile(r"\s*(\S+?)\s*(?:…|\.\.\.)\s*(\S+)\s*")
_DAY = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
_MONTH = re.compile(r"[0-9]{4}-[0-9]{2}")
_INTEGER = re.compile(r"-?[0-9]{1,15}")
_YEAR = re.compile(r"[0-9]{4}")
_FORMS = 'must be a list such as ["north", "south"] or a range such as "2026-01 … 2026-12"'


def read_values(
    written: object, declared: str | None = None
) -> tuple[str, tuple[Value, ...], Granularity]:
    """Read the type of a column, its values in the order written, and the granularity of its dates.

    ``declared`` is the type that the policy states, if any.
    """
    grain: Granularity = "day"
    if isinstance(written, str):
        kind, values, grain = _read_range(written, declared)
    elif isinstance(written, list):
        if len(written) > MAX_VALUES:
            raise InvalidArgument(
                "values", f"must have at most {MAX_VALUES:,} entries", len(written)
            )
        kind = declared or _find_common_type(written)
        values = tuple(_read_value(item, kind) for item in written)
        grain = _find_granularity(written) if kind == "date" and values else "day"
    else:
        raise InvalidArgument("values", _FORMS, written)
    if not values:
        raise InvalidArgument(
            "values", "must not be empty; list every value that may appear in an answer"
        )
    return kind, values, grain


def read_moments(written: object) -> tuple[datetime, datetime]:
    """Read the range of a timestamp column."""
    ends = _MOMENTS.fullmatch(written) if isinstance(written, str) else None
    if ends is None:
        raise InvalidArgument(
            "values",
            'must be a range for a timestamp, such as "2026-01-01 … 2026-01-31"',
            written,
        )
    return read_moment(ends[1], "values"), read_moment(ends[2], "values", is_end=True)


def read_moment(written: object, key: str, *, is_end: bool = False) -> datetime:
    """Read a moment: a day begins at midnight, and as an end it is its last microsecond."""
    found = written
    if isinstance(written, str):
        try:
            found = (date if _DAY.fullmatch(written) else datetime).fromisoformat(written)
        except ValueError:
            found = None
    if not isinstance(found, date) or getattr(found, "tzinfo", None) is not None:
        raise InvalidArgument(
            key, "must be a date or a time without a zone, such as 2026-01-31T09:30:00", written
        )
    if isinstance(found, datetime):
        return found
    return datetime.combine(found, time.max if is_end else time.min)


def _find_granularity(items: list[object]) -> Granularity:
    lengths = {len(item) if isinstance(item, str) else GRANULARITIES["day"] for item in items}
    if len(lengths) > 1:
        raise InvalidArgument("values", "must be all days, all months or all years", items)
    return next(grain for grain, length in GRANULARITIES.items() if length in lengths)


def _find_common_type(items: list[object]) -> str:
    kinds = {_find_type(item) for item in items}
    if kinds == {"integer", "real"}:
        return "real"
    if len(kinds) > 1:
        raise InvalidArgument("values", "must all have the same type", items)
    return kinds.pop() if kinds else "text"


def _find_type(item: object) -> str:
    for classes, name in _VALUE_CLASSES:
        if isinstance(item, classes) and not isinstance(item, datetime):
            return name
    raise InvalidArgument(
        "values", "must be text, numbers, dates without a time of day, or true and false", item
    )


def _read_value(item: object, kind: str) -> Value:
    found = _find_type(item)
    if kind == "date" and isinstance(item, str):
        return _parse_date(item)
    if kind != found and not (kind in {"integer", "real"} and found in {"integer", "real"}):
        raise InvalidArgument("values", f"must have the type {kind!r}", item)
    if kind in {"integer", "real"}:
        number = parse_exact(item, "values")
        if kind == "real":
            return number
        if number.denominator != 1:
            raise InvalidArgument("values", "must be whole numbers for the type 'integer'", item)
        return number.numerator
    if isinstance(item, (bool, date)):
        return item
    return str(item)


def _parse_date(text: str) -> date:
    if not any(shape.fullmatch(text) for shape in (_DAY, _MONTH, _YEAR)):
        raise InvalidArgument(
            "values", "must be dates such as 2026-01-31, or months such as 2026-01", text
        )
    try:
        return date.fromisoformat(
            text + "-01-01"[len(text) - GRANULARITIES["day"] :]
            if len(text) < GRANULARITIES["day"]
            else text
        )
    except ValueError as error:
        raise InvalidArgument("values", "must be dates that exist", text) from error


def _read_range(text: str, declared: str | None) -> tuple[str, tuple[Value, ...], Granularity]:
    ends = _RANGE.fullmatch(text)
    if not ends:
        raise InvalidArgument("values", _FORMS, text)
    first, last = ends[1], ends[2]
    for shape, kind, parse, list_steps in _RANGE_FORMS:
        if kind == "year" and declared != "date":
            continue
        if shape.fullmatch(first) and shape.fullmatch(last):
            taken = declared or kind
            fits = {"date", "text"} if kind in {"date", "year"} else {"integer", "real", "text"}
            if taken not in fits:
                raise InvalidArgument("values", f"must have the type {taken!r}", text)
            begin, end = parse(first), parse(last)
            if end < begin:
                raise InvalidArgument("values", "must run forwards: swap the two ends", text)
            return (
                taken,
                _build_range_values(list_steps(begin, end), taken, first),
                _find_granularity([first]) if taken == "date" else "day",
            )
    raise InvalidArgument(
        "values",
        'must run between two days, two months or two whole numbers, such as "1 … 12"',
        text,
    )


def _build_range_values(steps: Iterable[Value], kind: str, first: str) -> tuple[Value, ...]:
    """Convert the steps of a range to values of the column; text looks like the first end of the
    range.
    """
    values: list[Value] = []
    for step in steps:
        if len(values) == MAX_VALUES:
            raise InvalidArgument(
                "values", f"must have at most {MAX_VALUES:,} entries; use a coarser range"
            )
        if kind == "text":
            padded = len(first) if first.startswith("0") else 0
            step = (
                step.isoformat()[: len(first)] if isinstance(step, date) else f"{step:0{padded}d}"
            )
        values.append(Fraction(step) if kind == "real" and isinstance(step, int) else step)
    return tuple(values)


def _list_months(begin: date, end: date) -> Iterator[date]:
    ordinals = range(begin.year * 12 + begin.month - 1, end.year * 12 + end.month)
    return (date(ordinal // 12, ordinal % 12 + 1, 1) for ordinal in ordinals)


_RANGE_FORMS: Final[tuple[tuple[re.Pattern[str], str, Callable[[str], Any], Any], ...]] = (
    (
        _DAY,
        "date",
        _parse_date,
        lambda a, b: map(date.fromordinal, range(a.toordinal(), b.toordinal() + 1)),
    ),
    (_MONTH, "date", _parse_date, _list_months),
    (
        _YEAR,
        "year",
        _parse_date,
        lambda a, b: (date(year, 1, 1) for year in range(a.year, b.year + 1)),
    ),
    (_INTEGER, "integer", int, lambda a, b: range(a, b + 1)),
)
