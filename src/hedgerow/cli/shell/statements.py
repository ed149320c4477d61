"""Statements of the shell: text between semicolons, without comments."""

from __future__ import annotations

import re

__all__ = ["join_lines", "split_statements"]

# Quoted text, a quoted name, a comment, or the semicolon; what is not closed reaches to the end.
_QUOTED = r"""'[^']*(?:'|\Z)|"[^"]*(?:"|\Z)"""
_COMMENT = r"--[^\n]*|/\*.*?(?:\*/|\Z)"
_MARK = re.compile(rf"({_QUOTED})|({_COMMENT})|;", re.DOTALL)
_BLANKS = re.compile(rf"({_QUOTED})|\s+", re.DOTALL)


def split_statements(text: str) -> tuple[list[str], str]:
    """Split text at semicolons into whole statements, and the rest that no semicolon ends."""
    statements: list[str] = []
    pieces: list[str] = []
    start = 0
    for mark in _MARK.finditer(text):
        if mark[1] is not None:
            continue
        pieces.append(text[start : mark.start()])
        start = mark.end()
        if mark[2] is None:
            statements.append(" ".join(pieces).strip())
            pieces = []
        # A comment that is still open belongs to the rest: its next line ends it.
        elif start == len(text) and not mark[2].endswith(("\n", "*/")):
            start = mark.start()
            break
    rest = " ".join([*pieces, text[start:]]).lstrip()
    return [statement for statement in statements if statement], rest


def join_lines(statement: str) -> str:
    """Write a statement on one line, as a history shows it; quoted text stays as it is."""
    return _BLANKS.sub(lambda found: found[1] or " ", statement).strip()
