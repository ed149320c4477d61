from __future__ import annotations

import struct
from datetime import date, datetime
from decimal import Decimal

import pytest

from hedgerow.errors import InvalidArgument
from hedgerow.service.wire.values import decode_parameter, encode_value


@pytest.mark.parametrize(
    ("value", "oid", "text", "binary"),
    [
        (True, 16, b"t", b"\x01"),
        (False, 16, b"f", b"\x00"),
        (-7, 20, b"-7", struct.pack("!q", -7)),
        (1.5, 701, b"1.5", struct.pack("!d", 1.5)),
        (float("inf"), 701, b"Infinity", struct.pack("!d", float("inf"))),
        (float("-inf"), 701, b"-Infinity", struct.pack("!d", float("-inf"))),
        (date(2026, 1, 31), 1082, b"2026-01-31", struct.pack("!i", 9527)),
        (
            datetime(2000, 1, 2, 0, 0, 1),
            1114,
            b"2000-01-02 00:00:01",
            struct.pack("!q", 86_401_000_000),
        ),
        ("é", 25, "é".encode(), "é".encode()),
    ],
)
def test_values_have_both_forms(value: object, oid: int, text: bytes, binary: bytes) -> None:
    assert encode_value(value, oid, 0) == text
    assert encode_value(value, oid, 1) == binary
    assert encode_value(None, oid, 0) is None


def test_nan_is_written_as_postgresql_writes_it() -> None:
    assert encode_value(float("nan"), 701, 0) == b"NaN"


@pytest.mark.parametrize(
    ("data", "oid", "format_", "value"),
    [
        (None, 25, 0, None),
        (b"42", 20, 0, 42),
        (b"4.25", 1700, 0, Decimal("4.25")),
        (b"yes", 16, 0, True),
        (b"2026-01-31", 1082, 0, date(2026, 1, 31)),
        (b"2026-01-31 +00", 1082, 0, date(2026, 1, 31)),
        (b"2026-01-31 10:00:00", 1114, 0, datetime(2026, 1, 31, 10)),
        (b"text", 25, 0, "text"),
        (struct.pack("!q", 42), 20, 1, 42),
        (struct.pack("!h", 42), 21, 1, 42),
        (struct.pack("!d", 4.25), 701, 1, 4.25),
        (struct.pack("!i", 9527), 1082, 1, date(2026, 1, 31)),
        (b"\x01", 16, 1, True),
        (struct.pack("!hhHhhh", 2, 0, 0, 2, 4, 2500), 1700, 1, Decimal("4.25")),
        (struct.pack("!hhHhh", 1, 1, 0x4000, 0, 3), 1700, 1, Decimal(-30000)),
        (b"text", 1043, 1, "text"),
    ],
)
def test_parameters_are_read_in_both_forms(
    data: bytes | None, oid: int, format_: int, value: object
) -> None:
    assert decode_parameter(data, oid, format_) == value


@pytest.mark.parametrize(
    ("data", "oid", "format_"),
    [
        (b"x", 20, 0),
        (b"maybe", 16, 0),
        (b"2026-02-31", 1082, 0),
        (b"2026-01-31 nonsense", 1082, 0),
        (b"\xff", 25, 0),
        (b"123", 20, 1),
        (struct.pack("!hhHh", 0, 0, 0xC000, 0), 1700, 1),
        (b"x", 99_999, 1),
    ],
)
def test_a_parameter_that_is_no_value_of_its_type_is_refused(
    data: bytes, oid: int, format_: int
) -> None:
    with pytest.raises(InvalidArgument, match="parameter"):
        decode_parameter(data, oid, format_)
