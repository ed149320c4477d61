"""Fragments are written from listed words, numbers and quoted text only."""

from __future__ import annotations

import re

import duckdb
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hedgerow.errors import InvalidArgument
from hedgerow.sql.public_tables.phrases import (
    WORDS,
    NameTable,
    NumberedName,
    NumberedTable,
    NumberLiteral,
    TextLiteral,
    escape_text,
    write_fragment,
)
from sql.helpers_hostile_pieces import PIECES

ENGINE = duckdb.connect(config={"threads": "1"})
CHARACTERS = st.characters(exclude_categories=("Cs",), exclude_characters="\0")
HOSTILE = st.lists(
    st.sampled_from([piece for piece in PIECES if piece not in ("\0", "\ud800")]), max_size=8
)


def test_every_kind_of_leaf_has_its_own_spelling() -> None:
    names = NameTable()
    phrase = (
        "SELECT",
        names.number_name("a"),
        ",",
        TextLiteral("it's"),
        ",",
        (NumberLiteral(15, 1), "+", NumberLiteral(7)),
        "FROM",
        NumberedTable(0),
    )
    assert (
        write_fragment(phrase, names) == """SELECT "name 0" , 'it''s' , 1.5 + 7 FROM "public 0\""""
    )


@pytest.mark.parametrize(
    "word", ["year FROM day)", "COPY", ";", "select", "--", "", " ", "name", "'", '"', "SELECT 1"]
)
def test_a_word_that_is_not_listed_is_not_written(word: str) -> None:
    with pytest.raises(InvalidArgument, match="must be one of WORDS"):
        write_fragment(("SELECT", word), NameTable())


def test_the_list_has_words_and_signs_of_expressions_alone() -> None:
    signs = {word for word in WORDS if not re.fullmatch(r"[A-Za-z_]+(?: [A-Z]+){0,3}", word)}
    assert signs == {
        "(",
        ")",
        ",",
        ".",
        "*",
        "+",
        "-",
        "/",
        "//",
        "%",
        "||",
        "=",
        "<>",
        "<",
        "<=",
        ">",
        ">=",
    }
    changes = {
        "COPY",
        "INSERT",
        "UPDATE",
        "DELETE",
        "CREATE",
        "DROP",
        "ALTER",
        "ATTACH",
        "SET",
        "PRAGMA",
        "CALL",
        "LOAD",
        "INSTALL",
    }
    assert not changes & {part.upper() for word in WORDS for part in word.split()}
    reading = {
        "read_csv",
        "read_parquet",
        "read_text",
        "glob",
        "getenv",
        "query",
        "query_table",
        "current_setting",
    }
    assert not reading & {word.lower() for word in WORDS}


@pytest.mark.parametrize(
    ("number", "written"),
    [
        (NumberLiteral(0), "0"),
        (NumberLiteral(12), "12"),
        (NumberLiteral(5, 0), "5."),
        (NumberLiteral(5, 1), "0.5"),
        (NumberLiteral(5, 3), "0.005"),
        (NumberLiteral(150, 2), "1.50"),
        (NumberLiteral(1, None, 5), "1e5"),
        (NumberLiteral(15, 1, -3), "1.5e-3"),
        (NumberLiteral(10**37), "1" + "0" * 37),
    ],
)
def test_number_literals_are_written_exactly(number: NumberLiteral, written: str) -> None:
    assert write_fragment(number, NameTable()) == written
    assert float(ENGINE.execute(f"SELECT {written}").fetchall()[0][0]) == pytest.approx(
        float(written)
    )


@given(st.one_of(st.text(CHARACTERS, max_size=30), HOSTILE.map("".join)))
def test_text_arrives_as_it_was(value: str) -> None:
    """Text is one literal, whatever is in it and beside it."""
    assert ENGINE.execute(
        f"SELECT {escape_text(value)} , {escape_text(value)} || {escape_text('x')}"
    ).fetchall() == [(value, value + "x")]
    assert re.fullmatch("'(?:[^']|'')*'", escape_text(value), re.DOTALL)


@pytest.mark.parametrize("value", ["a\0b", "\ud800"])
def test_invalid_unicode_is_not_written(value: str) -> None:
    with pytest.raises(InvalidArgument, match="must be Unicode"):
        escape_text(value)


def test_names_go_by_numbers_and_come_back() -> None:
    names = NameTable("mark")
    a, table, weird = (
        names.number_name("Region"),
        names.number_name("region", table=True),
        names.number_name('we"ird'),
    )
    assert (a, table, weird) == (NumberedName(0), NumberedName(1), NumberedName(2))
    assert names.number_name("REGION") == a
    assert (
        names.restore_names('sum("mark 0") of mark 2 in "mark 2", not mark 9 nor bookmark 1')
        == 'sum(Region) of we"ird in "we""ird", not mark 9 nor bookmark 1'
    )
    names.set_spelling("REGION")
    assert names.restore_names("mark 0") == "REGION"


def test_no_output_hides_another() -> None:
    names = NameTable()
    for name in ("a", "a_1"):
        names.number_name(name)
    assert names.list_outputs(["name 0", "name 0_1", "name 1", "count(*)"]) == [
        "a",
        "a_1",
        "a_1_1",
        "count(*)",
    ]
