from __future__ import annotations

from collections.abc import Callable
from datetime import date, datetime
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from hedgerow.errors import InvalidArgument
from hedgerow.policy.from_frame import build_frame_document

DATA = {"id": np.array([1, 2]), "age": np.array([30, 41]), "height": np.array([1.7, 1.8])}
FRAMES: list[Callable[[Any], Any]] = [
    pd.DataFrame,
    pl.DataFrame,
    pa.table,
    dict,
    lambda data: pa.RecordBatch.from_pydict(data),
]


def columns(frame: object, **declared: object) -> dict[str, Any]:
    table: dict[str, Any] = build_frame_document(frame, {"epsilon": 1}, {"unit": "id"}, declared)[
        "tables"
    ]["data"]["columns"]
    return table


@pytest.mark.parametrize("make", FRAMES)
def test_bounds_are_whole_where_bounds_and_column_are(make: Callable[[Any], Any]) -> None:
    frame = make(DATA)
    assert columns(frame, age=(0, 110)) == {"age": {"type": "integer", "min": 0, "max": 110}}
    assert columns(frame, age=(0, 110.5))["age"]["type"] == "real"
    assert columns(frame, height=(0, 3))["height"]["type"] == "real"
    assert columns(frame, age=(np.int64(0), np.uint8(110)))["age"]["type"] == "integer"


@pytest.mark.parametrize(
    ("kind", "wanted"),
    [
        ("Int64", "integer"),
        ("int64[pyarrow]", "integer"),
        ("uint8", "integer"),
        ("float64", "real"),
        ("object", "real"),
    ],
)
def test_columns_of_pandas(kind: str, wanted: str) -> None:
    assert (
        columns(pd.DataFrame({"id": [1], "age": pd.Series([3], dtype=kind)}), age=(0, 9))["age"][
            "type"
        ]
        == wanted
    )


def test_intervals_are_no_integers() -> None:
    frame = pd.DataFrame({"id": [1], "age": pd.arrays.IntervalArray.from_tuples([(0, 1)])})
    assert columns(frame, age=(0, 9))["age"]["type"] == "real"


def test_plain_lists_have_no_type_to_go_by() -> None:
    assert columns({"id": [1], "age": [3]}, age=(0, 9))["age"]["type"] == "real"


def test_a_frame_of_another_kind_is_not_asked_for_its_columns() -> None:
    assert columns(object(), age=(0, 9))["age"]["type"] == "real"


def test_other_declarations() -> None:
    frame = {"id": [], "a": [], "b": [], "c": [], "d": []}
    assert columns(frame, a=["x", "y"], b="date", c={"hidden": True}, d=None) == {
        "a": {"values": ["x", "y"]},
        "b": {"type": "date"},
        "c": {"hidden": True},
    }


@pytest.mark.parametrize("kind", [date, datetime, pd.Timestamp])
def test_bounds_may_be_days(kind: Callable[..., Any]) -> None:
    days = {"type": "date", "values": "2026-01-01 … 2026-12-31"}
    assert columns({"id": [], "day": []}, day=(kind(2026, 1, 1), kind(2026, 12, 31))) == {
        "day": days
    }


def test_bounds_may_be_times() -> None:
    low, high = datetime(2026, 7, 1), datetime(2026, 7, 31, 18)
    assert columns({"id": [], "at": []}, at=(low, high)) == {
        "at": {"type": "timestamp", "min": low, "max": high}
    }


def test_two_texts_are_values_and_no_bounds() -> None:
    with pytest.raises(
        InvalidArgument,
        match=r"columns\['age'\] must be a list if these are its values: \['a', 'b'\]",
    ):
        columns(DATA, age=("a", "b"))


def test_lazy_frames_and_ids_in_the_index_are_refused() -> None:
    with pytest.raises(InvalidArgument, match=r"use frame\.collect\(\)"):
        columns(pl.LazyFrame(DATA), age=(0, 110))
    with pytest.raises(InvalidArgument, match=r"use frame\.reset_index\(\)"):
        columns(pd.DataFrame(DATA).set_index("id"), age=(0, 110))


@pytest.mark.parametrize("written", ["number", (1, 2, 3), 5, {1, 2}, np.array([1, 2])])
def test_malformed_column_declarations_are_refused(written: object) -> None:
    with pytest.raises(InvalidArgument, match=r"columns\['age'\] must be bounds"):
        columns(DATA, age=written)


def test_names_are_those_of_the_frame() -> None:
    with pytest.raises(
        InvalidArgument, match="columns must be columns of the frame: id, age, height; got 'Age'"
    ):
        columns(DATA, Age=(0, 1))
    with pytest.raises(InvalidArgument, match="unit must be 'row' or a column of the frame"):
        build_frame_document(DATA, {}, {"unit": "person"}, {})
    with pytest.raises(InvalidArgument, match="columns must be a dict"):
        build_frame_document(DATA, {}, {"unit": "id"}, ["age"])


def test_caps_that_are_left_out_are_missing_and_have_no_default() -> None:
    table = {"unit": "id", "max_groups": None, "max_rows_per_group": "auto", "max_units": 3}
    assert build_frame_document(DATA, {}, table, {})["tables"]["data"] == {
        "unit": "id",
        "max_rows_per_group": "auto",
        "max_units": 3,
        "columns": {},
    }


def test_arguments_that_are_none_are_left_out() -> None:
    assert build_frame_document(DATA, {"epsilon": 1, "delta": None}, {"unit": "row"}, {})[
        "budget"
    ] == {"epsilon": 1}
