"""The child process of ``program_process``: runs one program on the requests of its pipe.

It is confined like the engine process, leaves no core dump, and has limits on memory and processor
time; the latter also ends it after its parent has gone.
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
    """Serve requests until the pipe closes."""
    inlet, outlet = os.dup(0), os.dup(1)
    nothing = os.open(os.devnull, os.O_RDWR)
    for standard in (0, 1):  # whatever a library prints must not reach the pipe
        os.dup2(nothing, standard)
    try:
        header, _ = receive_message(inlet)
        _limit_resources(header["space"], ceil(header["seconds"]))
        apply_layers(())  # no data source is readable; Python's own folders are
        program, public = decode(header["program"]), dict(decode(header["public"]))
        send_message(outlet, {"ok": True})
        while True:
            request, _ = receive_message(inlet)
            arguments = public | dict(decode(request["private"]))
            send_message(outlet, _run_request(program, arguments, request["rehearsal"]))
    except ChannelBroken:
        os._exit(0)


def _limit_resources(space: int, seconds: int) -> None:
    """Limit the resources of this process. A rehearsal and a run each have the full deadline."""
    limits = (
        (resource.RLIMIT_AS, space),
        (resource.RLIMIT_CPU, 2 * seconds + 10),
        (resource.RLIMIT_CORE, 0),
        (resource.RLIMIT_FSIZE, 0),
    )
    for limit, wanted in limits:
        hard = resource.getrlimit(limit)[1]
        value = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
        resource.setrlimit(limit, (value, value))


def _run_request(program: Any, arguments: dict[str, Any], rehearsal: bool) -> dict[str, Any]:
    """Run the program. The reason of a failure is reported for a rehearsal only, which
    has no data.
    """
    try:
        return {"ok": True, "outputs": run_program(program, arguments)}
    except HedgerowError as problem:
        return {"ok": False, "reason": str(problem) if rehearsal else None}
    except Exception:
        return {"ok": False, "reason": None}
