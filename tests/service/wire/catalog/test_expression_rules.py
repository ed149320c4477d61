from __future__ import annotations

from typing import Any

import pytest

from hedgerow.service.wire.catalog.expression_rules import parse_array_text, unescape_string
from hedgerow.service.wire.catalog.expression_writer import UnsupportedCatalogSyntax
from service.wire.catalog.helpers_catalog import ask, translate


# Checked against PostgreSQL 15.
@pytest.mark.parametrize(
    ("sql", "value"),
    [
        ("1 + 2 * 3 - 4", 3),
        ("7 % 4", 3),
        ("'a' || 'b' || 'c'", "abc"),
        ("1 = 1 AND NOT 2 = 3 OR false", True),
        ("2 = ANY(ARRAY[1, 2])", True),
        ("2 <> ALL(ARRAY[1, 2])", False),
        ("'r' = ANY('{p,r}'::text[])", True),
        ("2 = ANY(SELECT 2)", True),
        ("'visits' LIKE ANY(ARRAY['v%', 'w%'])", True),
        ("'visits' ~ '^(visits)$'", True),
        ("'visits' !~ '^pg_'", True),
        ("'Visits' ~* '^v'", True),
        ("'visits' OPERATOR(pg_catalog.~) '^(visits)$' COLLATE pg_catalog.default", True),
        ("'visits' OPERATOR(pg_catalog.!~~) 'v%'", False),
        ("'a_b' LIKE 'a#_b' ESCAPE '#'", True),
        ("'a' NOT LIKE 'b'", True),
        ("NULL IS NOT NULL", False),
        ("1 IS DISTINCT FROM NULL", True),
        ("2 IN (1, 2)", True),
        ("2 IN (SELECT 2)", True),
        ("2 BETWEEN 1 AND 3", True),
        ("CASE 2 WHEN 1 THEN 'a' WHEN 2 THEN 'b' ELSE 'c' END", "b"),
        ("(ARRAY['a','b'])[2]", "b"),
        ("ARRAY(SELECT 1)", [1]),
        (r"E'a\nb'", "a\nb"),
        ("EXISTS(SELECT 1)", True),
        ("(SELECT 4)", 4),
        ("-1.5", -1.5),
        ("(1, 2) IN (SELECT 1, 2)", True),
    ],
)
def test_expressions_mean_what_they_mean_in_postgresql(sql: str, value: Any) -> None:
    assert [float(one) if isinstance(value, float) else one for one in ask(f"SELECT {sql}")] == [
        value
    ]


@pytest.mark.parametrize(
    "sql", ["a SIMILAR TO 'x'", "x OPERATOR(public.@@) y", "a[1:2]", "x IN UNNEST(y)"]
)
def test_other_syntax_is_refused(sql: str) -> None:
    with pytest.raises((UnsupportedCatalogSyntax, Exception), match=r"\w"):
        translate(f"SELECT {sql} FROM pg_class")


def test_functions_are_compared_by_number_and_stored_by_name() -> None:
    names = ask("SELECT typname FROM pg_type WHERE typreceive <> 0 AND typname = 'int8'")
    assert names == ["int8"]


def test_arrays_and_strings_are_read_as_postgresql_writes_them() -> None:
    assert parse_array_text('{a,"b c",NULL,"d\\"e"}') == ["a", "b c", None, 'd"e']
    assert parse_array_text("{}") == []
    assert parse_array_text("a") == ["a"]
    assert unescape_string(r"a\tb\\c") == "a\tb\\c"


@pytest.mark.parametrize("hostile", ["x'); DROP TABLE pg_class --", 'a"b', "a\\'b", "'"])
def test_text_of_a_client_stays_inside_its_quotes(hostile: str) -> None:
    literal = "'" + hostile.replace("'", "''") + "'"
    name = '"' + hostile.replace('"', '""') + '"'
    assert ask(f"SELECT {literal}") == [hostile]
    assert ask(f"SELECT {name} FROM (SELECT 1 AS {name}) AS {name}") == [1]
