"""Each level of ROLLUP means what it would mean alone, in exact fractions."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import pyarrow as pa
import pytest

import hedgerow as hr
from truth.oracle import Grid, Group, Row, find_meaning

GRID = (Grid(Fraction(1), 0, 9),)
TABLE = pa.table(
    {
        # the first person has four rows in one group, the second three rows in two groups
        "uid": [1, 1, 1, 1, 2, 2, 2, 3, 3],
        "kind": ["a", "a", "a", "a", "a", "b", "b", "b", None],
        "x": [9, 1, 2, 4, 3, 8, 7, 5, 6],
    }
)
ROLLUP = "SELECT kind, COUNT(*) AS n, SUM(x) AS s, GROUPING(kind) AS level FROM data{} GROUP BY {}"


def find_groups(kinds: Sequence[str | None], unit: str) -> Group:
    """The rows of each person in some groups; two of them count."""
    people: dict[object, list[Row]] = {}
    for place, row in enumerate(TABLE.to_pylist()):
        if row["kind"] in kinds:
            owner = place if unit == "row" else row["uid"]
            people.setdefault(owner, []).append(Row(row["x"]))
    return Group(list(people.values()), 1 if unit == "row" else 2)


@pytest.mark.parametrize(
    ("unit", "where", "pieces", "all_kinds"),
    [
        ("uid", "", 2, ("a", "b", None)),
        ("row", "", 2, ("a", "b", None)),  # a row without a kind counts in the total alone
        ("row", " WHERE kind IN ('a', 'b')", 1, ("a", "b")),  # the total is the sum
    ],
)
def test_levels_mean_what_they_mean_alone(
    unit: str, where: str, pieces: int, all_kinds: Sequence[str | None]
) -> None:
    terms: dict[str, Any] = {"columns": {"x": (0, 9), "kind": ["a", "b"]}, "epsilon": 10_000}
    if unit == "uid":
        terms |= {"max_groups": 2, "max_rows_per_group": 2}
    with hr.protect(TABLE, unit=unit, neighbours="add-remove", max_units=9, **terms) as db:
        answer = db.query(ROLLUP.format(where, "ROLLUP (kind)"), epsilon=5_000)
    assert len(answer.pieces) == pieces
    wanted: dict[Any, Group] = {(kind, 0): find_groups((kind,), unit) for kind in ("a", "b")}
    wanted[None, 1] = find_groups(all_kinds, unit)
    assert {(row["kind"], row["level"]) for row in answer.rows} == set(wanted)
    for row in answer.rows:
        group = wanted[row["kind"], row["level"]]
        for column, function in (("n", "COUNT(*)"), ("s", "SUM")):
            meaning = find_meaning(function, group, GRID)
            assert abs(Fraction(row[column]) - meaning) <= Fraction(1, 2), (row, column)
