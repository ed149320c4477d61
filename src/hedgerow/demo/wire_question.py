"""One question over the PostgreSQL protocol, without a PostgreSQL client: startup, SCRAM-SHA-256
and a simple query, in text."""

from __future__ import annotations

import base64
import hashlib
import hmac
import secrets
import socket
import struct
from typing import BinaryIO, Final

from hedgerow.errors import SourceError
from hedgerow.service.wire.messages import PROTOCOL_3, BodyReader, encode_message
from hedgerow.service.wire.scram import MECHANISM

__all__ = ["ask_over_wire"]

_TIMEOUT: Final = 60.0
_FIX: Final = "Start it again with 'hedgerow demo'."
_SASL, _SASL_CONTINUE = 10, 11


def ask_over_wire(
    address: tuple[str, int], user: str, token: str, database: str, sql: str
) -> tuple[list[str], list[list[str]]]:
    """Ask a question and return the columns and the rows of its answer as text."""
    with (
        socket.create_connection(address, _TIMEOUT) as connection,
        connection.makefile("rb") as stream,
    ):
        wire = _WireConnection(connection, stream)
        wire.log_in(user, token, database)
        wire.send(b"Q", sql.encode() + b"\0")
        columns: list[str] = []
        rows: list[list[str]] = []
        while (message := wire.read())[0] != b"Z":
            kind, body = message
            if kind == b"T":
                columns = _read_columns(body)
            elif kind == b"D":
                rows.append(_read_cells(body))
        wire.send(b"X", b"")
        return columns, rows


class _WireConnection:
    """The client's end of a connection."""

    def __init__(self, connection: socket.socket, stream: BinaryIO) -> None:
        self._connection, self._stream = connection, stream

    def send(self, kind: bytes, body: bytes) -> None:
        self._connection.sendall(encode_message(kind, body))

    def read(self) -> tuple[bytes, BodyReader]:
        """Read one message; raise the error that it holds."""
        kind = self._stream.read(1)
        (length,) = struct.unpack("!i", self._read_exactly(4))
        body = BodyReader(self._read_exactly(length - 4))
        if kind == b"E":
            fields = body.read_rest().split(b"\0")
            message = next(field[1:] for field in fields if field.startswith(b"M"))
            raise SourceError(message.decode())
        return kind, body

    def log_in(self, user: str, token: str, database: str) -> None:
        """Prove that the user knows a token, and wait until questions may come."""
        named = ("user", user, "database", database, "")
        startup = struct.pack("!i", PROTOCOL_3) + b"".join(one.encode() + b"\0" for one in named)
        self._connection.sendall(encode_message(b"", startup))
        nonce = secrets.token_urlsafe(18)
        bare = f"n=,r={nonce}"
        self._read_login_step(_SASL)
        first = f"n,,{bare}".encode()
        self.send(b"p", MECHANISM.encode() + b"\0" + struct.pack("!i", len(first)) + first)
        challenge = self._read_login_step(_SASL_CONTINUE).read_rest().decode()
        self.send(b"p", _prove_token(token, bare, challenge).encode())
        while self.read()[0] != b"Z":
            pass

    def _read_login_step(self, code: int) -> BodyReader:
        kind, body = self.read()
        if kind != b"R" or body.read_integer(4) != code:
            raise SourceError(f"The service does not log in by {MECHANISM}. {_FIX}")
        return body

    def _read_exactly(self, size: int) -> bytes:
        found = self._stream.read(size)
        if len(found) != size:
            raise SourceError(f"The service closed the connection. {_FIX}")
        return found


def _prove_token(token: str, bare: str, challenge: str) -> str:
    """Return the final message of the client (RFC 5802)."""
    fields = dict(part.split("=", 1) for part in challenge.split(","))
    salted = hashlib.pbkdf2_hmac(
        "sha256", token.encode(), base64.b64decode(fields["s"]), int(fields["i"])
    )
    client_key = hmac.digest(salted, b"Client Key", "sha256")
    without_proof = f"c=biws,r={fields['r']}"
    signed = f"{bare},{challenge},{without_proof}".encode()
    signature = hmac.digest(hashlib.sha256(client_key).digest(), signed, "sha256")
    proof = bytes(a ^ b for a, b in zip(client_key, signature, strict=True))
    return f"{without_proof},p={base64.b64encode(proof).decode()}"


def _read_columns(body: BodyReader) -> list[str]:
    names = []
    for _ in range(body.read_count()):
        names.append(body.read_text())
        body.read_bytes(18)
    return names


def _read_cells(body: BodyReader) -> list[str]:
    sizes = (body.read_integer(4) for _ in range(body.read_count()))
    return ["NULL" if size < 0 else body.read_bytes(size).decode() for size in sizes]
