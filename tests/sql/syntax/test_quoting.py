"""Names in messages can be copied into a question."""

from __future__ import annotations

import pytest
from sqlglot import exp, parse_one

from hedgerow.sql.syntax.quoting import quote_name


@pytest.mark.parametrize(
    ("name", "written"),
    [
        ("age", "age"),
        ("Région", "Région"),
        ("Total Cost", '"Total Cost"'),
        ("2024", '"2024"'),
        ("group", '"group"'),
        ('a"b', '"a""b"'),
        ("", '""'),
    ],
)
def test_a_name_is_quoted_where_it_has_to_be(name: str, written: str) -> None:
    assert quote_name(name) == written


@pytest.mark.parametrize("name", ["age", "Total Cost", "group", 'a"b', "end", "x-y"])
def test_a_quoted_name_parses_to_the_same_name(name: str) -> None:
    found = parse_one(f"SELECT {quote_name(name)} FROM t", dialect="duckdb").find(exp.Column)
    assert found is not None
    assert found.name == name
