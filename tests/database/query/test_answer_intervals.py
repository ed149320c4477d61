"""Intervals of SQL over noisy answers, from the statement to the answer."""

from __future__ import annotations

import pytest

from database.clinic import exactly
from hedgerow.answers.answer import Answer
from hedgerow.answers.postprocessed_answer import PostprocessedAnswer
from hedgerow.database import Database
from hedgerow.database.query import answer_intervals
from hedgerow.errors import SourceError

SHARES = (
    "WITH t AS (SELECT region, COUNT(*) AS n FROM data GROUP BY region) SELECT region, n,"
    " n / (SELECT SUM(n) FROM t) AS share, RANK() OVER (ORDER BY n) AS place, 2 AS two FROM t"
)


def ask(db: Database, sql: str) -> PostprocessedAnswer:
    answer = db.query(sql, epsilon=1)
    assert isinstance(answer, PostprocessedAnswer)
    return answer


def test_all_intervals_hold_together() -> None:
    with exactly(epsilon=3) as db:
        answer = ask(db, SHARES)
        assert set(answer.intervals) == {"n", "share"}
        assert answer.keys == {"region", "two"}
        (piece,) = answer.pieces
        pairs = zip(piece.rows, piece.interval("n", 1 - 0.05 / 4), strict=True)
        wider = {row["region"]: interval for row, interval in pairs}
        for row, interval in zip(answer.rows, answer.interval("n"), strict=True):
            alone = wider[row["region"]]
            assert interval is not None
            assert alone is not None
            assert interval[0] <= row["n"] <= interval[1]
            assert interval[0] == pytest.approx(alone[0], abs=1)
        shares = answer.interval("share")
        assert all(pair is not None and pair[0] < pair[1] for pair in shares)


def test_hidden_groups_leave_sums_without_intervals() -> None:
    with exactly(epsilon=30) as db:
        sql = "SELECT SUM(n) AS s FROM (SELECT city, COUNT(*) AS n FROM data GROUP BY city) t"
        assert ask(db, sql).intervals == {}


def test_a_failure_of_the_ends_leaves_the_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise SourceError("No.")

    monkeypatch.setattr(answer_intervals, "_add_ends", fail)
    with exactly(epsilon=3) as db:
        answer = ask(db, SHARES)
    assert len(answer.rows) == 4
    assert answer.intervals == {}


def test_groups_are_missing_if_they_are_hidden_or_left_out() -> None:
    asked = {
        "SELECT region, COUNT(*) AS n FROM data GROUP BY region": True,
        "SELECT region, COUNT(*) AS n FROM data GROUP BY region HAVING COUNT(*) > 9": False,
        "SELECT region, COUNT(*) AS n FROM data GROUP BY region LIMIT 2": False,
        "SELECT city, COUNT(*) AS n FROM data GROUP BY city": False,
    }
    with exactly(epsilon=30) as db:
        for sql, expected in asked.items():
            answer = db.query(sql, epsilon=1)
            assert isinstance(answer, Answer)
            assert answer.has_all_groups == expected
