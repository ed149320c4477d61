"""The first line of a file of comma-separated values: the names of its columns, or what is wrong
with it and how to mend that.

Only that line is looked at. What stands below it belongs to people, and decides nothing here.
"""

from __future__ import annotations

import csv
import re
from pathlib import Path
from typing import Final

from hedgerow.errors import SourceError

__all__ = ["MAX_LINE_BYTES", "read_csv_header"]

MAX_LINE_BYTES: Final = 100_000_000  # bytes
_WRONG_SEPARATORS: Final = {";": ("semicolons", ";"), "\t": ("tabs", "\\t"), "|": ("bars", "|")}
_NUMBER_PATTERN: Final = re.compile(r"\s*[-+]?[0-9][0-9.:/ eE+-]*")
_UTF16_MARKS: Final = (b"\xff\xfe", b"\xfe\xff")


def read_csv_header(path: Path) -> list[str]:
    """The names, each once; SourceError where there are none."""
    with path.open("rb") as file:
        start = file.read(2)
    if not start:
        raise SourceError(
            f"{path.name} is empty: its first line must name the columns, with commas between."
        )
    if start in _UTF16_MARKS:
        raise SourceError(
            f'{path.name} is not UTF-8 but UTF-16. Save it as "CSV UTF-8", or: iconv -f utf-16 -t'
            f" utf-8 {path.name} > new.csv"
        )
    names = _parse_names(path)
    _check_separator(path, names)
    _check_names(path, names)
    return names


def _parse_names(path: Path) -> list[str]:
    try:
        with path.open(encoding="utf-8-sig", errors="surrogateescape", newline="") as file:
            names = next(csv.reader(file, strict=True), [])
    except csv.Error:
        raise SourceError(
            f"The first line of {path.name} has a double quote that does not end: write each name"
            " plainly."
        ) from None
    try:
        "".join(names).encode()
    except UnicodeEncodeError:
        instead = (
            'Save it as "CSV UTF-8", or, if it is Windows-1252: iconv -f cp1252 -t utf-8'
            f" {path.name} > new.csv"
        )
        raise SourceError(f"The first line of {path.name} is not UTF-8. {instead}") from None
    return names


def _check_separator(path: Path, names: list[str]) -> None:
    if len(names) != 1:
        return
    for sign, (word, written) in _WRONG_SEPARATORS.items():
        if sign in names[0]:
            new = path.with_suffix(".parquet").name
            raise SourceError(
                f"The columns of {path.name} have {word} between them, and commas are read. Convert"
                " it: "
                f'python -c "import pandas; pandas.read_csv({path.name!r},'
                f' sep={written!r}).to_parquet({new!r})"'.replace("\\\\t", "\\t")
            )


def _check_names(path: Path, names: list[str]) -> None:
    if not names:
        raise SourceError(
            f"The first line of {path.name} is empty: it must name the columns, with commas"
            " between."
        )
    # those of somebody, who is not to be quoted
    if all(_NUMBER_PATTERN.fullmatch(name) for name in names):
        raise SourceError(
            f"The first line of {path.name} has nothing but numbers: write the names of the columns"
            " above it, with commas between."
        )
    known: dict[str, str] = {}
    for place, name in enumerate(names, 1):
        if not name:
            raise SourceError(
                f"Column {place} of {path.name} has no name: the first line must give every column"
                " one of its own."
            )
        other = known.get(name.casefold())
        if other is not None:
            alike = (
                "twice"
                if other == name
                else f"beside {other!r}, which differs in upper and lower case alone"
            )
            raise SourceError(
                f"The first line of {path.name} has the column {name!r} {alike}: rename one of"
                " them."
            )
        known[name.casefold()] = name
