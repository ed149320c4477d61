"""Public tables are asked for free, exactly, and without a way to any other table."""

from __future__ import annotations

from pathlib import Path

import pytest

import hedgerow as hr
from database.survey import write_survey
from hedgerow.database.listing import Listing
from hedgerow.errors import Refused, SourceError


def test_a_public_table_is_asked_for_free(tmp_path: Path) -> None:
    with hr.open(write_survey(tmp_path), in_process=True) as db:
        entries = len(list(db.ledger.entries()))
        found = db.query("SELECT region, people FROM regions WHERE area > '1' ORDER BY region DESC")
        assert isinstance(found, Listing)
        assert found.rows == [{"region": "south", "people": "200"}, {"region": "north", "people": "100"}]
        total = db.query("SELECT SUM(CAST(people AS INT)) AS n, AVG(CAST(area AS DOUBLE)) AS a FROM regions r WHERE r.people IS NOT NULL")
        assert total.rows == [{"n": 300, "a": 6.25}]
        assert found.cost.epsilon == 0
        assert len(list(db.ledger.entries())) == entries


def test_a_publication_becomes_a_public_table(tmp_path: Path) -> None:
    policy = write_survey(tmp_path)
    with hr.open(policy, in_process=True) as db:
        made = db.publish.histogram("people", ["region", "age"], bins={"age": 10}, epsilon=20).to(tmp_path / "by_age")
        spent = db.budget.spent
    policy.write_text(policy.read_text() + '\n[tables.by_age]\nsource = "by_age/data.parquet"\npublic = true\n')
    with hr.open(policy, in_process=True) as db:
        found = db.query("SELECT region, SUM(count) AS n FROM by_age WHERE age_from >= 50 GROUP BY region ORDER BY region")
        table = made.to_pandas()
        for row in found.rows:
            assert row["n"] == table[(table["region"] == row["region"]) & (table["age_from"] >= 50)]["count"].sum()
        assert [row["region"] for row in found.rows] == ["east", "north", "south"]
        assert db.budget.spent == spent


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT * FROM regions, people",
        "SELECT COUNT(*) FROM regions WHERE region IN (SELECT region FROM people)",
        "SELECT * FROM regions UNION ALL SELECT region, '1', '2' FROM people",
    ],
)
def test_no_way_leads_from_a_public_table_to_people(tmp_path: Path, sql: str) -> None:
    with hr.open(write_survey(tmp_path), in_process=True) as db, pytest.raises(Refused):
        db.query(sql, epsilon=1)


def test_what_the_engine_cannot_do_is_said_without_its_words(tmp_path: Path) -> None:
    with hr.open(write_survey(tmp_path), in_process=True) as db:
        with pytest.raises(SourceError, match="could not be answered"):
            db.query("SELECT nothing FROM regions")
        with pytest.raises(SourceError, match="could not be answered"):
            db.query("SELECT CAST(region AS INT) FROM regions")


def test_an_answer_that_is_too_long_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("hedgerow.database.free._ROWS", 2)
    with hr.open(write_survey(tmp_path), in_process=True) as db, pytest.raises(Refused, match="more than 2 rows"):
        db.query("SELECT region FROM regions")
