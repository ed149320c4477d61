"""Decimal numbers in the binary format of the PostgreSQL protocol: digits to the base of 10,000."""

from __future__ import annotations

import struct
from decimal import Decimal
from typing import Final

__all__ = ["decode_numeric", "encode_numeric"]

_POSITIVE, _NEGATIVE, _NAN = 0x0000, 0x4000, 0xC000
_INFINITIES: Final = (0xD000, 0xF000)
_BASE: Final = 10_000


def encode_numeric(value: Decimal) -> bytes:
    """Return a number as base-10,000 digits with a weight, a sign and a scale."""
    if value.is_nan():
        return struct.pack("!hhHh", 0, 0, _NAN, 0)
    if value.is_infinite():
        return struct.pack("!hhHh", 0, 0, _INFINITIES[value < 0], 0)
    sign, digits, exponent = value.as_tuple()
    assert isinstance(exponent, int)
    scale = max(-exponent, 0)
    whole = int("".join(map(str, digits))) * 10 ** max(exponent, 0)
    pad = -scale % 4  # the point stands between two digits to the base of 10,000
    whole *= 10**pad
    places: list[int] = []
    while whole:
        whole, place = divmod(whole, _BASE)
        places.append(place)
    weight = len(places) - 1 - (scale + pad) // 4
    places.reverse()
    while places and places[-1] == 0:
        places.pop()
    head = struct.pack("!hhHh", len(places), weight, _NEGATIVE if sign else _POSITIVE, scale)
    return head + struct.pack(f"!{len(places)}h", *places)


def decode_numeric(data: bytes) -> Decimal:
    """Return the number of a binary parameter; raise ValueError if it is none."""
    count, weight, sign, _scale = struct.unpack("!hhHh", data[:8])
    if sign not in (_POSITIVE, _NEGATIVE):
        raise ValueError("not a finite number")
    places = struct.unpack(f"!{count}h", data[8:])
    terms = (Decimal(place).scaleb(4 * (weight - i)) for i, place in enumerate(places))
    value = sum(terms, Decimal(0))
    return -value if sign == _NEGATIVE else value
