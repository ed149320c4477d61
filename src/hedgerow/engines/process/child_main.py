"""The other side of a worker: a process that does nothing but hold a session and answer what comes
through its pipe.

It has no environment, leaves no core, and ends with its parent. Before it meets any data it gives
up, where the system lets it, writing, reading other files, its capabilities and the network
(``sandbox``), and tells which of that was to be had.
"""

from __future__ import annotations

import contextlib
import os
import queue
import resource
import threading
from pathlib import Path
from typing import Any

from hedgerow.engines.duckdb.session import DuckDBSession
from hedgerow.engines.process.framing import ChannelBroken, Message, receive_message, send_message
from hedgerow.engines.process.session_protocol import AttachedRelation, EngineLimits
from hedgerow.engines.process.statement import Statement
from hedgerow.engines.sandbox.layers import apply_layers
from hedgerow.errors import SourceError

__all__ = ["main"]


def main() -> None:
    """Serves until the pipe ends."""
    inlet, outlet = os.dup(0), os.dup(1)
    nothing = os.open(os.devnull, os.O_RDWR)
    for standard in (0, 1):  # whatever a library prints must not reach the pipe
        os.dup2(nothing, standard)
    header, _ = receive_message(inlet)
    _limit_resources(header["space"])
    # before there is another thread: each would keep its own rights
    layers = apply_layers(header["paths"])
    requests: queue.SimpleQueue[Message] = queue.SimpleQueue()
    threading.Thread(target=_read_requests, args=(inlet, requests), daemon=True).start()
    session = DuckDBSession(
        [Path(path) for path in header["paths"]],
        EngineLimits(header["threads"], header["memory"]),
        header["rows"],
    )
    send_message(outlet, {"ok": True, "layers": layers})
    while True:
        send_message(outlet, *_handle_request(session, *requests.get()))


def _read_requests(inlet: int, requests: queue.SimpleQueue[Message]) -> None:
    """Reads while the engine works, so that the end of the parent is the end of this process,
    whatever it is doing.
    """
    with contextlib.suppress(ChannelBroken):
        while True:
            requests.put(receive_message(inlet))
    os._exit(0)


def _limit_resources(space: int) -> None:
    """Cap the memory of this process, and let it leave no core and let no file grow."""
    for limit, most in (
        (resource.RLIMIT_AS, space),
        (resource.RLIMIT_CORE, 0),
        (resource.RLIMIT_FSIZE, 0),
    ):
        hard = resource.getrlimit(limit)[1]
        least = most if hard == resource.RLIM_INFINITY else min(most, hard)
        resource.setrlimit(limit, (least, least))


def _handle_request(
    session: DuckDBSession, header: dict[str, Any], payload: bytes
) -> tuple[dict[str, Any], bytes]:
    try:
        if header["do"] == "answer":
            tally = None if header["tally"] is None else tuple(header["tally"])
            statement = Statement(
                header["sql"],
                tuple(header["keys"]),
                tuple(header["wide"]),
                tally,
                header["by_unit"],
            )
            found, numbers = session.run_encoded(statement)
            return {"ok": True, **found}, numbers
        if header["do"] == "vouch":
            return {
                "ok": True,
                "sound": session.verify_statistics(header["relation"], header["names"]),
            }, b""
        attached = _attach_relation(session, header, payload)
        return {"ok": True, "columns": attached.columns}, b""
    except SourceError as error:  # our own words about a file, none of which come from its rows
        return {"ok": False, "words": str(error)}, b""
    except Exception:
        return {"ok": False, "words": None}, b""


def _attach_relation(
    session: DuckDBSession, header: dict[str, Any], payload: bytes
) -> AttachedRelation:
    if header["do"] == "object":
        import pyarrow as pa

        return session.attach_object(header["relation"], pa.ipc.open_stream(payload).read_all())
    if header["do"] == "file":
        return session.attach_file(header["relation"], Path(header["path"]))
    return session.store_query(header["relation"], header["query"])
