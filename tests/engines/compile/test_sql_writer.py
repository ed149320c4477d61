"""Trees are written once every text in them is known to be a value, a name or a listed word."""

from __future__ import annotations

import pytest
from sqlglot import exp

from hedgerow.engines.compile.sql_builders import (
    call_function,
    cast_to_type,
    column,
    constant,
    select,
    text_literal,
)
from hedgerow.engines.compile.sql_writer import find_unsafe_leaves, render_sql
from hedgerow.engines.duckdb.dialect import DUCKDB
from hedgerow.errors import InvalidArgument

TABLE = exp.Table(this=exp.to_identifier("t", quoted=True))


def test_values_and_names_are_written_in_quotes() -> None:
    tree = select(
        [('a"b', text_literal("it's")), ("c", cast_to_type(column("x; --"), "date"))], TABLE
    )
    assert (
        render_sql(tree, DUCKDB)
        == """SELECT 'it''s' AS "a""b", CAST("x; --" AS DATE) AS "c" FROM "t\""""
    )


@pytest.mark.parametrize(
    "planted",
    [
        exp.Var(this="year FROM day)"),
        exp.to_identifier("bare"),
        exp.column("bare"),
        exp.Literal(this="1); DROP TABLE t", is_string=False),
        exp.Literal(this="1.5", is_string=False),
        call_function("getenv", text_literal("HOME")),
        exp.Anonymous(this='hash"', expressions=[]),
        exp.Extract(this=exp.Var(this="year"), expression=column("x")),
        exp.Interval(this=text_literal("1"), unit=exp.Var(this="DAY")),
        exp.DataType(this=exp.DType.USERDEFINED, kind="x), (SELECT 1"),
        exp.Cast(this=column("x"), to=exp.DataType(this="INT")),
        exp.Trim(this=column("x"), position="LEADING"),
        exp.Boolean(this=1),
        exp.Column(this="x"),
        exp.Command(this="COPY"),
    ],
    ids=repr,
)
def test_any_other_text_is_not_written(planted: exp.Expr) -> None:
    with pytest.raises(InvalidArgument, match="must not contain unquoted text"):
        render_sql(select([("a", planted)], TABLE.copy()), DUCKDB)
    assert len(list(find_unsafe_leaves(planted, DUCKDB.functions))) == 1


@pytest.mark.parametrize(
    ("part", "word"), [("kind", "INNER; --"), ("side", "left"), ("method", "ASOF"), ("hint", "x")]
)
def test_a_join_is_of_a_listed_kind(part: str, word: str) -> None:
    tree = select([("a", column("x"))], TABLE.copy()).join(
        TABLE.copy(), on=exp.true(), join_type="left"
    )
    assert "LEFT JOIN" in render_sql(tree, DUCKDB)
    tree.args["joins"][0].set(part, word)
    with pytest.raises(InvalidArgument, match=f"in {part} of Join"):
        render_sql(tree, DUCKDB)


def test_numbers_are_digits() -> None:
    assert render_sql(constant(-3, "integer"), DUCKDB) == "CAST(-3 AS BIGINT)"
    assert render_sql(constant(1e300, "real"), DUCKDB) == "CAST('1e+300' AS DOUBLE)"


def test_functions_read_no_file_and_no_setting() -> None:
    assert all(name.isidentifier() and name.islower() for name in DUCKDB.functions)
    assert (
        not {"read_csv", "read_text", "glob", "getenv", "current_setting", "query", "query_table"}
        & DUCKDB.functions
    )
