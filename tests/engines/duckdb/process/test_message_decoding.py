from __future__ import annotations

import struct
from datetime import date
from typing import Any

import numpy as np
import pytest

from hedgerow.engines.duckdb.process.message_decoding import decode_result
from hedgerow.engines.framing import ChannelBroken
from hedgerow.engines.statement import Statement

STATEMENT = Statement("", ("text", "date", "real", "boolean", "integer"), (False, True, False))
KEYS: list[list[Any]] = [
    ["a", None, "b"],
    [1, 3652059, None],
    [0.5, 1.0, -0.0],
    [True, False, None],
    [2**63 - 1, -(2**63), 0],
]
HEADER: dict[str, Any] = {"keys": KEYS, "long": [[str(2**90), str(-(2**90)), "0"]]}
PAYLOAD = struct.pack("<6q", 1, -(2**63), 2**63 - 1, 0, 0, 7)


def test_numbers_are_64_bits_or_long_and_keys_of_their_types() -> None:
    keys, numbers = decode_result((HEADER, PAYLOAD), STATEMENT)
    assert keys == [KEYS[0], [date(1, 1, 1), date.max, None], *KEYS[2:]]
    assert [column.dtype for column in numbers] == [
        np.dtype(np.int64),
        np.dtype(object),
        np.dtype(np.int64),
    ]
    assert [column.tolist() for column in numbers] == [
        [1, -(2**63), 2**63 - 1],
        [2**90, -(2**90), 0],
        [0, 0, 7],
    ]


def test_no_cells_arrive_as_well() -> None:
    assert [
        len(column)
        for column in decode_result(({"keys": [[]] * 5, "long": [[]]}, b""), STATEMENT)[1]
    ] == [0, 0, 0]
    (only,) = decode_result(
        ({"keys": [], "long": [[str(2**80)]]}, b""), Statement("", (), (True,))
    )[1]
    assert only.tolist() == [2**80]


def planted(**changes: Any) -> tuple[dict[str, Any], bytes]:
    return {**HEADER, **changes}, PAYLOAD


@pytest.mark.parametrize(
    "message",
    [
        ({}, b""),
        planted(keys=[]),
        planted(keys=[["a", None, 7], *KEYS[1:]]),
        planted(keys=[*KEYS[:4], [1, 2, True]]),
        planted(keys=[["a"], *KEYS[1:]]),
        planted(keys=[["a", "b", "c"], [10**9, 1, 1], *KEYS[2:]]),
        planted(long=[]),
        planted(long=[["1", "x", "2"]]),
        planted(long=[["1"]]),
        planted(long=7),
        (HEADER, b"\x00" * 47),
        (HEADER, b"\x00" * 56),
        (HEADER, b"\x00" * 16),
    ],
)
def test_a_result_of_another_shape_is_refused(message: tuple[dict[str, Any], bytes]) -> None:
    with pytest.raises(ChannelBroken):
        decode_result(message, STATEMENT)
