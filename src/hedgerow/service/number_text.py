"""Numbers as callers write them: exactly, and in one way of writing only."""

from __future__ import annotations

import re
from decimal import Decimal
from typing import Final

from hedgerow.errors import InvalidArgument

__all__ = ["parse_number_text"]

_MOST: Final = 60  # characters
# Decimal reads more: 1_0, digits of other scripts, Infinity. One byte must not mean another number
# to whoever reads the log.
_NUMBER: Final = re.compile(r"[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]{1,9})?")


def parse_number_text(text: str, argument: str) -> Decimal:
    """Parse a number exactly as it is written."""
    if len(text) > _MOST or not _NUMBER.fullmatch(text):
        shown = () if len(text) > _MOST else (text,)
        problem = f"must be a number of at most {_MOST} characters, such as 0.5"
        raise InvalidArgument(argument, problem, *shown)
    return Decimal(text)
