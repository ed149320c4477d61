"""A small table about three people, and questions about it."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pyarrow as pa

from hedgerow.engines.duckdb.tables.registry import RegisteredTable
from hedgerow.plan.contingency import Contingency
from hedgerow.plan.measures import ClampedGrid, Measure
from hedgerow.plan.nodes import Aggregate, Bound, Group, Table
from hedgerow.plan.order_statistics import OrderStatistic
from hedgerow.plan.schema import Column, Schema
from hedgerow.plan.values import Value

VISITS = Schema(
    "visits",
    (
        Column("age", "integer", Fraction(0), Fraction(100)),
        Column("city", "text"),
        Column("pay", "real"),
    ),
    "id",
)
ROWS: dict[str, list[Any]] = {
    "id": [1, 1, 1, 2, 3, None],
    "age": [30, 31, 300, 40, None, 50],
    "city": ["a", "a", "b", "b", "c", "a"],
    "pay": [1.5, 2.5, None, 1e9, -3.0, 7.0],
}


def visits() -> dict[str, RegisteredTable]:
    return {"visits": RegisteredTable(pa.table(ROWS), VISITS)}


def question(
    *keys: str,
    domain: tuple[tuple[Value, ...], ...] | None = None,
    schema: Schema = VISITS,
    caps: tuple[int, int] = (2, 1),
    measures: tuple[Measure | OrderStatistic | Contingency, ...] = (
        Measure("units"),
        Measure("total", "age", ClampedGrid(Fraction(1), 0, 100)),
    ),
) -> Aggregate:
    return Aggregate(Group(Bound(Table(schema), keys, *caps), domain), measures)


BY_CITY = question("city", domain=(("a", "b", "z"),))
ANSWER = {("a",): (1, 30), ("b",): (2, 140), ("z",): (0, 0)}
