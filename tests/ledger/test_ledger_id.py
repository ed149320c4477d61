"""Names of ledgers: each its own, and none without random bits."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from hedgerow.errors import EntropyError
from hedgerow.ledger.ledger_id import create_ledger_id
from hedgerow.ledger.memory import MemoryLedger
from hedgerow.ledger.sqlite import Ledger
from hedgerow.numeric import bits


def test_no_two_ledgers_have_one_name() -> None:
    names = {create_ledger_id() for _ in range(100)}
    assert len(names) == 100
    assert all(len(name) == 32 and int(name, 16) >= 0 for name in names)


@pytest.mark.parametrize("failure", [NotImplementedError, OSError])
def test_without_random_bits_no_ledger_is_begun(
    tmp_path: Path, failure: type[Exception], monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused(_: int) -> bytes:
        raise failure

    monkeypatch.setattr(bits, "_PROCESS_POOL", bits.BitPool())
    monkeypatch.setattr(os, "urandom", refused)
    for begin in (lambda: Ledger.open(tmp_path / "clinic.ledger", create=True), MemoryLedger):
        with pytest.raises(
            EntropyError, match=r"none was created\. Let this process read /dev/urandom"
        ):
            begin()
    assert os.listdir(tmp_path) == []
