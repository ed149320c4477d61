from __future__ import annotations

import socket

from hedgerow.service.metrics import Metrics
from hedgerow.service.wire.listener import WireListener
from service.helpers_service import RunningService


def test_a_cancel_key_reaches_its_session_and_no_other(running: RunningService) -> None:
    listener, cancelled = WireListener(running.service, Metrics(), None), []
    one, two, none = (1, b"aaaa"), (1, b"aaab"), (9, b"")
    listener.register(one, lambda: cancelled.append("one"))
    listener.register(two, lambda: cancelled.append("two"))
    listener.cancel(two)
    listener.cancel(none)
    listener.unregister(two)
    listener.cancel(two)
    listener.unregister(none)
    assert cancelled == ["two"]


def test_mutated_messages_lose_no_process(running: RunningService) -> None:
    import random

    stream = random.Random(20261118)
    startup = bytes.fromhex("0000001200030000") + b"user\0ana\0\0"
    for _ in range(150):
        data = bytearray(startup + b"p\0\0\0\x09MD5\0x" + b"Q\0\0\0\x0dSELECT 1\0")
        for _ in range(stream.randint(1, 6)):
            data[stream.randrange(len(data))] = stream.randrange(256)
        with socket.create_connection(("127.0.0.1", running.pg_port), timeout=10) as connection:
            connection.sendall(data)
            connection.shutdown(socket.SHUT_WR)
            while connection.recv(65_536):
                pass
    assert running.request("GET", "/healthz").status == 200
