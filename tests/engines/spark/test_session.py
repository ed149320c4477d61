"""A session has settings of its own, ends in time and says nothing about data."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from engines.spark.helpers_cluster import find_port, get_address
from engines.spark.helpers_worlds import DEADLINE, connect
from hedgerow.engines.spark.session import SparkConnection
from hedgerow.engines.statement import Statement
from hedgerow.errors import SourceError, Unsupported

ENDLESS = "SELECT count(*) AS n FROM range(1000000000000) WHERE hash(id) % 7 = id"


@pytest.fixture(scope="module")
def connection() -> Iterator[SparkConnection]:
    connection = connect()
    yield connection
    connection.close()


def fetch(connection: SparkConnection, sql: str, *wide: bool, keys: Any = ()) -> Any:
    return connection.fetch_columns(Statement(sql, keys, wide), DEADLINE)


def test_wide_numbers_and_keys_arrive_exactly(connection: SparkConnection) -> None:
    sql = f"SELECT * FROM VALUES ('a', 1L, '9{'0' * 40}'), (NULL, 2L, '-1') ORDER BY 2"
    keys, numbers = fetch(connection, sql, False, True, keys=("text",))
    assert keys == [["a", None]]
    assert numbers[0].tolist() == [1, 2]
    assert numbers[0].dtype == np.int64
    assert numbers[1].tolist() == [9 * 10**40, -1]


@pytest.mark.parametrize("sql", ["SELECT CAST(NULL AS BIGINT)", "SELECT 1.0D"])
def test_a_number_is_never_null_and_never_a_double(connection: SparkConnection, sql: str) -> None:
    with pytest.raises(TypeError):
        fetch(connection, sql, False)


def test_settings_of_the_server_do_not_reach_the_session(connection: SparkConnection) -> None:
    keys, _ = fetch(connection, "SELECT '${env:HOME}'", keys=("text",))
    assert keys == [["${env:HOME}"]]

    def read(session: Any) -> list[str]:
        return [session.conf.get(f"spark.sql.{name}") for name in ("ansi.enabled", "caseSensitive")]

    assert connection.call(read, DEADLINE) == ["true", "true"]


def test_errors_leave_no_line_behind(
    connection: SparkConnection, capfd: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(Exception, match="SECRET"):
        fetch(connection, "SELECT CAST('SECRET' AS BIGINT)", False)
    assert capfd.readouterr() == ("", "")


@pytest.mark.long
def test_a_statement_ends_in_time_in_the_cluster_too() -> None:
    connection = connect()
    fetch(connection, "SELECT 1L", False)  # warm
    began = time.monotonic()
    with pytest.raises(TimeoutError):
        connection.fetch_columns(Statement(ENDLESS, (), (False,)), 2)
    assert time.monotonic() - began < 60
    # Both cores would be taken for hours if it ran on.
    assert fetch(connection, "SELECT sum(id) FROM range(100)", False)[1][0].tolist() == [4950]
    connection.close()
    connection.close()


def test_an_address_without_a_server_is_a_source_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("hedgerow.engines.spark.session._CONNECT_SECONDS", 1.0)
    connection = SparkConnection(f"sc://127.0.0.1:{find_port()}", deadline=1)
    with pytest.raises(SourceError, match=r"cannot be reached\. Check engine"):
        connection.reconnect()


def test_a_missing_client_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyspark.sql.connect.session", None)
    with pytest.raises(Unsupported, match=r"pip install 'hedgerow\[spark\]'"):
        SparkConnection("sc://127.0.0.1", deadline=1).reconnect()


@pytest.mark.long
def test_a_process_that_closes_nothing_ends() -> None:
    """``python -c`` too, which the client would take for a test of its own."""
    program = (
        "from hedgerow.engines.spark.session import SparkConnection\n"
        f"connection = SparkConnection({get_address()!r}, deadline=60)\n"
        "connection.reconnect()\n"
        "print('open')"
    )
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", program],
        capture_output=True,
        text=True,
        timeout=120,
        check=True,
    )
    assert (done.stdout, done.stderr) == ("open\n", "")
