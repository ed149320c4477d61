"""A small table about three people, and questions about it."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pyarrow as pa

from hedgerow.engines.catalogue import Registered
from hedgerow.plan.crossing import Cross
from hedgerow.plan.measures import Measure, Snap
from hedgerow.plan.nodes import Aggregate, Bound, Group, Table
from hedgerow.plan.picks import Pick
from hedgerow.plan.schema import Column, Schema
from hedgerow.plan.values import Value

VISITS = Schema("visits", (Column("age", "integer", Fraction(0), Fraction(100)), Column("city", "text"), Column("pay", "real")), "id")
ROWS: dict[str, list[Any]] = {
    "id": [1, 1, 1, 2, 3, None],
    "age": [30, 31, 300, 40, None, 50],
    "city": ["a", "a", "b", "b", "c", "a"],
    "pay": [1.5, 2.5, None, 1e9, -3.0, 7.0],
}


def visits() -> dict[str, Registered]:
    return {"visits": Registered(pa.table(ROWS), VISITS)}


def question(
    *keys: str,
    domain: tuple[tuple[Value, ...], ...] | None = None,
    schema: Schema = VISITS,
    caps: tuple[int, int] = (2, 1),
    measures: tuple[Measure | Pick | Cross, ...] = (Measure("units"), Measure("total", "age", Snap(Fraction(1), 0, 100))),
) -> Aggregate:
    return Aggregate(Group(Bound(Table(schema), keys, *caps), domain), measures)


BY_CITY = question("city", domain=(("a", "b", "z"),))
ANSWER = {("a",): (1, 30), ("b",): (2, 140), ("z",): (0, 0)}
