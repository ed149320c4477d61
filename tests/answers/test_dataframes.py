"""A table of ours becomes the tables of others."""

from __future__ import annotations

from typing import Any

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from hedgerow.answers.dataframes import FrameConversions


class Two(FrameConversions):
    def __init__(self) -> None:
        self.rows: list[dict[str, Any]] = [{"a": 1, "b": "x"}, {"a": 2, "b": None}]

    def to_arrow(self, *, intervals: bool = False) -> Any:
        table = pa.Table.from_pylist(self.rows)
        return table.append_column("a_low", pa.array([0, 1])) if intervals else table


def test_every_kind_has_the_rows() -> None:
    two = Two()
    assert isinstance(two.to_pandas(), pd.DataFrame)
    assert isinstance(two.to_polars(), pl.DataFrame)
    assert two.to_polars().to_dicts() == pa.table(two).to_pylist() == two.rows
    assert two.to_pandas()["a"].tolist() == [1, 2]
    assert len(two) == 2


def test_every_kind_has_intervals_where_they_are_asked_for() -> None:
    two = Two()
    assert two.to_pandas(intervals=True)["a_low"].tolist() == [0, 1]
    assert two.to_polars(intervals=True)["a_low"].to_list() == [0, 1]
    assert "a_low" not in two.to_pandas()


def test_without_an_arrow_table_there_is_none() -> None:
    with pytest.raises(TypeError, match="to_arrow"):
        FrameConversions()  # type: ignore[abstract]
