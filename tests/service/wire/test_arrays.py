from __future__ import annotations

import struct

import pytest
from psycopg.types.array import ArrayBinaryLoader, ArrayLoader

from hedgerow.service.wire.arrays import (
    ELEMENT_OIDS,
    decode_array,
    encode_array,
    format_array,
    parse_array,
)
from hedgerow.service.wire.command_failure import CommandFailed


class Loader(ArrayLoader):
    base_oid = 25


ITEMS = ["a", None, "b c", 'd"e\\f', "", "NULL", "{x}"]


def test_text_is_quoted_as_postgresql_does() -> None:
    written = format_array(ITEMS)
    assert written == rb"""{a,NULL,"b c","d\"e\\f","","NULL","{x}"}"""
    assert Loader(1009).load(written) == ITEMS


def test_binary_arrays_go_both_ways() -> None:
    items = [None if one is None else one.encode() for one in ITEMS]
    data = encode_array(25, items)
    assert ArrayBinaryLoader(1009).load(data) == ITEMS
    assert decode_array(data) == items
    assert decode_array(encode_array(25, [])) == []
    assert ELEMENT_OIDS[1009] == 25


@pytest.mark.parametrize(
    "data",
    [
        struct.pack("!iiI", 2, 0, 25) + bytes(16),
        encode_array(25, [b"a"]) + b"x",
        encode_array(25, [b"abc"])[:-1],
    ],
)
def test_other_arrays_are_refused(data: bytes) -> None:
    with pytest.raises(ValueError, match="not an array"):
        decode_array(data)


def test_the_text_of_an_array_is_read_back() -> None:
    assert [item for item, _ in parse_array(format_array(ITEMS).decode())] == ITEMS
    assert parse_array(' { a b , "c" } ') == [("a b", False), ("c", True)]
    assert parse_array("{}") == []


@pytest.mark.parametrize("text", ["{{1}}", '{"a}', '{a"b}', "{,}", "{a,,b}"])
def test_the_text_of_no_array_is_refused(text: str) -> None:
    with pytest.raises(CommandFailed, match="one dimension"):
        parse_array(text)
