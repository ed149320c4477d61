"""Quoting for statements that are written by hand; it imports nothing, since the engine process
loads it.
"""

from __future__ import annotations

__all__ = ["quote_name", "quote_text"]


def quote_name(name: str) -> str:
    """Quote a name with double quotes."""
    return '"' + name.replace('"', '""') + '"'


def quote_text(text: str) -> str:
    """Quote a text with single quotes."""
    return "'" + text.replace("'", "''") + "'"
