"""Entries about exact data: the custodian looked at them, outside of every guarantee."""

from __future__ import annotations

from hedgerow.ledger.entry import Entry
from hedgerow.ledger.interface import LedgerBase

__all__ = ["record_exact_access"]


def record_exact_access(
    ledger: LedgerBase, *, who: str, tool: str, digest: str | None, note: str
) -> Entry:
    """Record who looked at exact data and with which tool, before they are read; ``digest`` is that
    of the SQL. Nothing is charged, and no result is kept."""
    with ledger._transaction():
        return ledger._append("exact", {"who": who, "tool": tool, "digest": digest, "note": note})
