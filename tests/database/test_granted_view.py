from __future__ import annotations

from pathlib import Path

import pytest

import hedgerow
from hedgerow.database.granted_view import find_granted_tables, restrict_context
from hedgerow.errors import Unsupported
from service.helpers_service import COUNT, write_clinic


def test_a_table_that_was_not_granted_does_not_exist(tmp_path: Path) -> None:
    with hedgerow.open(write_clinic(tmp_path), in_process=True) as db:
        assert find_granted_tables(db.policy, "ben") == ("visits",)
        assert find_granted_tables(db.policy, "ana") is None
        assert restrict_context(db, "ana") is db
        view = restrict_context(db, "ben")
        assert list(view.catalog.tables) == ["visits"]
        assert (view.policy, view.policy_digest, view.ledger) == (
            db.policy,
            db.policy_digest,
            db.ledger,
        )
        assert dict(view.budgets) == dict(db.budgets)
        assert db.query(COUNT, analyst="ben").rows
        sql = "SELECT COUNT(*) FROM shifts"
        db.query(sql, analyst="ana")
        for ask in (db.query, db.explain, db.describe):
            with pytest.raises(Unsupported, match="no table shifts"):
                ask(sql, analyst="ben")
        shown = db.query("SELECT name FROM hedgerow.tables", analyst="ben")
        assert [row["name"] for row in shown.rows] == ["visits"]
