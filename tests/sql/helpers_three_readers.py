"""One statement read three times: by DuckDB as it is written, by the reference interpreter, and by
our engine.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import date
from typing import Any

import duckdb
import pyarrow as pa

from engines.helpers_comparison import plain
from hedgerow.engines.duckdb.engine import DuckDB
from hedgerow.engines.duckdb.tables.registry import RegisteredTable
from hedgerow.engines.reference.interpreter import interpret_plan
from hedgerow.sql.parser import parse_question
from sql.helpers_exact_answers import WIDE, answer, tables

Row = Mapping[str, Any]
READ = ("visits", "patients", "labs", "orders", "lines", "drugs", "regions", "answers")


def owned_tables() -> dict[str, list[Row]]:
    """The clinic without the rows that belong to nobody, which plain SQL would count; some values
    are NULL."""
    data: dict[str, list[Row]] = {name: list(tables()[name]) for name in READ}
    orders = {row["order_id"] for row in data["orders"]}
    data["lines"] = [row for row in data["lines"] if row["order_id"] in orders]
    data["labs"] = [
        {**row, "visit_age": None} if i % 9 == 0 else row for i, row in enumerate(data["labs"])
    ]
    data["visits"] = [
        {**row, "age": None} if i % 10 == 0 else row for i, row in enumerate(data["visits"])
    ]
    return data


@dataclass(frozen=True)
class Readers:
    """The same rows in three places."""

    data: Mapping[str, Sequence[Row]]
    plain_sql: duckdb.DuckDBPyConnection
    engine: DuckDB

    def read(self, sql: str) -> list[tuple[Any, ...]]:
        """Return the rows of an answer without noise, which all three must agree on."""
        question = parse_question(sql, WIDE)
        cells = interpret_plan(question.plan, self.data, lambda _unit, _group: 0)
        assert plain(self.engine.run(question.plan)) == cells
        found = sorted(answer(question, self.data), key=repr)
        written = sorted(map(tuple, self.plain_sql.execute(sql).fetchall()), key=repr)
        assert [tuple(map(_number, row)) for row in found] == [
            tuple(map(_number, row)) for row in written
        ]
        return found


def _number(value: Any) -> Any:
    return round(float(value), 6) if isinstance(value, int | float) else value


def _spell(value: Any) -> Any:
    return value.isoformat() if isinstance(value, date) else value


@contextmanager
def open_readers(rows: Mapping[str, Sequence[Row]] | None = None) -> Iterator[Readers]:
    """Open the clinic, or these rows of its tables, for all three."""
    data, connection = rows or owned_tables(), duckdb.connect()
    registered = {}
    for name, rows in data.items():
        table = pa.table({column: [row[column] for row in rows] for column in rows[0]})
        connection.register(name, table)
        registered[name] = RegisteredTable(table, WIDE.tables[name].schema)
    engine = DuckDB(registered)
    try:
        yield Readers(data, connection, engine)
    finally:
        engine.close()
        connection.close()
