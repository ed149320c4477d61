from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest

from hedgerow.service.wire.catalog import catalog_database
from hedgerow.service.wire.catalog.catalog_database import CatalogFailure, open_catalog
from service.wire.catalog.helpers_catalog import TABLES, ask, open_database


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT * FROM read_text('/etc/hostname')",
        "COPY (SELECT 1) TO '/tmp/catalogue.csv'",
        "ATTACH 'other.db'",
        "SET enable_external_access = true",
        "INSTALL httpfs",
    ],
)
def test_it_reaches_neither_files_nor_its_own_settings(sql: str) -> None:
    with pytest.raises(CatalogFailure):
        open_database().run(sql)


@pytest.mark.parametrize(
    ("sql", "sqlstate"),
    [
        ('SELECT "nothing" FROM "pg_catalog.pg_class"', "42703"),
        ('SELECT "t"."x" FROM "pg_catalog.pg_class"', "42P01"),
        ("SELECT CAST('a' AS INTEGER)", "22P02"),
        ("SELECT 1 // 0", "22012"),
        ("SELECT list_extract(1, 2, 3)", None),
    ],
)
def test_mistakes_of_a_client_have_a_sqlstate(sql: str, sqlstate: str | None) -> None:
    with pytest.raises(CatalogFailure) as caught:
        open_database().run(sql)
    assert caught.value.sqlstate == sqlstate


def test_a_slow_or_large_statement_is_stopped(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(catalog_database, "_SECONDS", 0.2)
    with pytest.raises(CatalogFailure, match="too long") as caught:
        open_database().run("SELECT count(*) FROM range(1000000000) a, range(1000000) b")
    assert caught.value.sqlstate == "57014"
    monkeypatch.undo()
    with pytest.raises(CatalogFailure, match="too many rows"):
        open_database().run("SELECT * FROM range(1000000)")


def test_several_sessions_ask_at_once() -> None:
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(lambda _: ask("SELECT count(*) FROM pg_am"), range(32)))
    assert found == [[2]] * 32


def test_callers_with_the_same_tables_share_a_catalogue() -> None:
    assert open_catalog("clinic", TABLES) is open_catalog("clinic", tuple(TABLES))
    assert open_catalog("clinic", TABLES[:1]) is not open_catalog("clinic", TABLES)


def test_joins_keep_the_order_of_a_list() -> None:
    # psql asks this for \\gdesc, without ORDER BY.
    names = [f"column {number}" for number in range(12)]
    values = ", ".join(
        f"('{name}', '{20 + number % 2 * 5}'::oid, -1)" for number, name in enumerate(names)
    )
    asked = f"SELECT name, format_type(tp, tpm) FROM (VALUES {values}) s(name, tp, tpm)"
    assert [row[0] for row in ask(asked)] == names
