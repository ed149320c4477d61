"""The anchor of a ledger: the hash of its last entry and the identity of its file, kept outside the
file.

A hash chain alone cannot show that its end was cut off, or that an older copy was put back. The
anchor can: it only moves forward, and it is on disk before a charge returns. It also holds

* device, inode and birth time of the ledger file, to recognise a copy (a clone, a restored backup);
  the birth time, because file systems give the inode of a deleted file to the next one;
* the largest totals that budgets ever had, so that a lost ledger leaves nothing to spend;
* the declared sources, so that a lost ledger is missed by whoever opens the same data under another
  name.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from hedgerow.errors import LedgerError
from hedgerow.ledger.durable_files import read_birth_time, replace_file
from hedgerow.ledger.rules import LedgerState
from hedgerow.privacy.loss import Loss

__all__ = ["Anchor"]

_REQUIRED_KEYS = ("ledger", "seq", "hash", "device", "inode", "peaks")


@dataclass(frozen=True, slots=True)
class Anchor:
    """The id of a ledger, its last entry, and the identity of its file."""

    ledger: str
    seq: int
    hash: str
    device: int
    inode: int
    peaks: Mapping[str, Mapping[str, str]]
    # source -> population; anchors of earlier versions have none
    sources: Mapping[str, str] = field(default_factory=dict)
    born: int | None = None  # nor this, and some systems do not tell it

    @staticmethod
    def path_for(ledger: Path) -> Path:
        """Return the path of the anchor of a ledger, beside it."""
        return ledger.with_name(ledger.name + ".anchor")

    @classmethod
    def from_state(cls, state: LedgerState, file: Path) -> Anchor:
        """Build the anchor of the last entry of a ledger that is kept in ``file``."""
        seen = file.stat()
        peaks = {name: loss.to_dict() for name, loss in state.largest_totals.items()}
        return cls(
            state.ledger,
            state.seq,
            state.head,
            seen.st_dev,
            seen.st_ino,
            peaks,
            state.sources,
            read_birth_time(file),
        )

    @classmethod
    def read(cls, ledger: Path) -> Anchor | None:
        """Read the anchor of a ledger; None if there is none."""
        try:
            stored = json.loads(cls.path_for(ledger).read_text(encoding="utf-8"))
            if not set(_REQUIRED_KEYS) <= set(stored) <= {*_REQUIRED_KEYS, "sources", "born"}:
                raise ValueError
            ledger_id, seq, hash_, device, inode, peaks = (stored[key] for key in _REQUIRED_KEYS)
            sources, born = stored.get("sources", {}), stored.get("born")
            held = cls(ledger_id, seq, hash_, device, inode, peaks, sources, born)
            [Loss.from_dict(dict(loss)) for loss in held.peaks.values()]
            [name.encode() for name in held.sources.values()]
        except FileNotFoundError:
            return None
        except (OSError, TypeError, ValueError, AttributeError):
            raise LedgerError(
                f"The anchor of the ledger, '{cls.path_for(ledger)}', cannot be read. Restore it"
                " from a copy, or see 'hedgerow ledger adopt'."
            ) from None
        return held

    def is_same_file(self, file: Path) -> bool:
        """Return whether ``file`` is the anchored file itself, not a copy."""
        seen = file.stat()
        return (seen.st_dev, seen.st_ino) == (self.device, self.inode) and self.born in (
            None,
            read_birth_time(file),
        )

    def write(self, ledger: Path) -> None:
        """Write the anchor to disk, atomically. Needs the folder lock."""
        stored = {
            "ledger": self.ledger,
            "seq": self.seq,
            "hash": self.hash,
            "device": self.device,
            "inode": self.inode,
            "peaks": self.peaks,
            "sources": self.sources,
            "born": self.born,
        }
        replace_file(self.path_for(ledger), json.dumps(stored))

    def advance(self, ledger: Path) -> None:
        """Write the anchor unless a later one is there: an anchor never goes back. Needs the folder
        lock.
        """
        held = Anchor.read(ledger)
        if held is None or held.seq < self.seq:
            self.write(ledger)
