"""Slow, half-open and malformed connections, as sockets send them."""

from __future__ import annotations

import socket
import time
from collections.abc import Iterator

import psycopg
import pytest

from service.helpers_service import RunningService, make_service

SECONDS = 1.0


@pytest.fixture(scope="module")
def strict(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningService]:
    """A service that waits a second for a request, and for eight connections of an address."""
    folder = tmp_path_factory.mktemp("strict")
    server = RunningService(
        make_service(folder, request_seconds=SECONDS, half_open_per_address=8, half_open=12)
    )
    yield server
    server.stop()


def open_socket(port: int) -> socket.socket:
    return socket.create_connection(("127.0.0.1", port), timeout=20)


def read_all(connection: socket.socket) -> bytes:
    found = b""
    try:
        while chunk := connection.recv(65_536):
            found += chunk
    except ConnectionError:
        pass
    return found


@pytest.mark.parametrize(
    "sent",
    [
        b"",
        b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n",
        b"POST /login HTTP/1.1\r\nHost: localhost\r\nContent-Length: 50\r\n\r\nname=ana",
        b"POST /login HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n",
    ],
)
def test_a_request_that_does_not_arrive_ends(strict: RunningService, sent: bytes) -> None:
    with open_socket(strict.port) as connection:
        connection.sendall(sent)
        answer = read_all(connection)
    assert answer.startswith((b"HTTP/1.1 408", b"HTTP/1.1 401"))


def test_a_request_that_drips_in_ends_too(strict: RunningService) -> None:
    with open_socket(strict.port) as connection:
        until, drops = time.monotonic() + 20, [b"GET /healthz HTTP/1.1\r\n"]
        try:
            while time.monotonic() < until:
                connection.sendall(drops.pop() if drops else b"X-Drip: 1\r\n")
                time.sleep(0.2)
        except ConnectionError:
            return
    pytest.fail("nothing ended it")


def test_a_connection_ends_some_time_after_its_answer(strict: RunningService) -> None:
    with open_socket(strict.port) as connection:
        connection.sendall(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n")
        assert read_all(connection).count(b"HTTP/1.1") == 1


def test_several_requests_share_a_connection(strict: RunningService) -> None:
    request = b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n"
    with open_socket(strict.port) as connection:
        connection.sendall(request * 2 + request[:-2] + b"Connection: close\r\n\r\n")
        assert read_all(connection).count(b"HTTP/1.1 200 OK") == 3


@pytest.mark.parametrize("protocol", ["port", "pg_port"])
def test_half_open_connections_give_way_and_keep_nobody_out(
    strict: RunningService, protocol: str
) -> None:
    crowd = [open_socket(getattr(strict, protocol)) for _ in range(40)]
    try:
        assert strict.request("GET", "/api/v1/tables", who="ana").status == 200
        with psycopg.connect(
            host="127.0.0.1",
            port=strict.pg_port,
            user="ana",
            password=strict.tokens["ana"],
            dbname="clinic",
        ) as connection:
            assert connection.execute("SHOW server_version").fetchone() == ("15.0",)
        assert sum(read_all(one) in (b"", b"HTTP/1.1 408") for one in crowd[:20]) == 20
    finally:
        for one in crowd:
            one.close()


@pytest.mark.parametrize(
    "request_text",
    [
        b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nContent-Length: 3\r\n"
        b"Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
        b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nContent-Length: 3\r\n"
        b"Content-Length: 4\r\n\r\nabcd",
        b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nContent-Length: +3\r\n\r\nabc",
        b"GET /healthz HTTP/1.1\r\nHost : localhost\r\n\r\n",
        b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: identity\r\n\r\n",
        b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nX: a\0b\r\n\r\n",
        b"GET /health z HTTP/1.1\r\nHost: localhost\r\n\r\n",
        b"GET /healthz HTTP/1.1\r\n\r\n",
        b"GET /healthz HTTP/1.1\nHost: a\nHost: b\n\n",
    ],
)
def test_a_request_that_two_readers_could_read_differently_is_refused(
    strict: RunningService, request_text: bytes
) -> None:
    with open_socket(strict.port) as connection:
        connection.sendall(request_text + b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n")
        answer = read_all(connection)
    status = answer.split(b" ", 2)[1]
    assert status in (b"400", b"501")
    assert answer.count(b"HTTP/1.1 ") == 1  # and nothing after it was taken for a request


def flood(connection: socket.socket, data: bytes) -> None:
    for _ in range(100_000):
        connection.sendall(data)


def test_a_client_that_does_not_read_is_left(strict: RunningService) -> None:
    """Its answers fill the buffers, and then the connection ends."""
    request = b"GET /openapi.json HTTP/1.1\r\nHost: localhost\r\n\r\n"
    with open_socket(strict.port) as connection:
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        with pytest.raises(ConnectionError):
            flood(connection, request)
    assert strict.request("GET", "/healthz").status == 200
