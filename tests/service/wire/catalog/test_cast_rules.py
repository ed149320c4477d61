from __future__ import annotations

from datetime import date
from typing import Any

import pytest
from sqlglot import parse_one

from hedgerow.service.wire.catalog.cast_rules import read_type_name
from hedgerow.service.wire.catalog.expression_writer import UnsupportedCatalogSyntax
from hedgerow.service.wire.command_failure import CommandFailed
from service.wire.catalog.helpers_catalog import ask


# Checked against PostgreSQL 15, but for the numbers of tables.
@pytest.mark.parametrize(
    ("sql", "value"),
    [
        ("'visits'::regclass::oid", 16384),
        ("'public.visits'::regclass::oid", 16384),
        ('\'"public"."Odd name"\'::regclass::oid', 16385),
        ("'pg_catalog.pg_class'::pg_catalog.regclass::oid", 1259),
        ("'16384'::regclass::text", "visits"),
        ("1259::regclass::text", "pg_class"),
        ("'hedgerow.budget'::regclass::text", "hedgerow.budget"),
        ("('public' || '.visits')::regclass::oid", 16384),
        ("20::regtype::text", "bigint"),
        ("'bigint'::regtype::oid", 20),
        ("2200::regnamespace::text", "public"),
        ("'{1,2}'::int[]", [1, 2]),
        ("ARRAY[]::text[]", []),
        ("'a'::\"char\"", "a"),
        ("'5'::int8", 5),
        ("1::boolean", True),
        ("'2026-01-02'::date", date(2026, 1, 2)),
        ("'2026-01-02 +00'::date", date(2026, 1, 2)),
        ("'visits'::regclass::regclass = 16384", True),
        ("30::numeric::text", "30"),
        ("0.50::numeric::text", "0.5"),
        ("cast('x' as varchar(10))", "x"),
    ],
)
def test_casts_mean_what_they_mean_in_postgresql(sql: str, value: Any) -> None:
    assert ask(f"SELECT {sql}") == [value]


def test_a_relation_that_is_not_there_has_no_number() -> None:
    with pytest.raises(CommandFailed, match='relation "nothing" does not exist') as caught:
        ask("SELECT 'nothing'::regclass")
    assert caught.value.sqlstate == "42P01"
    with pytest.raises(CommandFailed):
        ask("SELECT 'foo'::regproc::oid")


@pytest.mark.parametrize("sql", ["x::point", "x::public.thing", "TRY_CAST(x AS INT)"])
def test_other_types_are_refused(sql: str) -> None:
    with pytest.raises(UnsupportedCatalogSyntax):
        ask(f"SELECT {sql} FROM (SELECT 1 AS x) t")


def test_types_are_named_as_postgresql_does() -> None:
    cast = parse_one("x::pg_catalog.text[]", dialect="postgres")
    assert read_type_name(cast.args["to"]) == "text[]"
