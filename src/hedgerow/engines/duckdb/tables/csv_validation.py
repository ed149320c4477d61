"""Validation of CSV files, line by line, before an engine reads them.

An engine's reader carries state from one line to the next: a quote that one line leaves open
swallows the lines below it, which are other people's rows. In a file that passes this scan, every
line can be parsed on its own.

| term | grammar |
|---|---|
| file | an optional byte order mark, then lines; all end like the first, in LF or in CR LF |
| line | as many values as the first line has, at least one byte, separated by commas |
| value | ``"``, text with ``""`` for each quote in it, ``"``; or text without a comma that begins |
|       | neither with a quote nor with spaces and a quote |
| text | UTF-8 without NUL, CR and LF |

The last line may lack its line end. With ``multiline``, quoted text may contain CR and LF, and
unquoted text no quote: where values may continue on the next line, only the text above decides
where a line ends. Such a file parses in one way, but its lines are independent only if its writer
doubled the quotes inside values; the custodian vouches for that.

Each refusal has its reason in some reader: some skip spaces before a quote, forgive a comma at the
end of a line, or read an empty line as a row.
"""

from __future__ import annotations

import hmac
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

from hedgerow.engines.duckdb.tables.csv_header import MAX_LINE_BYTES

__all__ = ["MAX_BAD_LINES", "BadLine", "CsvScan", "digest_file", "format_bad_lines", "scan_csv"]

MAX_BAD_LINES: Final = 1000  # a file of another format has nothing but bad lines
_CHUNK_BYTES: Final = 2**22
_MAX_SHOWN_LINES: Final = 20
_BYTE_ORDER_MARK: Final = b"\xef\xbb\xbf"
_LF, _CR, _COMMA, _QUOTE = b'\n\r,"'

Bytes = npt.NDArray[np.uint8]
Flags = npt.NDArray[np.bool_]
Positions = npt.NDArray[np.intp]


class BadLine(NamedTuple):
    """A malformed line: its number, from 1, and the problem.

    For the custodian only: it quotes nothing, but reveals something about a person's row.
    """

    number: int
    problem: str


class CsvScan(NamedTuple):
    """The size, digest, number of rows and malformed lines of a file.

    After ``MAX_BAD_LINES`` malformed lines, or the first one of a multiline file, the rest is not
    read.
    """

    size: int
    digest: str
    rows: int
    bad_lines: tuple[BadLine, ...]


def digest_file(path: Path, key: bytes) -> str:
    """Return the keyed digest of a file, as ``scan_csv`` computes it."""
    digest = hmac.new(key, digestmod="sha256")
    with path.open("rb") as file:
        while piece := file.read(_CHUNK_BYTES):
            digest.update(piece)
    return digest.hexdigest()


def scan_csv(
    path: Path, fields: int, *, multiline: bool, key: bytes, piece: int = _CHUNK_BYTES
) -> CsvScan:
    """Read a file once and check every line; ``fields`` is the number of columns in the
    first one.
    """
    form, bad = _CsvGrammar(path, fields, multiline), list[BadLine]()
    digest, size, rows, number, rest = hmac.new(key, digestmod="sha256"), 0, 0, 1, b""
    with path.open("rb") as file:
        while not bad or (not multiline and len(bad) < MAX_BAD_LINES):
            read = file.read(piece + len(_BYTE_ORDER_MARK))
            rest += read.removeprefix(_BYTE_ORDER_MARK) if not size else read
            size += len(read)
            digest.update(read)
            block, rest = form.split_lines(rest, last=not read)
            found, lines = form.check_block(block, number)
            bad, rows, number = bad + found, rows + lines, number + block.count(b"\n")
            if len(rest) > MAX_LINE_BYTES:
                bad.append(BadLine(number, form.overlong_problem))
                break
            if not read:
                break
    return CsvScan(size, digest.hexdigest(), rows - 1, tuple(bad[:MAX_BAD_LINES]))


def format_bad_lines(bad: Sequence[BadLine]) -> str:
    """Format malformed lines for the custodian, the first ones in detail."""
    count = "1 line is malformed" if len(bad) == 1 else f"{len(bad):,} lines are malformed"
    lines = [f"line {number:,} {problem}" for number, problem in bad[:_MAX_SHOWN_LINES]]
    if len(bad) > _MAX_SHOWN_LINES:
        lines.append(f"and {len(bad) - _MAX_SHOWN_LINES:,} more lines")
    return f"{'at least ' * (len(bad) == MAX_BAD_LINES)}{count}.\n  " + "\n  ".join(lines)


class _CsvGrammar:
    def __init__(self, path: Path, fields: int, multiline: bool) -> None:
        with path.open("rb") as file:
            first = file.readline(MAX_LINE_BYTES)
        self._end = b"\r\n" if first.endswith(b"\r\n") else b"\n"
        self._commas, self._multiline = fields - 1, multiline
        quoted, plain = (rb'"\0', rb'",\r\n\0') if multiline else (rb'"\r\n\0', rb",\r\n\0")
        value = rb'(?:"(?:[^%s]|"")*+"|(?! *")[^%s]*+)' % (quoted, plain)
        self._line = re.compile(rb"%s(?:,%s){%d}" % (value, value, self._commas))
        self._any_line = re.compile(rb"%s(?:,%s)*+" % (value, value))

    @property
    def overlong_problem(self) -> str:
        """The problem of a line whose end is out of sight."""
        open_ = " or has an unclosed quote" if self._multiline else ""
        return f"is longer than {MAX_LINE_BYTES:,} bytes{open_}"

    def split_lines(self, data: bytes, *, last: bool) -> tuple[bytes, bytes]:
        """Split data into complete lines and the rest; the last line of a file is complete as it
        is.
        """
        if last:
            return (data + self._end if data and not data.endswith(b"\n") else data), b""
        ends = self._find_line_ends(np.frombuffer(data, np.uint8))
        end = int(ends[-1]) + 1 if ends.size else 0
        return data[:end], data[end:]

    def _find_line_ends(self, data: Bytes) -> Positions:
        """Find the line ends: with ``multiline``, only those after an even number of quotes."""
        ends: Positions = np.flatnonzero(data == _LF)
        if not self._multiline:
            return ends
        closed: Flags = np.searchsorted(np.flatnonzero(data == _QUOTE), ends) % 2 == 0
        return ends[closed]

    def check_block(self, block: bytes, number: int) -> tuple[list[BadLine], int]:
        """Return the malformed lines of a block that starts at this line number, and its number of
        lines.

        Only the last block of a multiline file can have an open quote; it then counts as its last
        line.
        """
        data = np.frombuffer(block, np.uint8)
        ends = self._find_line_ends(data)
        if block and (not ends.size or ends[-1] < data.size - 1):
            ends = np.append(ends, data.size - 1)
        starts = np.concatenate((np.zeros(1, np.intp), ends + 1))[: ends.size]
        bad: list[BadLine] = []
        for place in np.flatnonzero(self._find_suspect_lines(block, data, starts, ends)):
            problem = self._describe_problem(block[starts[place] : ends[place] + 1])
            if problem:
                above = block.count(b"\n", 0, int(starts[place])) if self._multiline else int(place)
                bad.append(BadLine(number + above, problem))
                if self._multiline or len(bad) == MAX_BAD_LINES:
                    break
        return bad, int(ends.size)

    def _find_suspect_lines(
        self, block: bytes, data: Bytes, starts: Positions, ends: Positions
    ) -> Flags:
        """Mark the lines that are not obviously well-formed, so that few are parsed one by one."""
        doubtful = self._find_odd_bytes(block, data, starts, ends)
        commas, quotes = np.flatnonzero(data == _COMMA), np.flatnonzero(data == _QUOTE)
        if quotes.size:
            first = np.searchsorted(quotes, starts)  # of each line, among all quotes
            count = np.diff(first, append=quotes.size)
            line = np.repeat(np.arange(starts.size), count)
            # The second, fourth … quote of a line closes a value, or is half of a pair in it.
            closes = (np.arange(quotes.size) - first[line]) % 2 == 1
            beside = data[np.where(closes, quotes + 1, np.maximum(quotes - 1, 0))]
            outside = np.where(closes, self._end[0], _LF)
            sound = (beside == _COMMA) | (beside == _QUOTE) | (beside == outside) | (quotes == 0)
            doubtful[line[~sound]] = True
            doubtful |= count % 2 == 1
            before = np.searchsorted(quotes, commas)
            if (count % 2 == 1).any():  # otherwise the count before each line is even
                before = before - first[np.searchsorted(ends, commas)]
            commas = commas[before % 2 == 0]
        doubtful |= np.diff(np.searchsorted(commas, ends), prepend=0) != self._commas
        return doubtful

    def _find_odd_bytes(
        self, block: bytes, data: Bytes, starts: Positions, ends: Positions
    ) -> Flags:
        length = ends - starts
        doubtful = (length < len(self._end)) | (length >= MAX_LINE_BYTES)
        marks = []
        returns = np.flatnonzero(data == _CR)
        if self._end == b"\n":
            marks.append(returns)
        elif returns.size != ends.size or (returns != ends - 1).any():
            doubtful |= np.diff(np.searchsorted(returns, ends), prepend=0) != 1
            doubtful |= data[np.maximum(ends - 1, 0)] != _CR
        if b"\0" in block:
            marks.append(np.flatnonzero(data == 0))
        if not _is_utf8(block):
            marks.append(np.flatnonzero(data >= 0x80))
        for places in marks:
            doubtful[np.searchsorted(ends, places)] = True
        return doubtful

    def _describe_problem(self, line: bytes) -> str:
        """Describe the problem of a line without quoting it; the empty string if it has none."""
        text = line.removesuffix(self._end)
        if len(line) > MAX_LINE_BYTES:
            return f"is longer than {MAX_LINE_BYTES:,} bytes"
        if len(text) == len(line) or (self._end == b"\n" and text.endswith(b"\r")):
            return "has a different line break than the first line"
        if not _is_utf8(text):
            return "is not UTF-8"
        if b"\0" in text:
            return "has a NUL byte"
        if not text:
            return "is empty"
        if self._line.fullmatch(text):
            return ""
        if self._any_line.fullmatch(text):
            return f"must have {self._commas + 1} values, like the first line"
        if self._multiline:
            return "has a quote inside an unquoted value, or an unclosed quote"
        if b"\r" in text:
            return "contains a carriage return"
        return "has an unclosed quote, or text next to a quoted value"


def _is_utf8(data: bytes) -> bool:
    try:
        data.decode()
    except UnicodeDecodeError:
        return False
    return True
