"""Rows that meet their parents need no look-up of their own: the same cells, by shorter
statements.
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from random import Random

import pytest

from engines.helpers_comparison import agreed, frames, schemas
from hedgerow.engines.compile.join_elimination import joins_through_link
from hedgerow.engines.compile.plan import compile_plan
from hedgerow.engines.duckdb.dialect import DUCKDB
from hedgerow.engines.duckdb.session import DuckDBSession
from hedgerow.engines.duckdb.session_protocol import EngineLimits
from hedgerow.engines.duckdb.tables.registry import attach_tables
from hedgerow.plan.measures import ClampedGrid, Measure
from hedgerow.plan.nodes import (
    Aggregate,
    Bound,
    Filter,
    Group,
    Join,
    Project,
    RelationNode,
    Table,
    Union,
    UnitAggregation,
    UnitStatistic,
)
from hedgerow.plan.scalar.expressions import Call, ColumnRef, Constant
from hedgerow.plan.schema import Column, Link, Partition, Schema

ORDERS = Schema(
    "orders", (Column("number", "integer", Fraction(0), Fraction(9)), Column("x", "integer")), "id"
)
ITEMS = Schema(
    "items",
    (Column("order", "integer", Fraction(0), Fraction(9)), Column("price", "integer")),
    "id",
    link=Link("order", ORDERS, "number"),
)
PLACES = Schema("places", (Column("i", "integer"), Column("label", "text")), None)
ADDS = (("price", "price"), ("order", "order"))
DEAR = Filter(Table(ITEMS), Call(">", (ColumnRef("price"), Constant(2, "integer"))))
PLAIN = Join(Table(ORDERS), Table(ITEMS), (("number", "order"),), ADDS)
RENAMED = Project(DEAR, (("o", ColumnRef("order")), ("price", ColumnRef("price"))))
FOLDED = UnitAggregation(
    DEAR, ("order",), (("n", UnitStatistic("rows")), ("least", UnitStatistic("least", "price")))
)
BESIDE = Join(Table(ORDERS), Table(PLACES), (("x", "i"),), (("label", "label"),))
MEETING = {
    "plain": PLAIN,
    "kept": replace(PLAIN, keeps_unmatched=True),
    "filtered": Join(
        Filter(Table(ORDERS), Call(">", (ColumnRef("x"), Constant(1, "integer")))),
        DEAR,
        (("number", "order"),),
        ADDS,
    ),
    "renamed": Join(
        Project(Table(ORDERS), (("key", ColumnRef("number")),)),
        RENAMED,
        (("key", "o"),),
        (("price", "price"),),
    ),
    "folded": Join(
        Table(ORDERS), FOLDED, (("number", "order"),), (("price", "n"), ("least", "least"))
    ),
    "beside": Join(BESIDE, Table(ITEMS), (("number", "order"),), ADDS),
    "added": Join(
        Join(Table(ORDERS), Table(ORDERS), (), (("again", "number"),), keeps_unmatched=True),
        Table(ITEMS),
        (("again", "order"),),
        ADDS,
    ),
    "of folded": Join(
        UnitAggregation(Table(ORDERS), ("number",), (("n", UnitStatistic("rows")),)),
        Table(ITEMS),
        (("number", "order"),),
        ADDS,
    ),
}
PARTED = replace(ITEMS, partition=Partition("price", 2))
OTHERS = replace(ORDERS, table="others")
APART = {
    "another column": Join(Table(ORDERS), Table(ITEMS), (("x", "order"),), ADDS),
    "another column there": Join(Table(ORDERS), Table(ITEMS), (("number", "price"),), ADDS),
    "no column": Join(Table(ORDERS), Table(ITEMS), (), ADDS),
    "only parts": Join(Table(ORDERS), Table(PARTED), (("number", "order"),), ADDS),
    "other parents": Join(Table(OTHERS), Table(ITEMS), (("number", "order"),), ADDS),
    "computed": Join(
        Project(
            Table(ORDERS), (("key", Call("-", (ColumnRef("number"), Constant(1, "integer")))),)
        ),
        Table(ITEMS),
        (("key", "order"),),
        ADDS,
    ),
    "computed there": Join(
        Table(ORDERS),
        Project(
            Table(ITEMS),
            (
                ("o", Call("-", (ColumnRef("order"), Constant(1, "integer")))),
                ("price", ColumnRef("price")),
            ),
        ),
        (("number", "o"),),
        (("price", "price"),),
    ),
    "folded away": Join(
        Table(ORDERS),
        UnitAggregation(Table(ITEMS), (), (("n", UnitStatistic("greatest", "order")),)),
        (("number", "n"),),
        (("price", "n"),),
    ),
    "folded parents": Join(
        UnitAggregation(Table(ORDERS), (), (("most", UnitStatistic("greatest", "number")),)),
        Table(ITEMS),
        (("most", "order"),),
        ADDS,
    ),
    "public": Join(
        Join(Table(ORDERS), Table(PLACES), (("x", "i"),), (("i", "i"),)),
        Table(ITEMS),
        (("i", "order"),),
        ADDS,
    ),
    "several": Join(
        Union((Table(ORDERS), Table(ORDERS))), Table(ITEMS), (("number", "order"),), ADDS
    ),
    "several there": Join(
        Table(ORDERS), Union((Table(ITEMS), Table(ITEMS))), (("number", "order"),), ADDS
    ),
    "not linked": Join(Table(ORDERS), Table(OTHERS), (("number", "number"),), (("price", "x"),)),
}


def plan(rows: RelationNode) -> Aggregate:
    total = Measure("total", "price", ClampedGrid(Fraction(1), 0, 9))
    return Aggregate(
        Group(Bound(rows, (), 1, 1000), None), (Measure("units"), Measure("rows"), total)
    )


def tables(random: Random) -> dict[str, list[dict[str, object]]]:
    """Orders of several people under one number, twice of one, of nobody, without a number;
    items without any order.
    """

    def few() -> int | None:
        return random.choice([None, 1, 2, 3, 4])

    orders = [{"id": few(), "number": few(), "x": random.randrange(4)} for _ in range(12)]
    items: list[dict[str, object]] = [
        {"order": random.choice([few(), 9]), "price": random.randrange(6)} for _ in range(12)
    ]
    places: list[dict[str, object]] = [{"i": i % 3, "label": str(i)} for i in range(5)]
    return {
        "orders": [*orders, {"id": 1, "number": 1, "x": 1}],
        "others": list(orders),
        "items": items,
        "places": places,
    }


@pytest.mark.parametrize("rows", [*MEETING.values(), *APART.values()], ids=[*MEETING, *APART])
def test_cells_agree_with_the_reference(rows: RelationNode) -> None:
    assert any(agreed(plan(rows), tables(Random(seed))) != {(): (0, 0, 0)} for seed in range(12))


@pytest.mark.parametrize("join", MEETING.values(), ids=list(MEETING))
def test_a_join_through_the_link_skips_the_owner_lookup(join: Join) -> None:
    assert joins_through_link(join)
    whole = plan(join)
    session = DuckDBSession([], EngineLimits(None, None))
    shelves = attach_tables(
        session, frames(schemas(whole), tables(Random(0))), DUCKDB
    ).stored_tables
    session.close()
    main = compile_plan(whole, shelves, DUCKDB).sums
    assert main is not None
    assert "DISTINCT" not in main.sql


@pytest.mark.parametrize("join", APART.values(), ids=list(APART))
def test_other_joins_look_up_the_owners(join: Join) -> None:
    assert not joins_through_link(join)
