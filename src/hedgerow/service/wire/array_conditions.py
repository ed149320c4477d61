"""Conditions on arrays as lists: drivers write x = ANY('{a,b}') where people write x IN ('a', 'b').

Questions know no arrays, so the list is written in place of the array.
"""

from __future__ import annotations

import re
from typing import Final

from hedgerow.dbapi.parameters import format_literal
from hedgerow.service.wire.arrays import parse_array
from hedgerow.service.wire.statement_text import OPAQUE_TEXT

__all__ = ["write_array_conditions"]

_CONDITIONS: Final = re.compile(
    r"""(?P<sign>=\s*ANY|<>\s*ALL|!=\s*ALL)\s*\(\s*
      (?: '(?P<text>\{(?:''|[^'])*\})'(?:\s*::\s*(?P<type>[\w ]+?)\s*\[\])*
        | ARRAY\s*\[(?P<items>(?:'(?:''|[^'])*'|[^\[\]'()])*)\](?:\s*::\s*[\w ]+\[\])?
      )\s*\)"""
    rf"|(?:{OPAQUE_TEXT})",
    re.DOTALL | re.VERBOSE | re.IGNORECASE,
)
_NUMBER: Final = re.compile(r"[+-]?\d+(\.\d*)?([eE][+-]?\d+)?|TRUE|FALSE", re.IGNORECASE)
_TEXT_TYPES: Final = ("text", "varchar", "name", "character varying", "bpchar")


def write_array_conditions(sql: str) -> str:
    """Return a question with lists in place of arrays that a value is compared with."""
    return _CONDITIONS.sub(_write_condition, sql)


def _write_condition(match: re.Match[str]) -> str:
    if match["sign"] is None:
        return match[0]
    items = match["items"] if match["text"] is None else _write_items(match)
    if not items.strip():
        return match[0]  # an empty list; whoever reads the question says so
    return f"{'IN' if match['sign'][0] == '=' else 'NOT IN'} ({items})"


def _write_items(match: re.Match[str]) -> str:
    is_text = (match["type"] or "").lower() in _TEXT_TYPES
    found = []
    for item, quoted in parse_array(match["text"].replace("''", "'")):
        if item is None:
            found.append("NULL")
        elif not (quoted or is_text) and _NUMBER.fullmatch(item):
            found.append(item)
        else:
            found.append(format_literal(item))
    return ", ".join(found)
