"""The embedded database of the catalogue: the names and types that some callers may see, no data.

It has no access to files or to the network, one thread for each statement, little memory, and a
deadline. Callers who may see the same tables share one.
"""

from __future__ import annotations

import functools
import re
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files
from typing import Any, Final

import duckdb
import pyarrow as pa

from hedgerow.engines.compile.quoting import quote_name
from hedgerow.service.wire.catalog.contents import list_catalog_rows
from hedgerow.service.wire.catalog.published_tables import PublishedTable
from hedgerow.service.wire.catalog.relations import (
    PG_CATALOG,
    CatalogRelation,
    find_engine_type,
    list_relations,
    list_types,
)

__all__ = ["TYPES_TABLE", "CatalogDatabase", "CatalogFailure", "CatalogRows", "open_catalog"]

TYPES_TABLE: Final = "hedgerow.types"
_SECONDS: Final = 10.0
_MAX_ROWS: Final = 100_000
_CONCURRENT: Final = threading.BoundedSemaphore(2)
_CONFIGURATION: Final[dict[str, str | bool | int | float | list[str]]] = {
    "autoinstall_known_extensions": "false",
    "autoload_known_extensions": "false",
    "allow_community_extensions": "false",
    "allow_unsigned_extensions": "false",
    "allow_persistent_secrets": "false",
    "python_enable_replacements": "false",
    "temp_directory": "",
    "threads": "1",
    "memory_limit": "256MB",
    # Without it, joins keep the order of the rows on their left, which psql's \gdesc relies on.
    "disabled_optimizers": "build_side_probe_side",
}
_HARDENING: Final = ("SET enable_external_access = false", "SET lock_configuration = true")
_ARROW_TYPES: Final[Mapping[str, pa.DataType]] = {
    "BOOLEAN": pa.bool_(),
    "DATE": pa.date32(),
    "DECIMAL(38, 9)": pa.decimal128(38, 9),
    "DOUBLE": pa.float64(),
    "FLOAT": pa.float32(),
    "SMALLINT": pa.int16(),
    "INTEGER": pa.int32(),
    "BIGINT": pa.int64(),
    "UINTEGER": pa.uint32(),
    "TIMESTAMP": pa.timestamp("us"),
    "VARCHAR": pa.string(),
}
_ZEROS: Final = {
    "bool": False,
    "int2": 0,
    "int4": 0,
    "int8": 0,
    "oid": 0,
    "float4": 0.0,
    "float8": 0.0,
    "char": "",
    "regproc": "-",
}


class CatalogFailure(Exception):
    """A statement that the embedded database cannot run.

    It has a SQLSTATE if that is the mistake of the client.
    """

    def __init__(self, message: str, sqlstate: str | None = None) -> None:
        super().__init__(message)
        self.sqlstate = sqlstate


@dataclass(frozen=True, slots=True)
class CatalogRows:
    """The result of a statement: names, types of the embedded database, and rows."""

    names: Sequence[str]
    types: Sequence[str]
    rows: Sequence[Sequence[Any]]


class CatalogDatabase:
    """The relations that some callers may see, with their rows."""

    def __init__(self, database: str, tables: tuple[PublishedTable, ...]) -> None:
        self.relations: dict[str, CatalogRelation] = dict(list_relations())
        for table in tables:
            columns = {column.name: column.type for column in table.columns}
            relation = CatalogRelation(table.schema, table.name, 0, columns)
            self.relations[relation.key] = relation
        rows = list_catalog_rows(database, tables)
        self.filled = frozenset(rows)
        self.class_oids: dict[str, int] = {}
        schemas = {row["oid"]: row["nspname"] for row in rows[f"{PG_CATALOG}.pg_namespace"]}
        for row in rows[f"{PG_CATALOG}.pg_class"]:
            self.class_oids[f"{schemas[row['relnamespace']]}.{row['relname']}"] = row["oid"]
        self._connection = duckdb.connect(":memory:", config=_CONFIGURATION)
        self._create_tables(rows)
        for statement in _HARDENING:
            self._connection.execute(statement)

    def _create_tables(self, rows: Mapping[str, Sequence[Mapping[str, Any]]]) -> None:
        for key, listed in rows.items():
            self._create_table(key, _build_arrow(self.relations[key], listed))
        types = list_types().values()
        names = pa.table(
            {
                "oid": pa.array([one.oid for one in types], pa.uint32()),
                "name": [one.name for one in types],
                "sql_name": [one.sql_name for one in types],
            }
        )
        self._create_table(TYPES_TABLE, names)
        self._connection.execute("CREATE SCHEMA pg")
        text = files(__package__).joinpath("functions.sql").read_text(encoding="utf-8")
        self._connection.execute(text)

    def _create_table(self, name: str, rows: pa.Table) -> None:
        self._connection.register("loaded rows", rows)
        self._connection.execute(f'CREATE TABLE {quote_name(name)} AS FROM "loaded rows"')
        self._connection.unregister("loaded rows")

    def run(self, sql: str) -> CatalogRows:
        """Run a statement that ``query_writer`` wrote."""
        with _CONCURRENT:
            cursor = self._connection.cursor()
            timer = threading.Timer(_SECONDS, cursor.interrupt)
            timer.start()
            try:
                cursor.execute(sql)
                described = cursor.description or []
                rows = cursor.fetchmany(_MAX_ROWS + 1)
            except duckdb.Error as error:
                raise _explain_failure(error) from None
            finally:
                timer.cancel()
                cursor.close()
        if len(rows) > _MAX_ROWS:
            raise CatalogFailure("The result has too many rows. Add LIMIT.", "54000")
        return CatalogRows(
            [str(one[0]) for one in described], [str(one[1]) for one in described], rows
        )


@functools.lru_cache(maxsize=8)
def open_catalog(database: str, tables: tuple[PublishedTable, ...]) -> CatalogDatabase:
    """Return the catalogue of some tables, the same for all who may see these."""
    return CatalogDatabase(database, tables)


def _build_arrow(relation: CatalogRelation, rows: Sequence[Mapping[str, Any]]) -> pa.Table:
    """Return rows as a table; what a row of pg_catalog leaves out is zero."""
    zeros = _ZEROS if relation.schema == PG_CATALOG else {}
    columns = {}
    for name, type_ in relation.columns.items():
        missing = zeros.get(type_)
        columns[name] = pa.array(
            [row.get(name, missing) for row in rows], _find_arrow_type(find_engine_type(type_))
        )
    return pa.table(columns)


def _find_arrow_type(type_: str) -> pa.DataType:
    if type_.endswith("[]"):
        return pa.list_(_find_arrow_type(type_[:-2]))
    return _ARROW_TYPES[type_]


def _explain_failure(error: duckdb.Error) -> CatalogFailure:
    """Return the failure of a statement in PostgreSQL's words, where it is the client's mistake."""
    if isinstance(error, duckdb.InterruptException):
        return CatalogFailure("This question about the catalogue took too long.", "57014")
    if isinstance(error, duckdb.OutOfMemoryException):
        return CatalogFailure("This question about the catalogue takes too much memory.", "53200")
    text = str(error)
    missing = re.search(
        r'(?:Referenced )?(?P<kind>column|table) "(?P<name>[^"]{1,63})" (?:not found|referenced)',
        text,
        re.IGNORECASE,
    )
    name = "" if missing is None else missing["name"]
    if missing is not None and missing["kind"].lower() == "column":
        return CatalogFailure(f'column "{name}" does not exist', "42703")
    if missing is not None:
        return CatalogFailure(f'missing FROM-clause entry for table "{name}"', "42P01")
    if "Division by zero" in text:
        return CatalogFailure("division by zero", "22012")
    if isinstance(error, duckdb.ConversionException):
        return CatalogFailure("invalid input syntax for a type", "22P02")
    return CatalogFailure(text.splitlines()[0])
