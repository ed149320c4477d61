"""Each construct on a real cluster, where it is easily wrong."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date, datetime

import pytest
from sqlglot import exp

from engines.helpers_worlds import TEXTS
from engines.spark.helpers_worlds import compute, compute_rows, connect, rank_values
from hedgerow.engines.compile.sql_builders import (
    binary,
    call_function,
    cast,
    column,
    constant,
    is_one_of,
    text_literal,
)
from hedgerow.engines.compile.sql_writer import render_sql
from hedgerow.engines.spark.dialect import SPARK
from hedgerow.engines.spark.session import SparkConnection
from hedgerow.errors import Unsupported
from hedgerow.plan.scalar.strings import STRING_FUNCTIONS
from hedgerow.plan.values import Type

WORDS = ("ÄÖß", "İstanbul", "ŉ", "ᾳ", "plain", "😀é", "", "Zz")


@pytest.fixture(scope="module")
def server() -> Iterator[SparkConnection]:
    connection = connect()
    yield connection
    connection.close()


@pytest.mark.parametrize("function", ["lower", "upper"])
def test_case_is_mapped_by_code_point(server: SparkConnection, function: str) -> None:
    found = compute_rows(
        server, call_function(function, column("x0")), [[text_literal(word)] for word in WORDS]
    )
    assert found == [STRING_FUNCTIONS[function][2](word) for word in WORDS]


def test_every_text_arrives_as_it_was_written(server: SparkConnection) -> None:
    more = ("${env:HOME}", "\x001", "\x0012", "\\u0041", "\r\n\t", "%_\\%", "`", "\\")
    texts = [*TEXTS, *more]
    assert compute(server, *map(text_literal, texts)) == texts


def test_text_compares_by_code_point(server: SparkConnection) -> None:
    pairs = [("Zoo", "zoo"), ("é", "f"), ("a b", "ab"), ("😀", "\ufffe"), ("a", "a ")]
    rows = [[text_literal(a), text_literal(b)] for a, b in pairs]
    blind = call_function("collate", column("x0"), text_literal("UNICODE_CI"))
    less = binary(SPARK.read_stored(blind, "text", False), exp.LT, column("x1"))
    assert compute_rows(server, less, rows) == [a < b for a, b in pairs]


def test_like_knows_no_escape(server: SparkConnection) -> None:
    cases = [("\\abc", "\\%"), ("%", "\\%"), ("a\\", "a\\"), ("a\nb", "a%b"), ("😀", "_")]
    found = compute_rows(
        server,
        exp.Like(this=column("x0"), expression=column("x1")),
        [[text_literal(text), text_literal(pattern)] for text, pattern in cases],
    )
    assert found == [True, False, True, True, True]


def test_bytes_that_are_no_text_become_text(server: SparkConnection) -> None:
    raw = cast(exp.HexString(this="61ff62"), "VARCHAR")
    sql = "SELECT make_valid_utf8(collate(CAST(X'61ff62' AS STRING), 'UTF8_BINARY')) AS v"
    (row,) = server.call(lambda session: session.sql(sql).toArrow(), 60).to_pylist()
    assert row["v"] == "a\ufffdb"
    assert isinstance(SPARK.read_stored(raw, "text", False), exp.Anonymous)


def test_ranks_are_xxhash64_of_the_values(server: SparkConnection) -> None:
    types: tuple[Type, ...] = ("integer", "text", "real", "boolean", "date", "timestamp", "text")
    values = (1, "é" * 33, -0.0, True, date.min, datetime(2024, 1, 2, 3, 4, 5, 6), "abcdefghijk")
    terms = [constant(value, type_) for value, type_ in zip(values, types, strict=True)]
    ranks = [SPARK.build_rank([term.copy() for term in terms[:n]]) for n in range(1, 8)]
    assert compute(server, *ranks) == [rank_values(types[:n], values[:n]) for n in range(1, 8)]


def test_long_lists_are_inline() -> None:
    words = [f"w{i}" for i in range(20)]
    for values, type_ in ((words, "text"), ([1, 3, *range(9, 20)], "integer")):
        condition = is_one_of(column("x"), values, type_)  # type: ignore[arg-type]
        tree = exp.Select(expressions=[exp.alias_(condition, "v", quoted=True)])
        sql = render_sql(tree, SPARK)
        assert "SELECT" not in sql[6:]
        assert str(values[-1]) in sql


@pytest.mark.parametrize("function", ["regexp_matches", "regexp_replace", "concat_ws"])
def test_regular_expressions_are_refused(function: str) -> None:
    tree = exp.Select(expressions=[call_function(function, column("x"), text_literal("a"))])
    with pytest.raises(Unsupported, match=r"needs regular expressions, .* Use LIKE"):
        render_sql(tree, SPARK)
    with pytest.raises(Unsupported, match="regular expressions"):
        SPARK.full_match(column("x"), "(a+)+")


def test_log2_is_refused() -> None:
    tree = exp.Select(expressions=[call_function("log2", column("x"))])
    with pytest.raises(Unsupported, match=r"Write LN\(x\) / LN\(2\)"):
        render_sql(tree, SPARK)


def test_functions_read_no_file_and_run_no_code() -> None:
    assert all(name.isidentifier() and name.islower() for name in SPARK.functions)
    assert not {"java_method", "reflect", "try_reflect", "read_files", "input_file_name"} & (
        SPARK.functions
    )


def test_types_are_written_in_full() -> None:
    tree = exp.Select(
        expressions=[
            cast(column("x"), "TIMESTAMP"),
            cast(column("x"), "DECIMAL"),
            cast(column("x"), "BIGINT", total=True),
            cast(column("x"), "TIMESTAMPTZ"),
        ]
    )
    sql = render_sql(tree, SPARK)
    assert sql == (
        "SELECT CAST(`x` AS TIMESTAMP_NTZ), CAST(`x` AS DECIMAL(38, 0)), TRY_CAST(`x` AS BIGINT),"
        " CAST(`x` AS TIMESTAMP)"
    )
