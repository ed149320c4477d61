"""DuckDB in this process: files and frames as tables, plans as statements, nothing else within
reach.
"""

from __future__ import annotations

from collections.abc import Mapping

from hedgerow.engines.compile.dialect import DUCKDB
from hedgerow.engines.data_source import SOURCE_FAILED, Cells
from hedgerow.engines.process.session_protocol import EngineLimits
from hedgerow.engines.result_cells import collect_cells
from hedgerow.engines.tables.registry import (
    RegisteredTable,
    TableBackedSource,
    attach_tables,
    stamp_tables,
)
from hedgerow.errors import SourceError
from hedgerow.plan.nodes import Aggregate

__all__ = ["DuckDB", "RegisteredTable"]


class DuckDB(TableBackedSource):
    """Answers plans over the given tables. What is wrong with them is said at once, before anything
    is asked or charged.

    ``threads`` and ``memory`` (bytes) limit the engine; several threads may ask at once.
    """

    def __init__(
        self,
        tables: Mapping[str, RegisteredTable],
        *,
        threads: int | None = None,
        memory: int | None = None,
    ) -> None:
        # only here: a process whose engine is in another need not load DuckDB
        from hedgerow.engines.duckdb.session import DuckDBSession

        limits = EngineLimits(threads, memory)
        paths = [table.path for table in tables.values() if table.path is not None]
        self._session = DuckDBSession(
            paths, limits, sum(table.row_count for table in tables.values())
        )
        try:
            stamps = stamp_tables(tables)  # before they are looked at
            self._use_registry(attach_tables(self._session, tables, DUCKDB), DUCKDB, stamps)
        except BaseException:
            self._session.close()
            raise

    def run(self, plan: Aggregate) -> Cells:
        """The whole numbers of every group."""
        compiled = self._compile(plan)
        try:
            return collect_cells(plan, compiled, self._session.run_statement)
        except Exception:
            pass
        # Raised out here, so that not even its context holds the engine's message, which may quote
        # data.
        raise SourceError(SOURCE_FAILED)

    def close(self) -> None:
        """Lets go of the data."""
        self._session.close()
