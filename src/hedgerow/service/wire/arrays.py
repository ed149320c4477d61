"""Arrays of one dimension in the text and binary formats of the PostgreSQL protocol."""

from __future__ import annotations

import re
import struct
from collections.abc import Mapping, Sequence
from typing import Final

from hedgerow.service.wire.command_failure import CommandFailed

__all__ = ["ELEMENT_OIDS", "decode_array", "encode_array", "format_array", "parse_array"]

# Array type -> type of its items.
ELEMENT_OIDS: Final[Mapping[int, int]] = {
    1000: 16,
    1003: 19,
    1005: 21,
    1007: 23,
    1009: 25,
    1015: 1043,
    1016: 20,
    1021: 700,
    1022: 701,
    1028: 26,
    1115: 1114,
    1182: 1082,
    1231: 1700,
}
_ITEM: Final = re.compile(
    r'\s*(?:"(?P<quoted>(?:\\.|[^"\\])*)"|(?P<plain>[^{},"\\]+?))\s*(?:,|\Z)', re.DOTALL
)
_PLAIN_ITEM: Final = re.compile(r"[^\s{},\"\\\\]+")


def format_array(items: Sequence[str | None]) -> bytes:
    """Return items as text, such as {a,"b c",NULL}."""
    return ("{" + ",".join(map(_format_item, items)) + "}").encode()


def _format_item(item: str | None) -> str:
    if item is None:
        return "NULL"
    if _PLAIN_ITEM.fullmatch(item) and item.upper() != "NULL":
        return item
    escaped = item.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


def parse_array(text: str) -> list[tuple[str | None, bool]]:
    """Return the items of a text such as {a,"b c",NULL}, each with whether it stood in quotes."""
    inner, place = text.strip()[1:-1].strip(), 0
    items: list[tuple[str | None, bool]] = []
    while place < len(inner):
        match = _ITEM.match(inner, place)
        if match is None:
            raise CommandFailed("22P02", "An array has one dimension here, as in {a,b}.")
        place = match.end()
        if match["quoted"] is not None:
            items.append((re.sub(r"\\(.)", r"\1", match["quoted"], flags=re.DOTALL), True))
        else:
            items.append((None if match["plain"].upper() == "NULL" else match["plain"], False))
    return items


def encode_array(element_oid: int, items: Sequence[bytes | None]) -> bytes:
    """Return binary items as an array."""
    has_null = int(None in items)
    if not items:
        return struct.pack("!iiI", 0, 0, element_oid)
    head = struct.pack("!iiIii", 1, has_null, element_oid, len(items), 1)
    return head + b"".join(
        b"\xff\xff\xff\xff" if item is None else struct.pack("!i", len(item)) + item
        for item in items
    )


def decode_array(data: bytes) -> list[bytes | None]:
    """Return the items of a binary array; raise ValueError if it has more than one dimension."""
    dimensions, _, _ = struct.unpack("!iiI", data[:12])
    if dimensions == 0:
        return []
    if dimensions != 1:
        raise ValueError("not an array of one dimension")
    (count, _), place = struct.unpack("!ii", data[12:20]), 20
    items: list[bytes | None] = []
    for _ in range(count):
        (size,) = struct.unpack("!i", data[place : place + 4])
        place += 4
        items.append(None if size == -1 else data[place : place + size])
        place += max(size, 0)
    if place != len(data):
        raise ValueError("not an array of this length")
    return items
