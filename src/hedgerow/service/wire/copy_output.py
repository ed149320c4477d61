"""COPY (question) TO STDOUT: rows as text, CSV or binary."""

from __future__ import annotations

import csv
import io
import re
import struct
from typing import Any, Final

from hedgerow.errors import InvalidArgument
from hedgerow.service.wire.messages import encode_message
from hedgerow.service.wire.results import WireResult, build_fields
from hedgerow.service.wire.values import encode_value

__all__ = ["encode_copy"]

_SIGNATURE: Final = b"PGCOPY\n\xff\r\n\0" + bytes(8)
_OPTIONS: Final = re.compile(r"\bTO\s+STDOUT\b(?P<options>.*)\Z", re.IGNORECASE | re.DOTALL)


def encode_copy(result: WireResult, command: str) -> WireResult:
    """Return the result of a question as one stream of COPY messages."""
    match = _OPTIONS.search(command)
    words = re.findall(r"\w+", match["options"].upper()) if match else []
    unknown = set(words) - {"WITH", "FORMAT", "TEXT", "CSV", "BINARY", "HEADER", "TRUE", "ON"}
    if unknown:
        raise InvalidArgument("COPY", "takes FORMAT text, csv or binary, and HEADER", unknown.pop())
    names = [column.name for column in result.columns]
    if "BINARY" in words:
        fields = build_fields(result.columns, (1,))
        rows = [
            _pack_row([encode_value(v, f.oid, 1) for v, f in zip(row, fields, strict=True)])
            for row in result.rows
        ]
        lines = [_SIGNATURE + b"".join(rows) + struct.pack("!h", -1)]
    else:
        fields = build_fields(result.columns, (0,))
        write = _write_csv if "CSV" in words else _write_text
        texts = [
            [encode_value(v, f.oid, 0) for v, f in zip(row, fields, strict=True)]
            for row in result.rows
        ]
        head = [write([name.encode() for name in names])] if "HEADER" in words else []
        lines = head + [write(row) for row in texts]
    kind = int("BINARY" in words)
    start = struct.pack(f"!bh{len(names)}h", kind, len(names), *[kind] * len(names))
    stream = encode_message(b"H", start)
    stream += b"".join(encode_message(b"d", line) for line in lines) + encode_message(b"c")
    return WireResult(f"COPY {len(result.rows)}", notes=result.notes, copy=stream)


def _pack_row(cells: list[bytes | None]) -> bytes:
    packed = (
        struct.pack("!i", -1) if cell is None else struct.pack("!i", len(cell)) + cell
        for cell in cells
    )
    return struct.pack("!h", len(cells)) + b"".join(packed)


def _write_text(cells: list[Any]) -> bytes:
    return b"\t".join(b"\\N" if cell is None else _escape(cell) for cell in cells) + b"\n"


def _escape(cell: bytes) -> bytes:
    for plain, escaped in ((b"\\", b"\\\\"), (b"\t", b"\\t"), (b"\n", b"\\n"), (b"\r", b"\\r")):
        cell = cell.replace(plain, escaped)
    return cell


def _write_csv(cells: list[Any]) -> bytes:
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerow(
        ["" if cell is None else cell.decode() for cell in cells]
    )
    return text.getvalue().encode()
