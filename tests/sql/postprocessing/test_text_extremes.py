"""MIN and MAX of texts that nobody has listed."""

from __future__ import annotations

import re

import pyarrow as pa
import pytest

from database.clinic import exactly
from hedgerow.errors import Refused
from hedgerow.sql.postprocessing.statement_split import split_statement
from sql.helpers_fixtures import CATALOG

REFUSAL = Refused("not one question. Write one.")


def split(sql: str) -> list[str]:
    statement = split_statement(sql, CATALOG, REFUSAL)
    return [re.sub(r'["\x00]', "", piece.select.sql()) for piece in statement.pieces]


def test_texts_are_keys_of_a_question_of_their_own() -> None:
    assert split("SELECT region, MIN(city), COUNT(*) FROM visits WHERE smoker GROUP BY region") == [
        "SELECT region AS region, COUNT(*) AS aggregate 1 FROM visits WHERE smoker GROUP BY region",
        "SELECT region AS region, city AS text, COUNT(DISTINCT unit) AS aggregate 0 FROM visits"
        " WHERE smoker GROUP BY region, city",
    ]
    assert len(split("SELECT MIN(city), MAX(city) FROM visits")) == 2  # both from one answer


@pytest.mark.parametrize(
    ("sql", "problem"),
    [
        ("SELECT MAX(visits_before), MIN(city) FROM visits", "needs bounds"),
        ("SELECT MIN(patient_id) FROM visits", "patient_id is the privacy id"),
        ("SELECT MIN(DISTINCT LOWER(city)) FROM visits", "needs numbers or dates"),
    ],
)
def test_others_are_refused_for_what_they_are(sql: str, problem: str) -> None:
    with pytest.raises(Refused, match=problem):
        split(sql)


def test_the_extremes_are_those_of_shared_texts() -> None:
    jobs = ["baker", "cook", None] * 100 + ["zookeeper"] + ["actor"] + ["dean"] * 100
    table = pa.table(
        {
            "patient_id": list(range(402)),
            "job": jobs,
            "region": ["north" if job != "dean" else "south" for job in jobs],
        }
    )
    with exactly(table, columns={"region": ["north", "south", "east"]}) as db:
        found = db.query(
            "SELECT MIN(job) AS a, MAX(job) AS b, COUNT(*) AS n FROM data", epsilon=4500
        ).rows
        assert found == [{"a": "baker", "b": "dean", "n": 402}]
        found = db.query(
            "SELECT region, MAX(job) AS j FROM data GROUP BY region ORDER BY 1", epsilon=4500
        ).rows
        assert found == [
            {"region": "east", "j": None},
            {"region": "north", "j": "cook"},
            {"region": "south", "j": "dean"},
        ]
