"""Answers agree with plain SQL: under loose caps, the intervals contain DuckDB's answer."""

from __future__ import annotations

import datetime
import re
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import duckdb
import pytest

from hedgerow.answers.answer import Answer
from hedgerow.database import Database, open
from hedgerow.errors import Refused
from questions.helpers_questions import Asked, questions
from questions.helpers_worlds import WORLDS, write

# a few thousand cells in all: a false alarm comes once in 10^9 runs
LEVEL = 1 - Fraction(1, 10**13)
EPSILON = 200
ROWS = {"payments": 100}  # those of all cards of a customer; others have at most 40
AT_LEAST = {"clinic": 90, "adverts": 220, "school": 180, "payments": 100}  # cells that are compared


def loose(world: str, folder: Path) -> Path:
    """Return a world with caps larger than any contribution."""
    path = write(world, folder)
    text = path.read_text(encoding="utf-8").replace("epsilon = 1000", "epsilon = 10_000")
    for key, most in {"max_groups = ": 30, "max_rows_per_group = ": ROWS.get(world, 40)}.items():
        text = re.sub(f"{key}[0-9]+", f"{key}{most}", text)
    path.write_text(text, encoding="utf-8")
    return path


def plain(sql: str) -> str | None:
    """Return the question without the syntax of Hedgerow; None if that changes its meaning."""
    if "=>" in sql or "OPTIONS" in sql:
        return None
    return re.sub(r",\s*dp_interval_\w+\(\w+\) as \w+", "", sql, flags=re.IGNORECASE)


def same(value: Any) -> Any:
    """Return keys as both sides write them."""
    if isinstance(value, datetime.datetime):
        return value.date()
    return value if isinstance(value, str | datetime.date) or value is None else float(value)


def compared(asked: Asked, db: Database, raw: duckdb.DuckDBPyConnection) -> int:
    """Return the number of cells in their intervals; rows match by columns without one."""
    text = plain(asked.sql)
    if text is None:
        return 0
    try:
        answer = db.query(asked.sql, epsilon=EPSILON)
    except Refused:  # whether it is answered at all is for test_questions
        return 0
    assert isinstance(answer, Answer)
    found = raw.execute(text)
    names = [column[0] for column in found.description or ()]
    exact = [dict(zip(names, row, strict=True)) for row in found.fetchall()]
    shown = [name for name in answer.columns if name in names]
    intervals = {name: answer.interval(name, LEVEL) for name in shown}
    keys = [name for name in shown if not any(intervals[name])]
    by_key = {tuple(same(row[name]) for name in keys): row for row in exact}
    count = 0
    for place, row in enumerate(answer.rows):
        true = by_key.get(tuple(same(row[name]) for name in keys))
        for name in [] if true is None else shown:
            pair, value = intervals[name][place], None if true is None else true[name]
            if pair is not None and value is not None:
                slack = 1e-6 * abs(float(value))
                assert pair[0] - slack <= float(value) <= pair[1] + slack, (
                    f"{asked}: {name} is {value}, told {row[name]} in {pair}"
                )
                count += 1
    return count


@pytest.mark.long
@pytest.mark.parametrize("world", WORLDS)
def test_the_intervals_hold_what_plain_sql_says(world: str, tmp_path: Path) -> None:
    with open(loose(world, tmp_path), in_process=True) as db, duckdb.connect() as raw:
        for file in tmp_path.glob("*.parquet"):
            raw.execute(f"CREATE VIEW {file.stem} AS SELECT * FROM '{file}'")
        count = sum(compared(asked, db, raw) for asked in questions(world) if asked.refused is None)
    assert count >= AT_LEAST[world]


@pytest.mark.long
def test_an_answer_about_something_else_is_noticed(tmp_path: Path) -> None:
    asked = replace(
        questions("school")[1], sql="SELECT grade, COUNT(*) AS n FROM pupils GROUP BY grade"
    )
    with open(loose("school", tmp_path), in_process=True) as db, duckdb.connect() as raw:
        raw.execute(f"CREATE VIEW pupils AS SELECT * FROM '{tmp_path / 'pupils.parquet'}'")
        assert compared(asked, db, raw) == 8
        raw.execute(
            f"CREATE OR REPLACE VIEW pupils AS SELECT * FROM '{tmp_path / 'pupils.parquet'}' WHERE"
            " gender <> 'boy'"
        )
        with pytest.raises(AssertionError, match="school-2: n is"):
            compared(asked, db, raw)
    assert (
        compared(replace(asked, sql="SELECT MEDIAN(x, method => 'smooth') FROM pupils"), db, raw)
        == 0
    )
