"""A connection reads one snapshot, changes nothing, ends in time and says nothing about data."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import psycopg
import pytest

from engines.postgresql.helpers_server import ROLE, get_server
from hedgerow.engines.postgresql import session as session_module
from hedgerow.engines.postgresql.session import PostgresSession, fetch_columns
from hedgerow.engines.statement import Statement
from hedgerow.errors import SourceError


@pytest.fixture
def session() -> Iterator[PostgresSession]:
    server = get_server()
    with server.new_database() as name:
        with server.connect(name) as owner:
            owner.execute(f"CREATE TABLE t (x integer); GRANT ALL ON t TO {ROLE}")
            owner.execute("INSERT INTO t VALUES (1), (2)")
        session = PostgresSession(server.address(name), deadline=5)
        yield session
        session.close()


def count(connection: psycopg.Connection[Any]) -> int:
    _, numbers = fetch_columns(connection, Statement("SELECT count(*) FROM public.t", (), (False,)))
    return int(numbers[0][0])


def test_a_question_reads_one_snapshot(session: PostgresSession) -> None:
    with session.open_snapshot() as connection:
        assert count(connection) == 2
        with get_server().connect(connection.info.dbname) as owner:
            owner.execute("INSERT INTO t VALUES (3)")
        assert count(connection) == 2
    with session.open_snapshot() as connection:
        assert count(connection) == 3


def test_variables_of_the_driver_cannot_lead_it_off_this_host(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The address names no host, so PGHOSTADDR does; here one that only seems to be elsewhere."""
    monkeypatch.setenv("PGHOSTADDR", "127.0.0.1")
    monkeypatch.setenv("PGPORT", str(get_server().port))
    plain = PostgresSession(f"postgresql://{ROLE}@/postgres", deadline=5)
    plain.reconnect()
    plain.close()
    monkeypatch.setattr(session_module, "is_safe_connection", lambda host, _: host != "127.0.0.1")
    with pytest.raises(SourceError, match=r"leaves this host.*unset PGHOST"):
        plain.reconnect()


def test_nothing_can_be_written_even_by_a_role_that_may(session: PostgresSession) -> None:
    with (
        session.open_snapshot() as connection,
        pytest.raises(psycopg.errors.ReadOnlySqlTransaction),
    ):
        connection.execute("INSERT INTO public.t VALUES (4)")


def test_a_statement_ends_in_time() -> None:
    session = PostgresSession(get_server().address(), deadline=0.2)
    with (
        session.open_snapshot() as connection,
        pytest.raises(psycopg.errors.QueryCanceled),
    ):
        connection.execute("SELECT pg_sleep(60)")
    with session.open_snapshot() as connection:
        assert connection.execute("SELECT 1").fetchone() == (1,)
    session.close()


def test_a_broken_connection_is_replaced(session: PostgresSession) -> None:
    with session.open_snapshot() as connection:
        first, database = connection.info.backend_pid, connection.info.dbname
    with get_server().connect(database) as owner:
        owner.execute("SELECT pg_terminate_backend(%s, 5000)", [first])
    with session.open_snapshot() as connection:
        assert connection.info.backend_pid != first
        assert count(connection) == 2


def test_an_address_without_a_server_is_a_source_error() -> None:
    session = PostgresSession("postgresql://reader@127.0.0.1:1/none", deadline=1)
    with (
        pytest.raises(SourceError, match=r"cannot be reached\. Check engine"),
        session.open_snapshot(),
    ):
        pass


def test_wide_numbers_and_keys_arrive_exactly(session: PostgresSession) -> None:
    sql = "SELECT * FROM (VALUES ('a', 1::bigint, '9' || repeat('0', 40)), (NULL, 2, '-1')) AS v"
    with session.open_snapshot() as connection:
        keys, numbers = fetch_columns(connection, Statement(sql, ("text",), (False, True)))
    assert keys == [["a", None]]
    assert numbers[0].tolist() == [1, 2]
    assert numbers[0].dtype == np.int64
    assert numbers[1].tolist() == [9 * 10**40, -1]


def test_a_number_is_never_null(session: PostgresSession) -> None:
    with session.open_snapshot() as connection, pytest.raises(TypeError):
        fetch_columns(connection, Statement("SELECT NULL::bigint", (), (False,)))
