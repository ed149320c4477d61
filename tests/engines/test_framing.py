from __future__ import annotations

import os
import struct
import threading
import time
from collections.abc import Iterator

import pytest

from hedgerow.engines.framing import ChannelBroken, receive_message, send_message


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
    send_message(pipe[1], {"a": [1, "é", None]}, b"\x00\xff")
    send_message(pipe[1], {})
    assert receive_message(pipe[0]) == ({"a": [1, "é", None]}, b"\x00\xff")
    assert receive_message(pipe[0]) == ({}, b"")


def test_a_message_longer_than_the_pipe_is_sent_in_pieces(pipe: tuple[int, int]) -> None:
    os.set_blocking(pipe[0], False)
    os.set_blocking(pipe[1], False)
    payload = os.urandom(3_000_000)
    sender = threading.Thread(target=send_message, args=(pipe[1], {"n": 1}, payload))
    sender.start()
    assert receive_message(pipe[0]) == ({"n": 1}, payload)
    sender.join()


def test_the_end_of_the_other_side_shows(pipe: tuple[int, int]) -> None:
    os.write(pipe[1], struct.pack("<QQ", 10, 0) + b"{}")
    os.close(pipe[1])
    with pytest.raises(ChannelBroken):
        receive_message(pipe[0])


def test_writing_without_a_reader_raises(pipe: tuple[int, int]) -> None:
    os.close(pipe[0])
    with pytest.raises(ChannelBroken):
        send_message(pipe[1], {})


def test_reading_and_writing_stop_at_the_deadline(pipe: tuple[int, int]) -> None:
    os.set_blocking(pipe[1], False)
    with pytest.raises(ChannelBroken):
        receive_message(pipe[0], time.monotonic() + 0.01)
    with pytest.raises(ChannelBroken):
        receive_message(pipe[0], time.monotonic() - 1)
    with pytest.raises(ChannelBroken):
        send_message(pipe[1], {}, bytes(2**22), time.monotonic() + 0.01)


@pytest.mark.parametrize("header", [b"no json", b"[1]", b"\xff"])
def test_a_header_that_is_none_is_refused(header: bytes, pipe: tuple[int, int]) -> None:
    os.write(pipe[1], struct.pack("<QQ", len(header), 0) + header)
    with pytest.raises(ChannelBroken):
        receive_message(pipe[0])


def test_a_header_beyond_all_measure_is_refused_unread(pipe: tuple[int, int]) -> None:
    os.write(pipe[1], struct.pack("<QQ", 2**33, 0))
    with pytest.raises(ChannelBroken):
        receive_message(pipe[0])
