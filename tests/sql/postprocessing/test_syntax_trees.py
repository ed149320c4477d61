"""Changes of syntax trees that leave the original as it is."""

from __future__ import annotations

import sqlglot
from sqlglot import exp

from hedgerow.sql.postprocessing.syntax_trees import attach_with, map_children, replace_args

SQL = "WITH b AS (SELECT 2 AS y) SELECT x + 1 AS z FROM a, b"


def test_the_original_keeps_its_parts_and_their_parents() -> None:
    tree = sqlglot.parse_one(SQL)
    before = tree.sql()
    named = sqlglot.parse_one("WITH c AS (SELECT 3) SELECT 1").args["with_"].expressions
    changed = attach_with(
        replace_args(tree, limit=exp.Limit(expression=exp.Literal.number(5))), named
    )
    assert changed.sql() == (
        "WITH c AS (SELECT 3), b AS (SELECT 2 AS y) SELECT x + 1 AS z FROM a, b LIMIT 5"
    )
    assert tree.sql() == before
    assert all(child.parent is tree for child in tree.iter_expressions())


def test_positions_are_kept_for_messages() -> None:
    column = sqlglot.parse_one(SQL).find(exp.Identifier)
    assert column is not None
    column.meta["start"] = 7
    assert replace_args(column).meta["start"] == 7


def test_children_are_changed_in_lists_and_alone() -> None:
    tree = sqlglot.parse_one("SELECT a, b FROM t")
    changed = map_children(
        tree, lambda part: exp.column("c") if isinstance(part, exp.Column) else part
    )
    assert changed.sql() == "SELECT c, c FROM t"
    assert attach_with(tree, ()) is tree
