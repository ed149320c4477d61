"""Retries, errors and TLS, against servers of the standard library that misbehave."""

from __future__ import annotations

import json
import ssl
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import pytest

from hedgerow.client import http_transport
from hedgerow.client.http_transport import HttpTransport
from hedgerow.client.service_address import ServiceAddress
from hedgerow.client.service_errors import NotAuthenticated, Overloaded
from hedgerow.errors import InvalidArgument, SourceError
from service.helpers_service import write_certificate

Reply = tuple[int, str, bytes] | None  # None breaks the connection off


class ScriptedServer(HTTPServer):
    """A server with one reply after another, the last one for ever; it keeps what it was sent."""

    def __init__(self, replies: list[Reply]) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.replies, self.bodies = list(replies), list[bytes]()
        self.headers = dict[str, str]()


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: ScriptedServer

    def do_POST(self) -> None:
        self.server.headers = dict(self.headers)
        self.server.bodies.append(self.rfile.read(int(self.headers["Content-Length"])))
        replies = self.server.replies
        reply = replies.pop(0) if len(replies) > 1 else replies[0]
        if reply is None:
            self.close_connection = True
            return
        status, kind, body = reply
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.send_header("Retry-After", "7")
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        pass


@contextmanager
def serve(*replies: Reply, context: ssl.SSLContext | None = None) -> Iterator[ScriptedServer]:
    with ScriptedServer(list(replies)) as server:
        if context is not None:
            server.socket = context.wrap_socket(server.socket, server_side=True)
        thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
        thread.start()
        try:
            yield server
        finally:
            server.shutdown()


@contextmanager
def connect(
    server: ScriptedServer, scheme: str = "http", ca_file: Path | None = None
) -> Iterator[HttpTransport]:
    host = "localhost" if scheme == "https" else "127.0.0.1"
    address = ServiceAddress.parse(f"{scheme}://{host}:{server.server_port}")
    transport = HttpTransport(address, "hr_token", timeout=30, ca_file=ca_file)
    try:
        yield transport
    finally:
        transport.close()


def send(server: ScriptedServer) -> object:
    with connect(server) as transport:
        return transport.send("POST", "/x", {"request": "k"})


@pytest.fixture
def pauses(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    slept: list[float] = []
    monkeypatch.setattr(http_transport.time, "sleep", slept.append)
    return slept


OK = (200, "application/json", b'{"a": 1}')


def problem(status: int) -> Reply:
    return status, "application/problem+json", json.dumps({"detail": "words"}).encode()


def test_a_document_is_returned_and_the_token_is_sent() -> None:
    with serve(OK) as server, connect(server) as transport:
        assert transport.send("POST", "/x", {"sql": "ä"}) == {"a": 1}
        assert transport.send("POST", "/x", {}) == {"a": 1}
        assert "hr_token" not in repr(transport)
    assert json.loads(server.bodies[0]) == {"sql": "ä"}
    assert server.headers["Authorization"] == "Bearer hr_token"


def test_a_request_whose_connection_breaks_is_sent_again(pauses: list[float]) -> None:
    with serve(None, None, OK) as server:
        assert send(server) == {"a": 1}
    assert server.bodies == [b'{"request": "k"}'] * 3
    assert pauses == [0.2, 0.5]


def test_a_service_that_cannot_be_reached_is_an_error(pauses: list[float]) -> None:
    with serve(None) as server:
        with pytest.raises(SourceError, match="cannot be reached"):
            send(server)
        assert len(server.bodies) == 4
    assert len(pauses) == 4


def test_too_many_requests_are_waited_for(pauses: list[float]) -> None:
    with serve(problem(429), OK) as server:
        assert send(server) == {"a": 1}
    assert pauses == [7]


def test_waiting_ends(pauses: list[float], monkeypatch: pytest.MonkeyPatch) -> None:
    with serve(problem(429)) as server:
        with pytest.raises(Overloaded, match="words"):
            send(server)
        assert pauses == [7, 7, 7]
        monkeypatch.setattr(http_transport, "_LONGEST_WAIT", 6)
        with pytest.raises(Overloaded, match="words"):
            send(server)
    assert len(pauses) == 3


def test_a_problem_is_an_error_and_is_not_sent_again() -> None:
    with serve(problem(401)) as server:
        with pytest.raises(NotAuthenticated, match="words"):
            send(server)
        assert len(server.bodies) == 1


@pytest.mark.parametrize(
    "reply",
    [(200, "text/html", b"<p>"), (200, "application/json", b"[]"), (404, "text/plain", b"")],
)
def test_other_servers_are_refused(reply: Reply) -> None:
    with serve(reply) as server, pytest.raises(SourceError, match="not as a Hedgerow service"):
        send(server)


@pytest.mark.parametrize("token", ["", "a\r\nX-Evil: 1", "ä", None])
def test_a_token_that_is_none_is_refused(token: str) -> None:
    address = ServiceAddress.parse("http://127.0.0.1:1")
    with pytest.raises(InvalidArgument, match="token must"):
        HttpTransport(address, token, timeout=1, ca_file=None)


def test_certificates_are_checked(tmp_path: Path, pauses: list[float]) -> None:
    certificate, key = write_certificate(tmp_path)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    with serve(OK, context=context) as server:
        with (
            pytest.raises(SourceError, match="is not trusted"),
            connect(server, "https") as unknown,
        ):
            unknown.send("POST", "/x", {})
        assert server.bodies == []
        with connect(server, "https", certificate) as known:
            assert known.send("POST", "/x", {}) == {"a": 1}
    assert pauses == []
    with (
        pytest.raises(InvalidArgument, match="ca_file must be a file"),
        connect(server, "https", tmp_path / "missing.pem"),
    ):
        pass
