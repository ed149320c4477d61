"""DuckDB in this process: files and frames as tables, plans as statements, nothing else within reach."""

from __future__ import annotations

from collections.abc import Mapping

from hedgerow.engines.catalogue import Registered, Stocked, stamped, stock
from hedgerow.engines.decode import gathered
from hedgerow.engines.desk import Limits
from hedgerow.engines.dialect import DUCKDB
from hedgerow.engines.source import FAILED, Cells
from hedgerow.errors import SourceError
from hedgerow.plan.nodes import Aggregate

__all__ = ["DuckDB", "Registered"]


class DuckDB(Stocked):
    """Answers plans over the given tables. What is wrong with them is said at once, before anything is asked or charged.

    ``threads`` and ``memory`` (bytes) limit the engine; several threads may ask at once.
    """

    def __init__(self, tables: Mapping[str, Registered], *, threads: int | None = None, memory: int | None = None) -> None:
        from hedgerow.engines.session import Session  # only here: a process whose engine is in another need not load DuckDB

        limits = Limits(threads, memory)
        paths = [table.path for table in tables.values() if table.path is not None]
        self._session = Session(paths, limits, sum(table.rows for table in tables.values()))
        try:
            stamps = stamped(tables)  # before they are looked at
            self._take(stock(self._session, tables, DUCKDB), DUCKDB, stamps)
        except BaseException:
            self._session.close()
            raise

    def run(self, plan: Aggregate) -> Cells:
        """The whole numbers of every group."""
        compiled = self._compiled(plan)
        try:
            return gathered(plan, compiled, self._session.answer)
        except Exception:
            pass
        # Raised out here, so that not even its context holds the engine's message, which may quote data.
        raise SourceError(FAILED)

    def close(self) -> None:
        """Lets go of the data."""
        self._session.close()
