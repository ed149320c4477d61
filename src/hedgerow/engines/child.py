"""The other side of a worker: a process that does nothing but hold a session and answer what comes through its pipe.

It has no environment, no network where the system lets it give that up, writes no files, leaves no core, and ends with its parent.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import queue
import resource
import sys
import threading
from pathlib import Path
from typing import Any, Final

from hedgerow.engines.desk import Attached, Limits
from hedgerow.engines.session import Session
from hedgerow.engines.statement import Statement
from hedgerow.engines.wire import Broken, Message, receive, send
from hedgerow.errors import SourceError

__all__ = ["main"]

_NEW_USER: Final = 0x10000000
_NEW_NETWORK: Final = 0x40000000


def main() -> None:
    """Serves until the pipe ends."""
    inlet, outlet = os.dup(0), os.dup(1)
    nothing = os.open(os.devnull, os.O_RDWR)
    for standard in (0, 1):  # whatever a library prints must not reach the pipe
        os.dup2(nothing, standard)
    header, _ = receive(inlet)
    _confine(header["space"])
    requests: queue.SimpleQueue[Message] = queue.SimpleQueue()
    threading.Thread(target=_listen, args=(inlet, requests), daemon=True).start()
    session = Session([Path(path) for path in header["paths"]], Limits(header["threads"], header["memory"]), header["rows"])
    send(outlet, {"ok": True})
    while True:
        send(outlet, *_answer(session, *requests.get()))


def _listen(inlet: int, requests: queue.SimpleQueue[Message]) -> None:
    """Reads while the engine works, so that the end of the parent is the end of this process, whatever it is doing."""
    with contextlib.suppress(Broken):
        while True:
            requests.put(receive(inlet))
    os._exit(0)


def _confine(space: int) -> None:
    """Gives up what is not needed. Only the limits are sure; a network of its own is not to be had everywhere."""
    for limit, most in ((resource.RLIMIT_AS, space), (resource.RLIMIT_CORE, 0), (resource.RLIMIT_FSIZE, 0)):
        hard = resource.getrlimit(limit)[1]
        least = most if hard == resource.RLIM_INFINITY else min(most, hard)
        resource.setrlimit(limit, (least, least))
    if sys.platform == "linux":
        library = ctypes.CDLL(None)
        if library.unshare(_NEW_NETWORK) != 0:
            library.unshare(_NEW_USER | _NEW_NETWORK)


def _answer(session: Session, header: dict[str, Any], payload: bytes) -> tuple[dict[str, Any], bytes]:
    try:
        if header["do"] == "answer":
            tally = None if header["tally"] is None else tuple(header["tally"])
            statement = Statement(header["sql"], tuple(header["keys"]), tuple(header["wide"]), tally, header["by_unit"])
            found, numbers = session.packed(statement)
            return {"ok": True, **found}, numbers
        if header["do"] == "vouch":
            return {"ok": True, "sound": session.vouch(header["relation"], header["names"])}, b""
        attached = _attach(session, header, payload)
        return {"ok": True, "columns": attached.columns}, b""
    except SourceError as error:  # our own words about a file, none of which come from its rows
        return {"ok": False, "words": str(error)}, b""
    except Exception:
        return {"ok": False, "words": None}, b""


def _attach(session: Session, header: dict[str, Any], payload: bytes) -> Attached:
    if header["do"] == "object":
        import pyarrow as pa

        return session.attach_object(header["relation"], pa.ipc.open_stream(payload).read_all())
    if header["do"] == "file":
        return session.attach_file(header["relation"], Path(header["path"]))
    return session.store(header["relation"], header["query"])
