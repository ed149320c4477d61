"""Aggregates under windows, and the grouping sets of ROLLUP, CUBE and GROUPING SETS."""

from __future__ import annotations

import pytest
import sqlglot
from sqlglot import exp

from hedgerow.sql.postprocessing.aggregate_extraction import (
    ExtractedAggregates,
    extract_aggregates,
)


def extract(sql: str) -> ExtractedAggregates | None:
    tree = sqlglot.parse_one(sql, read="duckdb")
    assert isinstance(tree, exp.Select)
    return extract_aggregates(tree, ("a", "b", "c"), exp.Count(this=exp.Star()))


def write(tree: exp.Expr) -> str:
    return tree.sql(dialect="duckdb").replace('"', "")


def test_aggregates_inside_a_window_belong_to_the_piece() -> None:
    found = extract(
        "SELECT a AS key, SUM(COUNT(*)) OVER (ORDER BY MAX(b)), COUNT(*) FROM t WHERE c > 1"
        " GROUP BY a HAVING COUNT(*) > 2 ORDER BY key LIMIT 3"
    )
    assert found is not None
    assert write(found.build_piece(found.grouping_sets[0])) == (
        "SELECT a AS a, MAX(b) AS aggregate 0, COUNT(*) AS aggregate 1 FROM t WHERE c > 1"
        " GROUP BY a"
    )
    assert write(found.outer) == (
        "SELECT a AS key, SUM(aggregate 1) OVER (ORDER BY aggregate 0) AS column2,"
        " aggregate 1 AS count WHERE aggregate 1 > 2 ORDER BY key LIMIT 3"
    )


def test_grouping_resolves_aliases_and_has_a_bit_for_each_key() -> None:
    found = extract("SELECT a + 1 AS k, GROUPING(k), GROUPING(k, b) FROM t GROUP BY ROLLUP (k, b)")
    assert found is not None
    assert write(found.outer) == (
        "SELECT key 0 AS k, grouping 0 AS column2, (grouping 0 * 2 + grouping 1) AS column3"
    )
    assert "0 AS grouping 0, 1 AS grouping 1" in write(
        found.build_branch(found.grouping_sets[1], exp.to_table("x"))
    )
    assert extract("SELECT GROUPING(c), COUNT(*) FROM t GROUP BY ROLLUP (a)") is None


@pytest.mark.parametrize(
    ("aggregate", "is_additive"),
    [
        ("COUNT(*)", True),
        ("COUNT(c)", True),
        ("SUM(c)", True),
        ("SUM(c) FILTER (WHERE c > 1)", True),
        ("AVG(c)", False),
        ("COUNT(DISTINCT c)", False),
        ("MAX(c)", False),
    ],
)
def test_levels_of_additive_aggregates_are_sums_of_the_finest(
    aggregate: str, is_additive: bool
) -> None:
    found = extract(f"SELECT {aggregate} FROM t GROUP BY ROLLUP (a, b)")
    assert found is not None
    assert (found.finest is not None) == is_additive
    assert found.list_dropped_keys() == {"a", "b"}
    assert write(found.build_sum(found.grouping_sets[1], exp.to_table("x"))) == (
        "SELECT a, SUM(aggregate 0) AS aggregate 0 FROM x GROUP BY a"
    )
    apart = extract("SELECT SUM(c) FROM t GROUP BY GROUPING SETS ((a), (b))")
    assert apart is not None
    assert apart.finest is None


def test_an_alias_of_another_column_does_not_take_the_name_of_a_key() -> None:
    found = extract("SELECT b AS a, a AS b, RANK() OVER (ORDER BY COUNT(*)) FROM t GROUP BY 1, 2")
    assert found is not None
    assert write(found.outer).startswith("SELECT key 0 AS a, key 1 AS b, RANK()")


@pytest.mark.parametrize(
    ("group_by", "sets"),
    [
        ("a, b", ["a b"]),
        ("ROLLUP (a, b)", ["a b", "a", ""]),
        ("CUBE (a, b)", ["a b", "a", "b", ""]),
        ("GROUPING SETS ((a, b), (b), ())", ["a b", "b", ""]),
        ("c, ROLLUP (a, b)", ["c a b", "c a", "c"]),
        ("ROLLUP ((a, b), c)", ["a b c", "a b", ""]),
        ("ROLLUP (a), CUBE (a)", ["a", ""]),
    ],
)
def test_grouping_sets_are_those_of_sql(group_by: str, sets: list[str]) -> None:
    found = extract(f"SELECT COUNT(*) FROM t GROUP BY {group_by}")
    assert found is not None
    assert [" ".join(key.name for key in keys) for keys in found.grouping_sets] == sets


def test_a_branch_has_null_for_keys_outside_its_grouping_set() -> None:
    found = extract("SELECT a, b, GROUPING(a), COUNT(*) FROM t GROUP BY ROLLUP (b, a)")
    assert found is not None
    branch = found.build_branch(found.grouping_sets[1], exp.to_table("x"))
    assert write(branch) == (
        "SELECT b AS b, NULL AS a, aggregate 0 AS aggregate 0, 1 AS grouping 0 FROM x"
    )


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT a FROM t",
        "SELECT DISTINCT * FROM t",
        "SELECT a, COUNT(*) OVER () FROM t",
        "SELECT c, COUNT(*) FROM t GROUP BY a",
        "SELECT COUNT(*) FROM t GROUP BY 7",
        "SELECT COUNT(*) FROM t GROUP BY ALL",
        "SELECT COUNT(*) FROM t GROUP BY CUBE (a, b, c, d, e)",
    ],
)
def test_only_aggregates_over_keys_are_extracted(sql: str) -> None:
    assert extract(sql) is None


@pytest.mark.parametrize("sql", ["SELECT a FROM t GROUP BY a", "SELECT DISTINCT a FROM t"])
def test_keys_without_an_aggregate_get_a_count_that_is_not_shown(sql: str) -> None:
    found = extract(sql)
    assert found is not None
    assert found.has_keys_alone
    keys = found.grouping_sets[0]
    assert write(found.build_piece(keys)) == (
        "SELECT a AS a, COUNT(*) AS aggregate 0 FROM t GROUP BY a"
    )
    assert write(found.build_branch(keys, exp.to_table("x"))) == "SELECT a AS a FROM x"


def test_a_column_comes_before_an_alias_in_group_by() -> None:
    assert extract("SELECT a AS b, COUNT(*) OVER (ORDER BY COUNT(*)) FROM t GROUP BY b") is None
    found = extract("SELECT a AS d, RANK() OVER (ORDER BY COUNT(*)) FROM t GROUP BY d")
    assert found is not None
    assert [key.name for key in found.grouping_sets[0]] == ["a"]
