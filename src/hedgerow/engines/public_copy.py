"""Copies of public tables as Parquet files: what is public may leave the server."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final

from sqlglot import exp

from hedgerow.engines.compile.dialect import Dialect
from hedgerow.engines.compile.sql_builders import column, order_by, select
from hedgerow.engines.compile.sql_writer import render_sql
from hedgerow.engines.data_source import PhysicalColumn
from hedgerow.engines.result_columns import ResultColumns
from hedgerow.engines.statement import Statement
from hedgerow.errors import SourceError
from hedgerow.plan.values import Type, Value

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["copy_public_table"]

_MAX_ROWS: Final = 5_000_000


def copy_public_table(
    fetch: Callable[[Statement], ResultColumns],
    relation: str,
    columns: Sequence[PhysicalColumn],
    dialect: Dialect,
    path: Path,
) -> str:
    """Write the readable columns of a public table to a file, sorted; return a digest of them,
    which does not depend on the order in which the server keeps rows."""
    readable = [there for there in columns if there.type is not None]
    outputs = [(f"c{place}", _build_read(there, dialect)) for place, there in enumerate(readable)]
    rows = select(outputs, exp.Table(this=exp.to_identifier(relation, quoted=True)))
    sorted_rows = rows.order_by(*order_by([column(name) for name, _ in outputs]).expressions)
    types = [there.type for there in readable if there.type is not None]
    query = sorted_rows.limit(_MAX_ROWS + 1)
    keys, _ = fetch(Statement(render_sql(query, dialect), tuple(types), ()))
    if keys and len(keys[0]) > _MAX_ROWS:
        raise SourceError(
            f"A public table has more than {_MAX_ROWS:,} rows. Declare it without public = true,"
            " or name a smaller table."
        )
    _write_file(path, [there.name for there in readable], types, keys)
    return _digest_rows([there.name for there in readable], types, keys)


def _build_read(there: PhysicalColumn, dialect: Dialect) -> exp.Expr:
    assert there.type is not None
    raw = dialect.read_stored(column(there.name), there.type, there.is_wide)
    return dialect.total_cast(raw, there.type, there.type, there.is_wide)


def _write_file(
    path: Path, names: Sequence[str], types: Sequence[Type], keys: Sequence[list[Value]]
) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    arrow: Mapping[Type, pa.DataType] = {
        "boolean": pa.bool_(),
        "integer": pa.int64(),
        "real": pa.float64(),
        "text": pa.string(),
        "date": pa.date32(),
        "timestamp": pa.timestamp("us"),
    }
    arrays = [
        pa.array(values, arrow[type_], from_pandas=False)
        for values, type_ in zip(keys, types, strict=True)
    ]
    pq.write_table(pa.table(dict(zip(names, arrays, strict=True))), path)


def _digest_rows(names: Sequence[str], types: Sequence[Type], keys: Sequence[list[Value]]) -> str:
    digest = hashlib.sha256(repr([list(names), list(types)]).encode())
    for row in zip(*keys, strict=True):
        digest.update(repr(row).encode())
    return digest.hexdigest()
