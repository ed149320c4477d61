"""Mutated messages of the PostgreSQL protocol, with a second codec as their judge.

A round is a few messages, one of which is mutated, and a Sync. pygwire decides which messages are
malformed, and reads all that comes back.
"""

from __future__ import annotations

import contextlib
import random
import socket
import struct
from collections import Counter
from collections.abc import Sequence
from typing import Final

from pygwire import BackendMessageDecoder, ConnectionPhase, PygwireError
from pygwire import messages as pg
from pygwire.messages import PGMessage
from scramp import ScramClient

from service.helpers_service import RunningService

__all__ = ["FuzzedSession", "fuzz_logins", "fuzz_sessions"]

_WAIT: Final = 30  # seconds: without an answer by then, the service hangs
_STARTUP: Final = struct.pack("!ii", 17, 196_608) + b"user\0ana\0"
_QUESTION: Final = "SELECT region, COUNT(*) AS n FROM visits WHERE age > $1 GROUP BY region"
_ROUNDS: Final[tuple[tuple[PGMessage, ...], ...]] = (
    (pg.Query(query_string="SELECT 1; SHOW hedgerow.epsilon; SELECT 'a' AS b"),),
    (pg.Query(query_string="BEGIN; SAVEPOINT a; ROLLBACK TO a; COMMIT; DISCARD ALL"),),
    (pg.Query(query_string="COPY (SELECT 1, 'x') TO STDOUT (FORMAT csv, HEADER)"),),
    (pg.Query(query_string="DECLARE c CURSOR FOR SELECT 2; FETCH 1 FROM c; CLOSE c"),),
    (pg.Query(query_string="SELECT COUNT(*) FROM visits"),),
    (
        pg.Parse(statement="", query="SELECT $1::int8, $2::text", param_types=[20, 25]),
        pg.Bind(param_formats=[1, 0], param_values=[bytes(8), b"x"], result_formats=[1]),
        pg.Describe(kind="P", name=""),
        pg.Execute(portal="", max_rows=1),
    ),
    (
        pg.Parse(statement="s", query="SELECT relname FROM pg_class LIMIT $1"),
        pg.Describe(kind="S", name="s"),
        pg.Bind(portal="p", statement="s", param_values=[b"3"]),
        pg.Execute(portal="p", max_rows=2),
        pg.Execute(portal="p", max_rows=0),
        pg.Close(kind="P", name="p"),
        pg.Close(kind="S", name="s"),
    ),
    (pg.Parse(statement="", query=_QUESTION), pg.Describe(kind="S", name="")),
    (pg.Flush(), pg.Sync(), pg.CopyData(data=b"1\t2\n"), pg.CopyDone(), pg.Sync()),
)
_EDGES: Final = (b"\xff\xff\xff\xff", b"\x7f\xff\xff\xff", b"\x80\0\0\0", b"\xff\xfe", b"\0\0")
_KINDS: Final = b"PBDECQSHXFcdfpRZ\0\xff"


class FuzzedSession:
    """One connection after its login."""

    def __init__(self, running: RunningService, who: str, token: str) -> None:
        self._socket = socket.create_connection(("127.0.0.1", running.pg_port), timeout=_WAIT)
        self._decoder = BackendMessageDecoder()
        self._decoder.phase = ConnectionPhase.AUTHENTICATING
        client = ScramClient(["SCRAM-SHA-256"], who, token)
        body = struct.pack("!i", 196_608) + b"user\0" + who.encode() + b"\0\0"
        self._socket.sendall(struct.pack("!i", len(body) + 4) + body)
        self.read_until(pg.AuthenticationSASL)
        first = client.get_client_first().encode()
        self.send(pg.SASLInitialResponse(mechanism="SCRAM-SHA-256", data=first).to_wire())
        client.set_server_first(self.read_until(pg.AuthenticationSASLContinue)[-1].data.decode())
        self.send(pg.SASLResponse(data=client.get_client_final().encode()).to_wire())
        self.read_until(pg.AuthenticationOk)
        self._decoder.phase = ConnectionPhase.INITIALIZATION
        self.read_until(pg.ReadyForQuery)
        self._decoder.phase = ConnectionPhase.EXTENDED_QUERY

    def send(self, data: bytes) -> None:
        with contextlib.suppress(ConnectionError):
            self._socket.sendall(data)

    def end_input(self) -> None:
        with contextlib.suppress(OSError):
            self._socket.shutdown(socket.SHUT_WR)

    def read_until(self, last: type[PGMessage] | None) -> list[PGMessage]:
        """Read messages up to one of a kind, or to the end of the connection."""
        found: list[PGMessage] = []
        while True:
            for message in self._decoder:
                found.append(message)
                if isinstance(message, pg.CopyOutResponse):
                    self._decoder.phase = ConnectionPhase.COPY_OUT
                elif isinstance(message, pg.CopyDone):
                    self._decoder.phase = ConnectionPhase.EXTENDED_QUERY
                if last is not None and isinstance(message, last):
                    return found
            data = b""
            with contextlib.suppress(ConnectionError):
                data = self._socket.recv(65_536)
            if not data:
                assert self._decoder.buffered == 0, "the last message is not whole"
                return found
            self._decoder.feed(data)

    def close(self) -> None:
        self._socket.close()


def fuzz_sessions(running: RunningService, count: int, seed: int) -> Counter[str]:
    """Send rounds with ``count`` mutated messages; return how often each SQLSTATE came back."""
    stream, seen = random.Random(seed), Counter[str]()
    text, _ = running.service.accounts.add_token("ana", "fuzz", "ana", needs_epsilon=True)
    session = FuzzedSession(running, "ana", text)
    for number in range(count):
        messages = list(stream.choice(_ROUNDS))
        place = stream.randrange(len(messages))
        kind, body = messages[place].identifier, messages[place].encode()
        if number % 20 == 19:  # the framing; the connection ends
            found = _break_framing(session, stream, kind, body)
            session.close()
            session = FuzzedSession(running, "ana", text)
        else:
            mutated = _mutate(stream, body)
            parts = [one.to_wire() for one in messages]
            parts[place] = _frame(kind, mutated)
            found = _send_round(session, messages, parts)
            says = any(_is_malformed(message) for message in found)
            # A name that an earlier round left behind lets the message be skipped.
            assert _has_old_name(found) or says is not _is_well_formed(
                type(messages[place]), mutated
            ), (kind, mutated)
        failed = [one.fields["C"] for one in found if isinstance(one, pg.ErrorResponse)]
        seen.update(failed)
        if failed or number % 50 == 0:
            _restore(session)
    session.close()
    return seen


def _send_round(
    session: FuzzedSession, messages: Sequence[PGMessage], parts: Sequence[bytes]
) -> list[PGMessage]:
    """Send messages and a Sync, and read an answer to each that has one."""
    session.send(b"".join(parts) + pg.Sync().to_wire())
    found = []
    for _ in range(1 + sum(isinstance(one, pg.Query | pg.Sync) for one in messages)):
        found += session.read_until(pg.ReadyForQuery)
        assert isinstance(found[-1], pg.ReadyForQuery), found
    return found


def _break_framing(
    session: FuzzedSession, stream: random.Random, kind: bytes, body: bytes
) -> list[PGMessage]:
    """Send a message with another kind or another length, and read to the end."""
    data = bytearray(_frame(kind, body))
    if stream.random() < 0.5:
        data[0] = stream.choice(_KINDS)
    else:
        data[1:5] = stream.choice((stream.randbytes(4), struct.pack("!I", stream.randrange(40))))
    session.send(bytes(data) + pg.Sync().to_wire())
    session.end_input()
    return session.read_until(None)


def _restore(session: FuzzedSession) -> None:
    """Bring a session back to its beginning, and see that it is as good as new."""
    session.send(pg.Query(query_string="ROLLBACK; DISCARD ALL; SHOW timezone").to_wire())
    found = session.read_until(pg.ReadyForQuery)
    assert [one.columns for one in found if isinstance(one, pg.DataRow)] == [[b"UTC"]]
    assert found[-1].to_wire() == b"Z\0\0\0\x05I"


def _frame(kind: bytes, body: bytes) -> bytes:
    return kind + struct.pack("!i", len(body) + 4) + body


def _mutate(stream: random.Random, body: bytes) -> bytes:
    data = bytearray(body)
    texts = [place for place, byte in enumerate(data) if 32 <= byte < 127]
    if texts and stream.random() < 0.6:  # the message stays well-formed, and goes deeper
        for _ in range(stream.choice((1, 2, 5))):
            data[stream.choice(texts)] = stream.randrange(32, 127)
        return bytes(data)
    for _ in range(stream.choice((1, 1, 1, 2, 4))):
        start = stream.randrange(len(data) + 1)
        end = min(len(data), start + stream.choice((1, 1, 2, 4, 9)))
        match stream.randrange(5):
            case 0:
                data[start:end] = stream.randbytes(end - start)
            case 1:
                del data[start:end]
            case 2:
                data[start:start] = data[start:end] or b"\0"
            case 3:
                data[start:end] = stream.choice(_EDGES)
            case _:
                del data[start:]
    return bytes(data)


def _is_well_formed(kind: type[PGMessage], body: bytes) -> bool:
    """Return what pygwire thinks: it reads the message, and writes the same bytes."""
    if issubclass(kind, pg.CopyData | pg.CopyDone):
        return True  # nobody reads them outside of a COPY
    try:
        message = kind.decode(memoryview(body))
        return message.encode() == body and getattr(message, "kind", "S") in ("S", "P")
    except (PygwireError, struct.error, ValueError, IndexError):
        return False


def _has_old_name(found: Sequence[PGMessage]) -> bool:
    codes = [one.fields["C"] for one in found if isinstance(one, pg.ErrorResponse)]
    return "42P05" in codes or "42P03" in codes


def _is_malformed(message: PGMessage) -> bool:
    return isinstance(message, pg.ErrorResponse) and message.fields["M"] == "Malformed message."


def fuzz_logins(running: RunningService, count: int, seed: int) -> None:
    """Send ``count`` mutated beginnings of a connection, and read each to its end."""
    stream = random.Random(seed)
    first = b"n,,n=ana,r=abcdefgh"
    login = pg.SASLInitialResponse(mechanism="SCRAM-SHA-256", data=first).to_wire()
    for _ in range(count):
        data = _mutate(stream, _STARTUP + b"\0" + login + pg.SASLResponse(data=b"c=biws").to_wire())
        address = ("127.0.0.1", running.pg_port)
        with (
            socket.create_connection(address, timeout=_WAIT) as connection,
            contextlib.suppress(ConnectionError),
        ):
            connection.sendall(data)
            connection.shutdown(socket.SHUT_WR)
            while connection.recv(65_536):
                pass
