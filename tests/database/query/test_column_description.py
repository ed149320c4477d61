from __future__ import annotations

import pytest

import hedgerow
from hedgerow.database import Database
from hedgerow.database.query.column_description import OutputColumnType
from hedgerow.errors import Refused
from service.helpers_service import COUNT, write_clinic


@pytest.fixture(scope="module")
def db(tmp_path_factory: pytest.TempPathFactory) -> Database:
    return hedgerow.open(write_clinic(tmp_path_factory.mktemp("clinic")), in_process=True)


def test_columns_are_known_before_a_question_is_asked(db: Database) -> None:
    before = len(db.ledger.entries())
    assert db.describe(COUNT) == (
        OutputColumnType("region", "text", False),
        OutputColumnType("n", "integer", True),
    )
    shares = f"WITH c AS ({COUNT}) SELECT region, 1.0 * n / SUM(n) OVER () AS share FROM c"
    assert [(one.name, one.type) for one in db.describe(shares)] == [
        ("region", "text"),
        ("share", "real"),
    ]
    assert [one.name for one in db.describe(f"EXPLAIN PRIVACY {COUNT}")] == ["explanation"]
    assert [one.name for one in db.describe(f"EXPLAIN PRIVACY {shares}")] == ["explanation"]
    assert [one.name for one in db.describe("SELECT name FROM hedgerow.tables")] == ["name"]
    assert len(db.ledger.entries()) == before


def test_the_description_is_that_of_the_answer(db: Database) -> None:
    answer = db.query(COUNT)
    assert [one.name for one in db.describe(COUNT)] == list(answer.columns)


def test_a_question_about_no_rows_has_the_columns_that_it_would_have(db: Database) -> None:
    counted = "SELECT COUNT(*) AS n, AVG(age) AS mean FROM visits"
    assert db.describe(f"{counted} WHERE age > 1 AND age < 0") == db.describe(counted)


def test_a_question_that_is_refused_has_no_columns(db: Database) -> None:
    with pytest.raises(Refused, match="individual rows"):
        db.describe("SELECT * FROM visits")
