from __future__ import annotations

import json
import math
import os
import struct
import threading
import time
from collections.abc import Iterator
from datetime import date
from typing import Any

import numpy as np
import pytest

from hedgerow.engines.decode import Columns, Statement
from hedgerow.engines.wire import Broken, decoded, encoded, receive, send


@pytest.fixture
def pipe() -> Iterator[tuple[int, int]]:
    ends = os.pipe()
    yield ends
    for end in ends:
        try:
            os.close(end)
        except OSError:  # closed by the test
            continue


def test_messages_arrive_in_order(pipe: tuple[int, int]) -> None:
    send(pipe[1], {"a": [1, "é", None]}, b"\x00\xff")
    send(pipe[1], {})
    assert receive(pipe[0]) == ({"a": [1, "é", None]}, b"\x00\xff")
    assert receive(pipe[0]) == ({}, b"")


def test_a_message_longer_than_the_pipe_is_sent_in_pieces(pipe: tuple[int, int]) -> None:
    os.set_blocking(pipe[0], False)
    os.set_blocking(pipe[1], False)
    payload = os.urandom(3_000_000)
    sender = threading.Thread(target=send, args=(pipe[1], {"n": 1}, payload))
    sender.start()
    assert receive(pipe[0]) == ({"n": 1}, payload)
    sender.join()


def test_the_end_of_the_other_side_shows(pipe: tuple[int, int]) -> None:
    os.write(pipe[1], struct.pack("<QQ", 10, 0) + b"{}")
    os.close(pipe[1])
    with pytest.raises(Broken):
        receive(pipe[0])


def test_writing_to_nobody_shows(pipe: tuple[int, int]) -> None:
    os.close(pipe[0])
    with pytest.raises(Broken):
        send(pipe[1], {})


def test_it_does_not_wait_beyond_its_time(pipe: tuple[int, int]) -> None:
    os.set_blocking(pipe[1], False)
    with pytest.raises(Broken):
        receive(pipe[0], time.monotonic() + 0.01)
    with pytest.raises(Broken):
        receive(pipe[0], time.monotonic() - 1)
    with pytest.raises(Broken):
        send(pipe[1], {}, bytes(2**22), time.monotonic() + 0.01)


@pytest.mark.parametrize("header", [b"no json", b"[1]", b"\xff"])
def test_a_header_that_is_none_is_refused(header: bytes, pipe: tuple[int, int]) -> None:
    os.write(pipe[1], struct.pack("<QQ", len(header), 0) + header)
    with pytest.raises(Broken):
        receive(pipe[0])


def test_a_header_beyond_all_measure_is_refused_unread(pipe: tuple[int, int]) -> None:
    os.write(pipe[1], struct.pack("<QQ", 2**33, 0))
    with pytest.raises(Broken):
        receive(pipe[0])


STATEMENT = Statement("", ("text", "date", "real", "boolean", "integer"), (False, True, False))
FOUND: Columns = (
    [["a", None, "\x00é"], [date(1, 1, 1), date.max, None], [0.1, math.inf, -0.0], [True, False, None], [2**63 - 1, -(2**63), 0]],
    [np.array([1, -(2**63), 2**63 - 1]), np.array([2**90, -(2**90), 0], dtype=object), np.array([0, 0, 7])],
)


def test_cells_arrive_as_they_were() -> None:
    header, payload = encoded(FOUND, STATEMENT)
    keys, numbers = decoded((json.loads(json.dumps(header)), payload), STATEMENT)
    assert keys == FOUND[0]
    assert [(column.dtype, column.tolist()) for column in numbers] == [(column.dtype, column.tolist()) for column in FOUND[1]]


def test_no_cells_arrive_as_well() -> None:
    nothing: Columns = ([[]] * 5, [np.array([], np.int64), np.array([], dtype=object), np.array([], np.int64)])
    assert [len(column) for column in decoded(encoded(nothing, STATEMENT), STATEMENT)[1]] == [0, 0, 0]
    alone = Statement("", (), (True,))
    (only,) = decoded(encoded(([], [np.array([2**80], dtype=object)]), alone), alone)[1]
    assert only.tolist() == [2**80]


def planted(**changes: Any) -> tuple[dict[str, Any], bytes]:
    header, payload = encoded(FOUND, STATEMENT)
    return {**header, **changes}, payload


@pytest.mark.parametrize(
    "message",
    [
        ({}, b""),
        planted(keys=[]),
        planted(keys=[["a", None, 7], *encoded(FOUND, STATEMENT)[0]["keys"][1:]]),
        planted(keys=[*encoded(FOUND, STATEMENT)[0]["keys"][:4], [1, 2, True]]),
        planted(keys=[["a"], *encoded(FOUND, STATEMENT)[0]["keys"][1:]]),
        planted(keys=[["a", "b", "c"], [10**9, 1, 1], *encoded(FOUND, STATEMENT)[0]["keys"][2:]]),
        planted(long=[]),
        planted(long=[["1", "x", "2"]]),
        planted(long=[["1"]]),
        planted(long=7),
        (encoded(FOUND, STATEMENT)[0], b"\x00" * 47),
        (encoded(FOUND, STATEMENT)[0], b"\x00" * 56),
        (encoded(FOUND, STATEMENT)[0], b"\x00" * 16),
    ],
)
def test_what_has_another_shape_is_refused(message: tuple[dict[str, Any], bytes]) -> None:
    with pytest.raises(Broken):
        decoded(message, STATEMENT)
