from __future__ import annotations

import struct

import pytest

from hedgerow.errors import InvalidArgument
from hedgerow.service.wire.copy_output import encode_copy, read_copy_options
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
    result = encode_copy(RESULT, read_copy_options(command))
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


@pytest.mark.parametrize(
    ("options", "lines"),
    [
        ("CSV HEADER DELIMITER AS ';' NULL 'none'", [b"name;n\n", b"a\tb\\;5\n", b"none;-1\n"]),
        ("WITH (FORMAT 'csv', HEADER off, DELIMITER '\t')", [b'"a\tb\\"\t5\n', b"\t-1\n"]),
        ("(DELIMITER 'b', ENCODING 'UTF8')", [b"a\\t\\b\\\\b5\n", b"\\Nb-1\n"]),
        ("WITH CSV NULL '-1'", [b"a\tb\\,5\n", b'-1,"-1"\n']),
    ],
)
def test_options_are_read_in_both_forms(options: str, lines: list[bytes]) -> None:
    assert list_data(f"COPY (x) TO STDOUT {options}") == lines


def test_an_empty_text_is_not_null_in_csv() -> None:
    result = WireResult("SELECT 1", RESULT.columns, [["", None]], (), True)
    stream = encode_copy(result, read_copy_options("COPY (x) TO STDOUT CSV")).copy
    assert stream is not None
    assert b'"",\n' in stream


def test_binary_has_one_message_for_each_row() -> None:
    # Clients read a row from each message, and drop what follows in it.
    one, two, end = list_data("COPY (x) TO STDOUT (FORMAT binary)")
    row = struct.pack("!hi", 2, 4) + b"a\tb\\" + struct.pack("!iq", 8, 5)
    assert one == b"PGCOPY\n\xff\r\n\0" + bytes(8) + row
    assert two == struct.pack("!hiiq", 2, -1, 8, -1)
    assert end == struct.pack("!h", -1)


@pytest.mark.parametrize(
    "options",
    [
        "(FREEZE)",
        "(FORMAT parquet)",
        "(FORMAT binary, NULL 'x')",
        "CSV DELIMITER ';;'",
        "CSV DELIMITER '\\'",
        "(ENCODING 'LATIN1')",
    ],
)
def test_an_unsupported_option_is_refused(options: str) -> None:
    with pytest.raises(InvalidArgument, match="COPY"):
        read_copy_options(f"COPY (x) TO STDOUT {options}")
