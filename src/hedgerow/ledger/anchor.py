"""The anchor of a ledger: the hash of its last entry and the identity of its store, kept outside
that store.

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
from dataclasses import dataclass
from pathlib import Path

from hedgerow.errors import LedgerError
from hedgerow.ledger.durable_files import read_birth_time, replace_file
from hedgerow.ledger.rules import LedgerState
from hedgerow.privacy.loss import Loss

__all__ = ["SERVER_KEYS", "Anchor", "identify_file"]

_STATE_KEYS = ("ledger", "seq", "hash", "peaks")
_FILE_KEYS = ("device", "inode")
SERVER_KEYS = ("place", "system", "timeline", "database", "table")


@dataclass(frozen=True, slots=True)
class Anchor:
    """The id of a ledger, its last entry, and the identity of its store."""

    ledger: str
    seq: int
    hash: str
    peaks: Mapping[str, Mapping[str, str]]
    # source -> population; anchors of earlier versions have none
    sources: Mapping[str, str]
    identity: Mapping[str, object]

    @staticmethod
    def path_for(ledger: Path) -> Path:
        """Return the path of the anchor of a ledger, beside it."""
        return ledger.with_name(ledger.name + ".anchor")

    @classmethod
    def from_state(cls, state: LedgerState, identity: Mapping[str, object]) -> Anchor:
        """Build the anchor of the last entry of a ledger in the store of this identity."""
        peaks = {name: loss.to_dict() for name, loss in state.largest_totals.items()}
        return cls(state.ledger, state.seq, state.head, peaks, state.sources, identity)

    @classmethod
    def read(cls, ledger: Path) -> Anchor | None:
        """Read the anchor of a ledger; None if there is none."""
        try:
            stored = dict(json.loads(cls.path_for(ledger).read_text(encoding="utf-8")))
            ledger_id, seq, hash_, peaks = (stored.pop(key) for key in _STATE_KEYS)
            held = cls(ledger_id, seq, hash_, peaks, stored.pop("sources", {}), stored)
            # Some systems do not tell the birth time, and anchors of earlier versions lack it.
            if set(stored) - {"born"} not in (set(_FILE_KEYS), set(SERVER_KEYS)):
                raise ValueError
            [Loss.from_dict(dict(loss)) for loss in held.peaks.values()]
            [name.encode() for name in held.sources.values()]
        except FileNotFoundError:
            return None
        except (OSError, TypeError, ValueError, KeyError, AttributeError):
            raise LedgerError(
                f"The anchor of the ledger, '{cls.path_for(ledger)}', cannot be read. Restore it"
                " from a copy, or see 'hedgerow ledger adopt'."
            ) from None
        return held

    def is_same_store(self, identity: Mapping[str, object]) -> bool:
        """Return whether a store is the anchored one itself, not a copy."""
        return all(
            identity.get(key) == value
            for key, value in self.identity.items()
            if (key, value) != ("born", None)
        )

    def write(self, ledger: Path) -> None:
        """Write the anchor to disk, atomically. Needs the folder lock."""
        stored = {
            "ledger": self.ledger,
            "seq": self.seq,
            "hash": self.hash,
            "peaks": self.peaks,
            "sources": self.sources,
            **self.identity,
        }
        replace_file(self.path_for(ledger), json.dumps(stored))

    def advance(self, ledger: Path) -> None:
        """Write the anchor unless a later one is there: an anchor never goes back. Needs the folder
        lock.
        """
        held = Anchor.read(ledger)
        if held is None or held.seq < self.seq:
            self.write(ledger)


def identify_file(file: Path) -> dict[str, object]:
    """Return the identity of a ledger file."""
    seen = file.stat()
    return {"device": seen.st_dev, "inode": seen.st_ino, "born": read_birth_time(file)}
