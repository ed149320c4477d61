"""Values in the text and binary formats of the PostgreSQL protocol, both ways."""

from __future__ import annotations

import math
import re
import struct
from collections.abc import Callable, Mapping
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from typing import Any, Final
from uuid import UUID

from hedgerow.errors import InvalidArgument
from hedgerow.service.wire.arrays import ELEMENT_OIDS, decode_array, encode_array, format_array
from hedgerow.service.wire.numerics import decode_numeric, encode_numeric

__all__ = ["OIDS", "TYPE_SIZES", "decode_parameter", "encode_value"]

# Our types -> OID. Answers have these types only; catalogues have more.
OIDS: Final[Mapping[str, int]] = {
    "boolean": 16,
    "integer": 20,
    "text": 25,
    "real": 701,
    "date": 1082,
    "timestamp": 1114,
}
TYPE_SIZES: Final[Mapping[int, int]] = {
    16: 1,
    20: 8,
    21: 2,
    23: 4,
    25: -1,
    26: 4,
    700: 4,
    701: 8,
    1082: 4,
    1114: 8,
}
_ZONE: Final = re.compile(r"(?<=\d) [+-]\d\d(:\d\d)?\Z")  # JDBC writes 2026-01-31 +00
_EPOCH: Final = date(2000, 1, 1)
_EPOCH_TIME: Final = datetime(2000, 1, 1)


def encode_value(value: Any, oid: int, format_: int) -> bytes | None:
    """Return a value of an answer as text or binary; None is NULL."""
    if value is None:
        return None
    if oid in ELEMENT_OIDS:
        if format_ == 0:
            return format_array([None if one is None else _format_text(one) for one in value])
        element = ELEMENT_OIDS[oid]
        return encode_array(element, [encode_value(one, element, 1) for one in value])
    if format_ == 0:
        return _format_text(value).encode()
    match oid:
        case 16:
            return b"\x01" if value else b"\x00"
        case 20:
            return struct.pack("!q", int(value))
        case 21:
            return struct.pack("!h", int(value))
        case 23:
            return struct.pack("!i", int(value))
        case 26:
            return struct.pack("!I", int(value))
        case 700:
            return struct.pack("!f", float(value))
        case 701:
            return struct.pack("!d", float(value))
        case 1700:
            return encode_numeric(Decimal(value))
        case 1082:
            return struct.pack("!i", (value - _EPOCH).days)
        case 1114:
            return struct.pack("!q", _count_microseconds(value))
        case _:
            return _format_text(value).encode()


def _format_text(value: Any) -> str:
    if isinstance(value, bool):
        return "t" if value else "f"
    if isinstance(value, float):
        if math.isnan(value):
            return "NaN"
        if math.isinf(value):
            return "Infinity" if value > 0 else "-Infinity"
        return repr(value)
    if isinstance(value, datetime):
        return value.isoformat(sep=" ")
    return value.isoformat() if isinstance(value, date) else str(value)


def _count_microseconds(value: datetime) -> int:
    plain = value.astimezone(UTC).replace(tzinfo=None) if value.tzinfo else value
    found = plain - _EPOCH_TIME
    return (found.days * 86_400 + found.seconds) * 1_000_000 + found.microseconds


def decode_parameter(data: bytes | None, oid: int, format_: int) -> Any:
    """Return the value of a parameter that a client bound."""
    if data is None:
        return None
    if format_ == 0:
        try:
            return _parse_text(data.decode(), oid)
        except (ValueError, ArithmeticError):
            raise _build_refusal() from None
    if oid in ELEMENT_OIDS:
        element = ELEMENT_OIDS[oid]
        try:
            items = [decode_parameter(one, element, 1) for one in decode_array(data)]
        except (struct.error, ValueError):
            raise _build_refusal() from None
        return format_array([None if one is None else _format_text(one) for one in items]).decode()
    decode = _BINARY.get(oid)
    if decode is None:
        raise InvalidArgument("parameter", "has a binary type that is not supported; cast it", oid)
    try:
        return decode(data)
    except (struct.error, ValueError, OverflowError):
        raise _build_refusal() from None


def _build_refusal() -> InvalidArgument:
    return InvalidArgument("parameter", "must be a value of its type: check what you bind")


def _parse_text(text: str, oid: int) -> Any:
    match oid:
        case 16:
            if text.lower() not in ("t", "f", "true", "false", "1", "0", "on", "off", "yes", "no"):
                raise ValueError
            return text.lower() in ("t", "true", "1", "on", "yes")
        case 20 | 21 | 23 | 26:
            return int(text)
        case 700 | 701 | 1700:
            return Decimal(text)
        case 1082:
            return date.fromisoformat(_ZONE.sub("", text))
        case 1114 | 1184:
            return datetime.fromisoformat(text)
        case _:
            return text


_BINARY: Final[Mapping[int, Callable[[bytes], Any]]] = {
    16: lambda data: struct.unpack("!?", data)[0],
    20: lambda data: struct.unpack("!q", data)[0],
    21: lambda data: struct.unpack("!h", data)[0],
    23: lambda data: struct.unpack("!i", data)[0],
    26: lambda data: struct.unpack("!I", data)[0],
    25: lambda data: data.decode(),
    705: lambda data: data.decode(),
    1043: lambda data: data.decode(),
    700: lambda data: struct.unpack("!f", data)[0],
    701: lambda data: struct.unpack("!d", data)[0],
    19: lambda data: data.decode(),
    1082: lambda data: date.fromordinal(_EPOCH.toordinal() + struct.unpack("!i", data)[0]),
    1114: lambda data: _EPOCH_TIME + timedelta(microseconds=struct.unpack("!q", data)[0]),
    1184: lambda data: _EPOCH_TIME + timedelta(microseconds=struct.unpack("!q", data)[0]),
    1700: decode_numeric,
    2950: lambda data: str(UUID(bytes=data)),
}
