"""The channel of one connection: whole messages in and out, with an upgrade to TLS."""

from __future__ import annotations

import asyncio
import ssl
import struct

from hedgerow.service.wire import messages as wire
from hedgerow.service.wire.messages import BodyReader, MalformedMessage

__all__ = ["ConnectionEnds", "WireChannel"]

_MAX_STARTUP = 10_000  # bytes


class ConnectionEnds(Exception):
    """The connection is over, without another word."""


class WireChannel:
    """The messages of a connection."""

    def __init__(
        self,
        reader: asyncio.StreamReader,
        writer: asyncio.StreamWriter,
        tls: ssl.SSLContext | None,
    ) -> None:
        self._reader, self._writer, self._tls = reader, writer, tls
        self._is_encrypted = False

    @property
    def lacks_tls(self) -> bool:
        """True if TLS is required and was not asked for."""
        return self._tls is not None and not self._is_encrypted

    async def read_startup(self) -> BodyReader:
        """Read a message of the startup, which has no kind."""
        size = struct.unpack("!I", await self._reader.readexactly(4))[0]
        if not 8 <= size <= _MAX_STARTUP:
            raise ConnectionEnds
        return BodyReader(await self._reader.readexactly(size - 4))

    async def read_message(self) -> tuple[bytes, bytes]:
        """Read a message: its kind and its body."""
        head = await self._reader.readexactly(5)
        size = struct.unpack("!I", head[1:])[0]
        if not 4 <= size <= wire.MAX_MESSAGE:
            raise MalformedMessage
        return head[:1], await self._reader.readexactly(size - 4)

    async def send(self, data: bytes) -> None:
        """Send bytes."""
        self._writer.write(data)
        await self._writer.drain()

    async def end(self, sqlstate: str, message: str) -> None:
        """Send a fatal error and end the connection."""
        await self.send(wire.encode_error(sqlstate, message, is_fatal=True))
        raise ConnectionEnds

    async def upgrade(self) -> None:
        """Answer a request for TLS."""
        if self._tls is None or self._is_encrypted:
            await self.send(b"N")
            return
        await self.send(b"S")
        if self._reader._buffer:  # type: ignore[attr-defined]
            # Somebody on the way may have put a plain message here, which would be read as if it
            # had come through TLS. An honest client waits for the answer.
            await self.end("08P01", "Plain data came after the request for TLS.")
        await self._writer.start_tls(self._tls)
        self._is_encrypted = True
