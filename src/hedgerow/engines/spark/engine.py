"""Spark as a data source: the work is done in the cluster, and only cells leave it.

Spark may run a task again, or twice at once. That never shows: a statement has one result, whose
integers depend on neither the order nor the partition of rows, and noise is added to it here, once.
"""

from __future__ import annotations

import contextlib
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from hedgerow.engines.compile.dialect import place_tables
from hedgerow.engines.compile.plan import make_cached_compiler
from hedgerow.engines.compile.stored_tables import StoredTable, locate_columns
from hedgerow.engines.data_source import SOURCE_FAILED, Cells, PhysicalColumn
from hedgerow.engines.public_copy import copy_public_table
from hedgerow.engines.result_cells import collect_cells
from hedgerow.engines.result_columns import ResultColumns
from hedgerow.engines.spark.collection_limit import check_collected_size
from hedgerow.engines.spark.dialect import SPARK
from hedgerow.engines.spark.inspection import read_columns
from hedgerow.engines.spark.session import SparkConnection
from hedgerow.engines.statement import Statement
from hedgerow.errors import HedgerowError, InvalidArgument, SourceError
from hedgerow.plan.nodes import Aggregate
from hedgerow.plan.schema import Schema

__all__ = ["Spark", "SparkTable", "inspect_tables", "start_engine"]

_DEADLINE_SECONDS: Final = 600.0


@dataclass(frozen=True, slots=True)
class SparkTable:
    """A table of the cluster, or files of a format, and its schema in the policy.

    ``parts`` are catalog, schema and table, or the format and the path.
    """

    parts: tuple[str, ...]
    schema: Schema


class Spark:
    """A source over tables of a Spark cluster, through its Connect server."""

    def __init__(
        self,
        address: str,
        tables: Mapping[str, SparkTable],
        *,
        deadline: float = _DEADLINE_SECONDS,
    ) -> None:
        self._connection = SparkConnection(address, deadline=deadline)
        try:
            self._columns = {
                name: _inspect(self._connection, table.parts) for name, table in tables.items()
            }
        except BaseException:
            self._connection.close()
            raise
        relations = {f"t{number}": name for number, name in enumerate(tables)}
        stored: dict[str, StoredTable] = {
            name: locate_columns(tables[name].schema, relation, self._columns[name])
            for relation, name in relations.items()
        }
        places = {relation: tables[name].parts for relation, name in relations.items()}
        self._compile = make_cached_compiler(stored, place_tables(SPARK, places))

    def schema(self, table: str) -> tuple[PhysicalColumn, ...]:
        """Return the columns of a table."""
        if table not in self._columns:
            raise InvalidArgument("table", "must be the name of a registered table", table)
        return self._columns[table]

    @property
    def deadline(self) -> float:
        """The seconds for a plan."""
        return self._connection.deadline

    @deadline.setter
    def deadline(self, seconds: float) -> None:
        self._connection.deadline = seconds

    def restart_if_dead(self) -> None:
        """Open a new session if the old one has ended. If that fails, the next plan does."""
        with contextlib.suppress(SourceError):
            self._connection.reconnect()

    def prepare(self, plan: Aggregate) -> None:
        """Compile a plan, or refuse it."""
        check_collected_size(plan)
        self._compile(plan)

    def run(self, plan: Aggregate) -> Cells:
        """Return the exact cells of a plan."""
        compiled, until = self._compile(plan), time.monotonic() + self.deadline

        def fetch(statement: Statement) -> ResultColumns:
            return self._connection.fetch_columns(statement, until - time.monotonic())

        try:
            return collect_cells(plan, compiled, fetch)
        except Exception:
            pass
        # Raised out here, so that its context does not hold the server's message, which may quote
        # data.
        raise SourceError(SOURCE_FAILED)

    def close(self) -> None:
        """Close the session."""
        self._connection.close()


def _inspect(connection: SparkConnection, parts: Sequence[str]) -> tuple[PhysicalColumn, ...]:
    try:
        return connection.call(lambda session: read_columns(session, parts), connection.deadline)
    except HedgerowError:
        raise
    except Exception:
        pass
    raise SourceError(
        "A table of the cluster cannot be read. Check that the server runs and is not overloaded."
    )


def inspect_tables(
    address: str,
    names: Mapping[str, tuple[str, ...]],
    copies: Mapping[str, Path],
    *,
    deadline: float,
) -> tuple[dict[str, tuple[PhysicalColumn, ...]], dict[str, str]]:
    """Return the columns of tables, and digests of the public ones, which are copied to files."""
    connection = SparkConnection(address, deadline=deadline)
    digests: dict[str, str] = {}
    try:
        columns = {name: _inspect(connection, parts) for name, parts in names.items()}
        for name, path in copies.items():
            digests[name] = copy_public_table(
                lambda statement: connection.fetch_columns(statement, deadline),
                "public",
                columns[name],
                place_tables(SPARK, {"public": names[name]}),
                path,
            )
        return columns, digests
    except HedgerowError:
        raise
    except Exception:
        pass
    finally:
        connection.close()
    raise SourceError(
        "A public table of the cluster cannot be copied. Check that the server can read it, and"
        " that it is not overloaded."
    )


def start_engine(
    address: str,
    names: Mapping[str, tuple[str, ...]],
    schemas: Mapping[str, Schema],
    *,
    deadline: float,
) -> Spark:
    """Start a source over tables of a cluster, given by their parts."""
    tables = {name: SparkTable(parts, schemas[name]) for name, parts in names.items()}
    return Spark(address, tables, deadline=deadline)
