"""The catalogue decides what may be read; no row is."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import psycopg
import pytest

from engines.postgresql.helpers_server import ROLE, get_server
from hedgerow.engines.data_source import PhysicalColumn
from hedgerow.engines.postgresql.inspection import TableName, read_columns
from hedgerow.errors import SourceError

TABLES = f"""
CREATE TYPE mood AS ENUM ('sad', 'glad');
CREATE TABLE wide (
    a smallint, b integer, c bigint, d real, e double precision, f numeric(10, 2), g numeric(20),
    h numeric, i text, j varchar(3), k char(3), l uuid, m boolean, n date, o timestamp,
    p timestamptz, q mood, r jsonb, s bytea, t integer[], u interval
);
CREATE TABLE parts (id integer, day date) PARTITION BY RANGE (day);
CREATE TABLE parts_2026 PARTITION OF parts FOR VALUES FROM ('2026-01-01') TO ('2027-01-01');
CREATE VIEW view AS SELECT 1 AS one;
CREATE MATERIALIZED VIEW stored AS SELECT 1 AS one;
CREATE TABLE secured (id integer);
ALTER TABLE secured ENABLE ROW LEVEL SECURITY;
CREATE TABLE granted (id integer, secret text);
CREATE TABLE private (id integer);
CREATE SCHEMA "Other.Place";
CREATE TABLE "Other.Place"."Visits" (id integer);
GRANT SELECT ON wide, parts, view, stored, secured TO {ROLE};
GRANT SELECT (id) ON granted TO {ROLE};
GRANT USAGE ON SCHEMA "Other.Place" TO {ROLE};
GRANT SELECT ON "Other.Place"."Visits" TO {ROLE};
"""


@pytest.fixture(scope="module")
def reader() -> Iterator[psycopg.Connection[Any]]:
    server = get_server()
    with server.new_database() as name:
        with server.connect(name) as owner:
            owner.execute(TABLES)
        with psycopg.connect(server.address(name)) as connection:
            yield connection


def read(reader: psycopg.Connection[Any], table: str, schema: str = "public") -> dict[str, Any]:
    return {found.name: found for found in read_columns(reader, TableName(schema, table))}


def test_types_are_those_of_a_plan(reader: psycopg.Connection[Any]) -> None:
    found = read(reader, "wide")
    assert "".join(name for name in found) == "abcdefghijklmnopqrstu"
    types = {name: column.type for name, column in found.items()}
    assert {types[name] for name in "abcg"} == {"integer"}
    assert {types[name] for name in "defh"} == {"real"}
    assert {types[name] for name in "ijklq"} == {"text"}
    assert (types["m"], types["n"], types["o"], types["p"]) == (
        "boolean", "date", "timestamp", "timestamp",
    )  # fmt: skip
    assert {types[name] for name in "rstu"} == {None}
    assert "".join(name for name, column in found.items() if column.is_wide) == "fghp"
    assert {name for name, column in found.items() if column.exact_type} == {"f", "h"}


def test_partitioned_tables_and_stored_views_are_read(reader: psycopg.Connection[Any]) -> None:
    assert list(read(reader, "parts")) == ["id", "day"]
    assert read(reader, "stored") == {"one": PhysicalColumn("one", "integer")}


def test_names_keep_their_case_and_their_dots(reader: psycopg.Connection[Any]) -> None:
    assert list(read(reader, "Visits", "Other.Place")) == ["id"]


@pytest.mark.parametrize(
    ("table", "message"),
    [
        ("missing", r"no table public\.missing\. Correct source"),
        ("view", r"is a view, .* CREATE MATERIALIZED VIEW"),
        ("secured", r"has row-level security, .* Name a table without it"),
        ("private", r"may not read public\.private\. Let the server"),
    ],
)
def test_other_relations_are_refused(
    reader: psycopg.Connection[Any], table: str, message: str
) -> None:
    with pytest.raises(SourceError, match=message):
        read(reader, table)


def test_columns_without_a_grant_do_not_exist(reader: psycopg.Connection[Any]) -> None:
    assert list(read(reader, "granted")) == ["id"]
