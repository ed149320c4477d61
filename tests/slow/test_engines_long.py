"""Engines against the reference at length, and one table large enough that an engine works in
parallel and in pieces.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import duckdb
import numpy as np
import pyarrow as pa
import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from engines.helpers_engine_answers import Ranks, answer, expected
from engines.helpers_plans import ENGINES, plans
from engines.helpers_worlds import worlds
from hedgerow.engines.duckdb.process.engine_process import IsolatedDuckDB
from hedgerow.engines.duckdb.tables.registry import RegisteredTable
from hedgerow.plan.measures import ClampedGrid, Measure
from hedgerow.plan.nodes import Aggregate, Bound, Group, Table
from hedgerow.plan.schema import Column, Schema

RANKS = Ranks()
RNG = np.random.default_rng(5)


@pytest.mark.parametrize("engine", ENGINES)
@given(data=st.data())
@settings(max_examples=1500, phases=[Phase.generate], suppress_health_check=list(HealthCheck))
def test_thousands_of_plans(engine: Callable[..., Any], data: st.DataObject) -> None:
    world = data.draw(worlds(30))
    source = engine(world.registered)
    try:
        for _ in range(5):
            plan = data.draw(plans(world))
            assert answer(source, plan) == expected(world, plan, RANKS)
    finally:
        source.close()


def ranks(units: np.ndarray, groups: np.ndarray) -> list[int]:
    connection = duckdb.connect()
    connection.register("pairs", pa.table({"u": units, "g": groups}))
    return [rank for (rank,) in connection.execute("SELECT hash(u, g) FROM pairs").fetchall()]


@pytest.mark.parametrize("engine", [*ENGINES, IsolatedDuckDB])
def test_a_million_rows_add_up_as_numpy_adds_them(engine: Callable[..., Any]) -> None:
    count, groups, most_groups, most_rows = 1_000_000, 20, 3, 2
    unit, group, value = (
        RNG.integers(0, 60_000, count),
        RNG.integers(0, groups, count),
        RNG.integers(-50, 150, count),
    )
    schema = Schema(
        "t",
        (
            Column("g", "integer", Fraction(0), Fraction(groups - 1)),
            Column("v", "integer", Fraction(0), Fraction(100)),
        ),
        "u",
    )
    source = engine({"t": RegisteredTable(pa.table({"u": unit, "g": group, "v": value}), schema)})
    measures = (
        Measure("units"),
        Measure("rows"),
        Measure("total", "v", ClampedGrid(Fraction(1), 0, 100)),
    )
    plan = Aggregate(
        Group(Bound(Table(schema), ("g",), most_groups, most_rows), (tuple(range(groups)),)),
        measures,
    )
    found = answer(source, plan)
    source.close()

    pairs, place = np.unique(unit * groups + group, return_inverse=True)
    rows, total = np.bincount(place), np.bincount(place, np.clip(value, 0, 100)).astype(np.int64)
    put_in = np.where(rows > most_rows, total * most_rows // rows, total)
    kept: dict[int, list[tuple[int, int, int]]] = {}
    for number, (whose, where, rank) in enumerate(
        zip(pairs // groups, pairs % groups, ranks(pairs // groups, pairs % groups), strict=True)
    ):
        kept.setdefault(int(whose), []).append((rank, int(where), number))
    sums = {(g,): [0, 0, 0] for g in range(groups)}
    for mine in kept.values():
        for _, g, number in sorted(mine)[:most_groups]:
            cell = sums[g,]
            cell[0] += 1
            cell[1] += min(int(rows[number]), most_rows)
            cell[2] += int(put_in[number])
    assert found == {key: tuple(cell) for key, cell in sums.items()}
