from __future__ import annotations

import struct

import pytest

from hedgerow.service.wire import messages as wire
from hedgerow.service.wire.messages import BodyReader, FieldDescription, MalformedMessage


def test_fields_are_read_in_order_and_to_the_end() -> None:
    body = BodyReader(b"name\0" + struct.pack("!hi", -3, 7) + b"rest")
    assert body.read_text() == "name"
    assert body.read_integer(2) == -3
    assert body.read_integer(4) == 7
    assert not body.is_at_end
    with pytest.raises(MalformedMessage):
        body.check_end()
    assert body.read_rest() == b"rest"
    body.check_end()


@pytest.mark.parametrize(
    "read",
    [
        lambda body: body.read_text(),
        lambda body: body.read_bytes(9),
        lambda body: body.read_bytes(-1),
        lambda body: body.read_integer(8),
        lambda body: BodyReader(b"\xff\xfe\0").read_text(),
    ],
)
def test_fields_beyond_the_end_are_malformed(read: object) -> None:
    with pytest.raises(MalformedMessage):
        read(BodyReader(b"abc"))  # type: ignore[operator]


def test_messages_have_the_bytes_of_the_protocol() -> None:
    assert wire.encode_ready(b"I") == b"Z\0\0\0\x05I"
    assert wire.encode_command_complete("SELECT 2") == b"C\0\0\0\rSELECT 2\0"
    assert wire.encode_authentication(0) == b"R\0\0\0\x08\0\0\0\0"
    assert wire.encode_parameter_status("a", "b") == b"S\0\0\0\x08a\0b\0"
    assert wire.encode_backend_key(1, b"\0\0\0\x02") == b"K\0\0\0\x0c\0\0\0\x01\0\0\0\x02"
    assert wire.encode_data_row([b"x", None]) == b"D\0\0\0\x0f\0\x02\0\0\0\x01x\xff\xff\xff\xff"
    assert wire.encode_parameter_description([25]) == b"t\0\0\0\x0a\0\x01\0\0\0\x19"
    assert wire.encode_negotiation(["a"]) == b"v\0\0\0\x0e\0\x03\0\x02\0\0\0\x01a\0"
    row = wire.encode_row_description([FieldDescription("n", 20, 8, 1)])
    assert row == b"T\0\0\0\x1a\0\x01n\0\0\0\0\0\0\0\0\0\0\x14\0\x08\xff\xff\xff\xff\0\x01"


def test_an_error_has_its_lines_where_clients_show_them() -> None:
    message = wire.encode_error("42501", "It is refused\n    SELECT x\n           ^\nWrite y.")
    fields = {part[:1]: part[1:].decode() for part in message[5:].split(b"\0") if part}
    assert fields[b"C"] == "42501"
    assert fields[b"M"] == "It is refused"
    assert fields[b"D"] == "\n    SELECT x\n           ^"
    assert fields[b"H"] == "Write y."
    assert fields[b"S"] == "ERROR"
    assert b"FATAL" in wire.encode_error("28P01", "x", is_fatal=True)
    assert b"\0RAgain\0" in wire.encode_error("0A000", "x", routine="Again")


def test_a_note_cannot_smuggle_a_field() -> None:
    assert wire.encode_notice("a\0Cfake").count(b"\0C") == 1
