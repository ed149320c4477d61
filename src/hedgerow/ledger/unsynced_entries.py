"""Entries whose sync failed, in a file of their own.

After a failed sync nobody knows what is on disk. The entry counts as written: it is put into this
new file, which is synced, and from there into the ledger once more; only then does the process
answer again. The file is removed once the ledger has its entries. A file that exists at opening was
left by a crash in between, and is brought in the same way.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

from hedgerow.errors import LedgerError
from hedgerow.ledger.durable_files import replace_file
from hedgerow.ledger.entry import Entry

__all__ = ["read_tail", "remove_tail", "write_tail"]


def write_tail(ledger: Path, entries: Sequence[Entry]) -> None:
    """Write entries to a new file beside the ledger, on disk when this returns. Needs the folder
    lock.
    """
    replace_file(_build_tail_path(ledger), json.dumps([entry.columns for entry in entries]))


def read_tail(ledger: Path) -> tuple[Entry, ...]:
    """Return the entries that were written and not removed; there are hardly ever any."""
    try:
        return tuple(
            Entry(*fields)
            for fields in json.loads(_build_tail_path(ledger).read_text(encoding="utf-8"))
        )
    except FileNotFoundError:
        return ()
    except (TypeError, ValueError):
        raise LedgerError(
            f"The file '{_build_tail_path(ledger)}' holds entries of the ledger that could not be"
            " synced, and cannot be read. If 'hedgerow ledger verify' finds nothing wrong, remove"
            " it."
        ) from None


def remove_tail(ledger: Path) -> None:
    """Remove the file, since the ledger has its entries."""
    _build_tail_path(ledger).unlink(missing_ok=True)


def _build_tail_path(ledger: Path) -> Path:
    return ledger.with_name(ledger.name + ".tail")
