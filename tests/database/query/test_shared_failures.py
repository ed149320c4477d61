from __future__ import annotations

from pathlib import Path

import pytest

from database.clinic import write
from hedgerow.database import open
from hedgerow.database.query.shared_failures import share_failure
from hedgerow.errors import SourceError
from hedgerow.release.release import SOURCE_FAILED


def test_a_failure_is_shared_with_those_who_asked_before_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with open(write(tmp_path), in_process=True) as db:
        before = db.ledger.state.seq
        monkeypatch.setattr(db.source, "run", lambda plan: 1 / 0)
        with pytest.raises(SourceError):
            db.query("SELECT COUNT(*) FROM visits", epsilon=0.1)
        charge = next(entry for entry in db.ledger.entries() if entry.kind == "charge")
        failed = charge.body["question"], charge.body["version"]
        after = db.ledger.state.seq
        with pytest.raises(SourceError) as shared:
            share_failure(db.ledger, [("other", "1"), failed], before)
        assert str(shared.value) == SOURCE_FAILED
        share_failure(db.ledger, [failed], after)  # an old failure: ask again
        share_failure(db.ledger, [("other", "1"), (failed[0], "another version")], before)
