"""A stream of five elements, killed by SIGKILL at its k-th step on the disk, for every k. Run as a program: killing.py FOLDER.

A step is a write, sync, truncation or deletion by SQLite, or a sync or renaming around it; writes are left half done. After each death the
stream is opened as after any restart. Prints the number of deaths and of answers, and stops with an error at the first element that was
told twice, in different words, or not kept.
"""

from __future__ import annotations

import os
import signal
import struct
import sys
from pathlib import Path
from typing import Any

from hedgerow.publish.continual import Stream, StreamTerms
from hedgerow.publish.streaming.state import StateFile
from ledger.disk import Event, Watched

ELEMENTS = 5
TERMS = StreamTerms(horizon=ELEMENTS, lower=0, upper=9, rho=1)  # type: ignore[arg-type]


class Fate:
    """Kills this process at the step of this number."""

    def __init__(self, path: Path, steps: int) -> None:
        self.path, self.left = path, steps

    def __call__(self, event: Event) -> None:
        self.left -= 1
        if self.left == 0:
            if event[0] == "write":
                self.half(event)
            os.kill(os.getpid(), signal.SIGKILL)

    def half(self, event: Event) -> None:
        file = os.open(self.path.with_name(event[1]), os.O_WRONLY | os.O_CREAT, 0o600)
        os.pwrite(file, event[3][: len(event[3]) // 2], event[2])

    def watch(self, name: str) -> None:
        """Count what is done beside SQLite as well."""
        real = getattr(os, name)

        def counted(*args: Any) -> Any:
            self((name, *args))
            return real(*args)

        setattr(os, name, counted)


def run(path: Path, tell: int | None) -> list[float]:
    """Create the stream if it is not there, and add its elements from the first on; say each answer once it is received."""
    found = []
    with Stream.open(path) if path.exists() else Stream.create(path, TERMS) as stream:
        for number in range(1, ELEMENTS + 1):
            found.append(stream.add(number, number))
            if tell is not None:
                os.write(tell, struct.pack("d", found[-1]))
    return found


def life(path: Path, steps: int) -> tuple[list[float], bool]:
    """The answers that were received before the process died, and whether it died."""
    heard = os.pipe()
    child = os.fork()
    if child == 0:
        fate = Fate(path, steps)
        disk = Watched("killing", fate)
        StateFile._vfs = "killing"
        for name in ("fsync", "rename"):
            fate.watch(name)
        run(path, heard[1])
        disk.unregister()
        os._exit(0)
    os.close(heard[1])
    status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    received = b"".join(iter(lambda: os.read(heard[0], 64), b""))
    os.close(heard[0])
    assert status in (0, -signal.SIGKILL), status
    return [value for (value,) in struct.iter_unpack("d", received)], status != 0


def main(folder: str) -> None:
    step, died, answers = 0, True, 0
    while died:
        step += 1
        home = Path(folder) / str(step)
        home.mkdir()
        received, died = life(home / "sums", step)
        after = run(home / "sums", None)
        assert after[: len(received)] == received, step
        assert run(home / "sums", None) == after, step
        answers += len(received)
    print(step - 1, answers)


if __name__ == "__main__":
    main(*sys.argv[1:])
