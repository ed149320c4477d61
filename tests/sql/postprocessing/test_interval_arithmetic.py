"""The ends of operations on numbers."""

from __future__ import annotations

import duckdb
import pytest
from sqlglot import exp, parse_one

from hedgerow.sql.postprocessing.interval_arithmetic import bound_operation, build_call

VALUES = {"x": (-1.0, 2.0), "y": (3.0, 4.0), "z": (-1.0, 1.0), "none": (None, None)}


def is_noisy(node: exp.Expr) -> bool:
    return node.find(exp.Column) is not None


def find_ends(node: exp.Expr) -> tuple[exp.Expr, exp.Expr] | None:
    if isinstance(node, exp.Column):
        if node.name not in VALUES:
            return None
        low, high = (
            exp.cast(exp.Null(), "double") if end is None else exp.Literal.number(end)
            for end in VALUES[node.name]
        )
        return low, high
    return (node, node) if not is_noisy(node) else bound_operation(node, find_ends, is_noisy)


def compute(sql: str) -> tuple[object, ...] | None:
    ends = find_ends(parse_one(sql, dialect="duckdb"))
    if ends is None:
        return None
    names = "(SELECT 0.5 AS x, 3.5 AS y, 0.2 AS z, CAST(NULL AS DOUBLE) AS none) AS t"
    written = ", ".join(f"CAST({end.sql(dialect='duckdb')} AS DOUBLE)" for end in ends)
    with duckdb.connect() as db:
        return db.execute(f"SELECT {written} FROM {names}").fetchone()


@pytest.mark.parametrize(
    ("sql", "ends"),
    [
        ("x + y", (2, 6)),
        ("x - y", (-5, -1)),
        ("x * y", (-4, 8)),
        ("x * -2", (-4, 2)),
        ("x / y", (-1 / 3, 2 / 3)),
        ("y / 2", (1.5, 2)),
        ("y / z", (float("-inf"), float("inf"))),
        ("y / none", (None, None)),
        ("-(x)", (-2, 1)),
        ("ROUND(y * 1.26, 1)", (3.8, 5)),
        ("CAST(y AS DOUBLE)", (3, 4)),
        ("CAST(y / z AS INTEGER)", (float("-inf"), float("inf"))),
        ("CAST(none AS INTEGER)", (None, None)),
        ("CAST(x * 1.4 AS INTEGER)", (-1, 3)),
        ("NULLIF(z, 0)", (float("-inf"), float("inf"))),
        ("NULLIF(none, 0)", (None, None)),
        ("y / NULLIF(z, 0)", (float("-inf"), float("inf"))),
        ("y / 0", (float("-inf"), float("inf"))),
        ("COALESCE(none, 7)", (7, 7)),
        ("COALESCE(x, 0)", (-1, 2)),
        ("NULLIF(y, 0)", (3, 4)),
        ("CASE WHEN 1 = 1 THEN x ELSE y END", (-1, 2)),
        ("CASE WHEN 1 = 2 THEN x END", (None, None)),
    ],
)
def test_ends_follow_from_the_ends_of_the_parts(sql: str, ends: tuple[float | None, ...]) -> None:
    assert compute(sql) == pytest.approx(ends)


@pytest.mark.parametrize(
    "sql",
    [
        "SQRT(y)",
        "x + unknown",
        "ROUND(x, y)",
        "CAST(x AS TEXT)",
        "COALESCE(x, y)",
        "NULLIF(y, x)",
        "CASE WHEN x > 1 THEN y END",
        "CASE WHEN 1 = 1 THEN unknown END",
        "CASE 1 WHEN 1 THEN y END",
    ],
)
def test_other_operations_have_no_ends(sql: str) -> None:
    assert compute(sql) is None


def test_a_call_takes_each_end_in_turn() -> None:
    node = parse_one("SUM(a)")
    ends = build_call(node, (exp.column("low"), exp.column("high")))
    assert [end.sql() for end in ends] == ["SUM(low)", "SUM(high)"]
