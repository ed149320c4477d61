"""Data of a new version are asked anew: no answer about the old ones is given for them, or
averaged with one about them.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from hedgerow.database import Database, open
from hedgerow.ledger.sqlite import Ledger
from hedgerow.plan import canonical_text

POLICY = """
[database]
name = "clinic"
ledger = "clinic.ledger"
[budget]
epsilon = 1000
max_epsilon_per_query = 100
[tables.visits]
source = "visits.csv"
version = "1"
unit = "row"
neighbours = "add-remove"
"""


def grown(folder: Path, rows: int, version: int) -> Path:
    (folder / "visits.csv").write_text("n\n" + "1\n" * rows)
    (folder / "clinic.toml").write_text(POLICY.replace('"1"', f'"{version}"'))
    return folder / "clinic.toml"


def count(db: Database, epsilon: int) -> int:
    answer = db.query("SELECT COUNT(*) AS n FROM visits", epsilon=epsilon)
    found: int = answer.rows[0]["n"]  # type: ignore[union-attr]
    return found


def after(folder: Path, epsilon: int) -> tuple[int, Any]:
    """A hundred rows are counted at epsilon 50; then there are 300, of a new version: their count
    at ``epsilon``, and what it cost.

    Noise of scale 1/50 is never more than a few.
    """
    folder.mkdir()
    with open(grown(folder, 100, 1), in_process=True) as db:
        assert abs(count(db, 50) - 100) < 5
    with open(grown(folder, 300, 2), in_process=True) as db:
        before: Any = db.budget.spent  # type: ignore[union-attr]
        return count(db, epsilon), db.budget.spent - before  # type: ignore[union-attr]


def forgotten_by_the_ledger(monkeypatch: pytest.MonkeyPatch) -> None:
    answers = Ledger.answers
    monkeypatch.setattr(
        Ledger,
        "answers",
        lambda self, question, _: [*answers(self, question, "1"), *answers(self, question, "2")],
    )


def forgotten_by_the_question(monkeypatch: pytest.MonkeyPatch) -> None:
    plain = canonical_text._encode_owner
    monkeypatch.setattr(
        canonical_text,
        "_encode_owner",
        lambda *given: [part for place, part in enumerate(plain(*given)) if place != 1],
    )


@pytest.mark.parametrize("forget", [None, forgotten_by_the_ledger, forgotten_by_the_question])
def test_an_answer_is_about_the_data_of_its_version(
    forget: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is part of the question, and the ledger is asked for it: either would do."""
    if forget is not None:
        forget(monkeypatch)
    found, cost = after(tmp_path / "data", 50)
    assert abs(found - 300) < 5
    assert cost == 50


@pytest.mark.parametrize(
    ("epsilon", "told", "paid"), [(50, 100, 0), (60, 218, 60)], ids=["reused", "averaged"]
)
def test_a_build_that_forgets_versions_is_found(
    epsilon: int, told: int, paid: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It gives the old answer, or one between the two."""
    forgotten_by_the_ledger(monkeypatch)
    forgotten_by_the_question(monkeypatch)
    found, cost = after(tmp_path / "data", epsilon)
    assert abs(found - told) < 5
    assert cost == paid
