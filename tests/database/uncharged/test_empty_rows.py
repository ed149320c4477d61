"""Questions whose WHERE is never true: what SQL says of no rows, free, without data and entry."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path

import pandas as pd
import pytest

import hedgerow as hr
from hedgerow.database.uncharged.exact_table import ExactTable


def open_frame(ledger: str | None = None) -> hr.Database:
    frame = pd.DataFrame({"uid": [1, 2, 3], "sex": ["f", "m", "f"], "age": [3, 4, 5]})
    frame["city"] = ["a", "b", "c"]
    return hr.protect(
        frame,
        unit="uid",
        epsilon=1,
        neighbours="add-remove",
        columns={"sex": ["f", "m"], "age": (0, 110), "city": "text"},
        max_groups=1,
        max_rows_per_group=1,
        ledger=ledger,
    )


@pytest.fixture(scope="module")
def db() -> Iterator[hr.Database]:
    with open_frame() as opened:
        yield opened


@pytest.mark.parametrize(
    ("sql", "rows"),
    [
        ("SELECT COUNT(*) AS n FROM data WHERE 1 = 0", [(0,)]),
        (
            "SELECT SUM(age), AVG(age), MAX(age), COUNT(DISTINCT uid), REGR_COUNT(age, age)"
            " FROM data WHERE age > 120",
            [(None, None, None, 0, 0)],
        ),
        (
            "SELECT sex, COUNT(*), SUM(age) FROM data WHERE FALSE GROUP BY sex ORDER BY sex DESC",
            [("m", 0, None), ("f", 0, None)],
        ),
        ("SELECT sex, COUNT(*) + 1 FROM data WHERE sex = 'x' GROUP BY sex LIMIT 1", [("f", 1)]),
        ("SELECT sex, COUNT(*) FROM data WHERE NULL GROUP BY sex HAVING COUNT(*) > 0", []),
        ("SELECT city, COUNT(*) FROM data WHERE age BETWEEN 9 AND 3 GROUP BY city", []),
        ("SELECT DP_INTERVAL_LOW(n), COUNT(*) AS n FROM data WHERE age = 1.5", [(0, 0)]),
        ("SELECT COUNT(*) FROM data a JOIN data b USING (uid) WHERE a.age < 0", [(0,)]),
        (
            "SELECT a.sex, COUNT(*) FROM data a, data b WHERE a.age < 0 AND (a.uid = b.uid)"
            " AND b.city = a.city GROUP BY a.sex",
            [("f", 0), ("m", 0)],
        ),
    ],
)
def test_the_answer_is_that_of_sql_for_no_rows(
    db: hr.Database, sql: str, rows: list[tuple[object, ...]]
) -> None:
    entries = db.query("SELECT COUNT(*) FROM hedgerow.ledger").rows
    found = db.query(sql)
    assert isinstance(found, ExactTable)
    assert [tuple(row.values()) for row in found.rows] == rows
    assert found.notes[0].startswith("Free and exact: no protected data were read. This")
    assert found.receipt is None
    assert found.cost.epsilon == 0
    assert db.budget.spent == 0
    assert db.query("SELECT COUNT(*) FROM hedgerow.ledger").rows == entries


def test_the_note_has_the_reason_and_what_may_be_meant(db: hr.Database) -> None:
    (note,) = db.query("SELECT COUNT(*) FROM data WHERE sex = 'F'").notes
    assert note.endswith("read. This is never true: sex is one of f, m. Did you mean 'f'?")
    assert repr(db.query("SELECT COUNT(*) FROM data WHERE 0 = 1")).endswith(
        "This condition is never true."
    )


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT COUNT(*) FROM data WHERE uid NOT IN (SELECT uid FROM data WHERE FALSE)",
        "SELECT COUNT(*) FROM (SELECT uid, age FROM data WHERE age > 120) AS t",
        "SELECT * FROM data WHERE FALSE",
        "SELECT COUNT(*) FROM data a, data b WHERE a.age < 0 AND a.city = b.city",
        "SELECT COUNT(*) FROM data WHERE sex IN ('f', 'x')",
        "SELECT SUM(nothing) FROM data WHERE FALSE",
        "EXPLAIN PRIVACY SELECT COUNT(*) FROM data WHERE FALSE",
    ],
)
def test_no_other_question_is_answered_without_data(db: hr.Database, sql: str) -> None:
    with pytest.raises(hr.Refused):
        db.query(sql)
    assert db.budget.spent == 0


def test_a_statement_of_questions_about_no_rows_is_free(db: hr.Database) -> None:
    shares = "SELECT sex, COUNT(*) AS n, SUM(COUNT(*)) OVER () AS t, AVG(age) AS m FROM data"
    found = db.query(f"{shares} WHERE age > 120 GROUP BY sex ORDER BY sex")
    assert found.rows == [{"sex": sex, "n": 0, "t": 0, "m": None} for sex in ("f", "m")]
    levels = db.query("SELECT sex, COUNT(*) AS n FROM data WHERE FALSE GROUP BY ROLLUP (sex)")
    assert {row["sex"]: row["n"] for row in levels.rows} == {"f": 0, "m": 0, None: 0}
    assert db.query("SELECT DISTINCT city FROM data WHERE FALSE").rows == []
    assert db.budget.spent == 0


def test_only_the_other_parts_of_a_statement_are_paid_for(tmp_path: Path) -> None:
    parts = "(SELECT COUNT(*) FROM data WHERE sex = 'x') AS a, (SELECT COUNT(*) FROM data) AS b"
    with open_frame(str(tmp_path / "ledger")) as db:
        found = db.query(f"SELECT {parts}", epsilon=0.25)
        assert found.rows[0]["a"] == 0
        assert "A part of this is free and exact. This is never true: sex is one of f, m." in (
            found.notes
        )
        assert db.budget.spent == Fraction(1, 4)
        plain = db.query("SELECT COUNT(*) FROM data", epsilon=0.25)  # stored
        assert plain.rows == [{"count": found.rows[0]["b"]}]
        assert db.budget.spent == Fraction(1, 4)
