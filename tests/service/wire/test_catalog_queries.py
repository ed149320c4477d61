from __future__ import annotations

import pytest

from hedgerow.service.wire.catalog_queries import CatalogReader
from service.helpers_service import RunningService


@pytest.fixture
def reader(running: RunningService) -> CatalogReader:
    return CatalogReader(running.service, running.service.find_caller(running.tokens["ana"]))


@pytest.mark.parametrize(
    ("sql", "names", "row"),
    [
        ("SELECT 1", ["?column?"], [1]),
        (
            "select 'a' as x, 1.5, true, null",
            ["x", "?column?", "bool", "?column?"],
            ["a", 1.5, True, None],
        ),
        ("SELECT current_database()", ["current_database"], ["clinic"]),
        ("SELECT pg_catalog.current_schema()", ["current_schema"], ["public"]),
        ("SELECT current_user", ["current_user"], ["ana"]),
        ("SELECT 1::int4", ["int4"], [1]),
    ],
)
def test_a_question_about_the_server_is_answered(
    reader: CatalogReader, sql: str, names: list[str], row: list[object]
) -> None:
    result = reader.answer(sql)
    assert result is not None
    assert [column.name for column in result.columns] == names
    assert result.rows == [row]


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT COUNT(*) FROM visits",
        "SELECT pg_sleep(10)",
        "SELECT 1 WHERE 1 = 0",
        "SELECT (SELECT 1)",
        "SELECT 'x",
        "x" * 5000,
    ],
)
def test_any_other_question_is_left_to_the_database(reader: CatalogReader, sql: str) -> None:
    assert reader.answer(sql) is None
