from __future__ import annotations

from typing import Any

import pytest

from hedgerow.service.wire.catalog.expression_writer import UnsupportedCatalogSyntax
from service.wire.catalog.helpers_catalog import ask, translate


# Checked against PostgreSQL 15.
@pytest.mark.parametrize(
    ("sql", "rows"),
    [
        ("SELECT 1 UNION SELECT 1 UNION ALL SELECT 2 ORDER BY 1 DESC", [2, 1]),
        ("SELECT 1 EXCEPT SELECT 1", []),
        ("VALUES (1), (2)", [1, 2]),
        ("SELECT x FROM (VALUES (1), (NULL)) v(x) ORDER BY x", [1, None]),
        ("SELECT x FROM (VALUES (1), (NULL)) v(x) ORDER BY x DESC", [None, 1]),
        ("SELECT DISTINCT x FROM (VALUES (1), (1)) v(x)", [1]),
        (
            "SELECT DISTINCT ON (x) x, y FROM (VALUES (1, 2), (1, 3)) v(x, y) ORDER BY x, y",
            [(1, 2)],
        ),
        ("SELECT x, count(*) FROM (VALUES (1), (1)) v(x) GROUP BY x HAVING count(*) > 1", [(1, 2)]),
        ("SELECT x FROM (VALUES (1), (2), (3)) v(x) LIMIT 1 OFFSET 1", [2]),
        ("SELECT x FROM (VALUES (1), (2)) v(x) FETCH FIRST 1 ROWS ONLY", [1]),
        ("SELECT x FROM (VALUES (1)) v(x) LIMIT ALL", [1]),
        (
            "WITH RECURSIVE r(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM r WHERE x < 3)"
            " SELECT x FROM r",
            [1, 2, 3],
        ),
        (
            "SELECT (SELECT nspname FROM pg_namespace n WHERE n.oid = c.relnamespace)"
            " FROM pg_class c WHERE c.relname = 'visits'",
            ["public"],
        ),
    ],
)
def test_clauses_mean_what_they_mean_in_postgresql(sql: str, rows: list[Any]) -> None:
    assert ask(sql) == rows


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT 1 INTO x",
        "SELECT sum(x) OVER (ORDER BY x ROWS 1 PRECEDING) FROM (SELECT 1 AS x) t",
        "SELECT x FROM (SELECT 1 AS x) t GROUP BY ROLLUP (x)",
    ],
)
def test_other_clauses_are_refused(sql: str) -> None:
    with pytest.raises(UnsupportedCatalogSyntax):
        translate(sql)


def test_comments_and_spelling_do_not_reach_the_embedded_database() -> None:
    written = translate("select /* mark */ RelName from PG_CLASS -- mark")
    assert "mark" not in written
    assert '"relname"' in written
