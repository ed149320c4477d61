"""The other side of ``apart``: a process that runs one program on what comes through its pipe.

It is confined like the engine's process, leaves no core, and has a limit on memory and on
processor time, which also ends it when its parent is gone.
"""

from __future__ import annotations

import os
import resource
from math import ceil
from typing import Any

from hedgerow.engines.sandbox.layers import apply_layers
from hedgerow.engines.wire import Broken, receive, send
from hedgerow.errors import HedgerowError
from hedgerow.verify.language.encoding import decoded
from hedgerow.verify.language.running.interpreter import run

__all__ = ["main"]


def main() -> None:
    """Serve until the pipe ends."""
    inlet, outlet = os.dup(0), os.dup(1)
    nothing = os.open(os.devnull, os.O_RDWR)
    for standard in (0, 1):  # whatever a library prints must not reach the pipe
        os.dup2(nothing, standard)
    try:
        header, _ = receive(inlet)
        _confine(header["space"], ceil(header["seconds"]))
        apply_layers(())  # it needs no source; Python's own folders stay readable
        program, public = decoded(header["program"]), dict(decoded(header["public"]))
        send(outlet, {"ok": True})
        while True:
            request, _ = receive(inlet)
            send(outlet, _answer(program, public | dict(decoded(request["private"])), request["rehearsal"]))
    except Broken:
        os._exit(0)


def _confine(space: int, seconds: int) -> None:
    """Limit what this process may take. A rehearsal and a run have the same deadline, each."""
    limits = ((resource.RLIMIT_AS, space), (resource.RLIMIT_CPU, 2 * seconds + 10), (resource.RLIMIT_CORE, 0), (resource.RLIMIT_FSIZE, 0))
    for limit, most in limits:
        hard = resource.getrlimit(limit)[1]
        least = most if hard == resource.RLIM_INFINITY else min(most, hard)
        resource.setrlimit(limit, (least, least))


def _answer(program: Any, arguments: dict[str, Any], rehearsal: bool) -> dict[str, Any]:
    """Return what the program tells. Why it fails is told of a rehearsal only, which has no data."""
    try:
        return {"ok": True, "told": run(program, arguments)}
    except HedgerowError as problem:
        return {"ok": False, "words": str(problem) if rehearsal else None}
    except Exception:
        return {"ok": False, "words": None}
