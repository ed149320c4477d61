"""pandas, polars and ADBC."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import adbc_driver_manager
import adbc_driver_postgresql.dbapi as adbc
import pandas as pd
import polars as pl
import pytest
import sqlalchemy as sa

from service.clients.helpers_clients import BY_REGION, OLDER_THAN, REFUSED, get_address, shows
from service.helpers_service import RunningService

Rows = list[tuple[Any, ...]]


@pytest.fixture
def url(running: RunningService) -> str:
    address = get_address(running)
    return "postgresql://{user}:{password}@{host}:{port}/{dbname}".format(**address)


@pytest.fixture
def engine(url: str) -> Iterator[sa.Engine]:
    made = sa.create_engine(url.replace("postgresql", "postgresql+psycopg", 1))
    yield made
    made.dispose()


@shows("pandas.read_sql", "asks", "binds", "in parts", "errors")
def test_pandas_reads_answers(engine: sa.Engine, url: str, by_region: Rows, older: int) -> None:
    def list_rows(frame: pd.DataFrame) -> Rows:
        return list(frame.itertuples(index=False, name=None))

    assert list_rows(pd.read_sql(BY_REGION, engine)) == by_region
    asked = sa.text(OLDER_THAN.format(":age", ":region"))
    found = pd.read_sql(asked, engine, params={"age": 30, "region": "north"})
    assert list_rows(found) == [(older,)]
    parts = list(pd.read_sql(BY_REGION, engine, chunksize=1))
    assert [row for part in parts for row in list_rows(part)] == by_region
    assert len(parts) == 2
    with adbc.connect(url) as connection:
        assert list_rows(pd.read_sql(BY_REGION, connection)) == by_region
    with pytest.raises(pd.errors.DatabaseError, match="individual rows"):
        pd.read_sql(REFUSED, engine)


@shows("polars.read_database", "asks", "binds", "errors")
def test_polars_reads_answers(engine: sa.Engine, url: str, by_region: Rows, older: int) -> None:
    with engine.connect() as connection:
        assert pl.read_database(BY_REGION, connection).rows() == by_region
        asked = OLDER_THAN.format(":age", ":region")
        options = {"parameters": {"age": 30, "region": "north"}}
        assert pl.read_database(asked, connection, execute_options=options).rows() == [(older,)]
        with pytest.raises(sa.exc.ProgrammingError, match="individual rows"):
            pl.read_database(REFUSED, connection)
    assert pl.read_database_uri(BY_REGION, url, engine="adbc").rows() == by_region


@shows("ADBC", "asks", "binds", "lists tables", "copies", "errors")
def test_adbc_copies_answers_into_arrow(url: str, by_region: Rows, older: int) -> None:
    with adbc.connect(url) as connection, connection.cursor() as cursor:
        cursor.execute(BY_REGION)  # it copies in the binary format
        table = cursor.fetch_arrow_table()
        assert [tuple(row.values()) for row in table.to_pylist()] == by_region
        cursor.execute(OLDER_THAN.format("$1", "$2"), (30, "north"))
        assert cursor.fetchall() == [(older,)]
        assert connection.adbc_get_table_schema("visits").names == ["patient", "age", "region"]
        (catalogue,) = connection.adbc_get_objects(depth="columns").read_all().to_pylist()
        schemas = {one["db_schema_name"]: one for one in catalogue["catalog_db_schemas"]}
        tables = {one["table_name"] for one in schemas["public"]["db_schema_tables"]}
        assert tables == {"shifts", "visits"}
        with pytest.raises(adbc_driver_manager.Error) as caught:
            cursor.execute(REFUSED)
        assert caught.value.sqlstate == "42501"
