from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from hedgerow.engines.inspection import inspect
from hedgerow.engines.source import PhysicalColumn
from hedgerow.errors import SourceError


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
