"""The first line of a CSV file: the column names, or what is wrong with it and how to fix that.

Only that line is read. The lines below are people's data and decide nothing here.
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
    """Read the distinct column names; raise SourceError where the first line is not a header."""
    with path.open("rb") as file:
        start = file.read(2)
    if not start:
        raise SourceError(
            f"{path.name} is empty. Its first line must list the column names, separated by commas."
        )
    if start in _UTF16_MARKS:
        raise SourceError(
            f'{path.name} is UTF-16 text. Save it as "CSV UTF-8", or convert it: iconv -f utf-16 -t'
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
            f"The first line of {path.name} has an unclosed double quote. Close it, or write the"
            " column names without quotes."
        ) from None
    try:
        "".join(names).encode()
    except UnicodeEncodeError:
        raise SourceError(
            f'The first line of {path.name} is not UTF-8. Save it as "CSV UTF-8", or, if it is'
            f" Windows-1252, convert it: iconv -f cp1252 -t utf-8 {path.name} > new.csv"
        ) from None
    return names


def _check_separator(path: Path, names: list[str]) -> None:
    if len(names) != 1:
        return
    for sign, (word, written) in _WRONG_SEPARATORS.items():
        if sign in names[0]:
            new = path.with_suffix(".parquet").name
            raise SourceError(
                f"The columns of {path.name} are separated by {word}, but must be separated by"
                " commas. Convert the file: "
                f'python -c "import pandas; pandas.read_csv({path.name!r},'
                f' sep={written!r}).to_parquet({new!r})"'.replace("\\\\t", "\\t")
            )


def _check_names(path: Path, names: list[str]) -> None:
    if not names:
        raise SourceError(
            f"The first line of {path.name} is empty. It must list the column names, separated by"
            " commas."
        )
    # These are somebody's data, so they are not quoted.
    if all(_NUMBER_PATTERN.fullmatch(name) for name in names):
        raise SourceError(
            f"The first line of {path.name} contains only numbers. Add a line with the column names"
            " above it, separated by commas."
        )
    known: dict[str, str] = {}
    for place, name in enumerate(names, 1):
        if not name:
            raise SourceError(
                f"Column {place} of {path.name} has no name. Give every column a name in the first"
                " line."
            )
        other = known.get(name.casefold())
        if other is not None:
            names_both = f"{other!r} and {name!r}, which differ in case alone"
            problem = f"the column {name!r} twice" if other == name else f"the columns {names_both}"
            raise SourceError(f"The first line of {path.name} has {problem}. Rename one of them.")
        known[name.casefold()] = name
