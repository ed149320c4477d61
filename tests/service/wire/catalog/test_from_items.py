from __future__ import annotations

from typing import Any

import pytest

from hedgerow.service.wire.catalog.expression_writer import UnsupportedCatalogSyntax
from hedgerow.service.wire.command_failure import CommandFailed
from service.wire.catalog.helpers_catalog import ask, translate


# Checked against PostgreSQL 15.
@pytest.mark.parametrize(
    ("sql", "rows"),
    [
        ("SELECT relname FROM pg_class WHERE oid = 16384", ["visits"]),
        ("SELECT pg_class.relname FROM pg_catalog.pg_class WHERE pg_class.oid = 16384", ["visits"]),
        ("SELECT rolname FROM pg_roles ORDER BY oid", ["hedgerow", "ana"]),
        ("SELECT usename FROM pg_user WHERE usename = current_user", ["ana"]),
        ("SELECT * FROM pg_enum", []),
        ("SELECT s FROM generate_series(1, 3) s", [1, 2, 3]),
        ("SELECT s.r FROM generate_series(1, 2) AS s(r)", [1, 2]),
        ("SELECT generate_series FROM generate_series(1, 1)", [1]),
        (
            "SELECT x, n FROM unnest(ARRAY['a', 'b']) WITH ORDINALITY AS t(x, n)",
            [("a", 1), ("b", 2)],
        ),
        ("SELECT * FROM unnest(ARRAY[1, 2], ARRAY[3]) AS t(a, b)", [(1, 3), (2, None)]),
        ("SELECT word FROM pg_get_keywords()", []),
        ("SELECT * FROM (VALUES (1, 'a')) v(x, y)", [(1, "a")]),
        ("SELECT * FROM (SELECT 1 AS a) t, LATERAL (SELECT t.a + 1) u(b)", [(1, 2)]),
        (
            "SELECT a.x, b.y FROM ((SELECT 1 AS x) a LEFT JOIN (SELECT 2 AS y) b ON true)",
            [(1, 2)],
        ),
        ("SELECT * FROM (SELECT 1 AS x) a JOIN (SELECT 1 AS x) b USING (x)", [1]),
        ("SELECT count(*) FROM pg_am a CROSS JOIN pg_am b", [4]),
        ("SELECT tableoid FROM pg_am LIMIT 1", [2601]),
        ("SELECT a.xmin FROM pg_am a LIMIT 1", [0]),
        ("WITH pg_class AS (SELECT 1 AS x) SELECT x FROM pg_class", [1]),
    ],
)
def test_sources_mean_what_they_mean_in_postgresql(sql: str, rows: list[Any]) -> None:
    assert ask(sql) == rows


@pytest.mark.parametrize(
    "sql",
    ["SELECT * FROM pg_catalog.nothing", "SELECT * FROM nothing", "SELECT * FROM main.pg_class"],
)
def test_a_relation_that_is_not_listed_does_not_exist(sql: str) -> None:
    with pytest.raises(CommandFailed, match="does not exist") as caught:
        translate(sql)
    assert caught.value.sqlstate == "42P01"


@pytest.mark.parametrize(
    "sql",
    ["SELECT * FROM pg_class TABLESAMPLE SYSTEM (1)", "SELECT * FROM pg_class FOR UPDATE"],
)
def test_other_sources_are_refused(sql: str) -> None:
    with pytest.raises(UnsupportedCatalogSyntax):
        translate(sql)


@pytest.mark.parametrize("place", ["read_csv('/etc/passwd')", "duckdb_settings()"])
def test_no_function_of_the_engine_is_a_source(place: str) -> None:
    with pytest.raises(CommandFailed):
        translate(f"SELECT * FROM {place}")


def test_a_name_in_quotes_is_no_file() -> None:
    with pytest.raises(CommandFailed):
        translate('SELECT * FROM "/etc/passwd"')
