"""Questions about public tables: read, left to the reader of private questions, or refused."""

from __future__ import annotations

import contextlib

import pytest

from hedgerow.errors import Unsupported
from hedgerow.sql.public_tables.phrases import write_fragment
from hedgerow.sql.public_tables.statement import read_public_query
from sql.helpers_hostile_statements import SENTINEL, check_written, read, statements, texts
from sql.public_tables.helpers_regions import CATALOG


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT * FROM regions",
        (
            "select region, sum(people) as n from REGIONS group by region having sum(people) > 3"
            " order by n desc limit 2 offset 1"
        ),
        (
            "WITH big AS (SELECT * FROM regions WHERE people > 5) SELECT COUNT(*) FROM big JOIN"
            " regions USING (region)"
        ),
        (
            "SELECT r.region FROM regions r, regions s WHERE r.region = s.region UNION ALL SELECT"
            " region FROM regions"
        ),
        (
            "SELECT CASE WHEN people > 3 THEN 'many' ELSE lower(region) END AS x, CAST(people AS"
            " DOUBLE) / 2 FROM regions"
        ),
        (
            "SELECT MEDIAN(people), QUANTILE(people, 0.9), STDDEV_POP(people), COUNT(DISTINCT"
            " region) FILTER (WHERE people > 1) FROM regions"
        ),
        (
            "SELECT COUNT(*) FROM (SELECT region FROM regions) t WHERE region LIKE 'n%' AND region"
            " IN ('north') OR region IS NULL"
        ),
    ],
)
def test_plain_questions_about_public_tables(sql: str) -> None:
    found = read_public_query(sql, CATALOG)
    assert found is not None
    assert found.tables == ("regions",)
    assert "regions" not in write_fragment(found.fragment, found.names)


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
    assert read_public_query(sql, CATALOG) is None


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT read_csv('/etc/passwd') FROM regions",
        "SELECT * FROM regions, read_csv('/etc/passwd')",
        "SELECT getenv('HOME') FROM regions",
        "SELECT row_number() OVER w FROM regions",
        "SELECT sum(people) OVER (GROUPS 1 PRECEDING) FROM regions",
        "SELECT abs(people) OVER () FROM regions",
        "SELECT random() FROM regions",
        "SELECT CAST(region AS BLOB) FROM regions",
        "SELECT [1, 2] FROM regions",
        "SELECT * FROM other.regions",
        "SELECT * FROM regions TABLESAMPLE 10 PERCENT",
        "SELECT x -> 'a' FROM regions",
        "SELECT (SELECT current_setting('memory_limit')) FROM regions",
    ],
)
def test_syntax_that_is_not_listed_is_refused(sql: str) -> None:
    """Either reader may refuse it."""
    with contextlib.suppress(Unsupported):
        assert read_public_query(sql, CATALOG) is None


@pytest.mark.parametrize(
    ("sql", "what"),
    [
        ("SELECT FROM regions", "The SELECT list is empty"),
        ("SELECT * EXCLUDE ('people') FROM regions", "This syntax is not supported"),
        ("SELECT * REPLACE (1) FROM regions", "This syntax is not supported"),
        ("SELECT * FROM regions ORDER BY ALL, region", "This syntax is not supported"),
        ("SELECT * FROM regions LIMIT 10 PERCENT", "This syntax is not supported"),
        ("SELECT DISTINCT ON (region) * FROM regions", "This syntax is not supported"),
        ("SELECT * FROM other.regions", "Only a plain table name is supported here"),
        (
            "SELECT * FROM regions TABLESAMPLE 10 PERCENT",
            "Only a plain table name is supported here",
        ),
        (
            "SELECT * FROM (regions JOIN regions s USING (region))",
            "Only a plain table name is supported here",
        ),
        (
            "SELECT * FROM regions, (WITH b AS (SELECT 1) SELECT * FROM b) x, b",
            "There is no table b here",
        ),
        (
            "WITH region AS (SELECT * FROM region) SELECT * FROM region, regions",
            "There is no table region here",
        ),
        ("SELECT COLUMNS('a') FROM regions", "This syntax is not supported"),
        ("SELECT 0x1F FROM regions", "A number is followed directly by a word"),
        ("SELECT people, 1a FROM regions", "A number is followed directly by a word"),
        ('SELECT CAST(people AS "INT and more") FROM regions', "Double quotes are only for names"),
        (
            'SELECT EXTRACT("year" FROM region) AS "year" FROM regions',
            "Double quotes are only for names",
        ),
        (
            "SELECT 1 FROM regions" + " UNION ALL SELECT 1" * 1200,
            "This question is nested too deeply",
        ),
    ],
)
def test_a_refusal_states_its_reason(sql: str, what: str) -> None:
    with pytest.raises(Unsupported) as caught:
        read_public_query(sql, CATALOG)
    assert str(caught.value).startswith(what)


def test_names_are_shown_as_they_are_declared_or_given() -> None:
    found = read_public_query(
        'SELECT REGION, people AS "REGIONS", Max(PEOPLE) FROM regions', CATALOG
    )
    assert found is not None
    assert found.names.list_outputs(["name 0", "name 1", 'max("name 1")', "name 2"]) == [
        "region",
        "people",
        "max(people)",
        "REGIONS",
    ]


def test_hostile_statements_are_refused_or_written_in_our_words() -> None:
    """Many must be read and pass text on, or the test would show nothing."""
    found = [asked for sql in statements(1, 500) if (asked := read(sql)) is not None]
    assert all(map(check_written, found))
    assert len(found) > 100
    assert sum(SENTINEL in "".join(texts(asked.fragment)) for asked in found) > 10


@pytest.mark.parametrize(
    "planted",
    [
        "SELECT 1 FROM r; SELECT 2",
        "SELECT count(*) FROM duckdb_settings()",
        "SELECT getenv('HOME') FROM \"public 0\"",
        'SELECT 1 FROM "people"',
        'SELECT zqxjk FROM "public 0"',
        'SELECT "k" FROM "public 0"',
        'SELECT CAST(1 AS BLOB) FROM "public 0"',
        "SELECT 'other' FROM \"public 0\"",
        'SELECT 1 FROM "public 0" -- x',
    ],
)
def test_planted_statements_fail_the_check(planted: str, monkeypatch: pytest.MonkeyPatch) -> None:
    asked = read("SELECT 'k' FROM r")
    assert asked is not None
    monkeypatch.setattr("sql.helpers_hostile_statements.write_fragment", lambda *_: planted)
    with pytest.raises((AssertionError, ValueError)):
        check_written(asked)
