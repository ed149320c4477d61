"""Quoting of names and text in SQL, and of keys in a policy."""

from __future__ import annotations

import json
import re
from typing import Final

from sqlglot.dialects.duckdb import DuckDB
from sqlglot.parsers.duckdb import DuckDBParser

__all__ = ["quote_key", "quote_name", "quote_text"]

_PLAIN_NAME: Final = re.compile(r"[^\W\d]\w*")
_BARE_KEY: Final = re.compile(r"[A-Za-z0-9_-]+")
_RESERVED_WORDS: Final = {
    word.casefold()
    for word, kind in DuckDB.Tokenizer.KEYWORDS.items()
    if kind not in DuckDBParser.ID_VAR_TOKENS
}
# Words that the parser accepts as a name in some places only.
_CONTEXT_WORDS: Final = {
    *("all", "any", "asc", "by", "case", "cast", "column", "default", "desc", "end", "exists"),
    *("false", "full", "group", "in", "interval", "is", "left", "limit", "null", "offset"),
    *("order", "over", "right", "table", "to", "true", "unique", "window"),
}


def quote_name(name: str) -> str:
    """Return a name, in double quotes if it needs them."""
    plain = _PLAIN_NAME.fullmatch(name) and name.casefold() not in _RESERVED_WORDS | _CONTEXT_WORDS
    return name if plain else '"' + name.replace('"', '""') + '"'


def quote_text(text: str) -> str:
    """Return text in single quotes."""
    return "'" + text.replace("'", "''") + "'"


def quote_key(name: str) -> str:
    """Return a column name as a policy key, quoted unless it has only letters, digits, _ and -."""
    return name if _BARE_KEY.fullmatch(name) else json.dumps(name, ensure_ascii=False)
