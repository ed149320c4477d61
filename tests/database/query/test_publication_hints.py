"""What a publication already tells, ``explain`` offers for free, with the error that the sum of
its cells has.
"""

from __future__ import annotations

import math
from pathlib import Path

import pytest

import hedgerow as hr
from database.survey import write_survey


@pytest.fixture
def db(tmp_path: Path) -> hr.Database:
    policy = write_survey(tmp_path)
    with hr.open(policy, in_process=True) as first:
        first.publish.histogram("people", ["region", "smokes"], epsilon=2).to(tmp_path / "cells")
        first.publish.marginals("people", ["region", "smokes", "age"], epsilon=2).to(
            tmp_path / "tables"
        )
        first.publish.histogram("people", ["region", "age"], bins={"age": 10}, epsilon=2).to(
            tmp_path / "binned"
        )
        first.publish.histogram("people", "smokes", where="age > 50", epsilon=2).to(
            tmp_path / "some"
        )
    names = ("cells", "tables", "binned", "some")
    policy.write_text(
        policy.read_text()
        + "".join(f'\n[tables.{n}]\nsource = "{n}/data.parquet"\npublic = true\n' for n in names)
    )
    return hr.open(policy, in_process=True)


def offered(db: hr.Database, sql: str) -> list[str]:
    return [note for note in db.explain(sql, epsilon=1).notes if "publication" in note]


def test_a_published_count_is_suggested(db: hr.Database) -> None:
    with db:
        spent = db.budget.spent
        first, second, third = offered(db, "SELECT region, COUNT(*) FROM people GROUP BY region")
        assert "The publication cells answers this question for free" in first
        assert "a new answer costs epsilon 1" in first
        variance = db.query("SELECT COUNT(*) AS n FROM cells").rows[0]["n"]
        assert variance == 6
        # A region has two cells; Laplace noise at epsilon 2 of two rows has the scale 1, in fine
        # parts of a row.
        cell = 2
        assert f"expected error of {math.sqrt(2 * cell):.4g};" in first
        assert "WHERE marginal = 'region'" in second
        assert "publication binned" in third
        assert db.budget.spent == spent


def test_conditions_choose_cells(db: hr.Database) -> None:
    with db:
        first, second, *_ = offered(
            db, "SELECT COUNT(*) FROM people WHERE smokes AND region IN ('north', 'south')"
        )
        cell = 2
        assert f"expected error of {math.sqrt(2 * cell):.4g};" in first
        assert "WHERE marginal = 'region x smokes'" in second


NOT_TOLD = (
    "SELECT SUM(age) FROM people",
    "SELECT COUNT(*) FROM people WHERE income > 5",
    "SELECT day, COUNT(*) FROM people GROUP BY day",
    "SELECT COUNT(DISTINCT region) FROM people",
    "SELECT COUNT(*), COUNT(age) FROM people",
    "SELECT COUNT(*) FROM people JOIN regions USING (region)",
)


def test_a_question_that_the_cells_do_not_answer_is_not_offered(db: hr.Database) -> None:
    with db:
        assert [sql for sql in NOT_TOLD if offered(db, sql)] == []


def test_a_publication_of_other_data_or_that_was_changed_is_not_offered(
    db: hr.Database, tmp_path: Path
) -> None:
    policy = tmp_path / "survey.toml"
    with db:
        assert len(offered(db, "SELECT smokes, COUNT(*) FROM people GROUP BY smokes")) == 2
        (tmp_path / "cells" / "receipt.json").unlink()
        assert len(offered(db, "SELECT smokes, COUNT(*) FROM people GROUP BY smokes")) == 1
    policy.write_text(policy.read_text().replace('version = "2026"', 'version = "2027"'))
    with hr.open(policy, in_process=True) as later:
        assert offered(later, "SELECT smokes, COUNT(*) FROM people GROUP BY smokes") == []
