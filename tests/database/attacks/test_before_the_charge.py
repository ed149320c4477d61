"""What cannot be run is refused before it is paid for, and quickly."""

from __future__ import annotations

import pytest

from database.clinic import exactly
from hedgerow.errors import Unsupported


def nested(function: str, depth: int) -> str:
    """A function within itself."""
    text = "age"
    for _ in range(depth):
        text = function.format(text)
    return text


@pytest.mark.parametrize(
    "function",
    ["SQRT({})", "LN({} + 2)", "NULLIF({}, 3)", "7 % ({} + 1)", "LEAST({}, 5)", "GREATEST({}, 5)"],
)
def test_questions_of_unbounded_size_are_refused(function: str) -> None:
    with exactly() as db:
        with pytest.raises(Unsupported):
            db.query(f"SELECT COUNT(*) FROM data WHERE {nested(function, 30)} > 1")
        assert db.budget.epsilon.spent == 0  # type: ignore[union-attr]
        db.query(f"SELECT COUNT(*) FROM data WHERE {nested(function, 4)} > 1", epsilon=1)


def test_half_a_character_is_refused_as_a_question() -> None:
    with exactly() as db:
        with pytest.raises(Unsupported):
            db.query("SELECT COUNT(*) FROM data WHERE region = '\ud800'")
        assert len(db.ledger.entries()) == 2
