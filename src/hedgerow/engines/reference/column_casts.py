"""The meaning of reading a column: from any stored value to a value of the declared type, or NULL.
It never raises.

* Numbers declared as integers are rounded, halves away from zero. Beyond 64 bits they are clamped
to the bounds like other values outside; without bounds they are NULL.
* Text that spells a value of the type is that value, to its last digit and with any exponent
(``15e-1`` is the integer 2). White space around a number or a date is ignored.
* A date is the midnight of a timestamp, and a timestamp with a zone its time in UTC; text with a
zone other than Z is no timestamp. The time of day is cut off at microseconds.
* Only integers, booleans and dates are converted to text.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from fractions import Fraction
from typing import Any, Final

from hedgerow.plan.scalar.dates import DATE_TRUNCATIONS
from hedgerow.plan.scalar.functions import round_half_away
from hedgerow.plan.schema import Column
from hedgerow.plan.values import Type, Value, build_date, number_date

__all__ = ["read_value"]

_NUMBER_PATTERN: Final = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]{1,9})?")
_DATE_PATTERN: Final = re.compile(
    r"([0-9]{1,9})-([0-9]{1,2})-([0-9]{1,2})([ T][0-9:.]+(Z|[+-][0-9:]+)?)?"
)
_TIMESTAMP_PATTERN: Final = re.compile(
    r"[0-9]{1,9}-[0-9]{1,2}-[0-9]{1,2}"
    r"(?:[ T]([01]?[0-9]|2[0-3]):([0-5][0-9])(?::([0-5][0-9])(?:\.([0-9]{1,9}))?)?Z?)?"
)
_MIN_INT64, _MAX_INT64 = -(2**63), 2**63 - 1  # the ends of 64 bits
_TRUE_WORDS: Final = ("true", "t", "yes", "y", "1")
_FALSE_WORDS: Final = ("false", "f", "no", "n", "0")
_INFINITIES: Final = {
    sign + word: math.inf * (-1 if sign == "-" else 1)
    for sign in ("", "+", "-")
    for word in ("inf", "infinity")
}


def read_value(column: Column, raw: object) -> Value:
    """Read a stored value as the declared type of a column."""
    # NaN in all its guises differs from itself
    if raw is None or (raw.is_nan() if isinstance(raw, Decimal) else raw != raw):
        return None
    value: Any = _READERS[column.type](raw)
    if isinstance(value, date) and column.granularity != "day":
        value = DATE_TRUNCATIONS[f"start of {column.granularity}"](value)
    if value is None or (column.values is not None and value not in column.values):
        return None
    if column.values is None and column.low is not None and column.high is not None:
        return _clamp(value, column.low, column.high)
    found: Value = (
        None if isinstance(value, int) and not _MIN_INT64 <= value <= _MAX_INT64 else value
    )
    return found


def _clamp(value: Any, low: Fraction, high: Fraction) -> Value:
    if isinstance(value, date):
        type_: Type = "timestamp" if isinstance(value, datetime) else "date"
        return build_date(min(max(number_date(value), int(low)), int(high)), type_)
    if isinstance(value, int):
        return min(max(value, int(low), _MIN_INT64), int(high), _MAX_INT64)
    clamped: float = min(max(value, float(low)), float(high))
    return clamped


def _parse_number(raw: object) -> int | float | Decimal | None:
    if isinstance(raw, str):
        text = raw.strip()
        return Decimal(text) if _NUMBER_PATTERN.fullmatch(text) else _INFINITIES.get(text.lower())
    if isinstance(raw, Decimal) and raw.is_infinite():
        return float(raw)
    return raw if isinstance(raw, int | float | Decimal) else None


def _read_integer(raw: object) -> int | None:
    number = _parse_number(raw)
    if isinstance(number, Decimal) and (not number or number.adjusted() < -1):
        return 0  # below a tenth; its exact fraction may be gigabytes long
    if number is not None and (
        number.adjusted() > 20 if isinstance(number, Decimal) else abs(number) >= 2**64
    ):
        return 2**64 if number > 0 else -(2**64)  # how far beyond does not matter
    return (
        None
        if number is None
        else int(number)
        if isinstance(number, int)
        else round_half_away(Fraction(number))
    )


def _read_real(raw: object) -> float | None:
    number = _parse_number(raw)
    if number is None:
        return None
    try:
        return float(number)
    except OverflowError:  # a whole number of more than 308 digits
        return math.inf if number > 0 else -math.inf


def _read_text(raw: object) -> str | None:
    if isinstance(raw, bool):
        return "true" if raw else "false"
    if isinstance(raw, date):
        return raw.isoformat() if not isinstance(raw, datetime) else None
    return str(raw) if isinstance(raw, int | str) else None


def _read_boolean(raw: object) -> bool | None:
    if isinstance(raw, str):
        return (
            True if raw.lower() in _TRUE_WORDS else False if raw.lower() in _FALSE_WORDS else None
        )
    return bool(raw) if isinstance(raw, int | float | Decimal) else None


def _read_date(raw: object) -> date | None:
    if isinstance(raw, date):
        return raw.date() if isinstance(raw, datetime) else raw
    text = raw.strip() if isinstance(raw, str) else ""
    if text.lower() in _INFINITIES:
        return date.max if _INFINITIES[text.lower()] > 0 else date.min
    match = _DATE_PATTERN.fullmatch(text)
    if match is None:
        return None
    year, month, day = int(match[1]), int(match[2]), int(match[3])
    try:
        inside = date(year if 1 <= year <= 9999 else 4, month, day)
    except ValueError:
        return None
    return date.min if year < 1 else date.max if year > 9999 else inside


def _read_timestamp(raw: object) -> datetime | None:
    if isinstance(raw, datetime):
        return raw if raw.tzinfo is None else raw.astimezone(UTC).replace(tzinfo=None)
    text = raw.strip() if isinstance(raw, str) else ""
    if text.lower() in _INFINITIES:
        return datetime.max if _INFINITIES[text.lower()] > 0 else datetime.min
    match, day = _TIMESTAMP_PATTERN.fullmatch(text), _read_date(raw)
    if day is None or (match is None and isinstance(raw, str)):
        return None
    hour, minute, second, fraction = (part or "" for part in match.groups()) if match else [""] * 4
    return datetime.combine(day, datetime.min.time()) + timedelta(
        hours=int(hour or 0),
        minutes=int(minute or 0),
        seconds=int(second or 0),
        microseconds=int(fraction.ljust(6, "0")[:6]),
    )


_READERS: Final[Mapping[str, Callable[[object], Value]]] = {
    "boolean": _read_boolean,
    "integer": _read_integer,
    "real": _read_real,
    "text": _read_text,
    "date": _read_date,
    "timestamp": _read_timestamp,
}
