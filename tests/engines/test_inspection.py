from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from hedgerow.engines.catalogue import Registered
from hedgerow.engines.inspection import check_fit, inspect
from hedgerow.engines.source import PhysicalColumn
from hedgerow.errors import SourceError
from hedgerow.plan.schema import Column, Schema


def test_columns_are_told_without_a_look_at_rows(tmp_path: Path) -> None:
    table = pa.table({"x": [1], "s": ["a"], "l": [[1]]})
    found = (PhysicalColumn("x", "integer"), PhysicalColumn("s", "text"), PhysicalColumn("l", None))
    assert inspect(table) == found
    pq.write_table(table, tmp_path / "t.parquet")
    assert inspect(tmp_path / "t.parquet") == found
    (tmp_path / "t.csv").write_text("x,s\nthis line,is,broken\n")
    assert inspect(tmp_path / "t.csv") == (PhysicalColumn("x", "text"), PhysicalColumn("s", "text"))


def test_what_cannot_be_read_is_named(tmp_path: Path) -> None:
    (tmp_path / "t.parquet").write_bytes(b"no")
    (tmp_path / "t.txt").write_bytes(b"no")
    for name, words in (("t.parquet", "t.parquet cannot be read"), ("t.txt", "neither a .csv nor"), ("gone.csv", "There is no file")):
        with pytest.raises(SourceError) as caught:
            inspect(tmp_path / name)
        assert words in str(caught.value)


def test_types_that_do_not_fit_are_named(tmp_path: Path) -> None:
    table, declared = pa.table({"who": ["a"], "age": ["old"]}), Schema("t", (Column("age", "integer"),), "who")
    with pytest.raises(SourceError, match="The column age of t holds text"):
        check_fit(Registered(table, declared), inspect(table))
    (tmp_path / "t.csv").write_text("who,age\na,old\n")
    check_fit(Registered(tmp_path / "t.csv", declared), inspect(tmp_path / "t.csv"))
