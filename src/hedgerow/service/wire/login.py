"""The beginning of a connection: negotiation, cancel requests, and the login by SCRAM."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from hedgerow.service.accounts.account_file import AccountFile
from hedgerow.service.accounts.records import Caller
from hedgerow.service.wire import messages as wire
from hedgerow.service.wire.channel import ConnectionEnds, WireChannel
from hedgerow.service.wire.messages import BodyReader, MalformedMessage
from hedgerow.service.wire.scram import MECHANISM, ScramFailed, start_scram

__all__ = ["Startup", "log_in", "negotiate_startup"]

_MAX_LOGIN = 4096  # bytes of a message
_WRONG_TOKEN = (
    "The name or the token is wrong. The password is a token: create one on the page Tokens, or"
    " with 'hedgerow account token'."
)


@dataclass(frozen=True, slots=True)
class Startup:
    """The version and the parameters of a connection."""

    version: int
    parameters: Mapping[str, str]


async def negotiate_startup(
    channel: WireChannel, cancel: Callable[[tuple[int, bytes]], None]
) -> Startup:
    """Read up to the startup message and return it; a cancel request ends here."""
    while True:
        body = await channel.read_startup()
        code = body.read_integer(4)
        if code == wire.TLS_REQUEST:
            await channel.upgrade()
        elif code == wire.GSS_REQUEST:
            await channel.send(b"N")
        elif code == wire.CANCEL_REQUEST:
            cancel((body.read_integer(4), body.read_rest()))
            raise ConnectionEnds
        elif code >> 16 != wire.PROTOCOL_3 >> 16:
            await channel.end("08P01", "Only version 3 of the protocol is supported.")
        elif channel.lacks_tls:
            await channel.end("28000", "TLS is required: connect with sslmode=require.")
        else:
            return await _read_startup(channel, code, body)


async def _read_startup(channel: WireChannel, version: int, body: BodyReader) -> Startup:
    """Read the parameters, and name the newest version and what is unknown, if that is needed."""
    parameters: dict[str, str] = {}
    while name := body.read_text():
        parameters[name] = body.read_text()
    unknown = [name for name in parameters if name.startswith("_pq_.")]
    if version > wire.NEWEST_PROTOCOL or unknown:
        await channel.send(wire.encode_negotiation(unknown))
    return Startup(min(version, wire.NEWEST_PROTOCOL), parameters)


async def log_in(channel: WireChannel, name: str, accounts: AccountFile) -> Caller:
    """Return the caller who proves to know a token of the account."""
    await channel.send(wire.encode_authentication(10, MECHANISM.encode() + b"\0\0"))
    try:
        body = BodyReader(await _read_login(channel))
        if body.read_text() != MECHANISM:
            raise ScramFailed
        first = body.read_bytes(body.read_integer(4))
        body.check_end()
        salt = await asyncio.to_thread(accounts.choose_salt, name)
        exchange = start_scram(first, salt, await asyncio.to_thread(accounts.list_scram_keys, name))
        await channel.send(wire.encode_authentication(11, exchange.server_first.encode()))
        caller, signature = exchange.finish(await _read_login(channel))
    except (ScramFailed, MalformedMessage):
        await channel.end("28P01", _WRONG_TOKEN)
        raise ConnectionEnds from None
    await channel.send(wire.encode_authentication(12, signature))
    return caller


async def _read_login(channel: WireChannel) -> bytes:
    kind, body = await channel.read_message()
    if kind != b"p" or len(body) > _MAX_LOGIN:
        raise MalformedMessage
    return body
