"""Questions about public tables: what is read, what is left to the reader of questions about
people, what is refused.
"""

from __future__ import annotations

import contextlib

import pytest
from sqlglot import exp

from hedgerow.errors import Unsupported
from hedgerow.plan.schema import Column, Schema
from hedgerow.sql.catalog import Catalog, TableEntry
from hedgerow.sql.public_tables.phrases import write_fragment
from hedgerow.sql.public_tables.query_reader import QueryReader
from hedgerow.sql.public_tables.statement import read_public_query
from sql.hostile import SENTINEL, check_written, read, statements, texts

CATALOG = Catalog(
    {
        "regions": TableEntry(
            Schema("regions", (Column("region", "text"), Column("people", "integer")), None)
        ),
        "visits": TableEntry(
            Schema("visits", (Column("region", "text"),), "who"), population="people"
        ),
    }
)


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
        assert read_public_query(sql, CATALOG) is None


def shown(sql: str) -> str:
    """What is written of a question, with the names put back in."""
    found = read_public_query(sql, CATALOG)
    assert found is not None
    return found.names.restore_names(write_fragment(found.fragment, found.names)).replace(
        '"public 0"', "regions"
    )


@pytest.mark.parametrize(
    ("sql", "written"),
    [
        ("FROM regions", "SELECT * FROM regions AS regions"),
        (
            "SELECT DISTINCT r.* FROM (regions), regions r",
            "SELECT DISTINCT r . * FROM regions AS regions , regions AS r",
        ),
        (
            "SELECT a x FROM regions AS t(a, b) LEFT JOIN regions s ON a = s.region WHERE b > 1",
            (
                "SELECT a AS x FROM regions AS t ( a , b ) LEFT JOIN regions AS s ON ( a = s ."
                " region ) WHERE ( b > 1 )"
            ),
        ),
        (
            (
                "SELECT * EXCLUDE (people) REPLACE (1 AS region) FROM regions NATURAL JOIN regions"
                " s FULL OUTER JOIN regions t USING (region)"
            ),
            (
                "SELECT * EXCLUDE ( people ) REPLACE ( 1 AS region ) FROM regions AS regions"
                " NATURAL JOIN regions AS s FULL OUTER JOIN regions AS t USING ( region )"
            ),
        ),
        (
            "SELECT * RENAME (people AS n) FROM regions",
            "SELECT * RENAME ( people AS n ) FROM regions AS regions",
        ),
        (
            "SELECT COUNT(*) FROM regions GROUP BY ALL ORDER BY ALL DESC",
            "SELECT count ( * ) FROM regions AS regions GROUP BY ALL ORDER BY ALL DESC",
        ),
        (
            (
                "SELECT region FROM regions GROUP BY 1, people HAVING MAX(people) > 2 ORDER BY"
                " region NULLS FIRST LIMIT 3 OFFSET 1"
            ),
            (
                "SELECT region FROM regions AS regions GROUP BY 1 , people "
                "HAVING coalesce ( CAST ( ( max ( people ) > 2 ) AS BOOLEAN ) , FALSE ) "
                "ORDER BY region NULLS FIRST LIMIT 3 OFFSET 1"
            ),
        ),
        (
            (
                "SELECT 1 FROM regions r JOIN regions s ON ((r.region = s.region) AND ((r.people <"
                " s.people AND s.region IS NULL)))"
            ),
            (
                "SELECT 1 FROM regions AS r JOIN regions AS s ON ( r . region = s . region ) AND ("
                " r . people < s . people ) AND coalesce ( CAST ( ( s . region IS NULL ) AS BOOLEAN"
                " ) , FALSE )"
            ),
        ),
        (
            (
                "SELECT 1 FROM regions r JOIN regions s ON LOWER(r.region) = s.region WHERE"
                " LOWER(r.region) = 'x'"
            ),
            (
                "SELECT 1 FROM regions AS r JOIN regions AS s ON ( lower ( r . region ) = s ."
                " region ) AND coalesce ( CAST ( ( lower ( r . region ) = s . region ) AS BOOLEAN )"
                " , FALSE ) WHERE coalesce ( CAST ( ( lower ( r . region ) = 'x' ) AS BOOLEAN ) ,"
                " FALSE )"
            ),
        ),
        (
            (
                "WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c WHERE n < 3) SELECT"
                " n, region FROM c, regions"
            ),
            (
                "WITH RECURSIVE c ( n ) AS ( SELECT 1 UNION ALL SELECT ( n + 1 ) FROM c AS c WHERE"
                " ( n < 3 ) ) SELECT n , region FROM c AS c , regions AS regions"
            ),
        ),
        (
            (
                "WITH a AS MATERIALIZED (SELECT 1), b AS NOT MATERIALIZED (SELECT * FROM a) "
                "SELECT * FROM b UNION BY NAME SELECT * FROM regions"
            ),
            (
                "WITH a AS MATERIALIZED ( SELECT 1 ) , b AS NOT MATERIALIZED ( SELECT * FROM a AS a"
                " ) SELECT * FROM b AS b UNION BY NAME SELECT * FROM regions AS regions"
            ),
        ),
        (
            "(SELECT region FROM regions) UNION (SELECT 'x') ORDER BY 1 LIMIT 2",
            "( SELECT region FROM regions AS regions ) UNION ( SELECT 'x' ) ORDER BY 1 LIMIT 2",
        ),
        (
            "SELECT region FROM ((SELECT region FROM regions) LIMIT 3) AS s",
            "SELECT region FROM ( ( SELECT region FROM regions AS regions ) LIMIT 3 ) AS s",
        ),
    ],
)
def test_what_is_written_of_a_statement(sql: str, written: str) -> None:
    assert shown(sql) == written


def test_a_join_within_a_join_is_written_once() -> None:
    """Twice at every level would be a thousand times at the tenth."""
    sql = "SELECT 1 FROM regions"
    for _ in range(8):
        sql = f"SELECT 1 FROM regions r JOIN regions s ON LOWER(r.region) = ({sql})"
    assert shown(sql).count("lower") == 8


@pytest.mark.parametrize(
    ("sql", "what"),
    [
        ("SELECT FROM regions", "Nothing is selected"),
        ("SELECT * EXCLUDE ('people') FROM regions", "This is not read"),
        ("SELECT * REPLACE (1) FROM regions", "This is not read"),
        ("SELECT * FROM regions ORDER BY ALL, region", "This is not read"),
        ("SELECT * FROM regions LIMIT 10 PERCENT", "This is not read"),
        ("SELECT DISTINCT ON (region) * FROM regions", "This is not read"),
        ("SELECT * FROM regions QUALIFY 1 = 1", "This is not read"),
        ("SELECT * FROM regions INTERSECT SELECT * FROM regions", "This is not read"),
        ("SELECT * FROM main.regions", "A table is named by its name alone"),
        ("SELECT * FROM regions TABLESAMPLE 10 PERCENT", "A table is named by its name alone"),
        (
            "SELECT * FROM (regions JOIN regions s USING (region))",
            "A table is named by its name alone",
        ),
        (
            "SELECT * FROM regions, (WITH b AS (SELECT 1) SELECT * FROM b) x, b",
            "There is no table b here",
        ),
        (
            "WITH region AS (SELECT * FROM region) SELECT * FROM region, regions",
            "There is no table region here",
        ),
        ("SELECT COLUMNS('a') FROM regions", "This is not read"),
        ("SELECT 0x1F FROM regions", "A number ends where a word begins"),
        ("SELECT people, 1a FROM regions", "A number ends where a word begins"),
        ('SELECT CAST(people AS "INT and more") FROM regions', "A name in double quotes"),
        ('SELECT EXTRACT("year" FROM region) AS "year" FROM regions', "A name in double quotes"),
        (
            "SELECT 1 FROM regions" + " UNION ALL SELECT 1" * 1200,
            "This question is nested too deeply",
        ),
    ],
)
def test_a_statement_that_is_refused_says_why(sql: str, what: str) -> None:
    with pytest.raises(Unsupported) as caught:
        read_public_query(sql, CATALOG)
    assert str(caught.value).startswith(what)


def test_long_lines_stay_flat() -> None:
    assert shown("SELECT 1" + " + 1" * 1500 + " FROM regions").count("(") == 1
    assert (
        shown("SELECT 1 FROM regions WHERE" + " region = 'a' OR" * 600 + " TRUE").count("OR") == 600
    )


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


@pytest.mark.parametrize("node", ["side", "kind", "method"])
def test_a_word_of_a_join_is_looked_up(node: str) -> None:
    found = read_public_query("SELECT 1 FROM regions LEFT JOIN regions s ON TRUE", CATALOG)
    assert found is not None
    (join,) = found.tree.args["joins"]
    for word in ("LEFT; DROP", "left outer", exp.Var(this="LEFT"), 3):
        join.set(node, word)
        with pytest.raises(Unsupported):
            QueryReader(found.text, CATALOG, "name").read_query(found.tree)


def test_hostile_statements_are_refused_or_written_in_our_words() -> None:
    """Many are read, and many of these hand a text on: or else this would show nothing."""
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
def test_what_is_looked_for_is_found(planted: str, monkeypatch: pytest.MonkeyPatch) -> None:
    asked = read("SELECT 'k' FROM r")
    assert asked is not None
    monkeypatch.setattr("sql.hostile.write", lambda *_: planted)
    with pytest.raises((AssertionError, ValueError)):
        check_written(asked)
