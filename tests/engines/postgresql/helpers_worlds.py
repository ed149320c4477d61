"""Made-up tables on a real server, and what the reference says about them."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Any
from unittest import mock

import psycopg

from engines import helpers_worlds
from engines.helpers_worlds import World
from engines.postgresql.helpers_server import get_server, make_table
from hedgerow.engines.postgresql.engine import PostgreSQL, PostgresTable
from hedgerow.engines.postgresql.guarded_numbers import TINY_REAL
from hedgerow.engines.postgresql.inspection import TableName
from hedgerow.plan.scalar import functions
from hedgerow.plan.values import Type, Value

TYPES: Mapping[Type, str] = {
    "boolean": "boolean",
    "integer": "bigint",
    "real": "double precision",
    "text": "text",
    "date": "date",
    "timestamp": "timestamp",
}
IDS = {"BIGINT": "bigint", "VARCHAR": "text", "DOUBLE": "double precision"}
# no text of PostgreSQL holds a NUL
TEXTS = tuple(text for text in helpers_worlds.TEXTS if "\x00" not in text)


class ServerRanks:
    """The order in which PostgreSQL keeps the groups of a unit, asked of PostgreSQL itself."""

    def __init__(self, connection: psycopg.Connection[Any]) -> None:
        self._connection = connection

    def __call__(
        self, unit_type: str, key_types: Sequence[Type]
    ) -> Callable[[Value, tuple[Value, ...]], int]:
        types = [IDS[unit_type], *(TYPES[type_] for type_ in key_types)]
        cells = ", ".join(
            f"CAST(%s AS {type_})" + (' COLLATE "C"' if type_ == "text" else "") for type_ in types
        )
        sql = f"SELECT hash_record_extended(ROW({cells}), 0)"

        def rank(unit: Value, group: tuple[Value, ...]) -> int:
            found = self._connection.execute(sql, [unit, *group]).fetchone()
            assert found is not None
            return int(found[0])

        return rank


def multiply(a: float, b: float) -> float:
    """As the dialect promises: a factor nearer to 0 than 2^-500 counts as 0."""
    is_real = isinstance(a, float) or isinstance(b, float)
    return 0.0 if is_real and min(abs(a), abs(b)) < TINY_REAL else a * b


def divide(a: float, b: float) -> float | None:
    """As the dialect promises: by nearly 0 is NULL, and beyond 2^1000 is infinite."""
    if abs(b) < TINY_REAL:
        return None
    if abs(a) < TINY_REAL:
        return 0.0
    if abs(a) > min(abs(b), 1.0) * 2.0**1000:
        return math.copysign(math.inf, a) * math.copysign(1.0, b)
    return float(a) / float(b)


@contextmanager
def guarded_reference() -> Iterator[None]:
    """The reference multiplies and divides as the dialect promises, over text without NUL."""
    rules = {
        name: replace(functions.FUNCTIONS[name], evaluate=rule)
        for name, rule in (("*", multiply), ("/", divide))
    }
    with (
        mock.patch.dict(functions.FUNCTIONS, rules),
        mock.patch.dict(helpers_worlds.POOLS, {"text": (*TEXTS, None)}),  # type: ignore[arg-type]
    ):
        yield


def open_world(world: World, owner: psycopg.Connection[Any]) -> PostgreSQL:
    """The tables of a world on the server, as a source."""
    tables = {}
    for name, schema in world.schemas.items():
        types = {column.name: TYPES[column.type] for column in schema.columns}
        if schema.unit is not None:
            types["id"] = IDS[world.unit_type]
        make_table(owner, name, types, world.raw[name])
        tables[name] = PostgresTable(TableName("public", name), schema)
    return PostgreSQL(get_server().address(owner.info.dbname), tables)
