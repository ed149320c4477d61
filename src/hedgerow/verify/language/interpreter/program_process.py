"""Programs in a process of their own, with a deadline and a memory limit."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
import weakref
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from hedgerow.engines.framing import ChannelBroken, receive_message, send_message
from hedgerow.errors import Refused, SourceError
from hedgerow.verify.language.encoding import encode
from hedgerow.verify.language.interpreter.work_bounds import MAX_MEMORY
from hedgerow.verify.language.program import Program

__all__ = ["ProgramProcess"]

_CHILD_CODE: Final = (
    "import json, sys; sys.path[:] = json.loads(sys.argv[1]); from"
    " hedgerow.verify.language.interpreter.child_main import main; main()"
)
_BASE_ADDRESS_SPACE: Final = 2**30  # for Python and its libraries, besides the numbers
_STARTUP_SECONDS: Final = 60.0


class ProgramProcess:
    """A process that runs one program with its public arguments. All failures look the same to the
    caller, so that they reveal nothing about the data.
    """

    def __init__(
        self, program: Program, public: Mapping[str, Any], *, seconds: float, memory: int
    ) -> None:
        path = json.dumps([str(Path(entry).resolve()) for entry in sys.path if entry])
        self._process = subprocess.Popen(
            [sys.executable, "-I", "-B", "-X", "utf8", "-c", _CHILD_CODE, path],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,  # a traceback may quote data
            env={"OPENBLAS_NUM_THREADS": "1"},
            cwd="/",
            start_new_session=True,  # Ctrl-C at the terminal must not reach the child
            bufsize=0,
        )
        self.terminate = weakref.finalize(self, _terminate, self._process)
        self._seconds = seconds
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._inlet, self._outlet = self._process.stdin.fileno(), self._process.stdout.fileno()
        for descriptor in (self._inlet, self._outlet):
            os.set_blocking(descriptor, False)
        space = min(memory, MAX_MEMORY) + _BASE_ADDRESS_SPACE
        given = {
            "program": encode(program),
            "public": encode(list(public.items())),
            "space": space,
            "seconds": seconds,
        }
        try:
            self._request(given, _STARTUP_SECONDS)
        except ChannelBroken:
            raise SourceError(
                "The process that runs mechanisms could not be started. Check the memory and"
                " process limits of this machine."
            ) from None

    def run(self, private: Mapping[str, Any]) -> list[Any]:
        """Return the outputs of the program on this data, within the deadline."""
        answer = self._request(
            {"private": encode(list(private.items())), "rehearsal": False}, self._seconds
        )
        if answer.get("ok") is not True:
            raise ChannelBroken
        return list(answer["outputs"])

    def rehearse(self, private: Mapping[str, Any]) -> None:
        """Run the program on made-up numbers and report why it fails."""
        try:
            answer = self._request(
                {"private": encode(list(private.items())), "rehearsal": True}, self._seconds
            )
        except ChannelBroken:
            raise Refused(
                f"it takes more than {self._seconds:g} seconds or too much memory. Make it smaller."
            ) from None
        if answer.get("ok") is not True:
            raise Refused(str(answer.get("reason") or "it takes too much memory. Make it smaller."))

    def _request(self, request: Mapping[str, Any], seconds: float) -> dict[str, Any]:
        deadline = time.monotonic() + seconds
        try:
            send_message(self._inlet, request, b"", deadline)
            return receive_message(self._outlet, deadline)[0]
        # also on an interrupt: a late answer must not be taken for that of the next request
        except BaseException:
            self.terminate()
            raise


def _terminate(process: subprocess.Popen[bytes]) -> None:
    process.kill()
    for pipe in (process.stdin, process.stdout):
        if pipe is not None:
            pipe.close()
    process.wait()
