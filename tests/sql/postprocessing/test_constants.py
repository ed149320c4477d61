"""Scalar subqueries that are constants of private questions."""

from __future__ import annotations

import math
from datetime import date

import pytest
from sqlglot import exp, parse_one

from hedgerow.plan.values import Value
from hedgerow.sql.postprocessing.constants import (
    QueryConstant,
    build_literal,
    build_place,
    fill_places,
    find_places,
    list_constants,
    list_samples,
)
from sql.helpers_fixtures import CATALOG


def parse(sql: str) -> exp.Expr:
    found = parse_one(sql, dialect="duckdb")
    assert isinstance(found, exp.Expr)
    return found


@pytest.mark.parametrize(
    ("sql", "count"),
    [
        ("SELECT COUNT(*) FROM t WHERE x > (SELECT AVG(x) FROM t)", 1),
        ("SELECT COUNT(*) FROM t WHERE x BETWEEN (SELECT 1) AND (SELECT 2)", 2),
        ("SELECT SUM(CASE WHEN x > (SELECT AVG(x) FROM t) THEN 1 END) FROM t", 1),
        ("SELECT COUNT(*) FROM (SELECT x FROM t WHERE x > (SELECT AVG(x) FROM t)) d", 1),
        ("SELECT COUNT(*), (SELECT AVG(x) FROM t) FROM t", 0),
        ("SELECT k, COUNT(*) FROM t GROUP BY k HAVING COUNT(*) > (SELECT 3)", 0),
        ("SELECT COUNT(*) FROM t WHERE x IN (SELECT x FROM t)", 0),
        ("SELECT COUNT(*) FROM t WHERE EXISTS (SELECT 1 FROM t)", 0),
        ("SELECT COUNT(*) FROM t JOIN (SELECT x FROM t) d ON d.x = t.x", 0),
    ],
)
def test_scalar_subqueries_of_rows_are_constants(sql: str, count: int) -> None:
    assert len(list_constants(parse(sql))) == count


@pytest.mark.parametrize(
    ("value", "written"),
    [
        (3, "3"),
        (-2.5, "-2.5"),
        (1e-7, "0.0000001"),
        (1e22, "10000000000000000000000"),
        ("it's", "'it''s'"),
        (True, "TRUE"),
        (date(2026, 1, 31), "CAST('2026-01-31' AS DATE)"),
        (None, "NULL"),
        (math.nan, "NULL"),
    ],
)
def test_values_are_written_as_sql(value: Value, written: str) -> None:
    assert build_literal(value).sql(dialect="duckdb") == written


def test_places_are_filled_with_values() -> None:
    tree = exp.GT(this=exp.column("x"), expression=build_place("a 1"))
    assert find_places(tree) == ["a 1"]
    assert fill_places(tree, {"a 1": 5}).sql() == "x > 5"
    assert fill_places(tree, {"b": 5}).sql() == tree.sql()


def test_samples_are_ends_of_declared_ranges() -> None:
    tree = parse("SELECT COUNT(*) FROM visits WHERE age > 1")
    ones = [values for (values,) in list_samples(CATALOG, tree, 1)]
    assert {1, 0, 110} <= {value for value in ones if type(value) is int}
    assert {type(value) for value in ones} == {int, str, date, bool}
    assert all(len(values) == 3 for values in list_samples(CATALOG, tree, 3))


def test_a_constant_takes_the_type_of_its_sample() -> None:
    tree = parse("SELECT 1")
    assert isinstance(tree, exp.Query)
    assert QueryConstant("a", tree, 1).accepts("real")
    assert not QueryConstant("a", tree, 1).accepts("text")
    assert QueryConstant("a", tree, date(2026, 1, 1)).accepts("date")
