from __future__ import annotations

import math
from datetime import date, datetime
from fractions import Fraction
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from hedgerow.engines.data_source import PhysicalColumn
from hedgerow.engines.duckdb.tables.inspect import (
    ColumnSummary,
    FileInspector,
    check_types,
    inspect_columns,
    list_timestamp_notes,
    list_unreadable_notes,
)
from hedgerow.engines.duckdb.tables.registry import RegisteredTable
from hedgerow.errors import SourceError
from hedgerow.plan.schema import Column, Schema


def summarise_public_file(path: Path) -> dict[str, ColumnSummary]:
    with FileInspector([path]) as inspector:
        return inspector.summarise(path)


def test_columns_are_inspected_without_reading_rows(tmp_path: Path) -> None:
    table = pa.table({"x": [1], "s": ["a"], "l": [[1]]})
    found = (PhysicalColumn("x", "integer"), PhysicalColumn("s", "text"), PhysicalColumn("l", None))
    assert inspect_columns(table) == found
    pq.write_table(table, tmp_path / "t.parquet")
    assert inspect_columns(tmp_path / "t.parquet") == found
    (tmp_path / "t.csv").write_text("x,s\nthis line,is,broken\n")
    assert inspect_columns(tmp_path / "t.csv") == (
        PhysicalColumn("x", "text"),
        PhysicalColumn("s", "text"),
    )


def test_a_path_may_be_relative(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "t.csv").write_text("x\n1\n")
    monkeypatch.chdir(tmp_path)
    assert inspect_columns(Path("t.csv")) == (PhysicalColumn("x", "text"),)


def test_a_frame_of_an_unknown_type_is_named_in_the_error() -> None:
    class Odd:
        column_names = ("x",)

    with pytest.raises(SourceError, match="The frame cannot be read"):
        inspect_columns(Odd())  # type: ignore[arg-type]


def test_unreadable_files_are_named(tmp_path: Path) -> None:
    (tmp_path / "t.parquet").write_bytes(b"no")
    (tmp_path / "t.txt").write_bytes(b"no")
    for name, words in (
        ("t.parquet", "t.parquet cannot be read"),
        ("t.txt", "neither a .csv nor"),
        ("gone.csv", "There is no file"),
    ):
        with pytest.raises(SourceError) as caught:
            inspect_columns(tmp_path / name)
        assert words in str(caught.value)


def test_types_that_do_not_fit_are_named(tmp_path: Path) -> None:
    table, declared = (
        pa.table({"who": ["a"], "age": ["old"]}),
        Schema("t", (Column("age", "integer"),), "who"),
    )
    with pytest.raises(SourceError, match="The column age of t holds text"):
        check_types(RegisteredTable(table, declared), inspect_columns(table))
    (tmp_path / "t.csv").write_text("who,age\na,old\n")
    check_types(RegisteredTable(tmp_path / "t.csv", declared), inspect_columns(tmp_path / "t.csv"))


@pytest.mark.parametrize(
    ("values", "step"),
    [
        ([3.0, -0.0, None], Fraction(1)),
        ([0.1, 12.34, 99.99], Fraction(1, 100)),
        ([1.0001], Fraction(1, 10_000)),
        ([0.1 + 0.2], None),
        ([1.00001], None),
    ],
)
def test_the_decimals_of_real_values_are_found(
    tmp_path: Path, values: list[float | None], step: Fraction | None
) -> None:
    pq.write_table(pa.table({"x": values}), tmp_path / "t.parquet")
    assert summarise_public_file(tmp_path / "t.parquet")["x"].step == step


def test_a_public_file_is_summarised_by_its_values_and_ends(tmp_path: Path) -> None:
    table = pa.table(
        {
            "whole": [3, 1, None],
            "real": [2.5, -1.0, None],
            "text": ["b", "a", None],
            "yes": [True, False, None],
            "day": [date(2026, 1, 2), None, date(1999, 1, 1)],
            "moment": [datetime(2026, 1, 2, 3), datetime(2026, 1, 2, 4), None],
            # what is beyond 64 bits reads as NULL, so the list would not be whole
            "huge": pa.array([2**63 + 5, 1, 2], pa.uint64()),
            "nothing": pa.array([None] * 3, pa.string()),
            "list": [[1], [2], [3]],
        }
    )
    pq.write_table(table, tmp_path / "t.parquet")
    assert summarise_public_file(tmp_path / "t.parquet") == {
        "whole": ColumnSummary((1, 3), 1, 3),
        "real": ColumnSummary((-1.0, 2.5), -1.0, 2.5, Fraction(1, 10)),
        "text": ColumnSummary(("a", "b"), "a", "b"),
        "yes": ColumnSummary((False, True), False, True),
        "day": ColumnSummary(
            (date(1999, 1, 1), date(2026, 1, 2)), date(1999, 1, 1), date(2026, 1, 2)
        ),
        "moment": ColumnSummary(
            (datetime(2026, 1, 2, 3), datetime(2026, 1, 2, 4)),
            datetime(2026, 1, 2, 3),
            datetime(2026, 1, 2, 4),
        ),
        "huge": ColumnSummary(None, 1, None),
        "nothing": ColumnSummary(None, None, None),
    }
    pq.write_table(table.slice(0, 0), tmp_path / "t.parquet")
    assert set(summarise_public_file(tmp_path / "t.parquet").values()) == {
        ColumnSummary(None, None, None)
    }


def test_a_column_of_many_values_has_no_list(tmp_path: Path) -> None:
    pq.write_table(
        pa.table({"few": [n % 200 for n in range(201)], "many": list(range(201))}),
        tmp_path / "t.parquet",
    )
    found = summarise_public_file(tmp_path / "t.parquet")
    assert found["few"] == ColumnSummary(tuple(range(200)), 0, 199)
    assert found["many"] == ColumnSummary(None, 0, 200)


def test_nan_is_among_the_ends_of_a_summary(tmp_path: Path) -> None:
    """Whoever makes bounds of them looks at that; the statistics in a file may leave NaN out."""
    pq.write_table(
        pa.table({"nan": [1.5, math.nan], "far": [-math.inf, math.inf]}), tmp_path / "t.parquet"
    )
    found = summarise_public_file(tmp_path / "t.parquet")
    assert found["nan"].low == 1.5
    assert found["nan"].high == 1.5 or math.isnan(found["nan"].high)  # type: ignore[arg-type]
    assert (found["far"].low, found["far"].high) == (-math.inf, math.inf)


def test_a_csv_file_is_text(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("a,b\n10,x\n9,\n")
    assert summarise_public_file(tmp_path / "t.csv") == {
        "a": ColumnSummary(("10", "9"), "10", "9"),
        "b": ColumnSummary(("x",), "x", "x"),
    }
    (tmp_path / "t.csv").write_text("a,b\n")
    assert set(summarise_public_file(tmp_path / "t.csv").values()) == {
        ColumnSummary(None, None, None)
    }


def test_a_summary_of_an_unreadable_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "t.parquet").write_bytes(b"no")
    with pytest.raises(SourceError, match=r"t\.parquet cannot be read"):
        summarise_public_file(tmp_path / "t.parquet")


def test_timestamps_are_noted(tmp_path: Path) -> None:
    table = pa.table({"at": [datetime(2026, 1, 1, 12)], "day": [date(2026, 1, 1)], "n": [1]})
    pq.write_table(table, tmp_path / "t.parquet")
    said = ["t.at holds timestamps; it is read as dates, without the time of day."]
    assert (
        list_timestamp_notes("t", inspect_columns(table))
        == list_timestamp_notes("t", inspect_columns(tmp_path / "t.parquet"))
        == said
    )


def test_unreadable_columns_are_noted() -> None:
    said = [
        "t.tags cannot be queried: its type is none of integer, real, text, date, timestamp and"
        " boolean."
    ]
    assert (
        list_unreadable_notes("t", inspect_columns(pa.table({"id": [1], "tags": [["a"]]}))) == said
    )
