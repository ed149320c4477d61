"""Durable files: folder locks, atomic replacement, syncs, and the identity of a file."""

from __future__ import annotations

import ctypes
import fcntl
import os
import struct
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from hedgerow.errors import LedgerError

__all__ = ["lock_folder", "read_birth_time", "replace_file", "rewrite_file", "sync_to_disk"]

_BLOCK_SIZE = 1 << 20
_AT_FDCWD, _STATX_BTIME = -100, 0x800  # AT_FDCWD and STATX_BTIME of the kernel


@contextmanager
def lock_folder(folder: Path, wait: float) -> Iterator[None]:
    """Hold the lock on ``folder`` that every process takes to create or replace files of a ledger
    there.
    """
    held = os.open(folder, os.O_RDONLY | os.O_CLOEXEC)
    try:
        deadline = time.monotonic() + wait
        while True:
            try:
                fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            except BlockingIOError:
                if time.monotonic() > deadline:
                    raise LedgerError(
                        f"The folder '{folder}' of the ledger was locked for {wait:g} seconds. Try"
                        " again."
                    ) from None
                time.sleep(0.002)
        yield
    finally:
        os.close(held)


def sync_to_disk(path: Path) -> None:
    """Wait until the content of a file, or the names in a folder, are on disk."""
    held = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        os.fsync(held)
    finally:
        os.close(held)


def replace_file(place: Path, text: str) -> None:
    """Replace a small file atomically, readable by its owner only. Needs the folder lock."""
    draft = place.with_name(place.name + ".new")
    # Always a new file: the pages of one whose sync failed cannot be trusted.
    draft.unlink(missing_ok=True)
    held = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
    try:
        _write_all(held, text.encode(), 0)
        os.fsync(held)
    finally:
        os.close(held)
    os.replace(draft, place)
    sync_to_disk(place.parent)


def rewrite_file(file: Path) -> None:
    """Write the content of a file over itself, and sync it. No other process may write to the file.

    After a failed sync the system may count pages as written that are in memory only: reading them
    back shows nothing, and a second sync finds nothing to do. Written again, they are synced again.
    """
    if not file.exists():
        return
    held = os.open(file, os.O_RDWR | os.O_CLOEXEC)
    try:
        for start in range(0, os.fstat(held).st_size, _BLOCK_SIZE):
            _write_all(held, os.pread(held, _BLOCK_SIZE, start), start)
        os.fsync(held)
    finally:
        os.close(held)


def _write_all(held: int, data: bytes, start: int) -> None:
    done = 0
    while done < len(data):  # a system may write less than it is given
        done += os.pwrite(held, data[done:], start + done)


def read_birth_time(file: Path) -> int | None:
    """Return the creation time of a file in nanoseconds; None if the system does not tell.

    No copying sets this time: neither a copy nor a file in the place of a deleted one has it, even
    with the same inode.
    """
    found = ctypes.create_string_buffer(256)
    try:
        failed = ctypes.CDLL(None).statx(_AT_FDCWD, os.fsencode(file), 0, _STATX_BTIME, found)
    except AttributeError:  # another system than Linux
        return None
    if failed or not struct.unpack_from("I", found)[0] & _STATX_BTIME:
        return None
    seconds, rest = struct.unpack_from("qI", found, 80)
    return int(seconds) * 10**9 + int(rest)
