from __future__ import annotations

import pytest
from sqlglot import parse_one

from hedgerow.service.wire.catalog.output_names import name_output


# Checked against PostgreSQL 15.
@pytest.mark.parametrize(
    ("sql", "name"),
    [
        ("1", "?column?"),
        ("'a'", "?column?"),
        ("1 + 1", "?column?"),
        ("true", "bool"),
        ("a.B", "b"),
        ('a."B"', "B"),
        ("1::int4", "int4"),
        ("1::bigint", "int8"),
        ("x::text", "x"),
        ("'x'::regclass::oid", "oid"),
        ("version()", "version"),
        ("pg_catalog.format_type(a, b)", "format_type"),
        ("count(*)", "count"),
        ("ARRAY[1]", "array"),
        ("ARRAY(SELECT 1)", "array"),
        ("EXISTS(SELECT 1)", "exists"),
        ("(SELECT max(x) FROM t)", "max"),
        ("CASE WHEN a THEN 1 ELSE b END", "b"),
        ("CASE WHEN a THEN 1 END", "case"),
        ("CASE WHEN a THEN b ELSE 'x'::text END", "case"),
        ("coalesce(a, b)", "coalesce"),
        ("(a).b", "b"),
        ("a[1]", "a"),
        ("a ~ 'x'", "?column?"),
    ],
)
def test_an_output_without_an_alias_is_named_as_in_postgresql(sql: str, name: str) -> None:
    assert name_output(parse_one(f"SELECT {sql}", dialect="postgres").selects[0]) == name
