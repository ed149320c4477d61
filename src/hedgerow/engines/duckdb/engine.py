"""DuckDB in this process: files and frames as tables, plans as statements."""

from __future__ import annotations

from collections.abc import Mapping

from hedgerow.engines.data_source import SOURCE_FAILED, Cells
from hedgerow.engines.duckdb.dialect import DUCKDB
from hedgerow.engines.duckdb.session_protocol import EngineLimits
from hedgerow.engines.duckdb.tables.registry import (
    RegisteredTable,
    TableBackedSource,
    attach_tables,
    stamp_tables,
)
from hedgerow.engines.result_cells import collect_cells
from hedgerow.errors import SourceError
from hedgerow.plan.nodes import Aggregate

__all__ = ["DuckDB", "RegisteredTable"]


class DuckDB(TableBackedSource):
    """A source over files and frames; a problem with one of them is raised at once, before any
    charge.

    ``threads`` and ``memory`` (bytes) limit the engine. Several threads may query it at once.
    """

    def __init__(
        self,
        tables: Mapping[str, RegisteredTable],
        *,
        threads: int | None = None,
        memory: int | None = None,
    ) -> None:
        # imported here: with the engine in another process, this one need not load DuckDB
        from hedgerow.engines.duckdb.session import DuckDBSession

        limits = EngineLimits(threads, memory)
        paths = [table.path for table in tables.values() if table.path is not None]
        self._session = DuckDBSession(
            paths, limits, sum(table.row_count for table in tables.values())
        )
        try:
            stamps = stamp_tables(tables)  # before they are read
            self._use_registry(attach_tables(self._session, tables, DUCKDB), DUCKDB, stamps)
        except BaseException:
            self._session.close()
            raise

    def run(self, plan: Aggregate) -> Cells:
        """Return the exact cells of a plan."""
        compiled = self._compile(plan)
        try:
            return collect_cells(plan, compiled, self._session.run_statement)
        except Exception:
            pass
        # Raised out here, so that its context does not hold the engine's message, which may quote
        # data.
        raise SourceError(SOURCE_FAILED)

    def close(self) -> None:
        """Release the data."""
        self._session.close()
