"""The last entry's hash, kept outside the ledger file, and where that file lies.

A hash chain alone cannot tell that its end was cut off, or that an older copy was put back. The anchor can: it only moves forward,
and it is on disk before a charge returns. It also names device and inode of the ledger file, so that a copy (a clone, a restored
backup) is told from the file itself; the largest totals that budgets ever had, so that a lost ledger leaves nothing to spend; and
the sources that were declared, so that a lost ledger is missed by whoever opens the same data under another name.
"""

from __future__ import annotations

import fcntl
import json
import os
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path

from hedgerow.errors import LedgerError
from hedgerow.ledger.book import Book
from hedgerow.privacy.loss import Loss

__all__ = ["Anchor", "alone", "sync"]


@dataclass(frozen=True, slots=True)
class Anchor:
    """Which ledger, how far it went, which file it is."""

    ledger: str
    seq: int
    hash: str
    device: int
    inode: int
    peaks: Mapping[str, Mapping[str, str]]
    sources: Mapping[str, str] = field(default_factory=dict)  # and whom they are about; anchors of earlier versions have none

    @staticmethod
    def place(ledger: Path) -> Path:
        """Where the anchor of this ledger lies: beside it."""
        return ledger.with_name(ledger.name + ".anchor")

    @classmethod
    def of(cls, book: Book, file: Path) -> Anchor:
        """The anchor for the present end of ``book``, kept in ``file``."""
        seen = file.stat()
        peaks = {name: loss.to_dict() for name, loss in book.peaks.items()}
        return cls(book.ledger, book.seq, book.head, seen.st_dev, seen.st_ino, peaks, book.sources)

    @classmethod
    def read(cls, ledger: Path) -> Anchor | None:
        """The anchor of this ledger; None where there is none."""
        try:
            held = cls(**json.loads(cls.place(ledger).read_text(encoding="utf-8")))
            [Loss.from_dict(dict(loss)) for loss in held.peaks.values()]
            [name.encode() for name in held.sources.values()]
        except FileNotFoundError:
            return None
        except (OSError, TypeError, ValueError, AttributeError):
            raise LedgerError(
                f"The anchor of the ledger, '{cls.place(ledger)}', cannot be read. Restore it, or see 'hedgerow ledger adopt'."
            ) from None
        return held

    def lies_at(self, file: Path) -> bool:
        """Whether ``file`` is the very file, not a copy."""
        seen = file.stat()
        return (seen.st_dev, seen.st_ino) == (self.device, self.inode)

    def write(self, ledger: Path) -> None:
        """Put it on disk, whole or not at all. Call it alone."""
        place = self.place(ledger)
        draft = place.with_name(place.name + ".new")
        draft.write_text(json.dumps(asdict(self)), encoding="utf-8")
        sync(draft)
        os.replace(draft, place)
        sync(place.parent)

    def advance(self, ledger: Path, wait: float) -> None:
        """Write it unless another process was faster; an anchor never goes back."""
        with alone(ledger.parent, wait):
            held = Anchor.read(ledger)
            if held is None or held.seq < self.seq:
                self.write(ledger)


@contextmanager
def alone(folder: Path, wait: float) -> Iterator[None]:
    """Hold the lock on ``folder`` that everybody takes who makes or replaces files of a ledger there."""
    held = os.open(folder, os.O_RDONLY | os.O_CLOEXEC)
    try:
        deadline = time.monotonic() + wait
        while True:
            try:
                fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            except BlockingIOError:
                if time.monotonic() > deadline:
                    raise LedgerError(f"The folder '{folder}' of the ledger stayed locked for {wait:g} seconds. Try again.") from None
                time.sleep(0.002)
        yield
    finally:
        os.close(held)


def sync(path: Path) -> None:
    """Wait until the content of a file, or the names in a folder, are on disk."""
    held = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        os.fsync(held)
    finally:
        os.close(held)
