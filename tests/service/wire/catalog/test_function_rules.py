from __future__ import annotations

from typing import Any

import pytest

from hedgerow.service.wire.catalog.function_rules import list_macros
from hedgerow.service.wire.command_failure import CommandFailed
from service.wire.catalog.helpers_catalog import ask, open_database


# Checked against PostgreSQL 15, but for names and numbers of ours.
@pytest.mark.parametrize(
    ("sql", "value"),
    [
        ("current_database()", "clinic"),
        ("current_user", "ana"),
        ("user", "ana"),
        ("current_schema", "public"),
        ("pg_catalog.version()", "PostgreSQL 15.0 (Hedgerow)"),
        ("current_schemas(true)", ["pg_catalog", "public"]),
        ("(current_schemas(false))[1]", "public"),
        ("current_setting('server_version_num')::int", 150000),
        ("current_setting('nothing', true)", None),
        ("format_type(20, -1)", "bigint"),
        ("format_type(1009, NULL)", "text[]"),
        ("pg_get_userbyid(10)", "hedgerow"),
        ("pg_table_is_visible(16384)", True),
        ("pg_table_is_visible(16386)", False),
        ("obj_description(16384, 'pg_class')", "Protected by patient."),
        ("col_description(16384, 1)", "from 0 to 110"),
        ("col_description('visits'::regclass, 2)", None),
        ("pg_get_expr(NULL, 0)", None),
        ("has_table_privilege('visits', 'SELECT')", True),
        ("has_table_privilege('ana', 'visits', 'INSERT')", False),
        ("has_any_column_privilege(current_user, 'visits', 'select')", True),
        ("has_schema_privilege('public', 'USAGE')", True),
        ("has_schema_privilege('ana', 'public', 'CREATE')", False),
        ("has_database_privilege('clinic', 'CONNECT')", True),
        ("pg_has_role('ana', 'USAGE')", False),
        ("pg_relation_size(16384)", None),
        ("pg_size_pretty(pg_total_relation_size(16384))", None),
        ("pg_encoding_to_char(6)", "UTF8"),
        ("quote_ident('Odd name')", '"Odd name"'),
        ("quote_ident('visits')", "visits"),
        ("quote_literal('a''b')", "'a''b'"),
        ("format('%I.%s = %L %%', 'Odd name', 'x', 'y')", "\"Odd name\".x = 'y' %"),
        ("array_to_string(ARRAY['a', NULL, 'b'], ',')", "a,b"),
        ("array_to_string(ARRAY['a', NULL], ',', '?')", "a,?"),
        ("array_upper(ARRAY[5, 6], 1)", 2),
        ("array_upper(ARRAY[]::int[], 1)", None),
        ("array_length(string_to_array('a,b', ','), 1)", 2),
        ("array_position(ARRAY['a', 'b'], 'b')", 2),
        ("to_regclass('visits')", "visits"),
        ("to_regclass('nothing')", None),
        ("to_regtype('hstore')", None),
        ("coalesce(NULL, nullif(1, 1), 3)", 3),
        ("substring('abc' from '^a(.)')", "ab"),
        ("substring('abc', 2, 1)", "b"),
        ("trim(both '\"' from '\"a\"')", "a"),
        ("extract(year from '2026-01-02'::date)", 2026),
        ("(SELECT string_agg(x, ',' ORDER BY x DESC) FROM unnest(ARRAY['a','b']) x)", "b,a"),
        ("(SELECT array_agg(x ORDER BY x) FROM unnest(ARRAY[2, 1]) AS x)", [1, 2]),
        ("(SELECT count(*) FILTER (WHERE x > 1) FROM unnest(ARRAY[2, 1]) AS x)", 1),
        ("(SELECT count(DISTINCT x) FROM unnest(ARRAY[1, 1]) AS x)", 1),
        ("(SELECT row_number() OVER (PARTITION BY 1 ORDER BY 2))", 1),
        ("pg_sleep(1000)", None),
        ("pg_stat_get_numscans(1)", None),
        ("row_to_json(NULL)", None),
        ("pg_is_in_recovery()", False),
    ],
)
def test_functions_mean_what_they_mean_in_postgresql(sql: str, value: Any) -> None:
    assert ask(f"SELECT {sql}") == [value]


def test_settings_are_set_by_a_function_as_well() -> None:
    assert ask("SELECT set_config('search_path', '', false)") == [""]


@pytest.mark.parametrize("sql", ["read_csv('x')", "getenv('HOME')", "no_such_function()", "lo()"])
def test_a_function_that_is_not_listed_does_not_exist(sql: str) -> None:
    with pytest.raises(CommandFailed, match="does not exist") as caught:
        ask(f"SELECT {sql}")
    assert caught.value.sqlstate == "42883"


def test_an_unknown_setting_is_an_error() -> None:
    with pytest.raises(CommandFailed) as caught:
        ask("SELECT current_setting('nothing')")
    assert caught.value.sqlstate == "42704"


def test_all_macros_are_made() -> None:
    made = open_database().run(
        "SELECT DISTINCT function_name FROM duckdb_functions() WHERE schema_name = 'pg'"
    )
    assert {row[0] for row in made.rows} == list_macros()
