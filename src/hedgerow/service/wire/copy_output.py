"""COPY (question) TO STDOUT: rows as text, CSV or binary."""

from __future__ import annotations

import re
import struct
from dataclasses import dataclass
from typing import Final

from hedgerow.errors import InvalidArgument
from hedgerow.service.wire.messages import encode_message
from hedgerow.service.wire.results import WireResult, build_fields
from hedgerow.service.wire.values import encode_value

__all__ = ["CopyOptions", "encode_copy", "read_copy_options"]

_SIGNATURE: Final = b"PGCOPY\n\xff\r\n\0" + bytes(8)
_OPTIONS: Final = re.compile(r"\bTO\s+STDOUT\b(?P<options>.*)\Z", re.IGNORECASE | re.DOTALL)
_TOKENS: Final = re.compile(r"'(?:''|[^'])*'|\w+|[^\s\w(),]")
_ENCODINGS: Final = ("utf8", "utf-8", "unicode")


@dataclass(slots=True)
class CopyOptions:
    """The form of copied rows; without a delimiter or a text for NULL, that of the format."""

    format: str = "text"
    has_header: bool = False
    delimiter: str = ""
    null: str | None = None


def encode_copy(result: WireResult, options: CopyOptions) -> WireResult:
    """Return the result of a question as a stream of COPY messages, one for each row."""
    is_binary = options.format == "binary"
    fields = build_fields(result.columns, (int(is_binary),))
    cells = [
        [encode_value(v, f.oid, f.format) for v, f in zip(row, fields, strict=True)]
        for row in result.rows
    ]
    if is_binary:
        lines = [*map(_pack_row, cells), struct.pack("!h", -1)]
        lines[0] = _SIGNATURE + lines[0]  # clients look for it before the first row
    else:
        names: list[bytes | None] = [column.name.encode() for column in result.columns]
        head = [names] if options.has_header else []
        lines = [_write_row(row, options) for row in (*head, *cells)]
    kind, count = int(is_binary), len(fields)
    stream = encode_message(b"H", struct.pack(f"!bh{count}h", kind, count, *[kind] * count))
    stream += b"".join(encode_message(b"d", line) for line in lines) + encode_message(b"c")
    return WireResult(f"COPY {len(result.rows)}", notes=result.notes, copy=stream)


def read_copy_options(command: str) -> CopyOptions:
    """Read both forms of options: WITH (FORMAT csv, HEADER true), and CSV HEADER."""
    match = _OPTIONS.search(command)
    options, left = CopyOptions(), _TOKENS.findall(match["options"]) if match else []
    while left:
        word = left.pop(0).lower()
        if word == "with":
            continue
        if word == "format":
            options.format = _take_text(left).lower()
        elif word in ("text", "csv", "binary"):
            options.format = word
        elif word == "header":
            switch = left.pop(0).lower() if left and _is_switch(left[0]) else "on"
            options.has_header = switch.strip("'") in ("true", "on", "1")
        elif word == "delimiter":
            options.delimiter = _take_text(left)
        elif word == "null":
            options.null = _take_text(left)
        elif word != "encoding" or _take_text(left).lower() not in _ENCODINGS:
            raise _build_refusal(word)
    if options.format not in ("text", "csv", "binary"):
        raise _build_refusal(options.format)
    if options.format == "binary" and (options.delimiter or options.null is not None):
        raise InvalidArgument("COPY", "takes DELIMITER and NULL for text and csv only")
    if len(options.delimiter.encode()) > 1 or options.delimiter in ("\n", "\r", "\\", '"'):
        raise InvalidArgument("COPY", "needs one plain character as DELIMITER")
    return options


def _take_text(tokens: list[str]) -> str:
    if tokens and tokens[0].lower() == "as":
        tokens.pop(0)
    text = tokens.pop(0) if tokens else ""
    return text[1:-1].replace("''", "'") if text[:1] == "'" else text


def _is_switch(token: str) -> bool:
    return token.lower().strip("'") in ("true", "on", "1", "false", "off", "0")


def _build_refusal(word: str) -> InvalidArgument:
    needed = "takes FORMAT text, csv or binary, HEADER, DELIMITER, NULL and ENCODING 'UTF8'"
    return InvalidArgument("COPY", needed, word[:60])


def _pack_row(cells: list[bytes | None]) -> bytes:
    packed = (
        struct.pack("!i", -1) if cell is None else struct.pack("!i", len(cell)) + cell
        for cell in cells
    )
    return struct.pack("!h", len(cells)) + b"".join(packed)


def _write_row(cells: list[bytes | None], options: CopyOptions) -> bytes:
    is_csv = options.format == "csv"
    null = (("" if is_csv else "\\N") if options.null is None else options.null).encode()
    delimiter = (options.delimiter or (",", "\t")[not is_csv]).encode()
    texts = [
        null
        if cell is None
        else (_quote(cell, delimiter, null) if is_csv else _escape(cell, delimiter))
        for cell in cells
    ]
    return delimiter.join(texts) + b"\n"


def _escape(cell: bytes, delimiter: bytes) -> bytes:
    for plain, escaped in ((b"\\", b"\\\\"), (b"\t", b"\\t"), (b"\n", b"\\n"), (b"\r", b"\\r")):
        cell = cell.replace(plain, escaped)
    return cell if delimiter == b"\t" else cell.replace(delimiter, b"\\" + delimiter)


def _quote(cell: bytes, delimiter: bytes, null: bytes) -> bytes:
    """Quote what would be read as something else; an empty text is not NULL."""
    if cell != null and not any(sign in cell for sign in (delimiter, b'"', b"\n", b"\r")):
        return cell
    return b'"' + cell.replace(b'"', b'""') + b'"'
