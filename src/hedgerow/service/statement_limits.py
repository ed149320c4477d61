"""Limits of a statement that are checked before it is parsed: its size, its tokens, its depth.

Parsers recurse and copy; this scan does neither. It reads one character after another and knows
only strings, quoted names, comments and brackets.
"""

from __future__ import annotations

import re
from typing import Final

from hedgerow.errors import InvalidArgument

__all__ = ["check_statement"]

_MAX_BYTES: Final = 65_536
_MAX_TOKENS: Final = 5_000
_MAX_DEPTH: Final = 40
# A string or comment that is never closed goes on to the end, and cannot hide brackets: the parser
# refuses it. No alternative can match one text in two ways, so the scan takes linear time.
_TOKEN: Final = re.compile(
    r"'(?:[^']|'')*+'?|\"(?:[^\"]|\"\")*+\"?|--[^\n]*+|/\*(?:[^*]|\*(?!/))*+(?:\*/)?"
    r"|\s++|\w++|[^\w\s]"
)


def check_statement(sql: object) -> None:
    """Refuse what is no text, or is too long or too deep to be parsed."""
    if not isinstance(sql, str) or not sql.strip():
        raise InvalidArgument("sql", "must be a SELECT statement")
    size = len(sql.encode(errors="surrogatepass"))
    if size > _MAX_BYTES:
        raise InvalidArgument("sql", f"must have at most {_MAX_BYTES:,} bytes", size)
    tokens = depth = 0
    for match in _TOKEN.finditer(sql):
        token = match[0]
        if token.isspace() or token.startswith(("--", "/*")):
            continue
        tokens += 1
        depth += (token in "([{") - (token in ")]}")
        if tokens > _MAX_TOKENS:
            raise InvalidArgument("sql", f"must have at most {_MAX_TOKENS:,} words and signs")
        if depth > _MAX_DEPTH:
            raise InvalidArgument("sql", f"must have at most {_MAX_DEPTH} brackets in each other")
