"""Questions about public tables: what is read, what is left to the reader of questions about people, what is refused."""

from __future__ import annotations

import contextlib

import pytest

from hedgerow.errors import Unsupported
from hedgerow.plan.schema import Column, Schema
from hedgerow.sql.catalog import Catalog, TableEntry
from hedgerow.sql.public import read_public

CATALOG = Catalog(
    {
        "regions": TableEntry(Schema("regions", (Column("region", "text"), Column("people", "integer")), None)),
        "visits": TableEntry(Schema("visits", (Column("region", "text"),), "who"), population="people"),
    }
)


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT * FROM regions",
        "select region, sum(people) as n from REGIONS group by region having sum(people) > 3 order by n desc limit 2 offset 1",
        "WITH big AS (SELECT * FROM regions WHERE people > 5) SELECT COUNT(*) FROM big JOIN regions USING (region)",
        "SELECT r.region FROM regions r, regions s WHERE r.region = s.region UNION ALL SELECT region FROM regions",
        "SELECT CASE WHEN people > 3 THEN 'many' ELSE lower(region) END AS x, CAST(people AS DOUBLE) / 2 FROM regions",
        "SELECT MEDIAN(people), QUANTILE(people, 0.9), STDDEV_POP(people), COUNT(DISTINCT region) FILTER (WHERE people > 1) FROM regions",
        "SELECT COUNT(*) FROM (SELECT region FROM regions) t WHERE region LIKE 'n%' AND region IN ('north') OR region IS NULL",
    ],
)
def test_plain_questions_about_public_tables(sql: str) -> None:
    found = read_public(sql, CATALOG)
    assert found is not None
    assert set(found[1].values()) == {"regions"}


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT COUNT(*) FROM visits",
        "SELECT COUNT(*) FROM visits JOIN regions USING (region)",
        "SELECT * FROM regions WHERE region IN (SELECT region FROM visits)",
        "SELECT * FROM regions, nowhere",
        "SELECT 1",
        "EXPLAIN PRIVACY SELECT COUNT(*) FROM regions",
        "SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS(epsilon = 1) COUNT(*) FROM regions",
        "DROP TABLE regions",
        "SELECT * FROM regions; SELECT * FROM regions",
        "",
    ],
)
def test_everything_else_is_left_to_the_reader_of_questions_about_people(sql: str) -> None:
    assert read_public(sql, CATALOG) is None


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT read_csv('/etc/passwd') FROM regions",
        "SELECT * FROM regions, read_csv('/etc/passwd')",
        "SELECT getenv('HOME') FROM regions",
        "SELECT row_number() OVER () FROM regions",
        "SELECT random() FROM regions",
        "SELECT CAST(region AS BLOB) FROM regions",
        "SELECT [1, 2] FROM regions",
        "SELECT * FROM main.regions",
        "SELECT * FROM regions TABLESAMPLE 10 PERCENT",
        "SELECT x -> 'a' FROM regions",
        "SELECT (SELECT current_setting('memory_limit')) FROM regions",
    ],
)
def test_what_is_not_listed_is_refused(sql: str) -> None:
    """Here, or by the reader of questions about people, to whom it is left."""
    with contextlib.suppress(Unsupported):
        assert read_public(sql, CATALOG) is None
