"""Made-up tables in files that a real cluster reads, and what the reference says about them."""

from __future__ import annotations

import itertools
import struct
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
from sqlglot import exp

from engines.helpers_worlds import EPOCH, World
from engines.spark.helpers_cluster import get_address
from hedgerow.engines.compile.sql_builders import select
from hedgerow.engines.compile.sql_writer import render_sql
from hedgerow.engines.spark.dialect import SPARK
from hedgerow.engines.spark.engine import Spark, SparkTable
from hedgerow.engines.spark.session import SparkConnection
from hedgerow.plan.values import Type, Value, number_date

UNIT_TYPES: Mapping[str, Type] = {"BIGINT": "integer", "VARCHAR": "text", "DOUBLE": "real"}
DEADLINE = 300.0
MASK = 2**64 - 1
P1, P2, P3, P4, P5 = (
    0x9E3779B185EBCA87,
    0xC2B2AE3D27D4EB4F,
    0x165667B19E3779F9,
    0x85EBCA77C2B2AE63,
    0x27D4EB2F165667C5,
)
START = number_date(datetime(1970, 1, 1))
_FOLDERS = itertools.count()


def connect() -> SparkConnection:
    return SparkConnection(get_address(), deadline=DEADLINE)


def compute(connection: SparkConnection, *values: exp.Expr) -> list[Any]:
    """The values of expressions, computed by a real server."""
    tree = exp.Select(
        expressions=[
            exp.alias_(value, f"v{place}", quoted=True) for place, value in enumerate(values)
        ]
    )
    sql = render_sql(tree, SPARK)
    (row,) = connection.call(lambda session: session.sql(sql).toArrow(), DEADLINE).to_pylist()
    return list(row.values())


def compute_rows(
    connection: SparkConnection, expression: exp.Expr, rows: Sequence[Sequence[exp.Expr]]
) -> list[Any]:
    """The values of an expression over the columns x0, x1, … of each row, in one statement."""
    lines = [
        exp.Select(
            expressions=[
                exp.alias_(value, name, quoted=True)
                for name, value in (
                    ("place", exp.Literal.number(place)),
                    *((f"x{i}", value) for i, value in enumerate(row)),
                )
            ]
        )
        for place, row in enumerate(rows)
    ]
    together: exp.Expr = lines[0]
    for line in lines[1:]:
        together = exp.Union(this=together, expression=line, distinct=False)
    table = exp.Subquery(
        this=together, alias=exp.TableAlias(this=exp.to_identifier("s", quoted=True))
    )
    place = exp.Column(this=exp.to_identifier("place", quoted=True))
    tree = select([("place", place), ("v", expression)], table)
    sql = render_sql(tree, SPARK)
    found = connection.call(lambda session: session.sql(sql).toArrow(), DEADLINE).to_pylist()
    return [row["v"] for row in sorted(found, key=lambda row: row["place"])]


class ClusterRanks:
    """The order in which Spark keeps the groups of a unit (test_dialect compares it with Spark)."""

    def __call__(
        self, unit_type: str, key_types: Sequence[Type]
    ) -> Callable[[Value, tuple[Value, ...]], int]:
        types = (UNIT_TYPES[unit_type], *key_types)
        return lambda unit, group: rank_values(types, (unit, *group))


def rank_values(types: Sequence[Type], values: Sequence[Value]) -> int:
    """XXHASH64 of values of these types; NULL leaves the hash as it is."""
    found = 42
    for type_, value in zip(types, values, strict=True):
        if value is not None:
            found = xxh64(encode_value(value, type_), found)
    return found - 2**64 if found >= 2**63 else found


def encode_value(value: Any, type_: Type) -> bytes:
    if type_ == "text":
        return str(value).encode()
    if type_ == "real":
        return struct.pack("<d", float(value) + 0.0)  # both zeros alike
    if type_ == "boolean":
        return struct.pack("<i", int(value))
    if type_ == "date":
        return struct.pack("<i", value.toordinal() - EPOCH)
    number = number_date(value) - START if type_ == "timestamp" else int(value)
    return struct.pack("<q", number)


def xxh64(data: bytes, seed: int) -> int:
    """The hash XXH64 of Yann Collet, as its specification has it."""
    lanes = len(data) // 32 * 4
    words = struct.unpack(f"<{len(data) // 8}Q", data[: len(data) // 8 * 8])
    if lanes:
        state = [seed + P1 + P2, seed + P2, seed, seed - P1]
        for place, word in enumerate(words[:lanes]):
            state[place % 4] = turn(state[place % 4], word)
        found = sum(rotate(one, by) for one, by in zip(state, (1, 7, 12, 18), strict=True))
        for one in state:
            found = (found ^ turn(0, one)) * P1 + P4
    else:
        found = seed + P5
    found += len(data)
    for word in words[lanes:]:
        found = rotate(found ^ turn(0, word), 27) * P1 + P4
    rest = data[len(words) * 8 :]
    if len(rest) >= 4:
        found = rotate(found ^ int.from_bytes(rest[:4], "little") * P1, 23) * P2 + P3
        rest = rest[4:]
    for byte in rest:
        found = rotate(found ^ byte * P5, 11) * P1
    found &= MASK
    found = (found ^ found >> 33) * P2 & MASK
    found = (found ^ found >> 29) * P3 & MASK
    return found ^ found >> 32


def turn(state: int, word: int) -> int:
    return rotate(state + word * P2, 31) * P1 & MASK


def rotate(number: int, by: int) -> int:
    number &= MASK
    return (number << by | number >> (64 - by)) & MASK


def write_table(table: pa.Table, folder: Path, files: int = 1) -> None:
    """Write a table as a folder of Parquet files."""
    folder.mkdir(parents=True, exist_ok=True)
    size = max(1, -(-len(table) // files))
    for number in range(files):
        part = table.slice(number * size, size)
        if number == 0 or len(part):
            pq.write_table(part, folder / f"part-{number:03}.parquet")


def open_tables(
    tables: Mapping[str, tuple[pa.Table, Any]], folder: Path, *, files: int = 1
) -> Spark:
    """Tables and their schemas as a source in the cluster."""
    sources = {}
    for name, (table, schema) in tables.items():
        place = folder / f"{next(_FOLDERS)}-{name}"
        write_table(table, place, files)
        sources[name] = SparkTable(("parquet", str(place)), schema)
    return Spark(get_address(), sources, deadline=DEADLINE)


def open_world(world: World, folder: Path, *, files: int = 1) -> Spark:
    """The tables of a world in the cluster, as a source."""
    return open_tables(
        {name: (world.registered[name].data, schema) for name, schema in world.schemas.items()},
        folder,
        files=files,
    )
