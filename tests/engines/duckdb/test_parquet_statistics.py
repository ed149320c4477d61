"""Files that are right about themselves are taken, and others are not: the engine believes what
they tell.
"""

from __future__ import annotations

import struct
from collections.abc import Callable
from datetime import UTC, date, datetime
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from hedgerow.engines.duckdb.engine import DuckDB
from hedgerow.engines.duckdb.process.engine_process import IsolatedDuckDB
from hedgerow.engines.duckdb.session import DuckDBSession
from hedgerow.engines.duckdb.session_protocol import EngineLimits
from hedgerow.engines.duckdb.tables.registry import RegisteredTable
from hedgerow.errors import SourceError
from hedgerow.plan.schema import Column, Schema

HONEST: dict[str, pa.Array] = {
    "integers": pa.array([1, None, -5]),
    "without a sign": pa.array([1, 2, 2**64 - 1], pa.uint64()),
    "reals": pa.array([1.0, float("nan"), 3.5]),
    "short reals": pa.array([1.1, 2.2, 3.3], pa.float32()),
    "endless": pa.array([float("-inf"), 0.0, float("inf")]),
    "zeros": pa.array([-0.0, 0.0, -0.0]),
    "no number": pa.array([float("nan")] * 3),
    "decimals": pa.array([Decimal("1.23"), None, Decimal("-9.99")]),
    "days": pa.array([date(2026, 1, 1), date(1, 1, 1), date(9999, 12, 31)]),
    "times": pa.array([datetime(2026, 1, 1, 3)] * 3),
    "times somewhere": pa.array(
        [datetime(2026, 1, 1, 3, tzinfo=UTC)] * 3, pa.timestamp("us", tz="UTC")
    ),
    "fine times": pa.array([1, 2, 3], pa.timestamp("ns")),
    "fine times somewhere": pa.array([1, 2, 3], pa.timestamp("ns", tz="UTC")),
    "text": pa.array(["", "z" * 400, None]),
    "listed text": pa.array(["x", "y", "x"]).dictionary_encode(),
    "truth": pa.array([True, False, None]),
    "nothing": pa.array([None] * 3, pa.int64()),
    "a number with the hash of NULL": pa.array([1, 2, -2930909409056394622]),
    'a "name"': pa.array([1, 2, 3]),
}


def vouched(path: Path, names: list[str]) -> bool:
    session = DuckDBSession([path], EngineLimits())
    session.attach_file("t0", path)
    try:
        return session.verify_statistics("t0", names)
    finally:
        session.close()


def test_files_that_are_right_about_themselves_are_vouched_for(tmp_path: Path) -> None:
    table = pa.table(HONEST)
    for name, rows in (("all", table), ("none", table.slice(0, 0)), ("some", table.slice(1, 1))):
        pq.write_table(rows, path := tmp_path / f"{name}.parquet", row_group_size=2)
        assert all(vouched(path, [column]) for column in HONEST)
        assert vouched(path, list(HONEST))
    theirs = tmp_path / "theirs.parquet"
    with duckdb.connect() as connection:
        connection.register("mine", table)
        connection.execute(f"COPY mine TO '{theirs}'")
    assert vouched(theirs, list(HONEST))


def test_frames_are_taken_beside_files(tmp_path: Path) -> None:
    pq.write_table(pa.table({"x": [1, 2]}), path := tmp_path / "t.parquet")
    session = DuckDBSession([path], EngineLimits())
    session.attach_file("t0", path)
    assert session.verify_statistics("t0", ["x"])
    assert session.attach_object("t1", pa.table({"y": [1]})).columns == (("y", "BIGINT"),)
    session.close()


def of_64_bits(kind: str) -> Callable[[Any], bytes]:
    return lambda value: struct.pack(f"<{kind}", value)


def lying(path: Path, values: pa.Array, before: bytes, after: bytes) -> Path:
    """A file with a column x, at whose end something else is told."""
    ids = pa.array(["a", "b", "c"])
    pq.write_table(
        pa.table({"id": ids, "x": values}), path, use_dictionary=False, compression="none"
    )
    written = path.read_bytes()
    start = len(written) - 8 - struct.unpack("<I", written[-8:-4])[0]
    assert before in written[start:]
    path.write_bytes(written[:start] + written[start:].replace(before, after))
    assert repr(pq.read_table(path)["x"].to_pylist()) == repr(values.to_pylist())
    return path


WHOLE, REAL = of_64_bits("q"), of_64_bits("d")
LIES: dict[str, tuple[pa.Array, bytes, bytes]] = {
    "a smaller whole number": (pa.array([2, 3, 1000]), WHOLE(1000), WHOLE(9)),
    "a larger whole number": (pa.array([-1000, 3, 4]), WHOLE(-1000), WHOLE(1)),
    "a smaller real": (pa.array([2.0, 3.0, 1000.0]), REAL(1000.0), REAL(9.0)),
    "a larger real": (pa.array([-1000.0, 3.0, float("nan")]), REAL(-1000.0), REAL(1.0)),
    "an earlier day": (
        pa.array([date(2026, 1, 1)] * 2 + [date(2030, 1, 1)]),
        struct.pack("<i", 21915),
        struct.pack("<i", 20455),
    ),
    "no NULL": (pa.array([77, None, 78]), WHOLE(77) + b"\x16\x02", WHOLE(77) + b"\x16\x00"),
}


@pytest.mark.parametrize("lie", LIES)
def test_files_that_are_wrong_about_themselves_are_not(lie: str, tmp_path: Path) -> None:
    assert not vouched(path := lying(tmp_path / "t.parquet", *LIES[lie]), ["x"])
    assert vouched(path, ["id"])


@pytest.mark.parametrize("engine", [DuckDB, IsolatedDuckDB])
@pytest.mark.parametrize("lie", ["a smaller whole number", "a smaller real"])
def test_a_table_that_would_not_be_clamped_is_not_opened(
    lie: str, engine: type[DuckDB] | type[IsolatedDuckDB], tmp_path: Path
) -> None:
    path = lying(tmp_path / "t.parquet", *LIES[lie])
    kind = "integer" if "whole" in lie else "real"
    clamped = "SELECT MAX(CASE WHEN x > 10 THEN 10 ELSE x END) + random() * 0 FROM read_parquet(?)"
    assert duckdb.execute(clamped, [str(path)]).fetchall() == [(1000,)]  # what would come of it
    for column in (Column("x", kind, Fraction(0), Fraction(10)), Column("id", "text")):
        schema = Schema("t", (column,), "id")
        if column.name == "x":
            with pytest.raises(SourceError, match=r"statistics in the file t\.parquet"):
                engine({"t": RegisteredTable(path, schema)})
        else:
            # what nobody reads may be as it is
            engine({"t": RegisteredTable(path, schema)}).close()
