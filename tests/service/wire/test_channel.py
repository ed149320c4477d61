from __future__ import annotations

import asyncio
import ssl
import struct

import pytest

from hedgerow.service.wire.channel import ConnectionEnds, WireChannel
from hedgerow.service.wire.messages import MAX_MESSAGE, MalformedMessage


class Writer:
    def __init__(self) -> None:
        self.sent = b""

    def write(self, data: bytes) -> None:
        self.sent += data

    async def drain(self) -> None:
        pass


async def make_channel(data: bytes) -> tuple[WireChannel, Writer]:
    reader, writer = asyncio.StreamReader(), Writer()
    reader.feed_data(data)
    reader.feed_eof()
    return WireChannel(reader, writer, None), writer  # type: ignore[arg-type]


def test_a_message_is_read_whole() -> None:
    async def run() -> None:
        channel, _ = await make_channel(b"Q" + struct.pack("!I", 6) + b"x\0" + b"S\0\0\0\x04")
        assert await channel.read_message() == (b"Q", b"x\0")
        assert await channel.read_message() == (b"S", b"")
        with pytest.raises(asyncio.IncompleteReadError):
            await channel.read_message()

    asyncio.run(run())


@pytest.mark.parametrize("size", [0, 3, MAX_MESSAGE + 1, 2**32 - 1])
def test_a_length_that_cannot_be_is_malformed(size: int) -> None:
    async def run() -> None:
        channel, _ = await make_channel(b"Q" + struct.pack("!I", size))
        with pytest.raises(MalformedMessage):
            await channel.read_message()

    asyncio.run(run())


def test_an_end_sends_its_reason() -> None:
    async def run() -> None:
        channel, writer = await make_channel(b"")
        with pytest.raises(ConnectionEnds):
            await channel.end("3D000", "No such database.")
        assert b"FATAL" in writer.sent
        await channel.upgrade()
        assert writer.sent.endswith(b"N")
        assert not channel.lacks_tls

    asyncio.run(run())


def test_plain_data_before_tls_is_never_read_as_if_it_were_encrypted() -> None:
    async def run() -> None:
        reader, writer = asyncio.StreamReader(), Writer()
        reader.feed_data(b"Q" + struct.pack("!I", 6) + b"x\0")
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        channel = WireChannel(reader, writer, context)  # type: ignore[arg-type]
        with pytest.raises(ConnectionEnds):
            await channel.upgrade()
        assert writer.sent[:1] == b"S"
        assert b"Plain data" in writer.sent
        assert channel.lacks_tls

    asyncio.run(run())
