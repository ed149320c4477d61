"""The drivers of Python."""

from __future__ import annotations

import asyncio
import io
from collections.abc import Awaitable, Callable
from typing import Any

import asyncpg
import pg8000.dbapi
import pg8000.native
import psycopg
import psycopg2
import pytest

from service.clients.helpers_clients import BY_REGION, OLDER_THAN, REFUSED, get_address, shows
from service.helpers_service import RunningService

Rows = list[tuple[Any, ...]]
NOTE = "Each patient contributes at most 2 rows"


def list_lines(rows: Rows) -> list[str]:
    """Return rows as COPY writes them as CSV."""
    return [",".join(map(str, row)) for row in rows]


# psycopg 3


@shows("psycopg 3", "asks", "binds", "notes")
def test_psycopg_3_asks_in_both_formats_and_in_a_pipeline(
    running: RunningService, by_region: Rows, older: int
) -> None:
    notes: list[str] = []
    with psycopg.connect(**get_address(running)) as connection:
        connection.add_notice_handler(lambda note: notes.append(str(note.message_primary)))
        assert connection.execute(BY_REGION).fetchall() == by_region
        assert any(NOTE in note for note in notes)
        question = OLDER_THAN.format("%s", "%s")
        for binary in (False, True):
            cursor = connection.cursor(binary=binary)
            assert cursor.execute(BY_REGION).fetchall() == by_region
            assert cursor.execute(question, (30, "north"), prepare=True).fetchone() == (older,)
        with connection.pipeline():
            cursors = [connection.execute(question, (30, "north")) for _ in range(3)]
        assert [cursor.fetchone() for cursor in cursors] == [(older,)] * 3
        listed = "SELECT COUNT(*) AS n FROM visits WHERE age > %s AND region = ANY(%s)"
        assert connection.execute(listed, (30, ["north"])).fetchone() == (older,)


@shows("psycopg 3", "in parts")
def test_psycopg_3_reads_a_cursor_in_parts(running: RunningService, by_region: Rows) -> None:
    with (
        psycopg.connect(**get_address(running)) as connection,
        connection.cursor("parts", scrollable=False) as cursor,
    ):
        cursor.itersize = 1
        assert list(cursor.execute(BY_REGION)) == by_region


@shows("psycopg 3", "copies")
def test_psycopg_3_copies_text_and_binary(running: RunningService, by_region: Rows) -> None:
    with psycopg.connect(**get_address(running)) as connection:
        with connection.cursor().copy(f"COPY ({BY_REGION}) TO STDOUT") as copy:
            texts = list(copy.rows())
        with connection.cursor().copy(f"COPY ({BY_REGION}) TO STDOUT (FORMAT BINARY)") as copy:
            copy.set_types(["text", "int8", "float8"])
            binary = list(copy.rows())
    assert texts == [tuple(map(str, row)) for row in by_region]
    assert binary == by_region


@shows("psycopg 3", "errors")
def test_psycopg_3_gets_the_sqlstate_and_the_fix(running: RunningService) -> None:
    with (
        psycopg.connect(**get_address(running)) as connection,
        pytest.raises(psycopg.errors.InsufficientPrivilege) as caught,
    ):
        connection.execute(REFUSED)
    assert caught.value.diag.message_hint == "Use aggregates, such as COUNT(*) or AVG(x)."


# psycopg2


@shows("psycopg2", "asks", "binds", "notes", "in parts", "copies", "errors")
def test_psycopg2_does_all_of_it(running: RunningService, by_region: Rows, older: int) -> None:
    connection = psycopg2.connect(**get_address(running))
    try:
        with connection.cursor() as cursor:
            cursor.execute(BY_REGION)
            assert cursor.fetchall() == by_region
            assert any(NOTE in note for note in connection.notices)
            cursor.execute(OLDER_THAN.format("%s", "%s"), (30, "north"))
            assert cursor.fetchall() == [(older,)]
            file = io.StringIO()
            cursor.copy_expert(f"COPY ({BY_REGION}) TO STDOUT CSV HEADER", file)
            assert file.getvalue().splitlines()[1:] == list_lines(by_region)
        with connection.cursor("parts") as cursor:
            cursor.itersize = 1
            cursor.execute(BY_REGION)
            assert list(cursor) == by_region
        with (
            connection.cursor() as cursor,
            pytest.raises(psycopg2.errors.InsufficientPrivilege, match="individual rows"),
        ):
            cursor.execute(REFUSED)
    finally:
        connection.close()


# asyncpg


def with_asyncpg(
    running: RunningService, work: Callable[[asyncpg.Connection], Awaitable[None]]
) -> None:
    address = get_address(running)
    address["database"] = address.pop("dbname")

    async def run() -> None:
        connection = await asyncpg.connect(**address)
        try:
            await work(connection)
        finally:
            await connection.close()

    asyncio.run(run())


@shows("asyncpg", "asks", "binds", "notes")
def test_asyncpg_asks(running: RunningService, by_region: Rows, older: int) -> None:
    async def work(connection: asyncpg.Connection) -> None:
        notes: list[str] = []
        connection.add_log_listener(lambda _, note: notes.append(note.message))
        assert [tuple(row) for row in await connection.fetch(BY_REGION)] == by_region
        assert any(NOTE in note for note in notes)
        question = OLDER_THAN.format("$1", "$2")
        assert await connection.fetchval(question, 30, "north") == older
        listed = "SELECT COUNT(*) AS n FROM visits WHERE age > $1 AND region = ANY($2)"
        assert await connection.fetchval(listed, 30, ["north"]) == older
        # It has prepared this question, and does so again when it gets more columns.
        await connection.execute("SET hedgerow.intervals = on")
        assert len((await connection.fetch(BY_REGION))[0]) == 7
        await connection.reset()

    with_asyncpg(running, work)


@shows("asyncpg", "in parts", "copies", "errors")
def test_asyncpg_reads_in_parts_copies_and_is_refused(
    running: RunningService, by_region: Rows, older: int
) -> None:
    async def work(connection: asyncpg.Connection) -> None:
        async with connection.transaction(readonly=True):
            found = [tuple(row) async for row in connection.cursor(BY_REGION, prefetch=1)]
        assert found == by_region
        file = io.BytesIO()
        await connection.copy_from_query(BY_REGION, output=file, format="csv")
        assert file.getvalue().decode().splitlines() == list_lines(by_region)
        file = io.BytesIO()
        question = OLDER_THAN.format("$1", "$2")
        await connection.copy_from_query(question, 30, "north", output=file)
        assert file.getvalue() == f"{older}\n".encode()
        with pytest.raises(asyncpg.InsufficientPrivilegeError) as caught:
            await connection.fetch(REFUSED)
        assert caught.value.hint == "Use aggregates, such as COUNT(*) or AVG(x)."

    with_asyncpg(running, work)


# pg8000


@shows("pg8000", "asks", "binds", "notes", "copies", "errors")
def test_pg8000_does_all_of_it(running: RunningService, by_region: Rows, older: int) -> None:
    address = get_address(running)
    address["database"] = address.pop("dbname")
    native = pg8000.native.Connection(**address)
    assert [tuple(row) for row in native.run(BY_REGION)] == by_region
    assert any(NOTE in note[b"M"].decode() for note in native.notices)
    question = OLDER_THAN.format(":age", ":region")
    assert native.run(question, age=30, region="north") == [[older]]
    prepared = native.prepare(question)
    assert prepared.run(age=30, region="north") == [[older]]
    prepared.close()
    file = io.BytesIO()
    native.run(f"COPY ({BY_REGION}) TO STDOUT (FORMAT csv)", stream=file)
    assert file.getvalue().decode().splitlines() == list_lines(by_region)
    with pytest.raises(pg8000.native.DatabaseError) as caught:
        native.run(REFUSED)
    assert caught.value.args[0]["C"] == "42501"
    native.close()
    connection = pg8000.dbapi.connect(**address)
    cursor = connection.cursor()
    cursor.execute(OLDER_THAN.format("%s", "%s"), (30, "north"))
    assert list(map(tuple, cursor.fetchall())) == [(older,)]
    connection.close()
