"""The connection of a ledger: its settings, its statements, and what it says of errors."""

from __future__ import annotations

import traceback
from pathlib import Path

import psycopg
import pytest
from psycopg import errors

from engines.postgresql.helpers_server import get_server
from hedgerow.errors import LedgerError
from hedgerow.ledger.location import ServerLocation
from hedgerow.ledger.postgresql import connection
from hedgerow.ledger.postgresql.connection import (
    DURABLE_SETTINGS,
    build_statements,
    connect,
    explain_errors,
    is_safe_connection,
)
from ledger.helpers_stores import TableStore

PLACE = ServerLocation("", "house", "postgresql://db/clinic house", Path("x"))


def test_a_connection_commits_each_step_and_lets_go_of_its_lock() -> None:
    place = ServerLocation(get_server().address(), "house", "x", Path("x"))
    with connect(place, 0.25) as database:
        rows = database.execute(
            "SELECT current_setting(name) FROM unnest(%s::text[]) AS name",
            (["lock_timeout", "idle_in_transaction_session_timeout", *DURABLE_SETTINGS],),
        ).fetchall()
    assert [value for (value,) in rows] == [
        *("250ms", "1min"),
        *("off", "off", "off", "off", "off", "off", "read committed"),  # of this lossy server
    ]


@pytest.mark.parametrize(
    ("host", "mode", "safe"),
    [
        ("", b"prefer", True),
        ("127.0.0.1", None, True),
        ("::1", b"prefer", True),
        ("10.0.0.1", b"verify-full", True),
        ("10.0.0.1", b"require", False),
        ("10.0.0.1", None, False),
    ],
)
def test_a_connection_that_leaves_the_host_checks_the_certificate(
    host: str, mode: bytes | None, safe: bool
) -> None:
    assert is_safe_connection(host, mode) == safe


def test_variables_of_the_driver_cannot_lead_it_elsewhere(monkeypatch: pytest.MonkeyPatch) -> None:
    """The address names no host, so PGHOSTADDR does; here one that only seems to be elsewhere."""
    server = get_server()
    monkeypatch.setenv("PGHOSTADDR", "127.0.0.1")
    monkeypatch.setenv("PGPORT", str(server.port))
    place = ServerLocation("postgresql://reader@/postgres", "house", "the server", Path("x"))
    connect(place, 1).close()
    monkeypatch.setattr(connection, "is_safe_connection", lambda host, _: host != "127.0.0.1")
    with pytest.raises(LedgerError, match=r"leaves this host.*unset PGHOST"):
        connect(place, 1)


def test_a_schema_of_any_name_is_quoted(tmp_path: Path) -> None:
    store = TableStore(tmp_path)
    with store.connect() as owner:
        owner.execute('CREATE SCHEMA "a ""b\'%s"; CREATE TABLE "a ""b\'%s".entries (hash text)')
        name = "a \"b'%s"
        found = owner.execute(build_statements(name)["identify"]).fetchone()
        assert found is not None
        assert found[4] == "rpfalsefalsefalsefalse"
        owner.execute('DROP SCHEMA "a ""b\'%s" CASCADE')


@pytest.mark.parametrize(
    ("problem", "told"),
    [
        (errors.LockNotAvailable, "is locked by another process"),
        (errors.DiskFull, r"is on a full disk\. Make room; no charge is lost"),
        (errors.InsufficientPrivilege, r"CREATE SCHEMA \"house\".*GRANT SELECT, INSERT"),
        (errors.UndefinedTable, "cannot be used by this role"),
        (errors.AdminShutdown, "cannot be reached"),
        (psycopg.OperationalError, "password is in PGPASSWORD"),
        (errors.UniqueViolation, r"\(SQLSTATE 23505\)"),
    ],
)
def test_errors_are_plain_and_quote_nothing(problem: type[psycopg.Error], told: str) -> None:
    with pytest.raises(LedgerError, match=told) as caught, explain_errors(PLACE):
        raise problem("role 'secret' of host 'secret'")
    assert "secret" not in "".join(traceback.format_exception(caught.value))
    assert "postgresql://db/clinic house" in str(caught.value)


def test_other_errors_pass() -> None:
    with pytest.raises(LedgerError, match="mine"), explain_errors(PLACE):
        raise LedgerError("mine")
    with explain_errors(PLACE):
        pass
