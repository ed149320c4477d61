"""Each level of ROLLUP means what it would mean alone, in exact fractions."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import pyarrow as pa
import pytest
from scipy import stats

import hedgerow as hr
from truth.alarms import find_factor, measure_excess
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


@pytest.mark.long
@pytest.mark.parametrize("unit", ["row", "uid"])
def test_noisy_levels_are_right_on_average_and_their_intervals_cover(unit: str) -> None:
    check_noisy_levels(unit, 8)


def check_noisy_levels(unit: str, draws: int) -> None:
    """Check levels that are added up, or measured. The alarm rate of 1e-9 is shared by both tests
    of each number."""
    where = " WHERE kind IN ('a', 'b')" if unit == "row" else ""
    kinds = ("a", "b") if unit == "row" else ("a", "b", None)
    terms: dict[str, Any] = {"columns": {"x": (0, 9), "kind": ["a", "b"]}, "epsilon": 10}
    if unit == "uid":
        terms |= {"max_groups": 2, "max_rows_per_group": 2}
    seen: dict[tuple[Any, str], list[int]] = {}
    outside: dict[tuple[Any, str], int] = {}
    for _ in range(draws):
        with hr.protect(TABLE, unit=unit, neighbours="add-remove", max_units=9, **terms) as db:
            answer = db.query(ROLLUP.format(where, "ROLLUP (kind)"), epsilon=1)
        pairs = {column: answer.interval(column) for column in ("n", "s")}
        for place, row in enumerate(answer.rows):
            group = find_groups(kinds if row["level"] else (row["kind"],), unit)
            for column, function in (("n", "COUNT(*)"), ("s", "SUM")):
                meaning, pair = find_meaning(function, group, GRID), pairs[column][place]
                assert pair is not None
                at = (row["kind"], column)
                seen.setdefault(at, []).append(row[column] - meaning)
                outside[at] = outside.get(at, 0) + (not pair[0] <= meaning <= pair[1])
    factor = find_factor(4 * len(seen))
    for at, errors in seen.items():
        assert measure_excess(errors, Fraction(0), bias=0, factor=factor) < 1, at
        # 1e-10 of each of six: a binomial tail at 5 %
        assert stats.binom.sf(outside[at] - 1, draws, 0.05) > 1e-10, at
