"""A policy file: TOML text in, a checked Policy out, or one error that lists every mistake with
its line and its fix.
"""

from __future__ import annotations

import os
import re
import tomllib
from decimal import Decimal, InvalidOperation
from pathlib import Path
from typing import Any

from hedgerow.errors import InvalidArgument
from hedgerow.policy.mistake import Mistake
from hedgerow.policy.policy import Policy, build_policy_error
from hedgerow.policy.records import TableRule
from hedgerow.policy.toml.document import read_document
from hedgerow.policy.toml.line_numbers import find_key_lines

__all__ = ["parse_policy", "read_policy"]

_POSITION = re.compile(r" \(at (?:line (\d+), column \d+|end of document)\)$")
_MAX_NUMBER_LENGTH = 200
_TOML_ERRORS = (
    (
        "invalid value",
        "the value cannot be read; text stands in quotes, numbers and true/false do not",
    ),
    ("cannot overwrite a value", "this key is there twice; keep one"),
    ("cannot declare", "this table is there twice; put its keys together"),
    ("cannot mutate", "this table was closed before; put its keys together"),
    ("expected '='", "a key needs '=' and a value after it"),
    ("expected newline", "only one key may stand on a line, and nothing after its value"),
    ("unterminated string", "the text is not closed; add the missing quote"),
    ("unclosed array", "the list is not closed; add ']'"),
    ("unclosed inline table", "the braces are not closed; add '}'"),
    ("illegal character", "a quote is missing, or text runs over the end of the line"),
)


class _ExactNumber(Decimal):
    """A number as it was written: exact, and shown in messages without the name of a class."""

    def __repr__(self) -> str:
        return str(self)


def _parse_number(text: str) -> _ExactNumber:
    if len(text) > _MAX_NUMBER_LENGTH:
        raise ValueError("more digits than anybody means")
    return _ExactNumber(text)


def read_policy(path: str | os.PathLike[str]) -> Policy:
    """The policy in a file. Relative paths in it start at its folder."""
    file = Path(path)
    try:
        text = file.read_bytes().decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InvalidArgument("policy", "must be UTF-8 text", str(file)) from error
    except OSError as error:
        raise InvalidArgument("policy", f"cannot be read ({error.strerror})", str(file)) from error
    return parse_policy(text, file.parent)


def parse_policy(text: str, folder: Path = Path()) -> Policy:
    """The policy in a text, as if it were a file in ``folder``."""
    parts, mistakes = read_document(_parse_toml(text))
    mistakes.extend(_check_same_files(parts.tables, folder))
    if mistakes:
        raise build_policy_error(mistakes, find_key_lines(text))
    return Policy.from_parts(parts, folder)


def _parse_toml(text: str) -> dict[str, Any]:
    try:
        return tomllib.loads(text, parse_float=_parse_number)
    except InvalidOperation as error:
        raise InvalidArgument("policy", "has a number whose exponent is out of reach") from error
    except RecursionError as error:
        raise InvalidArgument("policy", "is nested too deeply") from error
    except tomllib.TOMLDecodeError as error:
        raise build_policy_error(
            [_explain_syntax_error(str(error))], {("",): _find_line(str(error), text)}
        ) from error
    # from above, or from Python, which reads integers of a few thousand digits only
    except ValueError as error:
        raise InvalidArgument("policy", "has a number that is too long") from error


def _find_line(message: str, text: str) -> int:
    where = _POSITION.search(message)
    return int(where[1]) if where and where[1] else max(1, len(text.splitlines()))


def _explain_syntax_error(message: str) -> Mistake:
    what = _POSITION.sub("", message)
    plain = next((plain for start, plain in _TOML_ERRORS if what.lower().startswith(start)), None)
    return Mistake(("",), plain or f"this is not TOML: {what[:1].lower()}{what[1:]}")


def _check_same_files(tables: tuple[TableRule, ...], folder: Path) -> list[Mistake]:
    """Two spellings of one file (a link of either kind, an absolute path) are one source, and one
    source has one budget and one unit. Where every row is somebody of their own it has one table: a
    row of two would be two people, and come twice in a UNION ALL."""
    first: dict[object, TableRule] = {}
    found = []
    for table in tables:
        other = first.setdefault(_identify_file(folder / table.source), table)
        if (
            other is not table
            and other.unit == table.unit == "row"
            and other.population == table.population
        ):
            says = (
                f"every row of it is somebody of their own, and would count twice: {other.name!r}"
                " has the same file"
            )
            found.append(Mistake(("tables", table.name, "source"), says))
        if other.source == table.source:
            continue
        if (other.public, other.population) != (table.public, table.population):
            how = (
                "public and protected at once"
                if other.public != table.public
                else "in two populations"
            )
            found.append(
                Mistake(
                    ("tables", table.name, "source"),
                    f"the source is the same file as that of {other.name!r}, {how}",
                )
            )
        elif other.unit_text != table.unit_text:
            fix = f"{other.name!r} has {other.unit_text!r}, this one {table.unit_text!r}"
            found.append(
                Mistake(
                    ("tables", table.name, "unit"), f"tables of one file must have one unit: {fix}"
                )
            )
    return found


def _identify_file(path: Path) -> object:
    """Which file this is, under whatever name; its real path while it is not there."""
    try:
        known = path.stat()
    except OSError:
        return os.path.realpath(path)
    return known.st_dev, known.st_ino
