"""The reader of policy files: a checked Policy, or one error that lists every mistake with its line
and fix.
"""

from __future__ import annotations

import os
import re
import tomllib
from decimal import Decimal, InvalidOperation
from pathlib import Path
from typing import Any, Final

from hedgerow.errors import InvalidArgument
from hedgerow.policy.checks import check_shared_source, identify_file
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
        "the value cannot be read: put text in quotes, and numbers and true/false without",
    ),
    ("cannot overwrite a value", "this key appears twice: keep one"),
    ("cannot declare", "this table appears twice: merge its keys"),
    ("cannot mutate", "this table was declared before: merge its keys"),
    ("expected '='", "a key needs '=' and a value: add them"),
    ("expected newline", "write one key on each line, and nothing after its value"),
    ("unterminated string", "the text is not closed: add the missing quote"),
    ("unclosed array", "the list is not closed: add ']'"),
    ("unclosed inline table", "the braces are not closed: add '}'"),
    ("illegal character", "a quote is missing: close the text on the line where it begins"),
)


class _ExactNumber(Decimal):
    """A number as it was written: exact, and shown in messages without a class name."""

    def __repr__(self) -> str:
        return str(self)


def _parse_number(text: str) -> _ExactNumber:
    if len(text) > _MAX_NUMBER_LENGTH:
        raise ValueError("too many digits")
    return _ExactNumber(text)


_DATA_SUFFIXES: Final = (".csv", ".parquet")


def read_policy(path: str | os.PathLike[str]) -> Policy:
    """Read the policy in a file; relative paths in it start at its folder."""
    file = Path(path)
    if file.suffix.lower() in _DATA_SUFFIXES:
        raise InvalidArgument(
            "policy",
            f"must be a policy file (.toml), not data: write one with 'hedgerow init {file.name}'",
            str(file),
        )
    try:
        text = file.read_bytes().decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InvalidArgument(
            "policy", "must be UTF-8 text; save it as UTF-8", str(file)
        ) from error
    except OSError as error:
        raise InvalidArgument(
            "policy", f"cannot be read ({error.strerror}); check the path", str(file)
        ) from error
    return parse_policy(text, file.parent)


def parse_policy(text: str, folder: Path = Path()) -> Policy:
    """Parse the policy in a text, as if it were a file in ``folder``."""
    parts, mistakes = read_document(_parse_toml(text))
    mistakes.extend(_check_same_files(parts.tables, folder))
    if mistakes:
        raise build_policy_error(mistakes, find_key_lines(text))
    return Policy.from_parts(parts, folder)


def _parse_toml(text: str) -> dict[str, Any]:
    try:
        return tomllib.loads(text, parse_float=_parse_number)
    except InvalidOperation as error:
        raise InvalidArgument(
            "policy", "has a number with too large an exponent; write a smaller one"
        ) from error
    except RecursionError as error:
        raise InvalidArgument("policy", "is nested too deeply; use fewer levels") from error
    except tomllib.TOMLDecodeError as error:
        raise build_policy_error(
            [_explain_syntax_error(str(error))], {("",): _find_line(str(error), text)}
        ) from error
    # from _parse_number, or from Python, which reads integers of a few thousand digits only
    except ValueError as error:
        raise InvalidArgument("policy", "has a number with too many digits; shorten it") from error


def _find_line(message: str, text: str) -> int:
    where = _POSITION.search(message)
    return int(where[1]) if where and where[1] else max(1, len(text.splitlines()))


def _explain_syntax_error(message: str) -> Mistake:
    what = _POSITION.sub("", message)
    plain = next((plain for start, plain in _TOML_ERRORS if what.lower().startswith(start)), None)
    return Mistake(("",), plain or f"this is not valid TOML: {what[:1].lower()}{what[1:]}")


def _check_same_files(tables: tuple[TableRule, ...], folder: Path) -> list[Mistake]:
    """Check tables whose sources are one file under two names (links, absolute paths): it has one
    population and one unit.

    Where rows are units it also has one table: a row in two tables would be two units, and count
    twice in a UNION ALL.
    """
    first: dict[object, TableRule] = {}
    found: list[Mistake] = []
    for table in tables:
        other = first.setdefault(identify_file(folder / table.source), table)
        if (
            other is not table
            and other.unit == table.unit == "row"
            and other.population == table.population
        ):
            problem = (
                f"its rows are units and would count twice, since {other.name!r} has the same file:"
                " keep one of the two tables"
            )
            found.append(Mistake(("tables", table.name, "source"), problem))
        if other.source != table.source:  # the same text is checked with the records
            found.extend(check_shared_source(other, table, "file"))
    return found
