"""A connection to the PostgreSQL server of a ledger: settings, statements, and plain errors.

What the server says never leaves this module: it may name hosts, roles and values.
"""

from __future__ import annotations

import ipaddress
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Final

import psycopg
from psycopg import errors, sql

from hedgerow.errors import LedgerError
from hedgerow.ledger.location import ServerLocation

__all__ = [
    "DURABLE_SETTINGS",
    "Connection",
    "build_statements",
    "connect",
    "explain_errors",
    "is_safe_connection",
]

Connection = psycopg.Connection[Any]

DURABLE_SETTINGS: Final = {
    "fsync": ("on",),
    "full_page_writes": ("on",),
    "synchronous_commit": ("on", "remote_apply"),
    "zero_damaged_pages": ("off",),
    "ignore_checksum_failure": ("off",),
    "transaction_read_only": ("off",),
    "transaction_isolation": ("read committed",),
}
"""The settings under which a commit that has returned is on disk, and is still there after a crash.
"""

_SESSION: Final = {
    "search_path": "pg_catalog",
    "client_encoding": "UTF8",
    "application_name": "hedgerow-ledger",
    "default_transaction_isolation": r"read\ committed",
    "default_transaction_read_only": "off",
    # A server that lost sight of us must let go of the lock.
    "idle_in_transaction_session_timeout": "60000",
    "tcp_keepalives_idle": "5",
    "tcp_keepalives_interval": "5",
    "tcp_keepalives_count": "3",
}
_KEEPALIVES: Final[dict[str, Any]] = {
    "keepalives_idle": 5,
    "keepalives_interval": 5,
    "keepalives_count": 3,
    "tcp_user_timeout": 20_000,
}
_CONNECT_SECONDS: Final = 10
_STATEMENTS: Final = {
    # The first statement of a transaction, so that every later one sees what was committed before.
    "lock": "BEGIN; SELECT pg_advisory_xact_lock(1751475303, oid::integer) FROM pg_class"
    " WHERE oid = to_regclass({literal})",
    "identify": "SELECT (SELECT system_identifier::text FROM pg_control_system()),"
    " CASE WHEN pg_is_in_recovery() THEN '' ELSE left(pg_walfile_name(pg_current_wal_lsn()), 8)"
    " END, (SELECT oid FROM pg_database WHERE datname = current_database()), oid,"
    " relkind::text || relpersistence::text || relhastriggers::text || relhasrules::text ||"
    " relrowsecurity::text || relhassubclass::text FROM pg_class WHERE oid ="
    " to_regclass({literal})",
    "settings": "SELECT name, current_setting(name) FROM unnest(%s::text[]) AS name",
    "select": "SELECT seq, kind, time, body, previous, hash FROM {table} WHERE seq >= %s"
    " ORDER BY seq",
    "select_one": "SELECT seq, kind, time, body, previous, hash FROM {table} WHERE seq = %s",
    "hash": "SELECT hash FROM {table} WHERE seq = %s",
    "insert": "INSERT INTO {table} VALUES (%s, %s, %s, %s, %s, %s)",
}


def build_statements(schema: str) -> dict[str, sql.Composed]:
    """Return the statements on the table of entries in a schema."""
    table = sql.Identifier(schema, "entries")
    literal = sql.Literal(table.as_string())
    return {
        name: sql.SQL(text).format(table=table, literal=literal)
        for name, text in _STATEMENTS.items()
    }


def connect(place: ServerLocation, wait: float) -> Connection:
    """Connect to the server; a lock is waited for as long as ``wait``."""
    session = {**_SESSION, "lock_timeout": str(max(1, int(wait * 1000)))}
    database = psycopg.connect(
        place.address,
        autocommit=True,
        connect_timeout=_CONNECT_SECONDS,
        options=" ".join(f"-c {name}={value}" for name, value in session.items()),
        prepare_threshold=None,
        **_KEEPALIVES,
    )
    mode = next(one.val for one in database.pgconn.info if one.keyword == b"sslmode")
    if not is_safe_connection(database.info.hostaddr, mode):
        database.close()
        raise LedgerError(
            f"The connection to '{place.name}' leaves this host without checking the server's"
            " certificate. Add ?sslmode=verify-full to ledger in the policy, or unset PGHOST,"
            " PGHOSTADDR and PGSERVICE."
        )
    return database


def is_safe_connection(host: str, mode: bytes | None) -> bool:
    """Return whether a connection to an address ("" for a socket) stays on this host or checks the
    server's certificate. Variables and service files of the driver decide where it really goes.
    """
    return mode == b"verify-full" or not host or ipaddress.ip_address(host).is_loopback


@contextmanager
def explain_errors(place: ServerLocation) -> Iterator[None]:
    """Turn errors of the server into plain words."""
    try:
        yield
    except psycopg.Error as problem:
        raise LedgerError(f"The ledger '{place.name}' {_explain(problem, place)}") from None


def _explain(problem: psycopg.Error, place: ServerLocation) -> str:
    match problem:
        case errors.LockNotAvailable():
            return "is locked by another process. Try again."
        case errors.DiskFull() | errors.OutOfMemory() | errors.ConfigurationLimitExceeded():
            return "is on a full disk. Make room; no charge is lost."
        case errors.InsufficientPrivilege() | errors.UndefinedTable() | errors.InvalidSchemaName():
            schema = sql.Identifier(place.schema).as_string()
            return (
                "cannot be used by this role. Let the owner of the database run: CREATE SCHEMA"
                f" {schema}; CREATE TABLE {schema}.entries (seq bigint PRIMARY KEY, kind text NOT"
                " NULL, time text NOT NULL, body text NOT NULL, previous text NOT NULL, hash text"
                f" NOT NULL); GRANT USAGE ON SCHEMA {schema} TO the role; GRANT SELECT, INSERT ON"
                f" {schema}.entries TO the role."
            )
        case psycopg.OperationalError():
            return (
                "cannot be reached. Check ledger in the policy, that the server runs, and that the"
                " password is in PGPASSWORD, a password file or a service file; no charge is lost."
            )
        case _:
            return (
                f"cannot be read and written (SQLSTATE {problem.sqlstate}). Check the table of"
                " entries; no charge is lost."
            )
