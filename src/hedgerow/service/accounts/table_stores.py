"""The stores of account tables: an SQLite file, or a schema of the PostgreSQL server that holds the
ledger. Statements are written once, in what both understand, with ``?`` for a value.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, suppress
from pathlib import Path
from typing import Any, Protocol

from hedgerow.ledger.location import Location, ServerLocation
from hedgerow.sqlite_file import SqliteFile

__all__ = ["SqliteTables", "Statements", "TableStore", "has_tables", "open_store"]


class Statements(Protocol):
    """The statements of a transaction."""

    def execute(self, sql: str, values: Sequence[object] = ()) -> Any:
        """Run a statement, and return a cursor over its rows."""
        ...

    def change(self, sql: str, values: Sequence[object]) -> int:
        """Run a statement, and return how many rows it changed."""
        ...

    def continue_numbers(self, table: str) -> None:
        """Number new rows of a table after those that were copied to it."""
        ...


class TableStore(Protocol):
    """Tables that threads and processes share."""

    def hold(self) -> AbstractContextManager[None]:
        """Keep other threads out, and turn errors into plain words."""
        ...

    def begin(self) -> AbstractContextManager[Statements]:
        """Run one transaction, alone among all processes."""
        ...

    def select(self, sql: str, *values: object) -> list[dict[str, Any]]:
        """Return rows by the names of their columns."""
        ...

    def close(self) -> None:
        """Close the store."""
        ...


def open_store(place: Location, tables: str, wait: float) -> TableStore:
    """Open a store and create the tables that it lacks."""
    if not isinstance(place, ServerLocation):
        return SqliteTables(place, tables, wait)
    from hedgerow.service.accounts.server_tables import ServerTables

    return ServerTables(place, tables, wait)


def has_tables(place: Location) -> bool:
    """Return whether there is a store; nothing is created."""
    if not isinstance(place, ServerLocation):
        return Path(place).exists()
    from hedgerow.service.accounts.server_tables import has_server_tables

    return has_server_tables(place)


class SqliteTables(SqliteFile):
    """Tables in a file that only its owner can read."""

    _noun = "account file"
    _lost = "nothing was changed"
    _kept = "accounts are kept"

    def __init__(self, path: str | Path, tables: str, wait: float) -> None:
        super().__init__(path)
        with self._locked():
            with suppress(FileExistsError):
                os.close(os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600))
            self._db = self._connect(self.path, wait)
            self._db.execute(tables)

    def hold(self) -> AbstractContextManager[None]:
        return self._locked()

    @contextmanager
    def begin(self) -> Iterator[Statements]:
        with self._transaction() as db:
            yield _SqliteStatements(db)

    def select(self, sql: str, *values: object) -> list[dict[str, Any]]:
        with self._locked():
            cursor = self._require_connection().cursor()
            rows = []
            for row in cursor.execute(sql, values):
                names = [column[0] for column in cursor.get_description()]
                rows.append(dict(zip(names, row, strict=True)))
        return rows


class _SqliteStatements:
    def __init__(self, db: Any) -> None:
        self._db = db

    def execute(self, sql: str, values: Sequence[object] = ()) -> Any:
        return self._db.execute(sql, values)

    def change(self, sql: str, values: Sequence[object]) -> int:
        self._db.execute(sql, values)
        return int(self._db.changes())

    def continue_numbers(self, table: str) -> None:
        pass  # SQLite numbers after the largest number
