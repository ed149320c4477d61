"""Each construct on a real server, where it is easily wrong."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import psycopg
import pytest
from sqlglot import exp

from engines.postgresql.helpers_expressions import compute, given_values, x
from engines.postgresql.helpers_server import get_server
from hedgerow.engines.compile.sql_builders import (
    binary,
    call_function,
    cast,
    real_literal,
    text_literal,
)
from hedgerow.engines.compile.sql_writer import render_sql
from hedgerow.engines.postgresql.dialect import POSTGRESQL
from hedgerow.errors import InvalidArgument, Unsupported


@pytest.fixture(scope="module")
def server() -> Iterator[psycopg.Connection[Any]]:
    with get_server().connect() as connection:
        yield connection


@pytest.mark.parametrize("word", ["ÄÖß", "İstanbul", "ŉ", "ᾳ", "plain", "😀é", ""])
def test_case_is_mapped_by_code_point(server: psycopg.Connection[Any], word: str) -> None:
    from hedgerow.plan.scalar.strings import STRING_FUNCTIONS

    for function in ("lower", "upper"):
        found = compute(server, call_function(function, x()), text_literal(word))
        assert found == STRING_FUNCTIONS[function][2](word)


def test_text_compares_by_code_point(server: psycopg.Connection[Any]) -> None:
    for a, b in (("Zoo", "zoo"), ("é", "f"), ("a b", "ab"), ("😀", "\ufffe")):
        tree = binary(x(), exp.LT, x(1))
        assert compute(server, tree, text_literal(a), text_literal(b)) == (a < b)


def test_like_knows_no_escape(server: psycopg.Connection[Any]) -> None:
    tree = exp.Like(this=x(), expression=text_literal("\\%"))
    assert compute(server, tree, text_literal("\\abc"))
    assert not compute(server, tree.copy(), text_literal("%"))


def test_longer_text_is_cut_before_it_is_joined(server: psycopg.Connection[Any]) -> None:
    long = call_function(
        "rpad", text_literal("a"), cast(exp.Literal.number(20_000_000), "INT"), text_literal("b")
    )
    joined = POSTGRESQL.concatenate(x(), x())
    assert compute(server, call_function("length", joined), long) == 20_000_000


@pytest.mark.parametrize("function", ["regexp_matches", "regexp_replace"])
def test_regular_expressions_are_refused(function: str) -> None:
    with pytest.raises(Unsupported, match=r"needs regular expressions, .* Use LIKE"):
        render_sql(given_values(call_function(function, x(), text_literal("a"))), POSTGRESQL)


def test_text_with_nul_is_refused() -> None:
    with pytest.raises(Unsupported, match="contains a NUL"):
        render_sql(given_values(text_literal("a\x00")), POSTGRESQL)


def test_casts_that_try_are_refused() -> None:
    with pytest.raises(InvalidArgument, match="TRY_CAST"):
        render_sql(given_values(cast(x(), "BIGINT", total=True)), POSTGRESQL)


def test_functions_read_no_file_and_no_setting() -> None:
    assert all(name.isidentifier() and name.islower() for name in POSTGRESQL.functions)
    assert not {"pg_read_file", "current_setting", "set_config", "query_to_xml", "pg_sleep",
                "lo_import", "dblink", "nextval"} & POSTGRESQL.functions  # fmt: skip
    with pytest.raises(InvalidArgument, match="unquoted text"):
        render_sql(given_values(call_function("pg_sleep", real_literal(1.0))), POSTGRESQL)
