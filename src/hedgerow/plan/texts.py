"""Functions of text. A text is its code points, one after the other; places count from 1. NULL in, NULL out.

* ``lower``, ``upper``: each code point by itself becomes its one-to-one partner in Unicode; those without one stay (``upper`` of "ŉ" is
  "ŉ"). So the length never changes. Where Unicode writes the capital with several, the one-letter capital is taken: "ß" becomes "ẞ",
  "ᾳ" becomes "ᾼ", and ``lower`` of "İ" is "i".
* ``trim``: without the blanks (U+0020, nothing else) at both ends.
* ``length``: how many code points.
* ``substring(text, start, count)``: those at the places p with start <= p < start + count. Places before the first and behind the last
  are empty, so a start below 1 uses up some of the count, and a count of 0 or less gives the empty text.
* ``right(text, count)``: the last ``count``, all where there are no more, and the empty text for 0 or less.
* ``concat``: all of them, in order. ``starts with(text, beginning)``: code point by code point; every text starts with the empty one.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any, Final

from hedgerow.errors import Unbounded, Unsupported
from hedgerow.plan.values import Range, Type

__all__ = ["TEXTS", "text_range"]

_LISTED: Final = 1000  # results are listed up to here
_PLACES: Final = 2**31  # places lie within, so that no engine has to count further
_LOWER: Final = {"İ": "i"}
_UPPER: Final = {"ß": "ẞ"}


def _lower(text: str) -> str:
    return "".join(_LOWER.get(c) or c.lower() for c in text)


def _upper(text: str) -> str:
    return "".join(_UPPER.get(c) or _capital(c) for c in text)


def _capital(c: str) -> str:
    return next((made for made in (c.upper(), c.title()) if len(made) == 1), c)


def _substring(text: str, start: int, count: int) -> str:
    return text[max(start, 1) - 1 : max(start + count, 1) - 1]


# Name -> types of the arguments (the last one may repeat for concat), type of the value, and the function.
TEXTS: Final[dict[str, tuple[tuple[Type, ...], Type, Callable[..., Any]]]] = {
    "lower": (("text",), "text", _lower),
    "upper": (("text",), "text", _upper),
    "trim": (("text",), "text", lambda text: text.strip(" ")),
    "length": (("text",), "integer", len),
    "substring": (("text", "integer", "integer"), "text", _substring),
    "right": (("text", "integer"), "text", lambda text, count: text[-count:] if count > 0 else ""),
    "concat": (("text", "text"), "text", lambda *texts: "".join(texts)),
    "starts with": (("text", "text"), "boolean", str.startswith),
}


def text_range(name: str, ranges: Sequence[Range]) -> Range:
    """The values listed where those of all arguments are, and they are few."""
    types, type_, run = TEXTS[name]
    if name == "concat":
        fits = len(ranges) > 1 and all(range_.type == "text" for range_ in ranges)
    else:
        fits = tuple(range_.type for range_ in ranges) == types
    if not fits:
        wanted = " and ".join(dict.fromkeys("text" if wanted == "text" else "whole numbers" for wanted in types))
        raise Unsupported(f"{name.upper().replace(' ', '_')} works on {wanted}.")
    _check_places([range_ for range_ in ranges if range_.type == "integer"], name)
    return _known(type_, _listed(ranges, run), nullable=any(range_.nullable for range_ in ranges))


def _check_places(ranges: Sequence[Range], name: str) -> None:
    for range_ in ranges:
        if range_.low is None or range_.high is None:
            raise Unbounded(f"{name.upper()} needs places with known bounds: write a number, or declare min and max of the column.")
        if max(abs(range_.low), abs(range_.high)) > _PLACES:
            raise Unsupported(f"{name.upper()} needs places within 2^31.")


def _listed(ranges: Sequence[Range], run: Callable[..., Any]) -> list[Any] | None:
    """All that may come; None where that is not known, or much."""
    lists = [range_.values for range_ in ranges if range_.values is not None]
    if len(lists) < len(ranges) or math.prod(map(len, lists)) > _LISTED:
        return None
    return sorted({run(*values) for values in itertools.product(*lists)})


def _known(type_: Type, listed: list[Any] | None, *, nullable: bool) -> Range:
    if type_ == "boolean" or listed is None:
        return Range(type_, Fraction(0), None, Fraction(1), None, nullable) if type_ == "integer" else Range(type_, nullable=nullable)
    if type_ == "integer" and listed:
        return Range(type_, Fraction(listed[0]), Fraction(listed[-1]), Fraction(1), tuple(listed), nullable)
    return Range(type_, values=tuple(listed), nullable=nullable)
