"""SQLAlchemy over three drivers: what it reflects, and the questions that it writes itself."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import pytest
import sqlalchemy as sa
from sqlalchemy.ext.asyncio import create_async_engine

from service.clients.helpers_clients import BY_REGION, OLDER_THAN, REFUSED, get_address, shows
from service.helpers_service import RunningService

Rows = list[tuple[Any, ...]]
DRIVERS = ("psycopg", "asyncpg", "pg8000")


def work_with(running: RunningService, driver: str, work: Callable[[sa.Connection], None]) -> None:
    address = get_address(running)
    url = sa.URL.create(
        f"postgresql+{driver}",
        address["user"],
        address["password"],
        address["host"],
        address["port"],
        address["dbname"],
    )
    if driver != "asyncpg":
        engine = sa.create_engine(url)
        with engine.connect() as connection:
            work(connection)
        engine.dispose()
        return

    async def run() -> None:
        engine = create_async_engine(url)
        async with engine.connect() as connection:
            await connection.run_sync(work)
        await engine.dispose()

    asyncio.run(run())


@shows("SQLAlchemy 2 (psycopg)", "lists tables")
@shows("SQLAlchemy 2 (asyncpg)", "lists tables")
@shows("SQLAlchemy 2 (pg8000)", "lists tables")
@pytest.mark.parametrize("driver", DRIVERS)
def test_tables_are_reflected(running: RunningService, driver: str) -> None:
    def work(connection: sa.Connection) -> None:
        inspector = sa.inspect(connection)
        assert set(inspector.get_table_names()) == {"shifts", "visits"}
        assert "budget" in inspector.get_view_names("hedgerow")
        assert set(inspector.get_schema_names()) >= {"hedgerow", "public"}
        assert inspector.has_table("visits")
        assert not inspector.has_table("nothing")
        described = [
            (column["name"], str(column["type"]), column["comment"])
            for column in inspector.get_columns("visits")
        ]
        assert described == [
            ("patient", "BIGINT", "privacy id"),
            ("age", "BIGINT", "from 0 to 110"),
            ("region", "TEXT", "one of 'north', 'south'"),
        ]
        assert "Protected by patient" in str(inspector.get_table_comment("visits")["text"])
        metadata = sa.MetaData()
        metadata.reflect(connection)
        assert set(metadata.tables) == {"shifts", "visits"}

    work_with(running, driver, work)


@shows("SQLAlchemy 2 (psycopg)", "asks", "binds", "errors")
@shows("SQLAlchemy 2 (asyncpg)", "asks", "binds", "errors")
@shows("SQLAlchemy 2 (pg8000)", "asks", "binds", "errors")
@pytest.mark.parametrize("driver", DRIVERS)
def test_questions_are_written_from_reflected_tables(
    running: RunningService, driver: str, by_region: Rows, older: int
) -> None:
    def work(connection: sa.Connection) -> None:
        visits = sa.Table("visits", sa.MetaData(), autoload_with=connection)
        region, age = visits.c.region, visits.c.age
        question = sa.select(
            region, sa.func.count().label("n"), sa.func.avg(age).label("mean_age")
        ).group_by(region)
        assert [tuple(row) for row in connection.execute(question)] == by_region
        sorted_by_name = question.order_by(region).limit(2)
        assert [tuple(row) for row in connection.execute(sorted_by_name)] == by_region
        chosen = sa.select(sa.func.count().label("n")).where(age > 30, region.in_(["north"]))
        assert connection.execute(chosen.select_from(visits)).scalar() == older
        asked = sa.text(OLDER_THAN.format(":age", ":region"))
        assert connection.execute(asked, {"age": 30, "region": "north"}).scalar() == older
        with pytest.raises(sa.exc.DBAPIError, match="individual rows"):
            connection.execute(sa.text(REFUSED))
        connection.rollback()

    work_with(running, driver, work)


@shows("SQLAlchemy 2 (psycopg)", "in parts")
@shows("SQLAlchemy 2 (asyncpg)", "in parts")
@pytest.mark.parametrize("driver", DRIVERS[:2])
def test_answers_are_streamed(running: RunningService, driver: str, by_region: Rows) -> None:
    def work(connection: sa.Connection) -> None:
        streamed = connection.execution_options(stream_results=True, max_row_buffer=1)
        assert [tuple(row) for row in streamed.execute(sa.text(BY_REGION))] == by_region

    work_with(running, driver, work)
