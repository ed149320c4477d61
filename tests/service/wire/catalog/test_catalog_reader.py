"""The catalogue as a session sees it."""

from __future__ import annotations

from pathlib import Path

import psycopg
import pytest
from pygwire import messages as pg

from hedgerow.service.wire.catalog.catalog_reader import CatalogReader
from hedgerow.service.wire.command_failure import CommandFailed
from hedgerow.service.wire.session_settings import SessionSettings
from service.clients.helpers_clients import free_of_charge, get_address
from service.helpers_service import RunningService
from service.wire.helpers_traces import TRACES, read_trace
from service.wire.helpers_wire_fuzz import FuzzedSession


def read(running: RunningService, who: str = "ana") -> CatalogReader:
    caller = running.service.find_caller(running.tokens[who])
    return CatalogReader(running.service, caller, SessionSettings())


@pytest.mark.parametrize(
    ("sql", "names", "row"),
    [
        ("SELECT 1", ["?column?"], (1,)),
        ("select 'a' as x, true, null", ["x", "bool", "?column?"], ("a", True, None)),
        ("SELECT pg_catalog.current_schema()", ["current_schema"], ("public",)),
        ("SELECT 1 AS select", ["select"], (1,)),
        ("SELECT * FROM (SELECT 2 AS x) t", ["x"], (2,)),
    ],
)
def test_a_question_about_the_server_is_answered(
    running: RunningService, sql: str, names: list[str], row: tuple[object, ...]
) -> None:
    result = read(running).answer(sql)
    assert result is not None
    assert [column.name for column in result.columns] == names
    assert list(map(tuple, result.rows)) == [row]


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT COUNT(*) FROM visits",
        "SELECT * FROM visits LIMIT 10000",
        "SELECT COUNT(*) FROM visits WHERE 1 = 0",
        "SELECT * FROM hedgerow.budget",
        "SELECT 'x",
        "INSERT INTO pg_class VALUES (1)",
        "SELECT 1; SELECT 2",
        "SELECT " + "1," * 40_000 + "1",
    ],
)
def test_any_other_question_is_left_to_the_database(running: RunningService, sql: str) -> None:
    assert read(running).answer(sql) is None


@pytest.mark.parametrize(
    "sql",
    ["SELECT true FROM visits WHERE 1 <> 1 LIMIT 0", 'SELECT * FROM "public"."visits" LIMIT 0'],
)
def test_a_question_without_rows_is_free(running: RunningService, sql: str) -> None:
    result = read(running).answer(sql)
    assert result is not None
    assert (list(result.rows), len(result.columns)) == ([], 3 if "*" in sql else 1)


def test_tables_without_a_grant_do_not_exist(running: RunningService) -> None:
    listed = "SELECT relname FROM pg_class WHERE relnamespace = 2200 ORDER BY 1"
    for who, names in (("ana", ["shifts", "visits"]), ("ben", ["visits"])):
        result = read(running, who).answer(listed)
        assert result is not None
        assert [row[0] for row in result.rows] == names
    with pytest.raises(CommandFailed, match='"shifts" does not exist'):
        read(running, "ben").answer("SELECT 'shifts'::regclass")
    assert read(running, "ben").answer("SELECT * FROM shifts LIMIT 0") is None


def test_catalogue_and_tables_are_not_mixed(running: RunningService) -> None:
    with pytest.raises(CommandFailed) as caught:
        read(running).answer("SELECT count(*) FROM visits, pg_class")
    assert caught.value.sqlstate == "0A000"


def test_syntax_without_a_rule_has_no_rows_and_says_so(running: RunningService) -> None:
    result = read(running).answer("SELECT oid, relname AS name FROM pg_class FOR UPDATE")
    assert result is not None
    assert [column.name for column in result.columns] == ["oid", "name"]
    assert list(result.rows) == []
    assert "not supported" in result.notes[0]


def test_a_misplaced_sign_as_an_alias_does_no_harm(running: RunningService) -> None:
    result = read(running).answer("SELECT 1 AS ?, 2 AS b")
    assert result is not None
    assert [column.name for column in result.columns] == ["?column?", "b"]


def test_a_mistake_is_an_error(running: RunningService) -> None:
    with pytest.raises(CommandFailed) as caught:
        read(running).answer("SELECT nothing FROM pg_class")
    assert caught.value.sqlstate == "42703"


def test_describing_changes_no_setting(running: RunningService) -> None:
    caller = running.service.find_caller(running.tokens["ana"])
    settings = SessionSettings()
    reader = CatalogReader(running.service, caller, settings)
    sql = "SELECT set_config('search_path', 'a', false)"
    reader.answer(sql, runs=False)
    assert settings.read("search_path") == "public"
    reader.answer(sql)
    assert settings.read("search_path") == "a"


def test_a_deep_statement_is_refused(running: RunningService) -> None:
    deep = "SELECT " + "(" * 300 + "1" + ")" * 300 + " FROM pg_class LIMIT 1"
    assert read(running).answer(deep) is None


@pytest.mark.parametrize("path", TRACES, ids=lambda path: path.stem)
def test_the_first_sync_of_a_tool_meets_no_error_and_is_free(
    running: RunningService, path: Path
) -> None:
    notes: list[str | None] = []
    with (
        free_of_charge(running),
        psycopg.connect(**get_address(running), autocommit=True) as connection,
    ):
        connection.add_notice_handler(lambda note: notes.append(note.message_primary))
        for statement in read_trace(path):
            connection.execute(statement.plain.encode())
    assert notes == []


@pytest.mark.parametrize("path", TRACES, ids=lambda path: path.stem)
def test_drivers_that_prepare_meet_no_error_either(running: RunningService, path: Path) -> None:
    session = FuzzedSession(running, "ana", running.tokens["ana"])
    with free_of_charge(running):
        for number, statement in enumerate(read_trace(path)):
            is_pgx = path.stem == "grafana"
            sent = statement.write_as_pgx(number) if is_pgx else statement.write_as_jdbc()
            session.send(b"".join(one.to_wire() for one in (*sent, pg.Sync())))
            found = session.read_until(pg.ReadyForQuery)
            wrong = [one for one in found if isinstance(one, pg.ErrorResponse | pg.NoticeResponse)]
            assert wrong == [], statement.sql
            described = [one for one in found if isinstance(one, pg.RowDescription)]
            rows = [one for one in found if isinstance(one, pg.DataRow)]
            assert all(len(one.columns) == len(described[-1].fields) for one in rows)
    session.close()


@pytest.mark.parametrize(
    "sql",
    [
        # Metabase looks at rows to guess what a column means, DBeaver and Superset show them.
        'SELECT "public"."visits"."age" AS "age" FROM "public"."visits" LIMIT 10000',
        "SELECT x.* FROM public.visits x",
        "SELECT * FROM public.visits LIMIT 1001 OFFSET 0",
    ],
)
def test_a_look_at_rows_is_refused_and_free(running: RunningService, sql: str) -> None:
    with (
        free_of_charge(running),
        psycopg.connect(**get_address(running)) as connection,
        pytest.raises(psycopg.errors.InsufficientPrivilege),
    ):
        connection.execute(sql.encode())


def test_the_traces_are_there() -> None:
    assert [path.stem for path in TRACES] == ["dbeaver", "grafana", "metabase", "superset"]
    bound = {path.stem: sum(len(one.values) for one in read_trace(path)) for path in TRACES}
    assert bound["dbeaver"] > 10
    assert bound["metabase"] > 2
