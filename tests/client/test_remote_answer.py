"""Answers from their documents: rows, intervals, tables and frames like those of the database."""

from __future__ import annotations

import json
from datetime import date
from typing import Any

import pyarrow as pa
import pytest

import hedgerow
from hedgerow.answers.answer import Answer
from hedgerow.answers.postprocessed_answer import PostprocessedAnswer
from hedgerow.client.remote_answer import RemoteAnswer, read_rows
from hedgerow.database.database import Database
from hedgerow.errors import InvalidArgument

GROUPED = (
    "SELECT day, ok, COUNT(*) AS n, AVG(x) AS mean, MEDIAN(x) AS mid FROM data GROUP BY day, ok"
)
SHARES = (
    "WITH c AS (SELECT ok, COUNT(*) AS n FROM data GROUP BY ok) SELECT ok, n / 2 AS half FROM c"
)


@pytest.fixture(scope="module")
def db() -> Database:
    frame = pa.table(
        {
            "person": range(60),
            "day": [date(2026, 1, 1 + place % 2) for place in range(60)],
            "ok": [place % 3 == 0 for place in range(60)],
            "x": [place / 2 for place in range(60)],
        }
    )
    return hedgerow.protect(
        frame,
        unit="person",
        neighbours="add-remove",
        columns={"day": [date(2026, 1, 1), date(2026, 1, 2)], "ok": [True, False], "x": (0, 30)},
        epsilon=100,
        max_groups=1,
        max_rows_per_group=1,
    )


@pytest.fixture(scope="module", params=[GROUPED, SHARES])
def own(db: Database, request: pytest.FixtureRequest) -> Answer | PostprocessedAnswer:
    answer = db.query(request.param, epsilon=1)
    assert isinstance(answer, Answer | PostprocessedAnswer)
    return answer


def travel(answer: Any) -> Any:
    """Return the document of an answer after its way through JSON."""
    return json.loads(json.dumps(answer.to_dict()))


def test_a_table_comes_back_as_it_was(own: Answer | PostprocessedAnswer) -> None:
    found = RemoteAnswer.read(travel(own))
    assert (found.columns, found.rows, found.keys) == (own.columns, own.rows, own.keys)
    assert (found.cost, found.receipt, found.notes) == (own.cost, own.receipt, own.notes)
    assert found.receipts == getattr(own, "receipts", (own.receipt,))
    for name in own.columns:
        assert list(found.interval(name)) == list(own.interval(name))
        assert list(found.interval(name, rows=1)) == list(own.interval(name))[:1]
    assert (repr(found), found._repr_html_()) == (repr(own), own._repr_html_())
    assert found.to_dict() == travel(own)
    assert len(found) == len(own)


def test_frames_come_back_as_they_were(own: Answer | PostprocessedAnswer) -> None:
    found = RemoteAnswer.read(travel(own))
    for intervals in (False, True):
        assert found.to_arrow(intervals=intervals).equals(own.to_arrow(intervals=intervals))
    assert found.to_pandas().equals(own.to_pandas())
    assert found.to_polars().equals(own.to_polars())
    assert pa.table(found).equals(pa.table(own))


def test_other_columns_and_levels_are_refused(db: Database) -> None:
    found = RemoteAnswer.read(travel(db.query(GROUPED, epsilon=1)))
    with pytest.raises(InvalidArgument, match="column must be one of day"):
        found.interval("nothing")
    with pytest.raises(InvalidArgument, match=r"level must be 0\.95"):
        found.interval("n", 0.5)


def test_values_of_every_type_are_read() -> None:
    types = {"i": "integer", "r": "real", "d": "date", "t": "timestamp", "b": "boolean", "z": None}
    row = {"i": 1, "r": "-inf", "d": "2026-01-02", "t": "2026-01-02T03:04:05", "b": True, "z": None}
    (found,) = read_rows({"types": types, "rows": [row]})
    assert str(found["t"]) == "2026-01-02 03:04:05"
    assert found["d"] == date(2026, 1, 2)
    assert (found["i"], found["r"], found["b"], found["z"]) == (1, float("-inf"), True, None)
