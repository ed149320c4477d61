"""The main loop of the engine process: it holds a session and answers the requests on its pipe.

It has no environment, leaves no core dump, and ends with its parent. Before it sees any data it
gives up writing, other files, its capabilities and the network, as far as the system allows
(``sandbox``), and reports which of these layers are active.
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
from hedgerow.engines.duckdb.session_protocol import AttachedRelation, EngineLimits
from hedgerow.engines.framing import ChannelBroken, Message, receive_message, send_message
from hedgerow.engines.sandbox.layers import apply_layers
from hedgerow.engines.statement import Statement
from hedgerow.errors import SourceError

__all__ = ["main"]


def main() -> None:
    """Serve requests until the pipe ends."""
    inlet, outlet = os.dup(0), os.dup(1)
    null = os.open(os.devnull, os.O_RDWR)
    for standard in (0, 1):  # output of a library must not reach the pipe
        os.dup2(null, standard)
    header, _ = receive_message(inlet)
    _limit_resources(header["space"])
    # before another thread starts, which would not be confined
    layers = apply_layers(header["paths"])
    requests: queue.SimpleQueue[Message] = queue.SimpleQueue()
    threading.Thread(target=_read_requests, args=(inlet, requests), daemon=True).start()
    session = _open_session(header)
    send_message(outlet, {"ok": True, "layers": layers})
    while True:
        request, payload = requests.get()
        if request["do"] == "renew":
            session.close()
            session = _open_session(header)
            send_message(outlet, {"ok": True})
        else:
            send_message(outlet, *_handle_request(session, request, payload))


def _open_session(header: dict[str, Any]) -> DuckDBSession:
    limits = EngineLimits(header["threads"], header["memory"])
    return DuckDBSession([Path(path) for path in header["paths"]], limits, header["rows"])


def _read_requests(inlet: int, requests: queue.SimpleQueue[Message]) -> None:
    """Read requests while the engine works, so that the process ends with its parent whatever it is
    doing.
    """
    with contextlib.suppress(ChannelBroken):
        while True:
            requests.put(receive_message(inlet))
    os._exit(0)


def _limit_resources(space: int) -> None:
    for limit, value in (
        (resource.RLIMIT_AS, space),
        (resource.RLIMIT_CORE, 0),
        (resource.RLIMIT_FSIZE, 0),
    ):
        hard = resource.getrlimit(limit)[1]
        bound = value if hard == resource.RLIM_INFINITY else min(value, hard)
        resource.setrlimit(limit, (bound, bound))


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
    except SourceError as error:  # our own message about a file, without any of its rows
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
