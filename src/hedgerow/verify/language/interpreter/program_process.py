"""Programs in a process of their own, which is killed after a deadline and has its memory
capped.
"""

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
_BASE_ADDRESS_SPACE: Final = 2**30  # address space beside the numbers: the interpreter, libraries
_STARTUP_SECONDS: Final = 60.0  # seconds until the process is there


class ProgramProcess:
    """One program with its public arguments, in one process. What goes wrong there looks the
    same, whatever it was.
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
            start_new_session=True,  # a Ctrl-C at the terminal is for us, not for it
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
            raise SourceError("The process that runs mechanisms could not be started.") from None

    def run(self, private: Mapping[str, Any]) -> list[Any]:
        """Return what the program tells on these numbers, within the deadline."""
        answer = self._request(
            {"private": encode(list(private.items())), "rehearsal": False}, self._seconds
        )
        if answer.get("ok") is not True:
            raise ChannelBroken
        return list(answer["told"])

    def rehearse(self, private: Mapping[str, Any]) -> None:
        """Run it on numbers that are no data; Refused says what went wrong."""
        try:
            answer = self._request(
                {"private": encode(list(private.items())), "rehearsal": True}, self._seconds
            )
        except ChannelBroken:
            raise Refused(
                f"it takes more than {self._seconds:g} seconds or too much memory."
            ) from None
        if answer.get("ok") is not True:
            raise Refused(str(answer.get("words") or "it takes too much memory."))

    def _request(self, request: Mapping[str, Any], seconds: float) -> dict[str, Any]:
        until = time.monotonic() + seconds
        try:
            send_message(self._inlet, request, b"", until)
            return receive_message(self._outlet, until)[0]
        # an interrupt as well: an answer that is still to come must not be taken for the next one
        except BaseException:
            self.terminate()
            raise


def _terminate(process: subprocess.Popen[bytes]) -> None:
    process.kill()
    for pipe in (process.stdin, process.stdout):
        if pipe is not None:
            pipe.close()
    process.wait()
