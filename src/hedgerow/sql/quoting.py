"""Names and text as one writes them in a question, and names in a policy."""

from __future__ import annotations

import json
import re
from typing import Final

from sqlglot.dialects.duckdb import DuckDB
from sqlglot.parsers.duckdb import DuckDBParser

__all__ = ["declared", "literal", "quoted"]

_PLAIN: Final = re.compile(r"[^\W\d]\w*")
_BARE: Final = re.compile(r"[A-Za-z0-9_-]+")
_ALONE: Final = {word.casefold() for word, kind in DuckDB.Tokenizer.KEYWORDS.items() if kind not in DuckDBParser.ID_VAR_TOKENS}
# Words that the parser would take for a name in some places only.
_ALSO: Final = {"all", "any", "asc", "by", "case", "cast", "column", "default", "desc", "end", "exists", "false", "full", "group", "in"}
_ALSO_TOO: Final = {
    "interval",
    "is",
    "left",
    "limit",
    "null",
    "offset",
    "order",
    "over",
    "right",
    "table",
    "to",
    "true",
    "unique",
    "window",
}


def quoted(name: str) -> str:
    """The name, in double quotes where it cannot stand without them."""
    plain = _PLAIN.fullmatch(name) and name.casefold() not in _ALONE | _ALSO | _ALSO_TOO
    return name if plain else '"' + name.replace('"', '""') + '"'


def literal(text: str) -> str:
    """Text, in single quotes."""
    return "'" + text.replace("'", "''") + "'"


def declared(name: str) -> str:
    """The name of a column as a policy has it, in double quotes where it is more than letters, digits, _ and -."""
    return name if _BARE.fullmatch(name) else json.dumps(name, ensure_ascii=False)
