"""Relations of every kind: each engine returns what the reference returns, cell for cell."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from random import Random
from typing import Any

import pyarrow.csv
import pyarrow.parquet as pq
import pytest

from depth import many
from engines.compile.helpers_orders import COUNTS, ITEMS, ORDERS, PARTS, by
from engines.helpers_comparison import RANKS, agreed, frames, nodes, plain, schemas
from engines.helpers_plans import ENGINES
from hedgerow.engines.duckdb.engine import DuckDB
from hedgerow.engines.duckdb.process.engine_process import IsolatedDuckDB
from hedgerow.engines.duckdb.tables.registry import RegisteredTable
from hedgerow.engines.reference import interpreter as reference
from hedgerow.errors import SourceError, Unsupported
from hedgerow.plan.measures import ClampedGrid, Measure
from hedgerow.plan.nodes import (
    Aggregate,
    Bound,
    Group,
    Join,
    Project,
    Table,
    UnitAggregation,
    UnitStatistic,
)
from hedgerow.plan.order_statistics import OrderStatistic
from hedgerow.plan.scalar.expressions import Call, ColumnRef
from hedgerow.plan.schema import Column, Link, Partition, Schema
from plan import helpers_tables, worlds


@pytest.mark.long
@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("number", range(many(5)))
def test_every_engine_agrees_with_the_reference(engine: Callable[..., Any], number: int) -> None:
    random = Random(number)
    world = helpers_tables.world(random)
    source = engine(frames(world.schemas, world.tables))
    try:
        for _ in range(8):
            plan = worlds.plan(random, world.schemas)
            assert plain(source.run(plan)) == reference.interpret_plan(
                plan, world.tables, RANKS(plan, world.tables)
            )
    finally:
        source.close()


def test_the_generator_makes_everything() -> None:
    """Otherwise the test above would say little."""
    seen: set[str] = set()
    for number in range(many(10)):
        random = Random(number)
        world = helpers_tables.world(random)
        for _ in range(8):
            plan = worlds.plan(random, world.schemas)
            seen |= {measure.kind for measure in plan.measures}
            seen |= {type(node).__name__ for node in nodes(plan.bound.source)}
    assert seen >= {
        "Table",
        "Filter",
        "Project",
        "Join",
        "Union",
        "UnitAggregation",
        "distinct",
        "moments",
        "total",
        "quantiles",
        "mode",
        "greatest",
    }


CLAIMED: Mapping[str, list[dict[str, Any]]] = {
    "orders": [
        {"id": 1, "number": 7, "x": 3},
        {"id": 1, "number": 7, "x": 4},  # twice by the same customer: still one owner
        {"id": 2, "number": 7, "x": 9},
        {"id": 2, "number": 8, "x": 1},
        {"id": 3, "number": None, "x": 1},
        {"id": None, "number": 9, "x": 1},
    ],
    "items": [
        {"order": 7, "code": "a", "price": 1.0},
        {"order": 7, "code": "b", "price": 2.0},
        {"order": 8, "code": "c", "price": 4.0},
        {"order": 9, "code": "d", "price": 8.0},  # nobody's
        {"order": None, "code": "e", "price": 16.0},
        {"order": 99, "code": "f", "price": 32.0},  # leads nowhere
    ],
    "parts": [
        {"of": "a", "y": 1},
        {"of": "c", "y": 2},
        {"of": "d", "y": 3},
        {"of": None, "y": 4},
        {"of": "", "y": 5},
    ],
}


def test_a_row_that_two_units_claim_is_a_row_of_each_and_nobodys_rows_go() -> None:
    price = Measure("total", "price", ClampedGrid(Fraction(1), 0, 100))
    items = by(Table(ITEMS), "code", measures=(*COUNTS, price))
    assert agreed(items, CLAIMED) == {("a",): (2, 2, 2), ("b",): (2, 2, 4), ("c",): (1, 1, 4)}
    assert agreed(by(Table(PARTS), "y"), CLAIMED) == {(1,): (2, 2), (2,): (1, 1)}


@pytest.mark.parametrize("gone", [1, 2])
def test_without_one_of_its_owners_a_row_changes_for_that_one_alone(gone: int) -> None:
    left = {**CLAIMED, "orders": [row for row in CLAIMED["orders"] if row["id"] != gone]}
    for rows, key in ((Table(ITEMS), "code"), (Table(PARTS), "y")):
        plan = by(rows, key)
        before, after = agreed(plan, CLAIMED), agreed(plan, left)
        own = [unit for unit, row in reference.evaluate_relation(rows, CLAIMED) if unit == gone]
        assert own
        assert sum(found[1] for found in before.values()) - sum(
            found[1] for found in after.values()
        ) == len(own)
        assert [
            (unit, row) for unit, row in reference.evaluate_relation(rows, CLAIMED) if unit != gone
        ] == list(reference.evaluate_relation(rows, left))


@pytest.mark.parametrize(
    ("ids", "units"),
    [
        ([1, 2, 2, None], 2),
        (["1", "2", "2", None, "", " ", "\t\u3000", "1 "], 3),
        ([1.0, 2.5, 2.5, None, math.nan, 0.0, -0.0], 3),
    ],
)
def test_rows_without_an_id_are_nobodys_wherever_they_lead(ids: list[Any], units: int) -> None:
    tables = {
        "orders": [{"id": one, "number": i, "x": i} for i, one in enumerate(ids)],
        "items": [{"order": i, "code": "a", "price": 1.0} for i in range(len(ids))],
    }
    there = sum(
        1
        for one in ids
        if one is not None and one == one and (not isinstance(one, str) or one.strip())
    )
    assert agreed(by(Table(ITEMS)), tables) == {(): (units, there)}
    folded = UnitAggregation(Table(ORDERS), (), (("n", UnitStatistic("rows")),))
    assert sum(found[0] for found in agreed(by(folded, "n"), tables).values()) == units
    beside = Join(Table(ORDERS), Table(ITEMS), (("number", "order"),), (("code", "code"),))
    assert agreed(by(beside, "code"), tables) == {("a",): (units, there)}


def test_only_the_first_parts_of_a_unit_count_and_null_is_the_last() -> None:
    parted = replace(ORDERS, partition=Partition("NUMBER", 2))
    tables = {
        "orders": (
            [
                {"id": 1, "number": number, "x": x}
                for number, x in ((5, 1), (5, 2), (None, 3), (9, 4), (7, 5))
            ]
            + [{"id": 2, "number": number, "x": 0} for number in (None, None, 9)]
            + [{"id": 3, "number": None, "x": 6}]
        )
    }
    assert agreed(by(Table(parted), "number"), tables) == {
        (5,): (1, 2),
        (7,): (1, 1),
        (9,): (1, 1),
        (None,): (2, 3),
    }
    # what hangs on other parts of a parent counts all the same
    items = replace(ITEMS, link=Link("order", parted, "number"))
    more = {**tables, "items": [{"order": 9, "code": "a", "price": 1.0}]}
    assert agreed(by(Table(items)), more) == {(): (2, 2)}


def test_a_link_between_clamped_columns_compares_the_clamped_values() -> None:
    clamped = replace(
        ORDERS, columns=(Column("number", "integer", Fraction(0), Fraction(10)), ORDERS.columns[1])
    )
    items = replace(ITEMS, link=Link("order", clamped, "number"))
    tables = {
        "orders": [{"id": 1, "number": 500, "x": 1}, {"id": 2, "number": -3, "x": 1}],
        "items": [
            {"order": 10, "code": "a", "price": 1.0},
            {"order": 0, "code": "b", "price": 1.0},
            {"order": 500, "code": "c", "price": 1.0},
        ],
    }
    assert agreed(by(Table(items), "code"), tables) == {("a",): (1, 1), ("b",): (1, 1)}


def some_plans(orders: Schema = ORDERS) -> list[Aggregate]:
    """A handful of everything that is new, over the tables in CLAIMED."""
    items = replace(ITEMS, link=Link("order", orders, "number"))
    parts = replace(PARTS, link=Link("of", items, "code"))
    price, x = ClampedGrid(Fraction(1, 2), 0, 100), ClampedGrid(Fraction(1), 0, 9)
    joined = Join(
        Table(orders),
        Table(items),
        (("number", "order"),),
        (("code", "code"), ("price", "price")),
        keeps_unmatched=True,
    )
    folded = UnitAggregation(
        joined,
        (),
        (
            ("n", UnitStatistic("rows")),
            ("paid", UnitStatistic("total", "price", price)),
            ("mean", UnitStatistic("mean", "price", price)),
        ),
    )
    labelled = Project(
        Table(parts),
        (
            ("label", Call("concat", (ColumnRef("of"), Call("upper", (ColumnRef("of"),))))),
            ("y", ColumnRef("y")),
        ),
    )
    return [
        by(Table(items), "code", caps=(1, 1)),
        by(
            Table(parts),
            measures=(Measure("distinct", "y"), OrderStatistic("mode", "of", values=("c", "a"))),
        ),
        by(
            joined,
            "code",
            caps=(2, 1),
            measures=(*COUNTS, Measure("moments", "x", x, degree=2, second=("price", price))),
        ),
        by(
            folded,
            "n",
            measures=(
                Measure("rows"),
                Measure("total", "paid", price, sum_bounds=(0, 50)),
                OrderStatistic("greatest", "mean", price),
            ),
        ),
        by(
            labelled,
            "label",
            measures=(OrderStatistic("quantiles", "y", x, quantiles=(Fraction(1, 2),)),),
        ),
        Aggregate(
            Group(Bound(joined, ("code",), 1, 2), (("f", "b", "a"),)),
            (OrderStatistic("least", "price", price), Measure("distinct", "x")),
        ),
    ]


def files(kind: str, folder: Path, plans: list[Aggregate]) -> dict[str, RegisteredTable]:
    made = {}
    for plan in plans:
        for name, table in frames(schemas(plan), CLAIMED).items():
            path = folder / f"{name}.{kind}"
            (pyarrow.csv.write_csv if kind == "csv" else pq.write_table)(table.data, path)
            made[name] = RegisteredTable(path, table.schema)
    return made


DECLARED = replace(ORDERS, columns=(*ORDERS.columns, Column("id", "integer")))


@pytest.mark.parametrize("engine", [DuckDB, IsolatedDuckDB])
@pytest.mark.parametrize(
    ("kind", "orders"),
    [("csv", ORDERS), ("csv", DECLARED), ("parquet", ORDERS)],
    ids=["csv", "declared", "parquet"],
)
def test_files_hang_together_like_frames_in_this_process_and_in_another(
    engine: Callable[..., Any], kind: str, orders: Schema, tmp_path: Path
) -> None:
    text = {
        **CLAIMED,
        "orders": [
            {**row, "id": None if row["id"] is None else str(row["id"])}
            for row in CLAIMED["orders"]
        ],
    }
    # ids that nobody declared are text in such a file
    tables = text if kind == "csv" and orders.id_column is None else CLAIMED
    plans = some_plans(orders)
    source = engine(files(kind, tmp_path, plans))
    try:
        for plan in plans:
            assert plain(source.run(plan)) == reference.interpret_plan(
                plan, tables, RANKS(plan, tables)
            )
    finally:
        source.close()


def test_a_worker_answers_from_frames_as_well() -> None:
    agreed(some_plans()[3], CLAIMED, IsolatedDuckDB)


def test_units_with_ids_of_different_types_are_never_joined(tmp_path: Path) -> None:
    pq.write_table(
        pyarrow.table({"id": ["1"], "number": [7], "x": [1]}), tmp_path / "orders.parquet"
    )
    others = replace(ORDERS, table="others")
    tables = {
        "orders": RegisteredTable(tmp_path / "orders.parquet", ORDERS),
        "others": RegisteredTable(pyarrow.table({"id": [1], "number": [7], "x": [1]}), others),
        "items": RegisteredTable(
            pyarrow.table({"order": [7], "code": ["a"], "price": [1.0]}), ITEMS
        ),
    }
    source = DuckDB(tables)
    for rows in (Table(ORDERS), Table(ITEMS)):
        with pytest.raises(Unsupported, match="have different types"):
            source.prepare(by(Join(rows, Table(others), (), (("other", "x"),))))
        source.prepare(by(Join(rows, Table(ORDERS), (), (("other", "x"),))))
    source.close()


def test_a_parent_that_is_not_in_the_data_is_missed() -> None:
    tables = frames(schemas(by(Table(ITEMS))), CLAIMED)
    del tables["orders"]
    source = DuckDB(tables)
    with pytest.raises(SourceError, match="no table orders"):
        source.prepare(by(Table(ITEMS)))
    source.close()
