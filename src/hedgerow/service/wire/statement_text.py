"""The text of statements as clients send it: split at semicolons, classified by its first words,
and with parameters written in."""

from __future__ import annotations

import functools
import re
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

__all__ = [
    "OPAQUE_TEXT",
    "CommandKind",
    "ParsedCommand",
    "count_parameters",
    "parse_command",
    "remove_public_schema",
    "split_statements",
    "write_for_parser",
    "write_parameters",
]

# Whatever may hold a semicolon or a dollar sign without meaning it.
OPAQUE_TEXT: Final = r"""
    [eE]'(?:\\.|''|[^'\\])*'      # a string with backslashes
  | '(?:''|[^'])*'
  | "(?:""|[^"])*"
  | --[^\n]*
  | /\*.*?\*/
  | \$(?P<tag>(?:[A-Za-z_]\w*)?)\$.*?\$(?P=tag)\$  # a dollar-quoted string
"""
_PARTS: Final = re.compile(
    rf"(?:{OPAQUE_TEXT})|(?P<end>;)|\$(?P<number>\d+)", re.DOTALL | re.VERBOSE
)
_UNREADABLE: Final = re.compile(
    r"(?P<as>\bAS\s+)(?P<word>SELECT|INSERT|UPDATE|DELETE|TABLE|DEFAULT|CHECK|COLUMN|UNIQUE)\b"
    r"|(?P<array>\b(?:oid|reg[a-z]+)\s*\[\s*\])"
    rf"|(?:{OPAQUE_TEXT})",
    re.DOTALL | re.VERBOSE | re.IGNORECASE,
)
_LEADING: Final = re.compile(r"(?:\s|--[^\n]*(?:\n|$)|/\*.*?\*/)*", re.DOTALL)
_NAME: Final = r'(?:"(?P<quoted>(?:""|[^"])+)"|(?P<plain>[\w.]+))'


class CommandKind(StrEnum):
    """The kinds of commands."""

    empty = "empty"
    query = "query"
    begin = "begin"
    commit = "commit"
    rollback = "rollback"
    savepoint = "savepoint"
    rollback_to = "rollback to"
    set = "set"
    show = "show"
    reset = "reset"
    declare = "declare"
    fetch = "fetch"
    close = "close"
    deallocate = "deallocate"
    prepare = "prepare"
    discard = "discard"
    copy = "copy"
    ignored = "ignored"


@dataclass(frozen=True, slots=True)
class ParsedCommand:
    """A command: its kind, the name that it is about, and its text or value."""

    kind: CommandKind
    text: str
    name: str = ""
    value: str = ""


_PATTERNS: Final[tuple[tuple[CommandKind, re.Pattern[str]], ...]] = tuple(
    (kind, re.compile(pattern, re.IGNORECASE | re.DOTALL))
    for kind, pattern in (
        (CommandKind.begin, r"(BEGIN|START\s+TRANSACTION)\b.*"),
        (CommandKind.commit, r"(COMMIT|END)\b.*"),
        (CommandKind.savepoint, r"(SAVEPOINT|RELEASE)\b.*"),
        (CommandKind.rollback_to, r"ROLLBACK\s+(WORK\s+|TRANSACTION\s+)?TO\b.*"),
        (CommandKind.rollback, r"(ROLLBACK|ABORT)\b.*"),
        (CommandKind.ignored, r"SET\s+(SESSION\s+CHARACTERISTICS|TRANSACTION)\b.*"),
        (
            CommandKind.set,
            rf"SET\s+(?:SESSION\s+|LOCAL\s+)?{_NAME}\s*(?:=|\s+TO\s+|(?<=ZONE)\s)\s*(?P<value>.*)",
        ),
        (CommandKind.set, r"SET\s+(?P<plain>NAMES|TIME\s+ZONE)\s+(?P<value>.*)"),
        (CommandKind.show, rf"SHOW\s+(?:{_NAME}|(?P<setting>[\w ]+))\s*"),
        (CommandKind.reset, rf"RESET\s+{_NAME}\s*"),
        (CommandKind.ignored, r"(LISTEN|UNLISTEN|NOTIFY|LOCK|ANALYZE|VACUUM)\b.*"),
        (
            CommandKind.declare,
            rf"DECLARE\s+{_NAME}\s+(?:[A-Z ]*?\s)?CURSOR\s+(?:WITH(?:OUT)?\s+HOLD\s+)?FOR\s+"
            r"(?P<value>.*)",
        ),
        (
            CommandKind.fetch,
            r"(?:FETCH|MOVE)\s+(?:(?P<value>FORWARD\s+ALL|ALL|NEXT|(?:FORWARD\s+)?\d+|FORWARD)\s+)?"
            rf"(?:FROM\s+|IN\s+)?{_NAME}\s*",
        ),
        (CommandKind.close, rf"CLOSE\s+{_NAME}\s*"),
        (CommandKind.deallocate, rf"DEALLOCATE\s+(?:PREPARE\s+)?{_NAME}\s*"),
        (CommandKind.discard, rf"DISCARD\s+{_NAME}\s*"),
        (CommandKind.prepare, r"(PREPARE|EXECUTE)\s.*"),
        (CommandKind.copy, r"COPY\s*\((?P<value>.*)\)\s*TO\s+STDOUT\b.*"),
    )
)


def split_statements(text: str) -> list[str]:
    """Split a text at its semicolons; empty statements are left out."""
    found, start = [], 0
    for part in _PARTS.finditer(text):
        if part["end"]:
            found.append(text[start : part.start()])
            start = part.end()
    found.append(text[start:])
    return [one.strip() for one in found if not _is_blank(one)]


def parse_command(text: str) -> ParsedCommand:
    """Classify one statement by its first words."""
    bare = _LEADING.sub("", text, count=1).strip().rstrip(";").rstrip()
    if not bare:
        return ParsedCommand(CommandKind.empty, "")
    for kind, pattern in _PATTERNS:
        match = pattern.fullmatch(bare)
        if match is not None:
            groups = match.groupdict()
            quoted = groups.get("quoted")
            plain = groups.get("plain") or groups.get("setting") or ""
            name = quoted.replace('""', '"') if quoted else plain.lower()
            return ParsedCommand(kind, bare, name.strip(), (groups.get("value") or "").strip())
    return ParsedCommand(CommandKind.query, bare)


def count_parameters(text: str) -> int:
    """Return the largest number of a parameter in a statement."""
    numbers = [int(part["number"]) for part in _PARTS.finditer(text) if part["number"]]
    return max(numbers, default=0)


def write_parameters(text: str, literals: Sequence[str]) -> str:
    """Return a statement with its parameters replaced by literals."""

    def replace(part: re.Match[str]) -> str:
        number = part["number"]
        if not number or not 1 <= int(number) <= len(literals):
            return part[0]
        return literals[int(number) - 1]

    return _PARTS.sub(replace, text)


def write_for_parser(text: str) -> str:
    """Return a statement with quotes around keywords that name outputs, as in ``1 AS select``, and
    with xid[] in place of oid[], which has the same values.

    PostgreSQL reads both; the parser does not.
    """

    def replace(part: re.Match[str]) -> str:
        if part["array"]:
            return "xid[]"
        return f'{part["as"]}"{part["word"].lower()}"' if part["word"] else part[0]

    return _UNREADABLE.sub(replace, text)


def remove_public_schema(text: str, database: str) -> str:
    """Return a question with plain names in place of public.visits and "clinic"."public"."visits".

    Tools write the schema and the database that the catalogue lists; questions know tables by their
    names alone.
    """
    return _match_schema(database).sub(lambda part: "" if part["schema"] else part[0], text)


@functools.cache
def _match_schema(database: str) -> re.Pattern[str]:
    name = re.escape(database)
    return re.compile(
        rf"""(?P<schema>(?<![\w."])(?:(?:"{name}"|{name})\s*\.\s*)?(?:"public"|public)\s*\.\s*
          (?=["\w]))|(?:{OPAQUE_TEXT})""",
        re.DOTALL | re.VERBOSE | re.IGNORECASE,
    )


def _is_blank(text: str) -> bool:
    return _LEADING.fullmatch(text) is not None
