"""psqlODBC, the driver of Debian, as Excel, R and Power BI use it."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from typing import Any

import pytest

from service.clients.helpers_clients import BY_REGION, OLDER_THAN, REFUSED, get_address, shows
from service.helpers_service import RunningService

try:
    import pyodbc
except ImportError:  # libodbc is missing
    pyodbc = None
DRIVER = "PostgreSQL Unicode"
Rows = list[tuple[Any, ...]]
# A cursor behind the answer, prepared statements on the server, and neither of them.
MODES = ("UseDeclareFetch=1;Fetch=1", "UseServerSidePrepare=1", "UseServerSidePrepare=0")


@pytest.fixture(params=MODES)
def connection(running: RunningService, request: pytest.FixtureRequest) -> Iterator[Any]:
    if pyodbc is None or DRIVER not in pyodbc.drivers():
        pytest.skip("psqlODBC is missing: run tests/debian_packages.sh as root")
    address = get_address(running)
    words = {
        "Driver": DRIVER,
        "Server": address["host"],
        "Port": address["port"],
        "Database": address["dbname"],
        "Uid": address["user"],
        "Pwd": address["password"],
    }
    text = "".join(f"{name}={value};" for name, value in words.items())
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        opened = pyodbc.connect(text + request.param)
    yield opened
    opened.rollback()
    opened.close()


@shows("psqlODBC", "asks", "binds", "in parts", "lists tables", "errors")
def test_odbc_asks_lists_and_is_refused(connection: Any, by_region: Rows, older: int) -> None:
    cursor = connection.cursor()
    assert [tuple(row) for row in cursor.execute(BY_REGION).fetchall()] == by_region
    found = cursor.execute(OLDER_THAN.format("?", "?"), 30, "north").fetchall()
    assert [tuple(row) for row in found] == [(older,)]
    assert {row.table_name for row in cursor.tables(schema="public")} == {"shifts", "visits"}
    columns = [(row.column_name, row.type_name) for row in cursor.columns(table="visits")]
    assert columns == [("patient", "int8"), ("age", "int8"), ("region", "text")]
    assert list(cursor.primaryKeys("visits")) == []
    assert list(cursor.statistics("visits")) == []
    assert list(cursor.foreignKeys("visits")) == []
    with pytest.raises(pyodbc.ProgrammingError) as caught:
        cursor.execute(REFUSED)
    assert caught.value.args[0] == "42501"
