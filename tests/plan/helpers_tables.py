"""Made-up tables that hang together: schemas, values and worlds."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import date
from fractions import Fraction
from random import Random
from typing import Any

from hedgerow.plan.schema import Column, Link, Partition, Schema
from hedgerow.plan.values import Type

DAYS = (date(2020, 1, 31), date(2020, 2, 29), date(2021, 3, 1), date(2019, 12, 31))


POOLS: Mapping[Type, tuple[Any, ...]] = {
    "boolean": (True, False, None),
    "integer": (0, 1, 2, -1, 7, 2**53 + 1, None),
    "real": (0.0, 1.0, 0.5, 2.25, -3.5, float("inf"), float("nan"), None),
    "text": ("a", "b", "B", "", "ä", None),
    "date": (*DAYS, None),
}


SHARED = (
    Column("number", "integer"),
    Column("g", "text", values=("a", "b")),
    Column("x", "integer", Fraction(-2), Fraction(5)),
    Column("r", "real", Fraction(-1), Fraction(3), Fraction(1, 4)),
)


ORDERS = Schema("orders", (*SHARED, Column("d", "date")), "id")


VISITS = Schema("visits", (*SHARED, Column("b", "boolean"), Column("t", "text")), "id")


ITEMS = Schema(
    "items",
    (Column("order", "integer"), Column("code", "text"), *SHARED[1:]),
    "id",
    link=Link("order", ORDERS, "number"),
)


PARTS = Schema(
    "parts", (Column("item", "text"), *SHARED[1:]), "id", link=Link("ITEM", ITEMS, "Code")
)


PLACES = Schema(
    "places",
    (
        Column("name", "text"),
        Column("size", "integer", Fraction(0), Fraction(9)),
        Column("open", "boolean"),
    ),
    None,
)


PRIVATE = (ORDERS, VISITS, ITEMS, PARTS)


@dataclass(frozen=True)
class World:
    """Schemas and rows. ``ids`` are those of the units, of one type; "orders" and "visits" hold
    them in the column "id".
    """

    schemas: Mapping[str, Schema]
    tables: Mapping[str, list[dict[str, Any]]]
    ids: tuple[Any, ...]

    def without(self, *units: Any) -> Mapping[str, list[dict[str, Any]]]:
        """The tables when these units are not there. What hangs on their rows stays in its
        table, as nobody's or as another's.
        """
        return {
            name: [row for row in rows if "id" not in row or row["id"] not in units]
            for name, rows in self.tables.items()
        }

    def replaced(self, unit: Any, other: World) -> Mapping[str, list[dict[str, Any]]]:
        """The tables when the unit has the rows that it has in another world instead."""
        left = self.without(unit)
        return {
            name: rows + [row for row in other.tables[name] if row.get("id") == unit]
            for name, rows in left.items()
        }


def world(random: Random, rows: int = 8) -> World:
    """Tables of a few rows; some of them count in parts only."""
    ids: tuple[Any, ...] = random.choice([(1, 2, 3), ("u", "v", "w")])
    links: dict[str, Schema] = {}
    for schema in PRIVATE:
        link = (
            None
            if schema.link is None
            else replace(schema.link, parent=links[schema.link.parent.table])
        )
        part = (
            Partition(random.choice(schema.columns).name.upper(), random.randint(1, 2))
            if random.random() < 0.4
            else None
        )
        links[schema.table] = replace(schema, link=link, partition=part)
    schemas = {**links, "places": PLACES}
    tables = {}
    for name, schema in schemas.items():
        listed = [
            {column.name: _cell(random, column) for column in schema.columns}
            for _ in range(random.randint(0, rows))
        ]
        owned = schema.link is None and schema.unit is not None
        tables[name] = [
            {**({"id": random.choice((*ids, *ids, None))} if owned else {}), **row}
            for row in listed
        ]
    return World(schemas, tables, ids)


def _cell(random: Random, column: Column) -> Any:
    """Few different ones, so that rows meet."""
    return random.choice(POOLS[column.type][:3] if random.random() < 0.7 else POOLS[column.type])
