"""A look at exact data leaves an entry in every ledger, and changes no sum."""

from __future__ import annotations

from pathlib import Path

import pytest

from hedgerow.ledger import Ledger, MemoryLedger, verify
from hedgerow.ledger.exact_access import record_exact_access
from hedgerow.ledger.interface import LedgerBase


@pytest.mark.parametrize("kind", ["memory", "file"])
def test_it_is_recorded_without_a_charge_or_result(kind: str, tmp_path: Path) -> None:
    path = tmp_path / "some.ledger"
    ledger: LedgerBase = MemoryLedger() if kind == "memory" else Ledger.open(path, create=True)
    with ledger:
        ledger.accept_policy(
            digest="d",
            text="t",
            budgets={
                "people": {"epsilon": 1, "delta": None, "unit": "id", "neighbours": "add-remove"}
            },
        )
        entry = record_exact_access(ledger, who="ada", tool="compare", digest="ff", note="why")
        assert (entry.seq, entry.kind) == (3, "exact")
        assert entry.body == {"who": "ada", "tool": "compare", "digest": "ff", "note": "why"}
        assert ledger.state.budget("people").balance.spent == 0  # type: ignore[union-attr]
        assert ledger.entries()[-1] == entry
    if kind == "file":
        verify(path)
        with Ledger.open(path, create=False) as again:
            assert again.entries()[-1].kind == "exact"
            assert again.state.seq == 3
