"""What an answer leaves out is said, and only that."""

from __future__ import annotations

import re
from datetime import datetime, timedelta

import pyarrow as pa
import pytest

from database.clinic import exactly
from hedgerow import protect
from hedgerow.answers.answer import Answer
from hedgerow.answers.clipping_caveats import NOT_MEASURED


@pytest.mark.parametrize(
    ("sql", "said"),
    [
        (
            "SELECT COUNT(*) FROM data",
            ["Each person contributes at most 3 rows; further rows do not count."],
        ),
        (
            "SELECT region, COUNT(*) FROM data GROUP BY region",
            [
                "Each person contributes to at most 2 groups.",
                "Each person contributes at most 3 rows to a group",
                "Rows without region are in no group; write COALESCE(region, …)",
            ],
        ),
        (
            "SELECT region, COUNT(*) FROM data WHERE region <> 'x' GROUP BY region",
            [
                "Each person contributes to at most 2 groups.",
                "Each person contributes at most 3 rows to a group",
            ],
        ),
        (
            (
                "SELECT region, COUNT(*) FROM data WHERE region = 'north' OR (region IN ('south')"
                " AND age > 3) GROUP BY region"
            ),
            [
                "Each person contributes to at most 2 groups.",
                "Each person contributes at most 3 rows to a group",
            ],
        ),
        (
            "SELECT region, COUNT(*) FROM data WHERE region = 'north' OR age > 3 GROUP BY region",
            [
                "Each person contributes to at most 2 groups.",
                "Each person contributes at most 3 rows to a group",
                "Rows without region are in no group",
            ],
        ),
        (
            "SELECT COALESCE(region, 'none'), COUNT(*) FROM data GROUP BY 1",
            [
                "Each person contributes to at most 2 groups.",
                "Each person contributes at most 3 rows to a group",
            ],
        ),
        (
            "SELECT SUM(cost) FROM data",
            [
                "at most 3 rows; further rows are scaled down",
                "SUM(cost) clamps values to [0, 1,000]",
            ],
        ),
        (
            "SELECT city, COUNT(*) FROM data GROUP BY city",
            [
                "Each person contributes to at most 2 groups.",
                "at most 3 rows",
                "Groups with a noisy count below",
            ],
        ),
        (
            "SELECT SUM(cost, contribution_bounds_per_group => (0, 1500)) FROM data",
            [
                "clamps the total of each person to [0, 1,500]",
                "clamps values to [0, 1,000]",
            ],
        ),
        (
            (
                "SELECT region, COUNT(*, contribution_bounds_per_group => (0, 6)), COUNT(*) FROM"
                " data GROUP BY region"
            ),
            [
                "Each person contributes to at most 2 groups.",
                "at most 3 rows",
                "clamps the total of each person in a group to [0, 6]",
                "Rows without",
            ],
        ),
        (
            "SELECT MEDIAN(age) FROM data",
            [
                "at most 3 rows; further rows do not count",
                "MEDIAN(age) clamps values to",
                "MEDIAN(age) is off by at most 1 rank (95 %)",
            ],
        ),
        (
            "SELECT MODE(region) FROM data",
            ["at most 3 rows", "rarer than the mode by up to 1 row (95 %)"],
        ),
        (
            (
                "SELECT SUM(cost, contribution_bounds_per_group => (0, 50), clipped => TRUE), "
                "COUNT(*, contribution_bounds_per_group => (0, 2)) FROM data"
            ),
            [
                "clamps the total of each person to [0, 50]. The number of people outside",
                "COUNT(*, contribution_bounds_per_group => (0, 2)) clamps",
            ],
        ),
        (
            "SELECT COUNT(*) FROM data HAVING COUNT(*) > 5",
            ["at most 3 rows", "HAVING and LIMIT use noisy values"],
        ),
    ],
)
def test_every_deviation_from_plain_sql_has_a_caveat(sql: str, said: list[str]) -> None:
    with exactly() as db:
        answer = db.query(sql, epsilon=9000)
    assert isinstance(answer, Answer)
    notes = [note for note in answer.notes if note != NOT_MEASURED]
    assert len(answer.notes) - len(notes) <= 1
    assert len(notes) == len(said)
    assert all(part in note for part, note in zip(said, notes, strict=True))


def test_caveats_show_declared_bounds_and_not_grid_bounds() -> None:
    """No power of two is 0.3: the grid of a real column without a step of its own ends a little
    below.
    """
    frame = pa.table(
        {"id": [1, 2, 3], "y": [0.1, 0.2, 0.3], "z": [10.0, 20.0, 30.0], "n": [1, 2, 3]}
    )
    columns = {
        "y": (-0.1, 0.3),
        "z": {"type": "real", "min": 0, "max": 123.4, "step": 0.1},
        "n": (-1234, 12_345_678),
    }
    bounds = "contribution_bounds_per_group => (-0.05, 0.7)"
    with protect(
        frame,
        unit="id",
        max_groups=3,
        neighbours="add-remove",
        columns=columns,
        epsilon=100,
        max_rows_per_group=3,
    ) as db:
        notes = {
            sql: db.explain(f"SELECT {sql} FROM data", epsilon=1).notes
            for sql in ("AVG(y)", "MEDIAN(y)", "SUM(y * 1000)", "SUM(z)")
        }
        sums = db.explain(f"SELECT SUM(y, {bounds}) AS s FROM data", epsilon=1).notes
        clipped = db.explain(
            f"SELECT SUM(y, {bounds}, clipped => TRUE) AS s FROM data", epsilon=1
        ).notes
        whole = db.explain("SELECT SUM(n) FROM data", epsilon=1).notes
        steps = db.explain("SELECT MEDIAN(y), SUM(z) FROM data", epsilon=1).steps
    for sql, low, high in (
        ("AVG(y)", "-0.1", "0.3"),
        ("MEDIAN(y)", "-0.1", "0.3"),
        ("SUM(y * 1000)", "-100", "300"),
    ):
        assert f"{sql} clamps values to [{low}, {high}]." in notes[sql]
    assert "SUM(z) clamps values to [0, 123.4]." in notes["SUM(z)"]
    assert "SUM(n) clamps values to [-1,234, 12,345,678]." in whole
    for told in (sums, clipped):
        assert any("clamps the total of each person to [-0.05, 0.7]" in note for note in told)
    assert "SUM(z): values are clamped to [0, 123.4] and rounded to steps of 0.1." in steps
    ending = "and rounded by less than a millionth of that range."
    assert any(step.endswith(ending) for step in steps)


def test_rows_of_their_own_are_not_capped() -> None:
    with exactly(unit="row", max_groups=1, max_rows_per_group=1) as db:
        answer = db.query("SELECT region, COUNT(*) FROM data GROUP BY region", epsilon=9000)
    assert isinstance(answer, Answer)
    assert answer.notes == (
        "Rows without region are in no group; write COALESCE(region, …) to count them.",
    )


def test_ranks_are_counted() -> None:
    with exactly(epsilon=1) as db:
        notes = db.explain(
            "SELECT MEDIAN(age), MODE(region), MEDIAN(cost, method => 'smooth') FROM data",
            epsilon=0.01,
        ).notes
    assert any(re.search(r"^MEDIAN\(age\) is off by at most [\d,]+ ranks", note) for note in notes)
    assert any(
        re.search(
            r"^MODE\(region\) may be a value that is rarer than the mode by up to [\d,]+ rows", note
        )
        for note in notes
    )
    assert (
        "The error of MEDIAN(cost, method => 'smooth') depends on the data, so it is private."
        in notes
    )


def test_dates_known_by_month_have_a_caveat_where_used() -> None:
    table = pa.table(
        {"patient_id": [1, 2], "day": pa.array(["2026-01-05", "2026-02-11"]).cast(pa.date32())}
    )
    with exactly(table, columns={"day": {"type": "date", "values": "2026-01 … 2026-03"}}) as db:
        said = "day is known by month: each of its dates means the whole month."
        for sql in (
            "SELECT MAX(day) FROM data",
            "SELECT COUNT(*) FROM data WHERE day = '2026-01-01'",
            "SELECT COUNT(DISTINCT day) FROM data",
        ):
            assert said in db.explain(sql, epsilon=1).notes
        assert said not in db.explain("SELECT COUNT(*) FROM data", epsilon=1).notes


def test_chosen_timestamps_are_moments_between_the_declared_days() -> None:
    times = [datetime(2026, 1, 1 + n % 9, n % 24, n % 60) for n in range(200)]
    table = pa.table({"patient_id": list(range(200)), "t": times})
    columns = {"t": {"type": "timestamp", "values": "2026-01-01 … 2026-01-31"}}
    with exactly(table, columns=columns) as db:
        answer = db.query("SELECT MIN(t) AS a, MAX(t) AS b, MEDIAN(t) AS m FROM data", epsilon=9000)
    assert isinstance(answer, Answer)
    (row,) = answer.rows
    assert abs(row["a"] - min(times)) <= timedelta(hours=2)
    assert abs(row["b"] - max(times)) <= timedelta(hours=2)
    assert abs(row["m"] - sorted(times)[100]) <= timedelta(hours=2)
    said = "clamp moments to 2026-01-01 00:00:00 … 2026-01-31 23:59:59."
    assert any(note.endswith(said) for note in answer.notes)
    assert answer.interval("a") == [None]
