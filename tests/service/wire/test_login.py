from __future__ import annotations

import socket
import struct

import psycopg
import pytest

from service.helpers_service import RunningService


@pytest.mark.parametrize(
    ("user", "password"), [("ana", "wrong"), ("nobody", "wrong"), ("ben", None), ("", "x")]
)
def test_a_wrong_name_or_token_gets_the_same_words(
    running: RunningService, user: str, password: str | None
) -> None:
    secret = running.tokens["ana"] if password is None else password
    with pytest.raises(psycopg.OperationalError, match="The name or the token is wrong") as failure:
        psycopg.connect(
            host="127.0.0.1",
            port=running.pg_port,
            user=user or "x",
            password=secret,
            dbname="clinic",
        )
    assert "hedgerow account token" in str(failure.value)


def test_another_database_is_refused_after_the_login(running: RunningService) -> None:
    with pytest.raises(psycopg.OperationalError, match=r"one database here\. Connect to clinic"):
        psycopg.connect(
            host="127.0.0.1",
            port=running.pg_port,
            user="ana",
            password=running.tokens["ana"],
            dbname="postgres",
        )


def exchange(running: RunningService, *messages: bytes) -> bytes:
    with socket.create_connection(("127.0.0.1", running.pg_port), timeout=10) as connection:
        for message in messages:
            connection.sendall(message)
        connection.shutdown(socket.SHUT_WR)
        found = b""
        while chunk := connection.recv(65_536):
            found += chunk
        return found


def test_encryption_that_is_not_there_is_declined(running: RunningService) -> None:
    tls, gss = struct.pack("!ii", 8, 80_877_103), struct.pack("!ii", 8, 80_877_104)
    assert exchange(running, gss, tls) == b"NN"


@pytest.mark.parametrize(
    "message",
    [
        b"",
        b"\0\0",
        struct.pack("!ii", 4, 0),
        struct.pack("!Ii", 0xFFFFFFFF, 0),
        struct.pack("!ii", 20_000, 196_608),
        struct.pack("!iiii", 16, 80_877_102, 1, 2),  # a cancel key that nobody has
    ],
)
def test_nonsense_ends_the_connection_without_a_word(
    running: RunningService, message: bytes
) -> None:
    assert exchange(running, message) == b""


def test_an_old_protocol_and_a_bad_login_are_named(running: RunningService) -> None:
    assert b"08P01" in exchange(running, struct.pack("!ii", 8, 2 << 16))
    startup = struct.pack("!ii", 8 + 10, 196_608) + b"user\0ana\0\0"
    assert b"28P01" in exchange(running, startup, b"p" + struct.pack("!i", 9) + b"MD5\0x")


def test_an_option_of_the_protocol_that_is_unknown_is_negotiated(running: RunningService) -> None:
    body = b"user\0ana\0_pq_.more\0x\0\0"
    startup = struct.pack("!ii", 8 + len(body), 196_608 + 2) + body
    known = struct.pack("!iii", 4 + 4 + 4 + 10, 196_610, 1) + b"_pq_.more\0"
    assert exchange(running, startup).startswith(b"v" + known)


@pytest.mark.parametrize("version", ["3.0", "3.2", "latest"])
def test_clients_of_each_version_connect_and_may_cancel(
    running: RunningService, version: str
) -> None:
    with psycopg.connect(
        host="127.0.0.1",
        port=running.pg_port,
        user="ana",
        password=running.tokens["ana"],
        dbname="clinic",
        max_protocol_version=version,
    ) as connection:
        assert connection.execute("SELECT 1").fetchone() == (1,)
        connection.cancel_safe(timeout=20)
        assert connection.execute("SELECT 2").fetchone() == (2,)


def test_a_newer_version_is_answered_with_the_newest_that_is_known(
    running: RunningService,
) -> None:
    body = b"user\0ana\0\0"
    startup = struct.pack("!ii", 8 + len(body), 196_608 + 9) + body
    assert exchange(running, startup).startswith(b"v" + struct.pack("!iii", 12, 196_610, 0))
