"""The sources of a policy, inspected before a ledger is opened: their columns, the values of public
tables, and how to start an engine over them."""

from __future__ import annotations

import hashlib
import shutil
import tempfile
import weakref
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from hedgerow.database.catalog_builder import build_catalog
from hedgerow.engines.compile.stored_tables import locate_columns
from hedgerow.engines.data_source import Source
from hedgerow.engines.duckdb.tables.inspect import ColumnSummary, FileInspector, check_types
from hedgerow.engines.duckdb.tables.registry import FileStamp, RegisteredTable
from hedgerow.policy import Policy
from hedgerow.policy.server_sources import split_table_name
from hedgerow.policy.spark_sources import is_spark, split_spark_source
from hedgerow.sql.catalog import Catalog

if TYPE_CHECKING:
    pass

__all__ = ["InspectedSources", "inspect_files", "inspect_server"]

_DEADLINE_SECONDS: Final = 60.0


@dataclass(frozen=True, slots=True)
class InspectedSources:
    """The catalog of a policy over its sources. ``start`` starts an engine, given the stamps of
    the files that the ledger accepted."""

    policy: Policy
    catalog: Catalog
    start: Callable[[Mapping[str, FileStamp]], Any]


def inspect_files(
    policy: Policy,
    engine: Callable[[Mapping[str, RegisteredTable]], Source],
    frames: Mapping[str, Any] | None = None,
) -> InspectedSources:
    """Read the columns of files, or of frames in memory, and the values of public ones."""
    data = frames or {table.name: policy.source_path(table) for table in policy.tables}
    with FileInspector(data.values()) as inspector:
        columns = {name: inspector.read_columns(held) for name, held in data.items()}
        public = _summarise_public_files(policy, inspector)
    digests = {name: _digest_file(data[name]) for name in public}
    catalog = build_catalog(policy, columns, public, digests)
    tables = {
        name: RegisteredTable(held, catalog.tables[name].schema) for name, held in data.items()
    }
    for name, table in tables.items():
        check_types(table, columns[name])

    def start(stamps: Mapping[str, FileStamp]) -> Source:
        accepted = {
            name: replace(tables[name], accepted_stamp=stamp) for name, stamp in stamps.items()
        }
        return engine({**tables, **accepted})

    return InspectedSources(policy, catalog, start)


@dataclass(frozen=True, slots=True)
class _Server:
    """The functions that name, inspect and read tables of a server."""

    split_source: Callable[[str], tuple[str, ...]]
    inspect_tables: Callable[..., Any]
    start_engine: Callable[..., Source]


def _find_server(policy: Policy) -> _Server:
    # imported here: the drivers are extras
    if is_spark(policy.engine):
        from hedgerow.engines.spark import engine as spark

        return _Server(split_spark_source, spark.inspect_tables, spark.start_engine)
    from hedgerow.engines.postgresql import engine as postgresql

    return _Server(split_table_name, postgresql.inspect_tables, postgresql.start_engine)


def inspect_server(policy: Policy, *, deadline: float = _DEADLINE_SECONDS) -> InspectedSources:
    """Read the columns of tables in a database server or a cluster. Its public tables are copied,
    for questions about them alone and for SQL over noisy answers, which run without the server."""
    server = _find_server(policy)
    names = {table.name: server.split_source(table.source) for table in policy.tables}
    public = [table.name for table in policy.tables if table.population is None]
    folder = Path(tempfile.mkdtemp(prefix="hedgerow-public-"))
    copies = {name: folder / f"{number}.parquet" for number, name in enumerate(public)}
    columns, digests = server.inspect_tables(policy.engine, names, copies, deadline=deadline)
    policy = replace(policy, copies=copies)
    weakref.finalize(policy, shutil.rmtree, folder, ignore_errors=True)
    with FileInspector(copies.values()) as inspector:
        summaries = _summarise_public_files(policy, inspector)
    catalog = build_catalog(policy, columns, summaries, digests)
    for name, entry in catalog.tables.items():
        locate_columns(entry.schema, "", columns[name])

    def start(_: Mapping[str, FileStamp]) -> Source:
        schemas = {name: entry.schema for name, entry in catalog.tables.items()}
        return server.start_engine(policy.engine, names, schemas, deadline=deadline)

    return InspectedSources(policy, catalog, start)


def _summarise_public_files(
    policy: Policy, inspector: FileInspector
) -> dict[str, dict[str, ColumnSummary]]:
    return {
        table.name: inspector.summarise(policy.source_path(table))
        for table in policy.tables
        if table.population is None
    }


def _digest_file(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
