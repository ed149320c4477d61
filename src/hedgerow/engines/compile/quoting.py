"""Names and text in statements that are put together by hand. Nothing is loaded here: a child
needs it.
"""

from __future__ import annotations

__all__ = ["quote_name", "quote_text"]


def quote_name(name: str) -> str:
    """Return a name in double quotes."""
    return '"' + name.replace('"', '""') + '"'


def quote_text(text: str) -> str:
    """Return a piece of text in single quotes."""
    return "'" + text.replace("'", "''") + "'"
