"""A store that takes six batches, killed by SIGKILL at its k-th step on the disk, for every k. Run as a program: killing.py FOLDER.

A step is a write, sync, truncation or deletion by SQLite, or the sync of the folder; writes are left half done. After each death all
batches are sent again under the same keys. Prints the number of deaths, of batches that were acknowledged before them, and of batches that
were counted though the word about it was lost; stops with an error where an acknowledged one is missing or one was counted twice.
"""

from __future__ import annotations

import os
import signal
import sys
from pathlib import Path
from typing import Any

import numpy as np

from hedgerow.local import store as module
from hedgerow.local.protocols import KAry
from hedgerow.local.spec import Metric
from hedgerow.local.store import Addition, Store
from ledger.disk import Event, Watched

METRIC = Metric.of("colour", KAry(3, 40_000))
BATCHES = [Addition(METRIC, b"key %d" % number, np.array([4**number, 0, 1, 2], np.int64)) for number in range(6)]


class Fate:
    """Kills this process at the step of this number."""

    def __init__(self, path: Path, steps: int) -> None:
        self.path, self.left = path, steps

    def __call__(self, event: Event) -> None:
        self.left -= 1
        if self.left == 0:
            if event[0] == "write":
                file = os.open(self.path.with_name(event[1]), os.O_WRONLY | os.O_CREAT, 0o600)
                os.pwrite(file, event[3][: len(event[3]) // 2], event[2])
            os.kill(os.getpid(), signal.SIGKILL)

    def synced(self, real: Any) -> Any:
        """Count what is done beside SQLite as well."""

        def counted(path: Path) -> None:
            self(("folder", str(path)))
            real(path)

        return counted


def send(path: Path, tell: int | None) -> list[bool]:
    """Send all batches, the last two together, and say of each when it was acknowledged."""
    found = []
    with Store(path) as store:
        for group in (BATCHES[:1], BATCHES[1:2], BATCHES[2:3], BATCHES[3:4], BATCHES[4:]):
            found += store.add(group)
            if tell is not None:
                os.write(tell, b"." * len(group))
    return found


def life(path: Path, steps: int) -> tuple[int, bool]:
    """How many batches were acknowledged before the process died, and whether it died."""
    heard = os.pipe()
    child = os.fork()
    if child == 0:
        fate = Fate(path, steps)
        disk = Watched("killing", fate)
        Store._vfs = "killing"
        module.sync = fate.synced(module.sync)
        send(path, heard[1])
        disk.unregister()
        os._exit(0)
    os.close(heard[1])
    status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    received = b"".join(iter(lambda: os.read(heard[0], 64), b""))
    os.close(heard[0])
    assert status in (0, -signal.SIGKILL), status
    return len(received), status != 0


def main(folder: str) -> None:
    step, died, acknowledged, repeated = 0, True, 0, 0
    whole = sum(addition.counters for addition in BATCHES)
    while died:
        step += 1
        home = Path(folder) / str(step)
        home.mkdir()
        received, died = life(home / "counts", step)
        fresh = send(home / "counts", None)
        assert not any(fresh[:received]), step
        with Store(home / "counts") as store:
            assert np.array_equal(store.counters(METRIC), whole), step
        acknowledged += received
        repeated += fresh.count(False) - received
    print(step - 1, acknowledged, repeated)


if __name__ == "__main__":
    main(*sys.argv[1:])
