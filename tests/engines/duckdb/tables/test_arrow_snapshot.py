from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from engines.helpers_engine_answers import answer
from engines.helpers_visits import ANSWER, BY_CITY, ROWS, VISITS
from hedgerow.engines.duckdb.engine import DuckDB
from hedgerow.engines.duckdb.tables.arrow_snapshot import take_snapshot
from hedgerow.engines.duckdb.tables.registry import RegisteredTable
from hedgerow.errors import InvalidArgument, SourceError


class Stream:
    """Somebody's frame: all that is known of it is how to get a stream."""

    def __init__(self, table: pa.Table) -> None:
        self._table = table

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        return self._table.__arrow_c_stream__(requested_schema)


@pytest.mark.parametrize(
    "make", [pa.table, pd.DataFrame, pl.DataFrame, lambda rows: Stream(pa.table(rows))]
)
def test_every_kind_of_frame_answers(make: Any) -> None:
    source = DuckDB({"visits": RegisteredTable(make(ROWS), VISITS)})
    assert answer(source, BY_CITY) == ANSWER
    source.close()


def test_a_frame_that_changes_afterwards_does_not_matter() -> None:
    ages, whose = np.array([1.0, 2.0]), pd.DataFrame({"x": [1.0, 2.0], "s": ["a", "b"]})
    taken = take_snapshot(whose, "t")
    whose.loc[0, "x"] = 99.0
    whose.loc[0, "s"] = "changed"
    assert taken.to_pydict() == {"x": [1.0, 2.0], "s": ["a", "b"]}
    streamed = take_snapshot(Stream(pa.table({"x": pa.array(ages)})), "t")
    ages[0] = 99.0
    assert streamed.to_pydict() == {"x": [1.0, 2.0]}


def test_columns_that_have_no_arrow_type_are_left_out() -> None:
    odd = {
        "mixed": [1, "a"],
        "things": [object(), object()],
        "long": [2**70, 1],
        "half": ["\ud800", "a"],
    }
    frame = pd.DataFrame(
        {"x": [1, 2], **{name: pd.Series(values, dtype=object) for name, values in odd.items()}}
    )
    assert take_snapshot(frame, "t").column_names == ["x"]


def test_a_frame_that_cannot_be_handed_over_is_refused_in_our_words() -> None:
    with pytest.raises(
        SourceError, match="The frame of t has columns that cannot be read"
    ) as caught:
        take_snapshot(pl.DataFrame({"x": pl.Series([2**100], dtype=pl.Int128)}), "t")
    assert caught.value.__context__ is None


def test_missing_values_of_pandas_are_null() -> None:
    frame = pd.DataFrame(
        {
            "x": [1.5, None],
            "s": ["a", None],
            "i": pd.array([1, None], dtype="Int64"),
            "c": pd.Categorical(["u", None]),
        }
    )
    assert take_snapshot(frame, "t").to_pydict() == {
        "x": [1.5, None],
        "s": ["a", None],
        "i": [1, None],
        "c": ["u", None],
    }


@pytest.mark.parametrize("data", [None, 7, [1, 2], {"x": [1]}])
def test_objects_that_are_not_frames_are_refused(data: object) -> None:
    with pytest.raises(InvalidArgument, match="must be a path, or an Arrow"):
        take_snapshot(data, "t")


def test_a_damaged_frame_is_refused_without_its_values() -> None:
    broken = pa.Array.from_buffers(
        pa.string(), 1, [None, pa.py_buffer(np.array([0, 2], np.int32)), pa.py_buffer(b"\xff\xfe")]
    )
    with pytest.raises(SourceError, match="frame of t is damaged") as caught:
        take_snapshot(pa.table({"s": broken}), "t")
    assert caught.value.__context__ is None


def test_two_columns_of_one_name_are_not_one() -> None:
    frame = pd.DataFrame([[1, 2, 3]], columns=["id", "age", "age"])
    with pytest.raises(SourceError, match="Two columns of the data"):
        DuckDB({"visits": RegisteredTable(frame, VISITS)})
