"""Entries whose sync failed, in a file of their own.

After a failed sync nobody knows what is on disk. The entry counts as written: it is put into this
new file, which is synced, and from there into the ledger once more; only then does the process
answer again. The file goes when the ledger has its entries. One that is found at opening was left
by a crash in between, and is brought in the same way.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import astuple
from pathlib import Path

from hedgerow.errors import LedgerError
from hedgerow.ledger.durable_files import replace_file
from hedgerow.ledger.entry import Entry

__all__ = ["read_tail", "remove_tail", "write_tail"]


def write_tail(ledger: Path, entries: Sequence[Entry]) -> None:
    """Put entries into a new file beside the ledger, on disk when this returns. Call it alone."""
    replace_file(_build_tail_path(ledger), json.dumps([astuple(entry) for entry in entries]))


def read_tail(ledger: Path) -> tuple[Entry, ...]:
    """Return the entries that were kept and not dropped; hardly ever any."""
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
            " synced, and cannot be read. If 'hedgerow ledger verify' finds nothing wrong, move it"
            " away."
        ) from None


def remove_tail(ledger: Path) -> None:
    """Forget what was kept: the ledger has it."""
    _build_tail_path(ledger).unlink(missing_ok=True)


def _build_tail_path(ledger: Path) -> Path:
    return ledger.with_name(ledger.name + ".tail")
