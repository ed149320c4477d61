"""What is quoted by hand arrives as it was, whatever stands in it."""

from __future__ import annotations

import re

import duckdb
from hypothesis import given
from hypothesis import strategies as st
from sqlglot import exp

from hedgerow.engines.compile.quoting import quote_name, quote_text
from hedgerow.engines.compile.sql_builders import column, is_one_of, select, text_literal
from hedgerow.engines.compile.sql_writer import render_sql
from hedgerow.engines.duckdb.dialect import DUCKDB
from sql.helpers_hostile_pieces import PIECES

ENGINE = duckdb.connect(config={"threads": "1"})
HOSTILE = st.lists(
    st.sampled_from([piece for piece in PIECES if piece not in ("\0", "\ud800")]), max_size=8
).map("".join)
TEXTS = st.one_of(
    st.text(st.characters(exclude_categories=("Cs",), exclude_characters="\0"), max_size=30),
    HOSTILE,
)


@given(TEXTS, TEXTS)
def test_names_and_text_arrive_as_they_were(value: str, name: str) -> None:
    name += "x"  # an empty name is none
    found = ENGINE.execute(f"SELECT {quote_text(value)} AS {quote_name(name)}")
    assert (found.description[0][0], found.fetchall()) == (name, [(value,)])
    assert re.fullmatch('"(?:[^"]|"")*"', quote_name(name), re.DOTALL)


@given(TEXTS, TEXTS)
def test_a_tree_is_written_with_them_as_they_were(value: str, name: str) -> None:
    """The other way to an engine, which the parser's writer goes: for names, text, lists and
    enumerations.
    """
    name += "x"
    inner = exp.Select(expressions=[exp.alias_(text_literal(value), name, quoted=True, copy=False)])
    words = sorted({value, name, "it's", 'a"b', *"cdefghi"})
    outputs = [
        (name, column(name)),
        ("is", is_one_of(column(name), words, "text")),
        ("of", DUCKDB.encode_text(column(name), words)),
    ]
    found = ENGINE.execute(render_sql(select(outputs, inner), DUCKDB))
    assert found.description[0][0] == name
    assert [tuple(map(str, row)) for row in found.fetchall()] == [(value, "True", value)]
