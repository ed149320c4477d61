from __future__ import annotations

import pytest

from hedgerow.service.wire.catalog.session_facts import SessionFacts


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("current_user", "ana"),
        ("current_database", "clinic"),
        ("current_schema", "public"),
        ("version", "PostgreSQL 15.0 (Hedgerow)"),
        ("pg_sleep", None),
    ],
)
def test_a_session_knows_itself(name: str, value: str | None) -> None:
    assert SessionFacts("clinic", "ana", lambda _: None).read_fact(name) == value
