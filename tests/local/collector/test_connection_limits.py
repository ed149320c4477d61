"""Connections over real sockets: silent, slow and flooding ones are aborted, and no others."""

from __future__ import annotations

import asyncio
import socket
import threading
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from typing import Any

import pytest
import uvicorn
from uvicorn.server import ServerState

from hedgerow.local.collector.connection_limits import (
    MAX_HEADER_BYTES,
    build_limited_protocol,
    suspend_deadline,
)

PATIENCE = 0.2
HELLO = b"GET / HTTP/1.1\r\nHost: x\r\n"
LAST = HELLO + b"Connection: close\r\n"
POST = b"POST / HTTP/1.1\r\nHost: x\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\n"


async def counting(scope: Any, receive: Any, send: Any) -> None:
    """Answer with the length of a body; some paths take long, and one never ends."""
    if scope["path"] == "/long":
        await asyncio.sleep(2.5 * PATIENCE)
    if scope["path"] == "/never":
        await asyncio.Event().wait()
    size, more = 0, True
    while more:
        message = await receive()
        size, more = size + len(message.get("body", b"")), message.get("more_body", False)
    await send(
        {"type": "http.response.start", "status": 200, "headers": [(b"content-length", b"8")]}
    )
    await send({"type": "http.response.body", "body": b"%08d" % size})


@contextmanager
def served(patience: float) -> Iterator[tuple[str, int]]:
    with socket.create_server(("127.0.0.1", 0)) as held:
        config = uvicorn.Config(
            counting,
            http=build_limited_protocol(patience),
            log_level="critical",
            lifespan="off",
            timeout_graceful_shutdown=1,
        )
        server = uvicorn.Server(config)
        thread = threading.Thread(target=server.run, kwargs={"sockets": [held]})
        thread.start()
        yield held.getsockname()
        server.should_exit = True
        thread.join()


@pytest.fixture(scope="module")
def hurried() -> Iterator[tuple[str, int]]:
    with served(PATIENCE) as place:
        yield place


@pytest.fixture(scope="module")
def place() -> Iterator[tuple[str, int]]:
    """Serve with a patience longer than any test, so that a closed connection has another cause."""
    with served(600) as place:
        yield place


def heard(place: tuple[str, int], *parts: bytes) -> bytes:
    """Send, and read until the server closes the connection."""
    with socket.create_connection(place, timeout=60) as sender:
        told = b""
        try:
            for part in parts:
                sender.sendall(part)
            while more := sender.recv(1 << 16):
                told += more
        except (ConnectionResetError, BrokenPipeError):
            pass
    return told


@pytest.mark.parametrize("begun", [b"", b"G", HELLO, HELLO + b"A: "])
def test_a_connection_without_a_request_is_aborted(hurried: tuple[str, int], begun: bytes) -> None:
    assert heard(hurried, begun) == b""


def test_a_second_request_that_does_not_come_is_not_waited_for(hurried: tuple[str, int]) -> None:
    told = heard(hurried, HELLO + b"\r\n" + HELLO)
    assert told.startswith(b"HTTP/1.1 200")
    assert told.count(b"HTTP/1.1") == 1


def test_a_connection_being_answered_stays_open_but_not_for_ever(
    hurried: tuple[str, int],
) -> None:
    assert heard(hurried, LAST.replace(b"/ ", b"/long ", 1) + b"\r\n").endswith(b"00000000")
    assert heard(hurried, HELLO.replace(b"/ ", b"/never ", 1) + b"\r\n") == b""


@asynccontextmanager
async def listening(app: Any) -> AsyncIterator[tuple[tuple[str, int], list[Any]]]:
    """Run a server in this loop with a clock that only the test moves; yield its address and its
    connections.
    """
    config, state, made = (
        uvicorn.Config(app, lifespan="off", log_level="critical", timeout_keep_alive=3_600),
        ServerState(),
        list[Any](),
    )

    def connection() -> Any:
        kind: Any = build_limited_protocol(3_600)
        made.append(kind(config=config, server_state=state, app_state={}))
        return made[-1]

    server = await asyncio.get_running_loop().create_server(connection, "127.0.0.1", 0)
    try:
        yield server.sockets[0].getsockname(), made
    finally:
        for one in state.connections:
            one.transport.abort()
        server.close()
        await until(lambda: not state.connections)


async def until(done: Callable[[], bool]) -> None:
    async with asyncio.timeout(60):
        while not done():
            await asyncio.sleep(0.001)


def open_after(connection: Any, looks: int) -> bool:
    """Return True if a connection is still open after ``looks`` patiences."""
    for _ in range(looks):
        if not connection.transport.is_closing():
            connection._clock._run()
    return not connection.transport.is_closing()


async def asked(
    place: tuple[str, int], made: list[Any], request: bytes
) -> tuple[Any, socket.socket]:
    """Begin a request, and return the server's end of its connection and ours."""
    ours = socket.socket()
    ours.setblocking(False)
    await asyncio.get_running_loop().sock_connect(ours, place)
    await asyncio.get_running_loop().sock_sendall(ours, request)
    await until(lambda: bool(made) and made[-1].cycle is not None)
    return made[-1], ours


async def told(ours: socket.socket, size: int) -> int:
    """Return the number of bytes of an answer that arrive before the connection is closed."""
    found, held = b"", 0
    while held < size and (more := await asyncio.get_running_loop().sock_recv(ours, 1 << 20)):
        found += more
        held = len(found) - found.index(b"\r\n\r\n") - 4 if b"\r\n\r\n" in found else 0
    return held


ASKED = HELLO + b"\r\n"


def answering(size: int, go: asyncio.Event) -> Any:
    """Answer with a number of bytes once allowed."""

    async def app(scope: Any, receive: Any, send: Any) -> None:
        await go.wait()
        await send(
            {
                "type": "http.response.start",
                "status": 200,
                "headers": [(b"content-length", b"%d" % size)],
            }
        )
        await send({"type": "http.response.body", "body": b"x" * size})

    return app


def test_an_answered_connection_has_a_patience_for_its_next_request() -> None:
    """At work at one look and answered before the next, a connection was idle for a moment only."""

    async def twice() -> None:
        go = asyncio.Event()
        async with listening(answering(8, go)) as (place, made):
            connection, ours = await asked(place, made, ASKED)
            with ours:
                assert open_after(connection, 1)
                go.set()
                assert await told(ours, 8) == 8
                await until(lambda: connection.cycle.response_complete)
                assert open_after(connection, 1)
                await asyncio.get_running_loop().sock_sendall(ours, ASKED)
                assert await told(ours, 8) == 8
                await until(lambda: connection.cycle.response_complete)
                assert open_after(connection, 1)
                assert not open_after(connection, 1)

    asyncio.run(twice())


@pytest.mark.parametrize("head", [HELLO, LAST])
def test_an_answer_that_is_being_read_is_waited_for_but_not_for_ever(head: bytes) -> None:
    size = 32 << 20  # far more than the system keeps of what was sent and not read

    async def read(looks: int) -> int:
        go = asyncio.Event()
        go.set()
        async with listening(answering(size, go)) as (place, made):
            connection, ours = await asked(place, made, head + b"\r\n")
            with ours:
                await until(lambda: bool(connection.cycle.response_complete))
                assert connection.transport.get_write_buffer_size() > 0
                for _ in range(looks):
                    connection._clock._run()
                return await told(ours, size)

    assert asyncio.run(read(4)) == size
    assert asyncio.run(read(5)) < size


def test_the_clock_stops_in_the_queue_and_restarts_afterwards() -> None:
    async def waits() -> None:
        turn, scopes = asyncio.Event(), list[Any]()

        async def app(scope: Any, receive: Any, send: Any) -> None:
            scopes.append(scope)
            with suspend_deadline(scope):
                await turn.wait()
            await asyncio.Event().wait()

        async with listening(app) as (place, made):
            connection, ours = await asked(place, made, ASKED)
            with ours:
                assert open_after(connection, 3)
                await until(lambda: bool(scopes))
                assert open_after(connection, 100)
                turn.set()
                await until(lambda: not scopes[0]["state"])
                assert open_after(connection, 4)
                assert not open_after(connection, 1)

    asyncio.run(waits())


FLOODS = {
    "headers": (LAST, b"a: b\r\n" * 20_000, b"\r\n"),
    "a long header": (LAST + b"A: ", b"x" * 1_000_000, b"\r\n\r\n"),
    "a long address": (
        b"GET /",
        b"x" * 1_000_000,
        b" HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n",
    ),
    "trailers": (POST + b"1\r\nx\r\n0\r\n", b"a: b\r\n" * 20_000, b"\r\n"),
    "a long trailer": (POST + b"1\r\nx\r\n0\r\nA: ", b"x" * 1_000_000, b"\r\n\r\n"),
    "the extension of a chunk": (POST + b"1;a=", b"x" * 1_000_000, b"\r\nx\r\n0\r\n\r\n"),
}
"""Requests that would be answered, but for what is in the middle."""


@pytest.mark.parametrize("flood", FLOODS)
def test_bytes_besides_the_body_are_limited(place: tuple[str, int], flood: str) -> None:
    head, middle, end = FLOODS[flood]
    assert heard(place, head, middle[:6], end).startswith(b"HTTP/1.1 200")
    told = heard(place, head, middle, end)
    assert b"HTTP/1.1 200" not in told
    assert told == b"" or told.startswith(b"HTTP/1.1 400")


@pytest.mark.parametrize("size", [16, 1_000, 100_000])
def test_bodies_of_any_length_in_pieces_of_any_size_arrive(
    place: tuple[str, int], size: int
) -> None:
    pieces = b"".join(b"%x\r\n%b\r\n" % (size, b"x" * size) for _ in range(1_000_000 // size))
    told = heard(place, POST, pieces, b"0\r\n\r\n")
    assert told.endswith(b"%08d" % (1_000_000 // size * size))


def test_each_request_of_a_connection_has_limits_of_its_own(place: tuple[str, int]) -> None:
    filled = HELLO + b"A: " + b"x" * (MAX_HEADER_BYTES // 3) + b"\r\n\r\n"
    with socket.create_connection(place, timeout=60) as sender:
        for _ in range(10):
            sender.sendall(filled)
            told = more = sender.recv(1 << 16)
            while more and not told.endswith(b"00000000"):
                more = sender.recv(1 << 16)
                told += more
            assert told.startswith(b"HTTP/1.1 200")
