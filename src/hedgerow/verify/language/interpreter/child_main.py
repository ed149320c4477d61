"""The other side of ``apart``: a process that runs one program on what comes through its pipe.

It is confined like the engine's process, leaves no core, and has a limit on memory and on
processor time, which also ends it when its parent is gone.
"""

from __future__ import annotations

import os
import resource
from math import ceil
from typing import Any

from hedgerow.engines.framing import ChannelBroken, receive_message, send_message
from hedgerow.engines.sandbox.layers import apply_layers
from hedgerow.errors import HedgerowError
from hedgerow.verify.language.encoding import decode
from hedgerow.verify.language.interpreter.interpreter import run_program

__all__ = ["main"]


def main() -> None:
    """Serve until the pipe ends."""
    inlet, outlet = os.dup(0), os.dup(1)
    nothing = os.open(os.devnull, os.O_RDWR)
    for standard in (0, 1):  # whatever a library prints must not reach the pipe
        os.dup2(nothing, standard)
    try:
        header, _ = receive_message(inlet)
        _limit_resources(header["space"], ceil(header["seconds"]))
        apply_layers(())  # it needs no source; Python's own folders stay readable
        program, public = decode(header["program"]), dict(decode(header["public"]))
        send_message(outlet, {"ok": True})
        while True:
            request, _ = receive_message(inlet)
            send_message(
                outlet,
                _run_request(
                    program, public | dict(decode(request["private"])), request["rehearsal"]
                ),
            )
    except ChannelBroken:
        os._exit(0)


def _limit_resources(space: int, seconds: int) -> None:
    """Limit what this process may take. A rehearsal and a run have the same deadline, each."""
    limits = (
        (resource.RLIMIT_AS, space),
        (resource.RLIMIT_CPU, 2 * seconds + 10),
        (resource.RLIMIT_CORE, 0),
        (resource.RLIMIT_FSIZE, 0),
    )
    for limit, most in limits:
        hard = resource.getrlimit(limit)[1]
        least = most if hard == resource.RLIM_INFINITY else min(most, hard)
        resource.setrlimit(limit, (least, least))


def _run_request(program: Any, arguments: dict[str, Any], rehearsal: bool) -> dict[str, Any]:
    """Return what the program tells. Why it fails is told of a rehearsal only, which has no
    data.
    """
    try:
        return {"ok": True, "told": run_program(program, arguments)}
    except HedgerowError as problem:
        return {"ok": False, "words": str(problem) if rehearsal else None}
    except Exception:
        return {"ok": False, "words": None}
