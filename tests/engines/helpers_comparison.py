"""An engine beside the reference: tables of plain rows for both, the same order of groups, and
what each of them says.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import date
from typing import Any

import duckdb
import numpy as np
import pyarrow as pa

from engines.helpers_engine_answers import combinations
from engines.helpers_worlds import ARROW as ARRAYS
from hedgerow.engines.compile.dialect import Dialect
from hedgerow.engines.compile.plan import compile_plan
from hedgerow.engines.compile.sql_builders import SQL_TYPES
from hedgerow.engines.data_source import Cells
from hedgerow.engines.duckdb.engine import DuckDB
from hedgerow.engines.duckdb.tables.registry import RegisteredTable
from hedgerow.engines.reference import interpreter as reference
from hedgerow.engines.result_cells import collect_cells
from hedgerow.plan.contingency_table import ContingencyTable
from hedgerow.plan.nodes import Aggregate
from hedgerow.plan.schema import Schema
from hedgerow.plan.values import Type, Value

Tables = Mapping[str, Sequence[Mapping[str, Any]]]
Found = dict[tuple[Value, ...], tuple[Any, ...]]
IDS: Mapping[type, tuple[str, pa.DataType]] = {
    int: ("BIGINT", pa.int64()),
    str: ("VARCHAR", pa.string()),
    float: ("DOUBLE", pa.float64()),
}


def id_type(tables: Tables) -> type:
    """That of the first id there is."""
    return next(
        (type(row["id"]) for rows in tables.values() for row in rows if row.get("id") is not None),
        int,
    )


def frames(schemas: Mapping[str, Schema], tables: Tables) -> dict[str, RegisteredTable]:
    """Rows of Python values (dates also as they are spelled) as frames."""
    ids, found = IDS[id_type(tables)][1], {}
    for name, schema in schemas.items():
        rows = tables[name]
        arrays = {
            column.name: _array(column.type, [row[column.name] for row in rows])
            for column in schema.columns
        }
        if schema.unit not in (None, "row") and schema.link is None:
            arrays["id"] = pa.array([row["id"] for row in rows], ids, from_pandas=False)
        found[name] = RegisteredTable(pa.table(arrays), schema)
    return found


def _array(type_: Type, values: Sequence[Any]) -> pa.Array:
    return ARRAYS[type_](
        [value.isoformat() if isinstance(value, date) else value for value in values]
    )


class EngineRank:
    """The order of DuckDB, asked of DuckDB itself; the types of keys are those of the plan, and
    what comes after them has its own.
    """

    def __init__(self) -> None:
        self._connection = duckdb.connect()
        self._known: dict[Any, int] = {}

    def __call__(self, plan: Aggregate, tables: Tables) -> reference.Rank:
        if plan.bound.source.unit == "row":
            return tied
        known = plan.bound.columns
        keys = [SQL_TYPES[known[key].type] for key in plan.bound.keys]
        columns = {
            SQL_TYPES[known[name].type] for measure in plan.measures for name in measure.columns
        }

        def rank(unit: Value, group: Sequence[Value]) -> int:
            more = [_type_of(value, columns) for value in group[len(keys) :]]
            types = [IDS[id_type(tables)][0], *keys, *more]
            sql = f"SELECT hash(hash({', '.join(f'CAST(? AS {type_})' for type_ in types)})) >> 32"
            at = (sql, unit, *map(repr, group))
            if at not in self._known:
                row = self._connection.execute(sql, [unit, *group]).fetchone()
                self._known[at] = int(row[0])  # type: ignore[index]
            return self._known[at]

        return rank


def _type_of(value: Value, types: set[str]) -> str:
    by_python: dict[type, Type] = {bool: "boolean", int: "integer", float: "real", str: "text"}
    found = SQL_TYPES[by_python.get(type(value), "date")]
    assert found in types or isinstance(value, int)  # a whole number may be that of a copy
    return found


def tied(unit: Value, group: Sequence[Value]) -> int:
    """All ranks are the same."""
    return 0


RANKS = EngineRank()


def nodes(rows: Any) -> list[Any]:
    """A node and all below it."""
    below = [
        *getattr(rows, "sources", ()),
        *(getattr(rows, name) for name in ("source", "other") if hasattr(rows, name)),
    ]
    return [rows, *(node for one in below for node in nodes(one))]


def schemas(plan: Aggregate) -> dict[str, Schema]:
    """Those of the tables of a plan, and of the parents that their links lead to."""

    def above(schema: Schema) -> Iterator[Schema]:
        yield schema
        if schema.link is not None:
            yield from above(schema.link.parent)

    return {
        found.table: found
        for node in nodes(plan.bound.source)
        if hasattr(node, "schema")
        for found in above(node.schema)
    }


def plain(cells: Cells) -> Found:
    """As the reference says it; keys must not repeat."""
    groups = list(zip(*cells.keys, strict=True)) if cells.keys else [()] * len(cells)
    assert len(set(groups)) == len(groups)
    return {
        group: tuple(_plain(column[i]) for column in cells.numbers)
        for i, group in enumerate(groups)
    }


def _plain(number: Any) -> Any:
    if isinstance(number, ContingencyTable):
        return combinations(number)
    return tuple(map(int, number)) if isinstance(number, np.ndarray) else int(number)


def agreed(plan: Aggregate, tables: Tables, engine: Callable[..., Any] = DuckDB) -> Found:
    """What an engine says, after a look at whether the reference says the same."""
    source = engine(frames(schemas(plan), tables))
    try:
        found = plain(source.run(plan))
    finally:
        source.close()
    assert found == reference.interpret_plan(plan, tables, RANKS(plan, tables))
    return found


def agreed_in(dialect: Dialect, rank: reference.Rank, plan: Aggregate, tables: Tables) -> Found:
    """The same with another order of groups and values."""
    source = DuckDB(frames(schemas(plan), tables))
    try:
        found = plain(
            collect_cells(
                plan,
                compile_plan(plan, source._registry.stored_tables, dialect),
                source._session.run_statement,
            )
        )
    finally:
        source.close()
    assert found == reference.interpret_plan(plan, tables, rank)
    return found
