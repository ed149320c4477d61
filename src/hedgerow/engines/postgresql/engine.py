"""PostgreSQL as a data source: the work is done in the server, and only cells leave it."""

from __future__ import annotations

import contextlib
import functools
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import psycopg

from hedgerow.engines.compile.dialect import place_tables
from hedgerow.engines.compile.plan import make_cached_compiler
from hedgerow.engines.compile.stored_tables import StoredTable, locate_columns
from hedgerow.engines.data_source import SOURCE_FAILED, Cells, PhysicalColumn
from hedgerow.engines.postgresql.dialect import POSTGRESQL
from hedgerow.engines.postgresql.inspection import TableName, read_columns
from hedgerow.engines.postgresql.session import PostgresSession, fetch_columns, limit_time
from hedgerow.engines.public_copy import copy_public_table
from hedgerow.engines.result_cells import collect_cells
from hedgerow.engines.result_columns import ResultColumns
from hedgerow.engines.statement import Statement
from hedgerow.errors import InvalidArgument, SourceError
from hedgerow.plan.nodes import Aggregate
from hedgerow.plan.schema import Schema

__all__ = ["PostgreSQL", "PostgresTable", "inspect_tables", "start_engine"]

_DEADLINE_SECONDS: Final = 60.0


@dataclass(frozen=True, slots=True)
class PostgresTable:
    """A table of the server and its schema in the policy."""

    name: TableName
    schema: Schema


class PostgreSQL:
    """A source over tables of a PostgreSQL server, one snapshot for each plan."""

    def __init__(
        self,
        address: str,
        tables: Mapping[str, PostgresTable],
        *,
        deadline: float = _DEADLINE_SECONDS,
    ) -> None:
        self._session = PostgresSession(address, deadline=deadline)
        try:
            with self._session.open_snapshot() as connection:
                self._columns = {
                    name: read_columns(connection, table.name) for name, table in tables.items()
                }
        except BaseException:
            self._session.close()
            raise
        relations = {f"t{number}": name for number, name in enumerate(tables)}
        stored: dict[str, StoredTable] = {
            name: locate_columns(tables[name].schema, relation, self._columns[name])
            for relation, name in relations.items()
        }
        places = {
            relation: (tables[name].name.schema, tables[name].name.table)
            for relation, name in relations.items()
        }
        self._compile = make_cached_compiler(stored, place_tables(POSTGRESQL, places))

    def schema(self, table: str) -> tuple[PhysicalColumn, ...]:
        """Return the columns of a table."""
        if table not in self._columns:
            raise InvalidArgument("table", "must be the name of a registered table", table)
        return self._columns[table]

    @property
    def deadline(self) -> float:
        """The seconds for a plan."""
        return self._session.deadline

    @deadline.setter
    def deadline(self, seconds: float) -> None:
        self._session.deadline = seconds

    def restart_if_dead(self) -> None:
        """Connect again if the connection has ended. If that fails, the next plan does."""
        with contextlib.suppress(SourceError):
            self._session.reconnect()

    def prepare(self, plan: Aggregate) -> None:
        """Compile a plan, or refuse it."""
        self._compile(plan)

    def run(self, plan: Aggregate) -> Cells:
        """Return the exact cells of a plan."""
        compiled, until = self._compile(plan), time.monotonic() + self.deadline
        try:
            with self._session.open_snapshot() as connection:

                def fetch(statement: Statement) -> ResultColumns:
                    limit_time(connection, until - time.monotonic())
                    return fetch_columns(connection, statement)

                return collect_cells(plan, compiled, fetch)
        except Exception:
            pass
        # Raised out here, so that its context does not hold the server's message, which may quote
        # data.
        raise SourceError(SOURCE_FAILED)

    def close(self) -> None:
        """Close the connection."""
        self._session.close()


def inspect_tables(
    address: str,
    names: Mapping[str, tuple[str, str]],
    copies: Mapping[str, Path],
    *,
    deadline: float,
) -> tuple[dict[str, tuple[PhysicalColumn, ...]], dict[str, str]]:
    """Return the columns of tables, and digests of the public ones, which are copied to files."""
    session = PostgresSession(address, deadline=deadline)
    digests: dict[str, str] = {}
    try:
        with session.open_snapshot() as connection:
            columns = {
                name: read_columns(connection, TableName(*place)) for name, place in names.items()
            }
            for name, path in copies.items():
                dialect = place_tables(POSTGRESQL, {"public": names[name]})
                digests[name] = copy_public_table(
                    functools.partial(fetch_columns, connection),
                    "public",
                    columns[name],
                    dialect,
                    path,
                )
        return columns, digests
    except psycopg.Error:
        pass
    finally:
        session.close()
    raise SourceError(
        "A table of the server cannot be read. Check that the role may read it, and that the"
        " server is not overloaded."
    )


def start_engine(
    address: str,
    names: Mapping[str, tuple[str, str]],
    schemas: Mapping[str, Schema],
    *,
    deadline: float,
) -> PostgreSQL:
    """Start a source over tables of a server, given by schema and table."""
    tables = {
        name: PostgresTable(TableName(*place), schemas[name]) for name, place in names.items()
    }
    return PostgreSQL(address, tables, deadline=deadline)
