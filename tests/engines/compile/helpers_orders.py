"""Orders, their items and the parts of items, linked by foreign keys, and plans over them."""

from __future__ import annotations

from fractions import Fraction

from hedgerow.plan.measures import Measure
from hedgerow.plan.nodes import (
    Aggregate,
    Bound,
    Group,
    RelationNode,
)
from hedgerow.plan.order_statistics import OrderStatistic
from hedgerow.plan.schema import Column, Link, Schema

ORDERS = Schema(
    "orders", (Column("number", "integer"), Column("x", "integer", Fraction(0), Fraction(9))), "id"
)
ITEMS = Schema(
    "items",
    (Column("order", "integer"), Column("code", "text"), Column("price", "real")),
    "id",
    link=Link("order", ORDERS, "number"),
)
PARTS = Schema(
    "parts", (Column("of", "text"), Column("y", "integer")), "id", link=Link("of", ITEMS, "code")
)
PLACES = Schema("places", (Column("i", "integer"), Column("label", "text")), None)
COUNTS = (Measure("units"), Measure("rows"))


def by(
    rows: RelationNode,
    *keys: str,
    caps: tuple[int, int] = (9, 9),
    measures: tuple[Measure | OrderStatistic, ...] = COUNTS,
) -> Aggregate:
    return Aggregate(Group(Bound(rows, keys, *caps), None), measures)
