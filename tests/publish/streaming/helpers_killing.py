"""A stream of three elements, killed by SIGKILL at its k-th step on the disk, for every k. Run as a
program: helpers_killing.py FOLDER.

A step is a write, sync, truncation or deletion by SQLite, or a sync or renaming around it; writes
are left half done. After each death the stream is opened as after any restart. Prints the number of
deaths and of answers, and stops with an error at the first element that was told twice, in
different words, or not kept.
"""

from __future__ import annotations

import os
import struct
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from fate import VFS, deaths, life
from hedgerow.publish.streaming.state_file import StateFile
from hedgerow.publish.streaming.stream import Stream, StreamParameters

ELEMENTS = 3
TERMS = StreamParameters(horizon=ELEMENTS, lower=0, upper=9, rho=1)  # type: ignore[arg-type]


def run(path: Path, tell: int | None) -> list[float]:
    """Create the stream if it is not there, and add its elements from the first on; say each
    answer once it is received.
    """
    found = []
    with Stream.open(path) if path.exists() else Stream.create(path, TERMS) as stream:
        for number in range(1, ELEMENTS + 1):
            found.append(stream.add(number, number))
            if tell is not None:
                os.write(tell, struct.pack("d", found[-1]))
    return found


@contextmanager
def unsynced() -> Iterator[None]:
    """Nobody dies in here, so nothing has to reach the disk."""
    real = os.fsync
    StateFile._synchronous, os.fsync = "OFF", lambda _: None
    try:
        yield
    finally:
        StateFile._synchronous, os.fsync = "FULL", real


def add(path: Path, tell: int) -> None:
    StateFile._vfs = VFS
    run(path, tell)


def main(folder: str) -> None:
    answers = 0

    def once(home: Path, step: int) -> bool:
        nonlocal answers
        path = home / "sums"
        heard, died = life(
            path, step, lambda tell: add(path, tell), (os, "fsync"), (os, "rename"), (os, "pwrite")
        )
        received = [value for (value,) in struct.iter_unpack("d", heard)]
        with unsynced():
            after = run(path, None)
            assert after[: len(received)] == received, step
            assert run(path, None) == after, step
        answers += len(received)
        return died

    print(deaths(folder, once), answers)


if __name__ == "__main__":
    main(*sys.argv[1:])
