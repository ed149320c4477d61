"""The schema decides what may be read; no row is."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from engines.spark.helpers_worlds import DEADLINE, connect, write_table
from hedgerow.engines.data_source import PhysicalColumn
from hedgerow.engines.spark.inspection import read_columns
from hedgerow.engines.spark.session import SparkConnection
from hedgerow.errors import SourceError

DATABASE = f"d{os.getpid()}"
TABLES = f"""
CREATE DATABASE {DATABASE};
CREATE TABLE {DATABASE}.wide (
    a TINYINT, b SMALLINT, c INT, d BIGINT, e FLOAT, f DOUBLE, g DECIMAL(10, 2), h DECIMAL(20, 0),
    i DECIMAL(9, 0), j STRING, k VARCHAR(3), l STRING COLLATE UNICODE_CI, m BOOLEAN, n DATE,
    o TIMESTAMP, p TIMESTAMP_NTZ, q BINARY, r ARRAY<INT>, s STRUCT<x: INT>
) USING parquet;
CREATE TABLE {DATABASE}.`OtherName` (id INT) USING parquet;
CREATE VIEW {DATABASE}.view AS SELECT 1 AS one
"""


@pytest.fixture(scope="module")
def server() -> Iterator[SparkConnection]:
    connection = connect()
    for statement in TABLES.split(";"):
        connection.call(lambda session, sql=statement: session.sql(sql), DEADLINE)
    yield connection
    connection.call(lambda session: session.sql(f"DROP DATABASE {DATABASE} CASCADE"), DEADLINE)
    connection.close()


def read(server: SparkConnection, *parts: str) -> dict[str, PhysicalColumn]:
    columns: Any = server.call(lambda session: read_columns(session, parts), DEADLINE)
    return {column.name: column for column in columns}


def test_types_are_those_of_a_plan(server: SparkConnection) -> None:
    found = read(server, "spark_catalog", DATABASE, "wide")
    assert "".join(found) == "abcdefghijklmnopqrs"
    types = {name: column.type for name, column in found.items()}
    assert {types[name] for name in "abcdhi"} == {"integer"}
    assert {types[name] for name in "efg"} == {"real"}
    assert {types[name] for name in "jkl"} == {"text"}
    assert [types[name] for name in "mnop"] == ["boolean", "date", "timestamp", "timestamp"]
    assert {types[name] for name in "qrs"} == {None}
    assert "".join(name for name, column in found.items() if column.is_wide) == "gho"
    assert found["g"].exact_type == "decimal(10,2)"


def test_names_keep_their_case(server: SparkConnection) -> None:
    assert list(read(server, "spark_catalog", DATABASE, "OtherName")) == ["id"]


@pytest.mark.parametrize(
    ("parts", "message"),
    [
        (("spark_catalog", DATABASE, "missing"), r"no table spark_catalog\..*\.missing\. Correct"),
        (("spark_catalog", DATABASE, "view"), r"is a view, .* CREATE TABLE"),
        (("nowhere", "default", "visits"), r"no table nowhere"),
        (("parquet", "/nowhere/at/all"), r"cannot read parquet:/nowhere/at/all\. Correct source"),
        (("delta", "/nowhere"), r"a path of Delta needs that format installed in the server"),
        (("iceberg", "/nowhere"), r"a path of Iceberg needs that format installed"),
    ],
)
def test_sources_that_cannot_be_read_are_refused(
    server: SparkConnection, parts: tuple[str, ...], message: str
) -> None:
    with pytest.raises(SourceError, match=message):
        read(server, *parts)


@pytest.mark.parametrize(
    ("inside", "format_"),
    [("_delta_log/00000000000000000000.json", "delta"), ("metadata/v1.metadata.json", "iceberg")],
)
def test_files_of_other_formats_are_not_read_as_plain_ones(
    server: SparkConnection, tmp_path: Path, inside: str, format_: str
) -> None:
    write_table(pa.table({"id": [1]}), tmp_path)
    assert list(read(server, "parquet", str(tmp_path))) == ["id"]
    log = tmp_path / inside
    log.parent.mkdir()
    log.write_text("{}")
    with pytest.raises(SourceError, match=f'Write source = "{format_}:{tmp_path}"'):
        read(server, "parquet", str(tmp_path))


def test_names_that_differ_in_case_alone_are_refused(
    server: SparkConnection, tmp_path: Path
) -> None:
    write_table(pa.table({"age": [1], "AGE": [2]}), tmp_path)
    with pytest.raises(SourceError, match="same name, apart from upper and lower case"):
        read(server, "parquet", str(tmp_path))
