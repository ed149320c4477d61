"""A life that ends by SIGKILL at its k-th step on the disk: for what must survive that at every k.

A step is a write, sync, truncation or deletion by SQLite (seen by the file system of
``ledger.disk``), or whatever else is counted; writes are left half done, those of ``os.pwrite`` and
``Path.write_text`` as well.
"""

from __future__ import annotations

import os
import signal
from collections.abc import Callable
from pathlib import Path
from typing import Any

from ledger.disk import Event, Watched

VFS = "killing"


class Fate:
    """Kills this process at the step of this number."""

    def __init__(self, path: Path, steps: int) -> None:
        self.path, self.left = path, steps

    def __call__(self, event: Event) -> None:
        self.left -= 1
        if self.left == 0:
            if event[0] == "write":
                self.half(event)
            elif event[0] == "pwrite":
                os.pwrite(event[1], event[2][: len(event[2]) // 2], event[3])
            elif event[0] == "write_text":
                event[1].write_bytes(event[2].encode()[: len(event[2]) // 2])
            os.kill(os.getpid(), signal.SIGKILL)

    def half(self, event: Event) -> None:
        file = os.open(self.path.with_name(event[1]), os.O_WRONLY | os.O_CREAT, 0o600)
        os.pwrite(file, event[3][: len(event[3]) // 2], event[2])

    def watch(self, holder: Any, name: str) -> None:
        """Count what is done beside SQLite as well: each call of this function of a module."""
        real = getattr(holder, name)

        def counted(*args: Any, **named: Any) -> Any:
            self((name, *args))
            return real(*args, **named)

        setattr(holder, name, counted)


def life(
    path: Path, steps: int, live: Callable[[int], None], *watched: tuple[Any, str]
) -> tuple[bytes, bool]:
    """What ``live`` wrote into the pipe that it is given, in a process that dies at this step,
    and whether it died.
    """
    heard = os.pipe()
    child = os.fork()
    if child == 0:
        fate = Fate(path, steps)
        disk = Watched(VFS, fate)
        for holder, name in watched:
            fate.watch(holder, name)
        live(heard[1])
        disk.unregister()
        os._exit(0)
    os.close(heard[1])
    status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    received = b"".join(iter(lambda: os.read(heard[0], 64), b""))
    os.close(heard[0])
    assert status in (0, -signal.SIGKILL), status
    return received, status != 0


def deaths(folder: str, once: Callable[[Path, int], bool]) -> int:
    """How many steps there are: ``once`` lives in a new folder up to a step, checks what is
    left, and says whether it died.
    """
    step = 1
    while True:
        home = Path(folder) / str(step)
        home.mkdir()
        if not once(home, step):
            return step - 1
        step += 1
