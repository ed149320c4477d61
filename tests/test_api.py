"""The two names through which people come in: what they take is what the database takes."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from datetime import date, datetime
from pathlib import Path
from typing import Any

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import hedgerow as hr
from database.clinic import visits, write
from hedgerow import database
from hedgerow.errors import InvalidArgument, SourceError, Unbounded
from hedgerow.policy import Policy


def test_they_open_what_the_database_opens(tmp_path: Path) -> None:
    with hr.open(write(tmp_path), analyst="bob", in_process=True, deadline=5) as db:
        assert len(db.query("SELECT region, COUNT(*) FROM visits GROUP BY region")) == 4
        assert db.ledger.entries()[2].body["analyst"] == "bob"
    with hr.protect(
        visits(),
        unit="patient_id",
        max_rows_per_group=1,
        neighbours="change-one",
        columns={"age": (0, 110)},
        epsilon=1,
        max_groups=2,
    ) as db:
        assert len(db.query("SELECT AVG(age) FROM data", epsilon=0.5)) == 1


@pytest.mark.parametrize("path", ["stays.csv", Path("stays.csv")])
def test_a_path_is_no_frame_and_hears_what_to_do(path: str | Path) -> None:
    with pytest.raises(
        InvalidArgument,
        match=r"not a path: read the file.*read_csv.*hedgerow init.*hr\.open; got 'stays\.csv'",
    ) as refused:
        hr.protect(
            path,
            unit="id",
            max_groups=3,
            max_rows_per_group=1,
            neighbours="add-remove",
            columns={},
            epsilon=1,
        )
    assert refused.value.argument == "frame"


@pytest.mark.parametrize("data", [None, 3, [1, 2], b"x"])
def test_data_of_another_kind_are_refused(data: object) -> None:
    with pytest.raises(InvalidArgument, match="frame must be a pandas, polars or Arrow frame"):
        hr.protect(data, unit="id", neighbours="add-remove", epsilon=1)


def test_a_missing_bound_is_an_argument_of_protect() -> None:
    frame = pd.DataFrame({"id": [1], "age": [30], "day": [date(2026, 1, 1)]})
    with (
        hr.protect(
            frame, unit="id", max_groups=1, max_rows_per_group=1, neighbours="add-remove", epsilon=1
        ) as db,
        pytest.raises(Unbounded) as refused,
    ):
        db.query("SELECT SUM(age) FROM data")
    assert str(refused.value).splitlines()[-1] == (
        'Pass bounds to protect: columns={"age": (low, high)}; or clamp: LEAST(GREATEST(age, 0),'
        " 500)."
    )


def test_without_declarations_columns_have_the_types_of_the_frame_and_no_bounds() -> None:
    frame = pd.DataFrame({"id": [1, 2], "age": [30, 41], "height": [1.7, 1.8], "ok": [True, False]})
    with hr.protect(
        frame, unit="id", max_groups=3, max_rows_per_group=1, neighbours="add-remove", epsilon=1
    ) as db:
        listed = db.query("SELECT name, type, min, max, value_count FROM hedgerow.columns").rows
        assert len(db.query("SELECT COUNT(*) FROM data WHERE age > 35 AND ok", epsilon=0.5)) == 1
        with pytest.raises(Unbounded, match=r"AVG\(age\) needs bounds"):
            db.query("SELECT AVG(age) FROM data")
    types = {"id": "integer", "age": "integer", "height": "real", "ok": "boolean"}
    assert {row["name"]: row["type"] for row in listed} == types
    assert {(row["min"], row["max"], row["value_count"]) for row in listed} == {(None,) * 3}


@pytest.mark.parametrize("kind", ["pandas", "arrow", "zoned", "polars"])
def test_timestamps_of_frames_have_times_of_day(kind: str) -> None:
    times = [datetime(2026, 7, 5, 9), datetime(2026, 7, 6, 9, 59), datetime(2026, 7, 31, 23, 30)]
    table = pa.table({"id": [1, 2, 3], "at": times})
    frames: dict[str, Callable[[], Any]] = {
        "pandas": table.to_pandas,
        "arrow": lambda: table,
        "zoned": lambda: table.to_pandas().assign(at=lambda x: x["at"].dt.tz_localize("UTC")),
        "polars": lambda: pl.from_arrow(table),
    }
    with hr.protect(
        frames[kind](),
        unit="id",
        neighbours="add-remove",
        columns={"at": {"type": "timestamp", "values": "2026-07-01 … 2026-07-31"}},
        epsilon=1000,
        max_groups=1,
        max_rows_per_group=1,
        as_of=date(2026, 8, 1),
    ) as db:
        hours = db.query("SELECT HOUR(at) AS h, COUNT(*) AS n FROM data GROUP BY h", epsilon=200)
        days = db.query(
            "SELECT DATE_TRUNC('day', at) AS d, COUNT(*) AS n FROM data GROUP BY d"
            " HAVING COUNT(*) > 0",
            epsilon=200,
        )
        late = "SELECT COUNT(*) AS n FROM data WHERE at >= CURRENT_DATE - INTERVAL 1 DAY"
        recent = db.query(late, epsilon=200)
        again = db.query(late.replace("CURRENT_DATE", "NOW()"), epsilon=200)
    assert len(hours) == 24
    assert [row["h"] for row in hours.rows if row["n"]] == [9, 23]
    assert days.to_arrow().schema.field("d").type == pa.timestamp("us")
    assert [row["d"] for row in days.rows] == [
        datetime(2026, 7, 5),
        datetime(2026, 7, 6),
        datetime(2026, 7, 31),
    ]
    assert recent.rows == again.rows == [{"n": 1}]


def test_bounds_of_days_make_them_keys() -> None:
    frame = pd.DataFrame(
        {
            "id": [1, 2, 3],
            "day": [datetime(2026, 1, 5), datetime(2026, 2, 6), datetime(2026, 2, 7, 13)],
        }
    )
    days = {"day": (date(2026, 1, 1), date(2026, 3, 31))}
    with hr.protect(
        frame,
        unit="id",
        max_groups=3,
        max_rows_per_group=1,
        neighbours="add-remove",
        columns=days,
        epsilon=100,
    ) as db:
        found = db.query("SELECT MONTH(day) AS m, COUNT(*) AS n FROM data GROUP BY m", epsilon=100)
    # off by one once in 10^14
    assert found.rows == [{"m": 1, "n": 1}, {"m": 2, "n": 2}, {"m": 3, "n": 0}]


def test_a_column_of_several_types_is_reported() -> None:
    frame = pd.DataFrame({"id": [1, "a", 2.5], "v": [1, 2, 3]})
    with pytest.raises(SourceError, match="with mixed types are not read"):
        hr.protect(
            frame,
            unit="id",
            max_groups=3,
            max_rows_per_group=1,
            neighbours="add-remove",
            columns={"v": (0, 3)},
            epsilon=1,
        )


def test_they_take_the_same_arguments() -> None:
    for front, back in ((hr.open, database.open), (hr.protect, Policy.for_frame)):
        one, other = inspect.signature(front).parameters, inspect.signature(back).parameters
        assert list(one) == list(other)
        assert [parameter.default for parameter in one.values()] == [
            parameter.default for parameter in other.values()
        ]
