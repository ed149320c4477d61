from __future__ import annotations

import struct

import pytest

from hedgerow.errors import InvalidArgument
from hedgerow.service.wire.copy_output import encode_copy
from hedgerow.service.wire.results import WireColumn, WireResult

RESULT = WireResult(
    "SELECT 2",
    [WireColumn("name", 25), WireColumn("n", 20)],
    [["a\tb\\", 5], [None, -1]],
    ("a note",),
    True,
)


def list_data(command: str) -> list[bytes]:
    """Return the bodies of the CopyData messages."""
    result = encode_copy(RESULT, command)
    assert result.copy is not None
    assert result.tag == "COPY 2"
    assert result.notes == ("a note",)
    stream, found = result.copy, []
    while stream:
        size = struct.unpack("!I", stream[1:5])[0]
        if stream[:1] == b"d":
            found.append(stream[5 : size + 1])
        stream = stream[size + 1 :]
    return found


def test_text_escapes_what_separates() -> None:
    assert list_data("COPY (x) TO STDOUT") == [b"a\\tb\\\\\t5\n", b"\\N\t-1\n"]


def test_csv_may_have_a_head() -> None:
    assert list_data("COPY (x) TO STDOUT WITH (FORMAT csv, HEADER)") == [
        b"name,n\n",
        b"a\tb\\,5\n",
        b",-1\n",
    ]


def test_binary_is_the_format_of_postgresql() -> None:
    (stream,) = list_data("COPY (x) TO STDOUT (FORMAT binary)")
    assert stream.startswith(b"PGCOPY\n\xff\r\n\0")
    assert stream.endswith(struct.pack("!h", -1))
    assert struct.pack("!hi", 2, 4) + b"a\tb\\" + struct.pack("!iq", 8, 5) in stream


def test_an_unknown_option_is_refused() -> None:
    with pytest.raises(InvalidArgument, match="COPY"):
        encode_copy(RESULT, "COPY (x) TO STDOUT (DELIMITER ';')")
