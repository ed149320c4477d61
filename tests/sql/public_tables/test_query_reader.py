"""SELECT statements about public tables, written in words of ours."""

from __future__ import annotations

import pytest
from sqlglot import exp

from hedgerow.errors import Unsupported
from hedgerow.sql.public_tables.query_reader import QueryReader
from hedgerow.sql.public_tables.statement import read_public_query
from sql.public_tables.helpers_regions import CATALOG, shown


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
def test_a_statement_is_written_in_words_of_ours(sql: str, written: str) -> None:
    assert shown(sql) == written


def test_a_join_within_a_join_is_written_once() -> None:
    """Doubled at every level, the tenth would be written a thousand times."""
    sql = "SELECT 1 FROM regions"
    for _ in range(8):
        sql = f"SELECT 1 FROM regions r JOIN regions s ON LOWER(r.region) = ({sql})"
    assert shown(sql).count("lower") == 8


def test_long_lines_stay_flat() -> None:
    assert shown("SELECT 1" + " + 1" * 1500 + " FROM regions").count("(") == 1
    assert (
        shown("SELECT 1 FROM regions WHERE" + " region = 'a' OR" * 600 + " TRUE").count("OR") == 600
    )


@pytest.mark.parametrize("node", ["side", "kind", "method"])
def test_a_word_of_a_join_is_looked_up(node: str) -> None:
    found = read_public_query("SELECT 1 FROM regions LEFT JOIN regions s ON TRUE", CATALOG)
    assert found is not None
    (join,) = found.tree.args["joins"]
    for word in ("LEFT; DROP", "left outer", exp.Var(this="LEFT"), 3):
        join.set(node, word)
        with pytest.raises(Unsupported):
            QueryReader(found.text, CATALOG, "name").read_query(found.tree)
