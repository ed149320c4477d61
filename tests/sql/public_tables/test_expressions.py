"""Expressions over public tables: each node by its rule, with no other text of the analyst."""

from __future__ import annotations

import pytest
from sqlglot import exp

from hedgerow.errors import Unsupported
from hedgerow.sql.public_tables.expressions import FRAGMENT_RULES, join_fragments
from hedgerow.sql.public_tables.phrases import write_fragment
from hedgerow.sql.public_tables.statement import read_public_query
from sql.helpers_hostile_statements import CATALOG


def written(expression: str) -> str:
    asked = read_public_query(f"SELECT {expression} FROM r", CATALOG)
    assert asked is not None
    return (
        asked.names.restore_names(write_fragment(asked.fragment, asked.names))
        .removeprefix("SELECT ")
        .split(" FROM public")[0]
        .split(' FROM "public')[0]
    )


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("n + 1 - 2 * x / 3 % 4", "( n + 1 - ( 2 * x / 3 % 4 ) )"),
        ("n - (1 - 1)", "( n - ( ( 1 - 1 ) ) )"),
        (
            "n > 1 AND k = 'a' AND NOT x <= 2 OR n <> 3",
            "( ( ( n > 1 ) AND ( k = 'a' ) AND ( NOT ( x <= 2 ) ) ) OR ( n <> 3 ) )",
        ),
        ("k || 'it''s' || k", "( k || 'it''s' || k )"),
        ("-n", "( - n )"),
        ("SUM(DISTINCT n)", "sum ( DISTINCT n )"),
        ("COUNT(*)", "count ( * )"),
        ("COUNT()", "count ( )"),
        ("COUNT(r.*)", "count ( r . * )"),
        ("COUNT(n) FILTER (WHERE n > 1)", "count ( n ) FILTER ( WHERE ( n > 1 ) )"),
        ("COUNT(DISTINCT k)", "count ( DISTINCT k )"),
        (
            "COUNT(DISTINCT k, n)",
            "count ( DISTINCT CASE WHEN k IS NULL THEN NULL WHEN n IS NULL THEN NULL"
            " ELSE ( k , n ) END )",
        ),
        (
            "PERCENTILE_CONT(0.5) WITHIN GROUP (ORDER BY n DESC)",
            "quantile_cont ( n , 0.5 ORDER BY n DESC )",
        ),
        ("MODE() WITHIN GROUP (ORDER BY n)", "mode ( n ORDER BY n )"),
        ("QUANTILE(n, 0.9)", "quantile ( n , 0.9 )"),
        ("CORR(n, x)", "corr ( n , x )"),
        ("COALESCE(n, 1, 2)", "coalesce ( n , 1 , 2 )"),
        ("IF(n > 1, 1, 2)", "CASE WHEN ( n > 1 ) THEN 1 ELSE 2 END"),
        ("IF(n > 1, 1)", "CASE WHEN ( n > 1 ) THEN 1 END"),
        ("CASE n WHEN 1 THEN 'a' ELSE 'b' END", "CASE n WHEN 1 THEN 'a' ELSE 'b' END"),
        ("CASE WHEN n > 1 THEN 1 END", "CASE WHEN ( n > 1 ) THEN 1 END"),
        ("k LIKE 'a%' OR k NOT ILIKE 'b'", "( ( k LIKE 'a%' ) OR ( k NOT ILIKE 'b' ) )"),
        ("n IS NULL", "( n IS NULL )"),
        ("n IN (1, 2.50)", "( n IN ( 1 , 2.50 ) )"),
        ("n IN (SELECT n FROM s)", '( n IN ( SELECT n'),
        ("n BETWEEN 1 AND 1e5", "( n BETWEEN 1 AND 1e5 )"),
        ("CAST(n AS VARCHAR)", "CAST ( n AS TEXT )"),
        ("TRY_CAST(k AS INT)", "TRY_CAST ( k AS INTEGER )"),
        ("DATE '2026-01-01'", "CAST ( '2026-01-01' AS DATE )"),
        ("EXTRACT(dow FROM day)", "EXTRACT ( DAYOFWEEK FROM day )"),
        ("EXTRACT('month' FROM day)", "EXTRACT ( MONTH FROM day )"),
        ("TRIM(k)", "trim ( k )"),
        ("TRIM(LEADING 'x' FROM k)", "ltrim ( k , 'x' )"),
        ("hash(k, n)", "hash ( k , n )"),
        ("TRUE", "TRUE"),
        ("NULL", "NULL"),
        ("5.", "5."),
        ("5.e3", "5e3"),
        ("r.k", "r . k"),
        ('"it\'s; --"', '"it\'s; --"'),
        ("(SELECT MAX(n) FROM s)", "( SELECT max ( n )"),
    ],
)  # fmt: skip
def test_an_expression_is_written_in_words_of_ours(expression: str, expected: str) -> None:
    assert written(expression) == expected


@pytest.mark.parametrize(
    ("expression", "what"),
    [
        (
            'EXTRACT("year FROM day), (SELECT 1" FROM day)',
            "Double quotes are only for names",
        ),
        ("EXTRACT(k FROM day)", "EXTRACT does not support this part"),
        ('CAST(k AS "VARCHAR), (SELECT 1")', "Double quotes are only for names"),
        ('"sum"(n)', "Double quotes are only for names"),
        ("CAST(k AS BLOB)", "CAST does not support this type"),
        ("CAST(k AS HUGEINT)", "CAST does not support this type"),
        ("DATE_TRUNC('nanosecond', day)", "This syntax is not supported"),
        ("day + INTERVAL 1 DECADE", "This INTERVAL is not supported"),
        ("n IS x", "IS must be followed by"),
        ("n BETWEEN SYMMETRIC 1 AND 2", "This syntax is not supported"),
        ("k LIKE 'a' ESCAPE 'b'", "This syntax is not supported"),
        ("SUM(n ORDER BY n)", "This syntax is not supported"),
        ("MAX(n, 2)", "This syntax is not supported"),
        ("SUM(DISTINCT n, x)", "DISTINCT takes one value"),
        ("1" * 39, "This number is not supported"),
        ("getenv('HOME')", "This syntax is not supported"),
        ("lower(k) FILTER (WHERE n > 1)", "FILTER must follow an aggregate"),
        ("QUANTILE(n, 0.5) WITHIN GROUP (ORDER BY n)", "WITHIN GROUP must follow"),
        ("PERCENTILE_CONT(0.5) WITHIN GROUP (ORDER BY n, x)", "WITHIN GROUP takes"),
        ("r.r.k", "This syntax is not supported"),
        ("n IN r", "This syntax is not supported"),
        ("TRIM(k COLLATE nocase)", "This syntax is not supported"),
        ("(k AS z) || 'a'", "This syntax is not supported"),
        ("lower(*)", "This syntax is not supported"),
    ],
)
def test_unsupported_sql_is_refused_with_the_expected_message(expression: str, what: str) -> None:
    with pytest.raises(Unsupported) as caught:
        read_public_query(f"SELECT {expression} FROM r", CATALOG)
    assert str(caught.value).startswith(what)


@pytest.mark.parametrize("node", FRAGMENT_RULES, ids=lambda node: node.__name__)
def test_a_part_that_a_rule_does_not_take_is_refused(node: type[exp.Expr]) -> None:
    """Later versions of the parser may add arguments."""
    asked = read_public_query("SELECT k FROM r", CATALOG)
    assert asked is not None
    asked.tree.set("expressions", [node(this=exp.column("k"), more=exp.Var(this="x"))])
    reader = _reader()
    with pytest.raises(Unsupported, match="not supported"):
        reader.read_query(asked.tree)


def test_lists_have_commas_between() -> None:
    assert join_fragments(["a"]) == ("a",)
    assert join_fragments(["a", "b", "c"]) == ("a", ",", "b", ",", "c")


def _reader() -> object:
    from hedgerow.sql.public_tables.query_reader import QueryReader
    from hedgerow.sql.syntax.source_text import SourceText

    return QueryReader(SourceText("SELECT k FROM r", ()), CATALOG, "name")
