"""The messages of the PostgreSQL protocol, version 3: bytes to records and back, no sockets."""

from __future__ import annotations

import struct
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

__all__ = [
    "CANCEL_REQUEST",
    "GSS_REQUEST",
    "MAX_MESSAGE",
    "NEWEST_PROTOCOL",
    "PROTOCOL_3",
    "TLS_REQUEST",
    "BodyReader",
    "FieldDescription",
    "MalformedMessage",
    "encode_authentication",
    "encode_backend_key",
    "encode_command_complete",
    "encode_data_row",
    "encode_error",
    "encode_message",
    "encode_notice",
    "encode_parameter_description",
    "encode_parameter_status",
    "encode_ready",
    "encode_row_description",
]

PROTOCOL_3: Final = 3 << 16
NEWEST_PROTOCOL: Final = PROTOCOL_3 + 2  # 3.2 has longer cancel keys
CANCEL_REQUEST: Final = 80_877_102
TLS_REQUEST: Final = 80_877_103
GSS_REQUEST: Final = 80_877_104
MAX_MESSAGE: Final = 1 << 20  # bytes of any message of a client


class MalformedMessage(Exception):
    """Bytes that are no message of the protocol."""


class BodyReader:
    """The fields of one message, read in order."""

    def __init__(self, body: bytes) -> None:
        self._body, self._place = body, 0

    def read_integer(self, size: int) -> int:
        """Read a signed integer of 1, 2 or 4 bytes."""
        return int.from_bytes(self.read_bytes(size), "big", signed=True)

    def read_count(self) -> int:
        """Read a count of 2 bytes."""
        return int.from_bytes(self.read_bytes(2), "big")

    def read_bytes(self, size: int) -> bytes:
        """Read exactly this many bytes."""
        end = self._place + size
        if size < 0 or end > len(self._body):
            raise MalformedMessage
        found = self._body[self._place : end]
        self._place = end
        return found

    def read_text(self) -> str:
        """Read text that ends with a zero byte."""
        end = self._body.find(b"\0", self._place)
        if end < 0:
            raise MalformedMessage
        found = self._body[self._place : end]
        self._place = end + 1
        try:
            return found.decode()
        except UnicodeDecodeError:
            raise MalformedMessage from None

    def read_rest(self) -> bytes:
        """Read all that is left."""
        return self.read_bytes(len(self._body) - self._place)

    @property
    def is_at_end(self) -> bool:
        """True if nothing is left."""
        return self._place == len(self._body)

    def check_end(self) -> None:
        """Refuse a message with bytes behind its last field."""
        if not self.is_at_end:
            raise MalformedMessage


@dataclass(frozen=True, slots=True)
class FieldDescription:
    """A column of a result: its name, the OID and the size of its type, and its format (0 is
    text, 1 binary)."""

    name: str
    oid: int
    size: int
    format: int = 0


def encode_message(kind: bytes, body: bytes = b"") -> bytes:
    """Return a message with its kind and its length in front."""
    return kind + struct.pack("!i", len(body) + 4) + body


def encode_authentication(code: int, rest: bytes = b"") -> bytes:
    """Return a step of the authentication; code 0 is success."""
    return encode_message(b"R", struct.pack("!i", code) + rest)


def encode_parameter_status(name: str, value: str) -> bytes:
    """Return a setting that clients want to know."""
    return encode_message(b"S", _encode_texts(name, value))


def encode_negotiation(unknown: Sequence[str]) -> bytes:
    """Return the newest version that is spoken here, and the options that are unknown."""
    head = struct.pack("!ii", NEWEST_PROTOCOL, len(unknown))
    return encode_message(b"v", head + _encode_texts(*unknown))


def encode_backend_key(process: int, secret: bytes) -> bytes:
    """Return the number and the secret with which a client may cancel."""
    return encode_message(b"K", struct.pack("!I", process) + secret)


def encode_ready(status: bytes) -> bytes:
    """Return that the next command may come; the status is I, T or E."""
    return encode_message(b"Z", status)


def encode_row_description(fields: Sequence[FieldDescription]) -> bytes:
    """Return the columns of a result."""
    parts = [struct.pack("!h", len(fields))]
    for field in fields:
        parts.append(_encode_texts(field.name))
        parts.append(struct.pack("!ihihih", 0, 0, field.oid, field.size, -1, field.format))
    return encode_message(b"T", b"".join(parts))


def encode_parameter_description(oids: Sequence[int]) -> bytes:
    """Return the types of a statement's parameters."""
    return encode_message(b"t", struct.pack(f"!h{len(oids)}i", len(oids), *oids))


def encode_data_row(cells: Sequence[bytes | None]) -> bytes:
    """Return a row; None is NULL."""
    parts = [struct.pack("!h", len(cells))]
    for cell in cells:
        if cell is None:
            parts.append(b"\xff\xff\xff\xff")
        else:
            parts += [struct.pack("!i", len(cell)), cell]
    return encode_message(b"D", b"".join(parts))


def encode_command_complete(tag: str) -> bytes:
    """Return that a command is done."""
    return encode_message(b"C", _encode_texts(tag))


def encode_error(
    sqlstate: str, message: str, *, is_fatal: bool = False, routine: str = ""
) -> bytes:
    """Return an error: the first line of the message, what it shows of the SQL, and the fix."""
    severity = "FATAL" if is_fatal else "ERROR"
    return encode_message(b"E", _encode_report(severity, sqlstate, message, routine))


def encode_notice(message: str, sqlstate: str = "00000") -> bytes:
    """Return a note for people."""
    return encode_message(b"N", _encode_report("NOTICE", sqlstate, message))


def _encode_report(severity: str, sqlstate: str, message: str, routine: str = "") -> bytes:
    first, *rest = message.replace("\0", "").split("\n")
    fields = [("S", severity), ("V", severity), ("C", sqlstate), ("M", first)]
    if rest[:-1]:
        fields.append(("D", "\n".join(["", *rest[:-1]])))
    if rest:
        fields.append(("H", rest[-1]))
    if routine:
        fields.append(("R", routine))
    return b"".join(name.encode() + _encode_texts(text) for name, text in fields) + b"\0"


def _encode_texts(*texts: str) -> bytes:
    return b"".join(text.replace("\0", "").encode() + b"\0" for text in texts)
