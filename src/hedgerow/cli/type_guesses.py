"""Guesses of the types of .csv columns, for the custodian of ``hedgerow init`` to confirm.

A .csv file has text alone, so a guess reads values: the first rows, in the custodian's own process.
It goes into the policy only if the custodian says so, as if it had been typed. A few values that do
not fit change no guess, so that one person's row seldom does.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Callable, Iterable, Mapping
from datetime import date
from itertools import islice
from pathlib import Path
from typing import Final

from hedgerow.plan.values import Type

__all__ = ["guess_types"]

_MAX_ROWS: Final = 1000
_SHARE: Final = 0.95  # of the values that are not empty must fit
_INTEGER: Final = re.compile(r"[+-]?\d{1,18}")
_REAL: Final = re.compile(r"[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d{1,3})?")
_CODE: Final = re.compile(r"0\d+")  # such as a postcode: leading zeros are lost in a number


def guess_types(path: Path) -> dict[str, Type]:
    """Guess the type of each column of a .csv file, unless the file is malformed."""
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            rows = list(islice(csv.DictReader(file, strict=True), _MAX_ROWS))
    except (OSError, ValueError, csv.Error):
        return {}
    names = [name for name in rows[0] if isinstance(name, str)] if rows else []
    return {name: _guess_type([row[name] for row in rows]) for name in names}


def _guess_type(values: Iterable[str | None]) -> Type:
    filled = [value.strip() for value in values if value and value.strip()]
    for type_, fits in _TESTS.items():
        if filled and sum(map(fits, filled)) >= _SHARE * len(filled):
            return type_
    return "text"


def _is_integer(text: str) -> bool:
    return _INTEGER.fullmatch(text) is not None and not _CODE.fullmatch(text)


def _is_real(text: str) -> bool:
    return _REAL.fullmatch(text) is not None and not _CODE.fullmatch(text)


def _is_date(text: str) -> bool:
    try:
        return len(text) == 10 and date.fromisoformat(text) is not None
    except ValueError:
        return False


def _is_boolean(text: str) -> bool:
    return text.casefold() in ("true", "false")


_TESTS: Final[Mapping[Type, Callable[[str], bool]]] = {
    "boolean": _is_boolean,
    "integer": _is_integer,
    "real": _is_real,
    "date": _is_date,
}
