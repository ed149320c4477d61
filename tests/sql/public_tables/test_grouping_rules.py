"""Grouping sets, joined text, ANY and ALL over public tables and answers."""

from __future__ import annotations

import pytest

from hedgerow.errors import Unsupported
from hedgerow.plan.schema import Column, Schema
from hedgerow.sql.catalog import Catalog, TableEntry
from hedgerow.sql.public_tables.phrases import write_fragment
from hedgerow.sql.public_tables.statement import read_public_query

COLUMNS = (Column("k", "text"), Column("n", "integer"), Column("d", "date"))
CATALOG = Catalog({"t": TableEntry(Schema("t", COLUMNS, None))})


def write(sql: str) -> str:
    found = read_public_query(sql, CATALOG)
    assert found is not None
    return write_fragment(found.fragment, found.names)


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("SELECT k, GROUPING(k) FROM t GROUP BY ROLLUP (k, n)", 'GROUP BY ROLLUP ( "name 0" ,'),
        ("SELECT k FROM t GROUP BY n, CUBE (k, (n, d))", 'CUBE ( "name 0" , ( "name 2" ,'),
        ("SELECT k FROM t GROUP BY GROUPING SETS ((k), ())", "GROUPING SETS ("),
        ("SELECT STRING_AGG(k, '-' ORDER BY n) FROM t", "string_agg ( \"name 1\" , '-' ORDER BY"),
        ("SELECT STRING_AGG(k) FROM t", "string_agg ( \"name 0\" , ',' )"),
        ("SELECT LPAD(k, 3, '0'), RPAD(k, 3, ' ') FROM t", "lpad"),
        ("SELECT DATE_TRUNC('month', d) FROM t", "date_trunc ( 'MONTH' ,"),
        ("SELECT ANY_VALUE(k) FROM t", "any_value ("),
        ("SELECT n FROM t WHERE n > ALL (SELECT n FROM t)", "> ALL ( SELECT"),
        ("SELECT n FROM t WHERE n = ANY (SELECT n FROM t)", "= ANY ( ( SELECT"),
        ("SELECT n FROM t WHERE (n, k) IN (SELECT n, k FROM t)", ") IN ( SELECT"),
        (
            "SELECT SUM(n) OVER w FROM t WINDOW w AS (PARTITION BY k ORDER BY n)",
            "OVER ( PARTITION BY",
        ),
    ],
)
def test_they_are_written_in_our_words(written: str, expected: str) -> None:
    assert expected in write(written)


@pytest.mark.parametrize(
    "written",
    [
        "SELECT DATE_TRUNC('nanosecond', d) FROM t",
        "SELECT FIRST(k IGNORE NULLS) FROM t",
        "SELECT SUM(n) OVER w FROM t",
        "SELECT k FROM t GROUP BY ROLLUP (k + SUM(n) OVER v)",
    ],
)
def test_other_forms_are_refused(written: str) -> None:
    with pytest.raises(Unsupported):
        write(written)
