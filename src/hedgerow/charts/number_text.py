"""Numbers, lists and plurals in messages: one format for each."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import ROUND_CEILING, Context
from fractions import Fraction

__all__ = [
    "count_items",
    "format_percent",
    "format_rounded_up",
    "format_share",
    "format_size",
    "join_words",
    "list_first",
]


def format_size(value: float) -> str:
    """Format a number with four significant digits, without an exponent below 10^15."""
    short = f"{value:.4g}"
    return f"{float(short):,.0f}" if 1000 <= abs(value) < 1e15 else short


def count_items(count: int, noun: str, plural: str | None = None) -> str:
    """Format a count with its noun: "1 row", "1,200 rows"."""
    return f"{count:,} {noun if count == 1 else plural or noun + 's'}"


def join_words(words: Sequence[str], conjunction: str = "and") -> str:
    """Join words into a list: "a", "a and b", "a, b and c"."""
    *first, last = words
    return f"{', '.join(first)} {conjunction} {last}" if first else last


def list_first(words: Sequence[str], limit: int) -> str:
    """List the first words and count the rest: "a, b and 7 more"."""
    more = len(words) - limit
    return ", ".join(words[:limit]) + (f" and {more:,} more" if more > 0 else "")


def format_share(share: float, places: int = 0) -> str:
    """Format a share of 1 as a percentage."""
    return f"{100 * share:.{places}f} %"


def format_percent(share: float | Fraction, digits: int) -> str:
    """Return a share of 1 as a percentage with this many significant digits."""
    return f"{float(f'{float(100 * share):.{digits}g}'):g} %"


def format_rounded_up(value: float, digits: int) -> str:
    """Return this many significant digits without an exponent, never less than the value."""
    context = Context(prec=digits, rounding=ROUND_CEILING)
    return f"{context.create_decimal_from_float(value).normalize():f}"
