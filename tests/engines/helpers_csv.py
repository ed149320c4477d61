"""Lines that go wrong in a file of comma-separated values, and files made up of good and bad
ones.
"""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

from hedgerow.engines.duckdb.session import _build_csv_reader
from hedgerow.engines.duckdb.tables.csv_header import MAX_LINE_BYTES
from hedgerow.engines.duckdb.tables.csv_validation import scan_csv

HEAD, END = b"id,age,note", b"\n"
ABOVE = [b"%d,%d,n%d" % (i, 20 + i % 50, i % 3) for i in range(20)]
BELOW = [b"%d,%d,n%d" % (i, 20 + i % 50, i % 3) for i in range(20, 39)] + [b'39,30,5 foot 10"']

# What somebody's line may look like: its bytes without the line end, and whether the file is
# refused for it.
KINDS: dict[str, tuple[bytes, bool]] = {
    "a good line": (b"99,77,T", False),
    "quotes around all": (b'"99","77","T"', False),
    "a pair of quotes in quotes": (b'99,77,"say ""T"""', False),
    "nothing but a quote, in quotes": (b'99,77,""""', False),
    "empty quotes": (b'99,77,""', False),
    "a comma in quotes": (b'99,77,"T, more"', False),
    "no values": (b",,", False),
    "a quote inside": (b'99,77,a"b', False),
    "a quote at the end": (b'99,77,T"', False),
    "quotes inside": (b'99,77,a""b', False),
    "a quote after a backslash": (b'99,77,\\"', False),
    "a backslash in quotes": (b'99,77,"T\\"', False),
    "single quotes": (b"99,77,'T", False),
    "curly quotes": ("99,77,“T".encode(), False),
    "a byte order mark inside": (b"\xef\xbb\xbf99,77,T", False),
    "a Unicode line separator": ("99,77,a\u2028b".encode(), False),
    "a next-line character": ("99,77,a\u0085b".encode(), False),
    "a vertical tab and a form feed": (b"99,77,a\x0bb\x0cc", False),
    "an end-of-file character": (b"99,77,\x1a", False),
    "what looks like a comment": (b"#99,77,T", False),
    "semicolons and tabs": (b"99;98,77\t76,T|S", False),
    "a very long line": (b"99,77," + b"T" * 3_000_000, False),
    "four bytes of UTF-8": ("99,77,😀".encode(), False),
    "white space alone in values": (b"99, ,  ", False),
    "an open quote": (b'99,77,"T', True),
    "an open quote in front": (b'"99,77,T', True),
    "an open quote after spaces": (b'99,77,  "T', True),
    "quotes after a space": (b'99,77, "T"', True),
    "quotes before a space": (b'99,77,"T" ', True),
    "three quotes": (b'99,77,"""', True),
    "text after quotes": (b'99,77,""T', True),
    "text between quotes": (b'99,77,"T"S"', True),
    "quotes in the wrong place": (b'99,"77,T', True),
    "quotes everywhere": (b'"""99"""","77","T', True),
    "a line break in quotes": (b'99,77,"a\nb"', True),
    "a whole line in quotes": (b'99,77,"a\n98,76,b"', True),
    "a carriage return in quotes": (b'99,77,"a\rb"', True),
    "a value too many": (b"99,77,T,more", True),
    "a comma too many": (b"99,77,T,", True),
    "a value too few": (b"99,77", True),
    "one value": (b"99", True),
    "an empty line": (b"", True),
    "spaces": (b"   ", True),
    "another line end": (b"99,77,T\r", True),
    "a carriage return inside": (b"99,77\r98,76,T", True),
    "a carriage return alone": (b"\r", True),
    "a NUL byte": (b"99,77,\0", True),
    "a NUL byte in quotes": (b'99,77,"\0"', True),
    "Latin-1": ("99,77,é".encode("latin-1"), True),
    "UTF-16": ("99,77,T".encode("utf-16"), True),
    "a surrogate": (b"99,77,\xed\xa0\x80", True),
    "an overlong slash": (b"99,77,\xc0\xaf", True),
    "half a character": ("99,77,é".encode()[:-1], True),
}


def made(*lines: bytes, end: bytes = END) -> bytes:
    """Return a file of these lines."""
    return b"".join(line + end for line in lines)


def read_by_engine(
    connection: Any, path: Path, buffer: tuple[int, int] | None = None
) -> list[tuple[str | None, ...]]:
    """Return the rows that the engine reads from a file; ``buffer`` are its longest line and its
    buffer, in bytes.
    """
    reader = _build_csv_reader(path)
    if buffer is not None:
        known = f"max_line_size = {MAX_LINE_BYTES}"
        assert known in reader
        reader = reader.replace(known, f"max_line_size = {buffer[0]}, buffer_size = {buffer[1]}")
    rows: list[tuple[str | None, ...]] = connection.execute(f"SELECT * FROM {reader}").fetchall()
    return rows


_TEXTS = [
    "a",
    "b",
    " ",
    '"',
    '""',
    ",",
    "x y",
    "\t",
    "é",
    "\u2028",
    "1",
    "\\",
    "#",
    "'",
    "\ufeff",
    ";",
]
_BREAKS = ["\r", "\n", "\0", "\r\n"]


class Drawn:
    """A file drawn at random: its bytes, how many columns it has, its line end, and whether
    quoted values may contain line breaks.
    """

    def __init__(self, draw: random.Random) -> None:
        self._draw, self._wild = draw, draw.choice([0, 0, 0, 0.03, 0.2])
        self.fields, self.end = draw.choice([1, 2, 3, 4]), draw.choice([b"\n", b"\r\n"])
        self.multiline = draw.random() < 0.3
        lines = [
            ",".join(f"c{i}" for i in range(self.fields)),
            *(self._line() for _ in range(draw.randint(0, 30))),
        ]
        ends = [
            self.end if draw.random() > self._wild / 10 else draw.choice([b"\n", b"\r\n", b"\r"])
            for _ in lines
        ]
        ends[0] = self.end
        self.data = draw.choice([b"", b"", b"\xef\xbb\xbf"])
        self.data += b"".join(line.encode() + end for line, end in zip(lines, ends, strict=True))
        if len(lines) > 1 and draw.random() < 0.2:
            self.data = self.data.removesuffix(self.end)
        if draw.random() < 0.02:
            self.data += b"\xe9"

    def _line(self) -> str:
        if self._draw.random() < self._wild / 10:
            return ""
        count = self.fields if self._draw.random() > self._wild / 3 else self._draw.randint(1, 5)
        return ",".join(self._value() for _ in range(count))

    def _value(self) -> str:
        draw = self._draw
        text = "".join(
            draw.choice(_BREAKS if draw.random() < self._wild else _TEXTS)
            for _ in range(draw.randint(0, 6))
        )
        way = draw.random()
        if way < 0.45:
            broken = (
                draw.choice(["\n", "\r\n", "\r", '\n"', "\n,"])
                if self.multiline and draw.random() < 0.3
                else ""
            )
            return '"' + (text + broken).replace('"', '""') + '"'
        if way < 0.8 or self.multiline:
            return text.replace(",", "").replace('"', "") or ("" if self.fields > 1 else "e")
        return text.replace(",", "").lstrip(' "') or "e" if way < 0.95 else text


def plain_rows(file: Drawn) -> list[tuple[str | None, ...]] | None:
    """Return the rows of a file by its grammar, one character after the other; None where it is
    malformed.
    """
    try:
        text, end = file.data.removeprefix(b"\xef\xbb\xbf").decode(), file.end.decode()
    except UnicodeDecodeError:
        return None
    text += "" if text.endswith("\n") else end
    at, rows, row = 0, list[tuple[str | None, ...]](), list[str | None]()
    while at < len(text):
        if not row and text.startswith(end, at):
            return None
        found = _plain_value(text, at, file.multiline)
        if found is None:
            return None
        value, at = found
        row.append(value)
        if text.startswith(",", at):
            at += 1
        elif text.startswith(end, at) and len(row) == file.fields:
            rows, row, at = [*rows, tuple(row)], [], at + len(end)
        else:
            return None
    return None if "\0" in text else rows[1:]


def _plain_value(text: str, at: int, multiline: bool) -> tuple[str | None, int] | None:
    if text[at : at + 1] != '"':
        stop = min(
            (place for sign in ",\r\n" if (place := text.find(sign, at)) >= 0), default=len(text)
        )
        value = text[at:stop]
        bad = value.lstrip(" ").startswith('"') or (multiline and '"' in value)
        return None if bad else (value or None, stop)
    value, at = "", at + 1
    while at < len(text):
        if text[at] == '"' and text[at + 1 : at + 2] != '"':
            return value, at + 1
        if text[at] in "\r\n" and not multiline:
            return None
        value, at = value + text[at], at + (2 if text[at] == '"' else 1)
    return None


def check_drawn(draw: random.Random, path: Path, connection: Any) -> bool:
    """Assert that scanner, grammar and engine agree about a file, however it is cut to pieces;
    tell whether it is a good one.
    """
    file = Drawn(draw)
    path.write_bytes(file.data)
    rows = plain_rows(file)
    found = scan_csv(
        path, file.fields, multiline=file.multiline, key=b"key", piece=draw.choice([1, 7, 64, 4096])
    )
    assert (found.bad_lines == ()) == (rows is not None), file.data
    if rows is None:
        return False
    assert found.rows == len(rows), file.data
    longest = max(map(len, file.data.split(b"\n"))) + 30 if not file.multiline else len(file.data)
    for buffer in (
        *([None] if draw.random() < 0.2 else []),
        (longest, draw.randint(longest + 1, 4 * longest)),
    ):
        assert read_by_engine(connection, path, buffer) == rows, (file.data, buffer)
    return True
