"""A store that takes six batches, killed by SIGKILL at its k-th step on the disk, for every k. Run
as a program: killing.py FOLDER.

A step is a write, sync, truncation or deletion by SQLite, or the sync of the folder; writes are
left half done. After each death all batches are sent again under the same keys. Prints the number
of deaths, of batches that were acknowledged before them, and of batches that were counted though
the word about it was lost; stops with an error where an acknowledged one is missing or one was
counted twice.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

import numpy as np

from fate import VFS, deaths, life
from hedgerow.local.collector import counter_store as module
from hedgerow.local.collector.counter_store import BatchCounters, CounterStore
from hedgerow.local.metric import Metric
from hedgerow.local.protocols import KAry

METRIC = Metric.of("colour", KAry(3, 40_000))
COUNTERS = [np.array([4**number, 0, 1, 2], np.int64) for number in range(6)]
BATCHES = [
    BatchCounters(METRIC, b"key %d" % number, counters) for number, counters in enumerate(COUNTERS)
]


def send(path: Path, tell: int | None) -> list[bool]:
    """Send all batches, the last two together, and say of each when it was acknowledged."""
    found = []
    with CounterStore(path) as store:
        for group in (BATCHES[:1], BATCHES[1:2], BATCHES[2:3], BATCHES[3:4], BATCHES[4:]):
            found += store.add(group)
            if tell is not None:
                os.write(tell, b"." * len(group))
    return found


def take(path: Path, tell: int) -> None:
    CounterStore._vfs = VFS
    send(path, tell)


def main(folder: str) -> None:
    acknowledged = repeated = 0
    whole = sum(COUNTERS)

    def once(home: Path, step: int) -> bool:
        nonlocal acknowledged, repeated
        path = home / "counts"
        heard, died = life(path, step, lambda tell: take(path, tell), (module, "sync_to_disk"))
        received, fresh = len(heard), send(path, None)
        assert not any(fresh[:received]), step
        with CounterStore(path) as store:
            assert np.array_equal(store.read_counters(METRIC), whole), step
        acknowledged += received
        repeated += fresh.count(False) - received
        return died

    print(deaths(folder, once), acknowledged, repeated)


if __name__ == "__main__":
    main(*sys.argv[1:])
