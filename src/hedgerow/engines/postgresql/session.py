"""A connection to PostgreSQL: read only, one snapshot for each question, and a deadline.

The server never gets text of an analyst, and what it says of an error never leaves this module: it
may quote data.
"""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Iterator, Sequence
from typing import Any, Final

import numpy as np
import psycopg

from hedgerow.engines.result_columns import ResultColumns, convert_result
from hedgerow.engines.statement import Statement
from hedgerow.errors import SourceError
from hedgerow.ledger.postgresql.connection import is_safe_connection

__all__ = ["PostgresSession", "fetch_columns", "limit_time"]

_SETTINGS: Final = {
    "search_path": "pg_catalog",
    "timezone": "UTC",
    "datestyle": "ISO",
    "default_transaction_isolation": "repeatable read",
    "default_transaction_read_only": "on",
    "row_security": "off",  # a table with such a policy raises an error instead of hiding rows
    "jit": "off",  # takes longer than it saves
    "client_encoding": "UTF8",
    "application_name": "hedgerow",
}
# so that a network that has gone is noticed
_KEEPALIVES: Final[dict[str, Any]] = {
    "keepalives_idle": 5,
    "keepalives_interval": 5,
    "keepalives_count": 3,
    "tcp_user_timeout": 20_000,
}
_CONNECT_SECONDS: Final = 10
_ROWS_PER_FETCH: Final = 100_000


class PostgresSession:
    """One connection at a time, opened when it is needed and again after it broke."""

    def __init__(self, address: str, *, deadline: float) -> None:
        self.deadline = deadline
        self._address = address
        self._lock = threading.Lock()
        self._connection: psycopg.Connection[Any] | None = None

    @contextlib.contextmanager
    def open_snapshot(self) -> Iterator[psycopg.Connection[Any]]:
        """Hold a transaction that reads one snapshot and is rolled back."""
        with self._lock:
            connection = self._connect()
            try:
                limit_time(connection, self.deadline)
                yield connection
            finally:
                try:
                    connection.rollback()
                except psycopg.Error:
                    connection.close()

    def reconnect(self) -> None:
        """Open the connection again if it broke."""
        with self._lock:
            self._connect()

    def _connect(self) -> psycopg.Connection[Any]:
        """Return the connection, or a new one after it broke."""
        if self._connection is not None and self._is_alive(self._connection):
            return self._connection
        try:
            connection = psycopg.connect(
                self._address,
                connect_timeout=_CONNECT_SECONDS,
                options=" ".join(
                    f"-c {name}={value.replace(' ', chr(92) + ' ')}"
                    for name, value in _SETTINGS.items()
                ),
                prepare_threshold=None,
                **_KEEPALIVES,
            )
        except psycopg.Error:
            pass
        else:
            _require_safe_connection(connection)
            self._connection = connection
            return connection
        raise SourceError(
            "The database server cannot be reached. Check engine in the policy, that the server"
            " runs, and that the password is in PGPASSWORD, a password file or a service file."
        )

    @staticmethod
    def _is_alive(connection: psycopg.Connection[Any]) -> bool:
        if connection.closed:
            return False
        try:
            connection.execute("SELECT 1")
            connection.rollback()
        except psycopg.Error:
            connection.close()
            return False
        return True

    def close(self) -> None:
        """Close the connection; closing twice is harmless."""
        if self._connection is not None:
            self._connection.close()


def limit_time(connection: psycopg.Connection[Any], seconds: float) -> None:
    """End the next statements of a transaction after these seconds each."""
    milliseconds = str(max(1, round(seconds * 1000)))
    connection.execute("SELECT set_config('statement_timeout', %s, true)", (milliseconds,))


def fetch_columns(connection: psycopg.Connection[Any], statement: Statement) -> ResultColumns:
    """Run a statement and return its keys and numbers."""
    # A named cursor: the server keeps the result, and sends it in pieces.
    with connection.cursor("cells", binary=True) as cursor:
        cursor.itersize = _ROWS_PER_FETCH
        cursor.execute(statement.sql)
        width = len(cursor.description or ())
        pieces: list[list[Any]] = [[] for _ in range(width)]
        while rows := cursor.fetchmany(_ROWS_PER_FETCH):
            for column, values in zip(pieces, zip(*rows, strict=True), strict=True):
                column.extend(values)
    return convert_result(_build_arrays(pieces, statement), statement)


def _build_arrays(columns: Sequence[Sequence[Any]], statement: Statement) -> dict[str, Any]:
    """Return arrays as ``convert_result`` takes them: keys and wide numbers as objects, and other
    numbers as integers; NULL where a number must be raises an error."""
    keys = 0 if statement.tally is not None else len(statement.keys)
    found: dict[str, Any] = {}
    for place, values in enumerate(columns):
        is_wide = place >= keys and statement.tally is None and statement.wide[place - keys]
        if place < keys or is_wide:
            array = np.empty(len(values), dtype=object)
            array[:] = values
        else:
            array = np.array(values, dtype=np.int64)
        found[str(place)] = array
    return found


def _require_safe_connection(connection: psycopg.Connection[Any]) -> None:
    """Refuse a connection that leaves this host unprotected, whatever the address says: variables
    and service files of the driver may lead elsewhere."""
    mode = next(one.val for one in connection.pgconn.info if one.keyword == b"sslmode")
    if not is_safe_connection(connection.info.hostaddr, mode):
        connection.close()
        raise SourceError(
            "The connection to the database server leaves this host without checking the server's"
            " certificate. Add ?sslmode=verify-full to engine in the policy, or unset PGHOST,"
            " PGHOSTADDR and PGSERVICE."
        )
