"""The line of each key in a TOML text, which the standard reader does not report.

``tomllib`` has read the text before, so it is well-formed. This scanner only finds where statements
begin, a header ``[a.b]`` or a key ``a.b = value``, and skips strings, comments, arrays and inline
tables (whose keys share the line of the statement, unless an array of them spans several lines).
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator

__all__ = ["find_key_lines"]

_KEY = re.compile(r"""[ \t]*("(?:[^"\\]|\\.)*"|'[^']*'|[A-Za-z0-9_-]+)[ \t]*(\.?)""")
_SKIPPED = re.compile(
    r'"{3}(?:[^\\]|\\.)*?"{3,5}|\'{3}.*?\'{3,5}|"(?:[^"\\\n]|\\.)*"|\'[^\'\n]*\'|#[^\n]*', re.DOTALL
)


def find_key_lines(text: str) -> dict[tuple[str, ...], int]:
    """Return the line of every header and key by its path, counted from 1; the first mention of a
    path counts.
    """
    found: dict[tuple[str, ...], int] = {}
    header: tuple[str, ...] = ()
    text = text.replace("\r\n", "\n")
    for start, line in _find_statements(text):
        if text[start] == "[":
            path = header = _parse_key(text, start + (2 if text.startswith("[[", start) else 1))
        else:
            path = header + _parse_key(text, start)
        for end in range(1, len(path) + 1):
            found.setdefault(path[:end], line)
    return found


def _find_statements(text: str) -> Iterator[tuple[int, int]]:
    position, line, depth, fresh = 0, 1, 0, True
    while position < len(text):
        character = text[position]
        if fresh and depth == 0 and character not in " \t\n#":
            yield position, line
            fresh = False
        skipped = _SKIPPED.match(text, position)
        if skipped:
            line += skipped[0].count("\n")
            position = skipped.end()
            continue
        if character == "\n":
            line += 1
            fresh = depth == 0
        depth += (character in "[{") - (character in "]}")
        position += 1


def _parse_key(text: str, position: int) -> tuple[str, ...]:
    names, more = [], True
    while more and (match := _KEY.match(text, position)):
        names.append(_unquote_key(match[1]))
        position, more = match.end(), bool(match[2])
    return tuple(names)


def _unquote_key(key: str) -> str:
    return str(tomllib.loads(f"key = {key}")["key"]) if key[0] in "\"'" else key
