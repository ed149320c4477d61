"""The last entry's hash, kept outside the ledger file, and where that file lies.

A hash chain alone cannot tell that its end was cut off, or that an older copy was put back. The
anchor can: it only moves forward, and it is on disk before a charge returns. It also names device,
inode and birth of the ledger file, so that a copy (a clone, a restored backup) is told from the
file itself; the birth, because file systems give the inode of a deleted file to the next one; the
largest totals that budgets ever had, so that a lost ledger leaves nothing to spend; and the sources
that were declared, so that a lost ledger is missed by whoever opens the same data under another
name.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path

from hedgerow.errors import LedgerError
from hedgerow.ledger.durable_files import read_birth_time, replace_file
from hedgerow.ledger.rules import LedgerState
from hedgerow.privacy.loss import Loss

__all__ = ["Anchor"]


@dataclass(frozen=True, slots=True)
class Anchor:
    """Which ledger, how far it went, which file it is."""

    ledger: str
    seq: int
    hash: str
    device: int
    inode: int
    peaks: Mapping[str, Mapping[str, str]]
    # and whom they are about; anchors of earlier versions have none
    sources: Mapping[str, str] = field(default_factory=dict)
    born: int | None = None  # nor this; and some systems do not tell

    @staticmethod
    def path_for(ledger: Path) -> Path:
        """Where the anchor of this ledger lies: beside it."""
        return ledger.with_name(ledger.name + ".anchor")

    @classmethod
    def from_state(cls, book: LedgerState, file: Path) -> Anchor:
        """The anchor for the present end of ``book``, kept in ``file``."""
        seen = file.stat()
        peaks = {name: loss.to_dict() for name, loss in book.largest_totals.items()}
        return cls(
            book.ledger,
            book.seq,
            book.head,
            seen.st_dev,
            seen.st_ino,
            peaks,
            book.sources,
            read_birth_time(file),
        )

    @classmethod
    def read(cls, ledger: Path) -> Anchor | None:
        """The anchor of this ledger; None where there is none."""
        try:
            held = cls(**json.loads(cls.path_for(ledger).read_text(encoding="utf-8")))
            [Loss.from_dict(dict(loss)) for loss in held.peaks.values()]
            [name.encode() for name in held.sources.values()]
        except FileNotFoundError:
            return None
        except (OSError, TypeError, ValueError, AttributeError):
            raise LedgerError(
                f"The anchor of the ledger, '{cls.path_for(ledger)}', cannot be read. Restore it,"
                " or see 'hedgerow ledger adopt'."
            ) from None
        return held

    def is_same_file(self, file: Path) -> bool:
        """Whether ``file`` is the very file, not a copy."""
        seen = file.stat()
        return (seen.st_dev, seen.st_ino) == (self.device, self.inode) and self.born in (
            None,
            read_birth_time(file),
        )

    def write(self, ledger: Path) -> None:
        """Put it on disk, whole or not at all. Call it alone."""
        replace_file(self.path_for(ledger), json.dumps(asdict(self)))

    def advance(self, ledger: Path) -> None:
        """Write it unless it is there already; an anchor never goes back. Call it alone."""
        held = Anchor.read(ledger)
        if held is None or held.seq < self.seq:
            self.write(ledger)
