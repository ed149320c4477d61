"""String functions. A text is a sequence of code points, at positions counted from 1. NULL in, NULL
out.

* ``lower``, ``upper``: each code point becomes its one-to-one partner in Unicode, or stays if it
  has none (``upper`` of "ŉ" is "ŉ"). So the length never changes. Where Unicode writes the capital
  with several code points, the one-letter capital is used: "ß" becomes "ẞ", "ᾳ" becomes "ᾼ", and
  ``lower`` of "İ" is "i".
* ``trim``: without the blanks (U+0020 only) at both ends.
* ``length``: the number of code points.
* ``substring(text, start, count)``: the code points at positions p with start <= p < start + count.
  Positions before the first and behind the last are empty, so a start below 1 uses up some of the
  count, and a count of 0 or less gives the empty text.
* ``right(text, count)``: the last ``count`` code points, all if there are no more, and the empty
  text for 0 or less.
* ``matches pattern(text, pattern)``, ``extract pattern(text, pattern, group)`` and ``replace
  pattern(text, pattern, replacement, every)``: the pattern is a constant that knows what it
  matches, a ``Pattern`` of the SQL reader.
* ``position(text, piece)``: where the piece first begins, 0 without one, 1 for the empty piece.
* ``concat``: all texts, in order. ``starts with(text, beginning)``: code point by code point; every
  text starts with the empty one.
* ``parse integer``, ``parse real``, ``parse date``, ``parse timestamp``: the value that the text is
  when its blanks at both ends are cut off, as ``PARSED_TEXTS`` has it, otherwise NULL.
"""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Callable, Mapping, Sequence
from datetime import date, datetime
from fractions import Fraction
from functools import partial
from typing import Any, Final

from hedgerow.errors import Unbounded, Unsupported
from hedgerow.plan.values import Range, Type

__all__ = ["PARSED_TEXTS", "STRING_FUNCTIONS", "infer_string_range"]

_MAX_LISTED_RESULTS: Final = 1000  # results are listed up to here
_MAX_POSITION: Final = 2**31  # places lie within, so that no engine has to count further
_LOWER_EXCEPTIONS: Final = {"İ": "i"}
_UPPER_EXCEPTIONS: Final = {"ß": "ẞ"}
# The dates that exist: months of 31 and of 30 days, February, and its last day in leap years.
_DATE: Final = (
    r"(?:(?:[0-9]{3}[1-9]|[0-9]{2}[1-9][0-9]|[0-9][1-9][0-9]{2}|[1-9][0-9]{3})-(?:"
    r"(?:0[13578]|1[02])-(?:0[1-9]|[12][0-9]|3[01])|(?:0[469]|11)-(?:0[1-9]|[12][0-9]|30)"
    r"|02-(?:0[1-9]|1[0-9]|2[0-8]))|(?:[0-9]{2}(?:0[48]|[2468][048]|[13579][26])"
    r"|(?:0[48]|[2468][048]|[13579][26])00)-02-29)"
)
# The texts that are values of a type, as a pattern that all engines read alike.
PARSED_TEXTS: Final[Mapping[Type, str]] = {
    "integer": r"[+-]?[0-9]{1,18}",
    "real": r"[+-]?(?:[0-9]{1,18}\.?[0-9]{0,18}|\.[0-9]{1,18})(?:[eE][+-]?[0-9]{1,2})?",
    "date": _DATE,
    "timestamp": (
        rf"{_DATE}(?:[ T](?:[01][0-9]|2[0-3]):[0-5][0-9](?::[0-5][0-9](?:\.[0-9]{{1,6}})?)?)?"
    ),
}
_READERS: Final[Mapping[Type, Callable[[str], Any]]] = {
    "integer": int,
    "real": float,
    "date": date.fromisoformat,
    "timestamp": datetime.fromisoformat,
}


def _to_lower(text: str) -> str:
    return "".join(_LOWER_EXCEPTIONS.get(c) or c.lower() for c in text)


def _to_upper(text: str) -> str:
    return "".join(_UPPER_EXCEPTIONS.get(c) or _to_capital(c) for c in text)


def _to_capital(c: str) -> str:
    return next((made for made in (c.upper(), c.title()) if len(made) == 1), c)


def _parse_text(type_: Type, text: str) -> Any:
    found = re.fullmatch(PARSED_TEXTS[type_], text.strip(" "))
    return found and _READERS[type_](found[0])


# Name -> types of the arguments (the last one may repeat for concat), type of the value, and the
# function.
STRING_FUNCTIONS: Final[dict[str, tuple[tuple[Type, ...], Type, Callable[..., Any]]]] = {
    "lower": (("text",), "text", _to_lower),
    "upper": (("text",), "text", _to_upper),
    "trim": (("text",), "text", lambda text: text.strip(" ")),
    "length": (("text",), "integer", len),
    "substring": (
        *(("text", "integer", "integer"), "text"),
        lambda text, start, count: text[max(start, 1) - 1 : max(start + count, 1) - 1],
    ),
    "right": (("text", "integer"), "text", lambda text, count: text[-count:] if count > 0 else ""),
    "concat": (("text", "text"), "text", lambda *texts: "".join(texts)),
    "starts with": (("text", "text"), "boolean", str.startswith),
    "position": (("text", "text"), "integer", lambda text, piece: text.find(piece) + 1),
    "matches pattern": (("text", "text"), "boolean", lambda text, by: by.matches(text)),
    "extract pattern": (
        *(("text", "text", "integer"), "text"),
        lambda text, by, group: by.extract(text, group),
    ),
    "replace pattern": (
        *(("text", "text", "text", "boolean"), "text"),
        lambda text, by, parts, every: by.substitute(text, parts, every),
    ),
    **{f"parse {type_}": (("text",), type_, partial(_parse_text, type_)) for type_ in PARSED_TEXTS},
}


def infer_string_range(name: str, ranges: Sequence[Range]) -> Range:
    """Return the range of a string function, with all values listed if those of the arguments are
    and they are few.
    """
    types, type_, run = STRING_FUNCTIONS[name]
    if name == "concat":
        fits = len(ranges) > 1 and all(range_.type == "text" for range_ in ranges)
    else:
        fits = tuple(range_.type for range_ in ranges) == types
    if not fits:
        wanted = " and ".join(
            dict.fromkeys("text" if wanted == "text" else "integers" for wanted in types)
        )
        raise Unsupported(f"{name.upper().replace(' ', '_')} needs {wanted}.")
    if name.startswith("parse"):
        return Range(type_)
    _check_positions([range_ for range_ in ranges if range_.type == "integer"], name)
    return _build_range(
        type_, _list_results(ranges, run), nullable=any(range_.nullable for range_ in ranges)
    )


def _check_positions(ranges: Sequence[Range], name: str) -> None:
    for range_ in ranges:
        if range_.low is None or range_.high is None:
            raise Unbounded(
                f"{name.upper()} needs positions with bounds. Write a number, or declare min and"
                " max of the column."
            )
        if max(abs(range_.low), abs(range_.high)) > _MAX_POSITION:
            raise Unsupported(f"{name.upper()} needs positions within 2^31.")


def _list_results(ranges: Sequence[Range], run: Callable[..., Any]) -> list[Any] | None:
    """Return all possible results; None if they are unknown, or many."""
    lists = [range_.values for range_ in ranges if range_.values is not None]
    if len(lists) < len(ranges) or math.prod(map(len, lists)) > _MAX_LISTED_RESULTS:
        return None
    return sorted({run(*values) for values in itertools.product(*lists)})


def _build_range(type_: Type, listed: list[Any] | None, *, nullable: bool) -> Range:
    if type_ == "boolean" or listed is None:
        return (
            Range(type_, Fraction(0), None, Fraction(1), None, nullable)
            if type_ == "integer"
            else Range(type_, nullable=nullable)
        )
    if type_ == "integer" and listed:
        return Range(
            type_, Fraction(listed[0]), Fraction(listed[-1]), Fraction(1), tuple(listed), nullable
        )
    return Range(type_, values=tuple(listed), nullable=nullable)
