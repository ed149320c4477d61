from __future__ import annotations

import socket

import pytest

from hedgerow.errors import InvalidArgument
from hedgerow.service import server
from hedgerow.service.server import find_free_port
from service.helpers_service import RunningService


def test_the_next_free_port_is_found() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        assert find_free_port("127.0.0.1", port) > port


def test_too_many_taken_ports_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(server, "_PORTS_TRIED", 0)
    with pytest.raises(InvalidArgument, match="must be free"):
        find_free_port("127.0.0.1", 9)


def test_both_listeners_accept(running: RunningService) -> None:
    for port in (running.port, running.pg_port):
        with socket.create_connection(("127.0.0.1", port), timeout=30) as connection:
            assert connection.getpeername() == ("127.0.0.1", port)
