"""Limits before parsing, and underlined spans."""

from __future__ import annotations

from typing import Any, cast

import pytest
import sqlglot
from hypothesis import given, settings
from hypothesis import strategies as st
from sqlglot import exp

from hedgerow.errors import InvalidArgument, Refused, Unbounded, Unsupported
from hedgerow.sql.syntax.source_text import MAX_DEPTH, MAX_TOKENS, tokenise
from sql.helpers_fixtures import ask


def lines(sql: str) -> list[str]:
    with pytest.raises(Refused) as caught:
        ask(sql)
    return str(caught.value).split("\n")


def marked(sql: str) -> str:
    """Return the text above the carets."""
    _, line, marks, _ = lines(sql)
    return "".join(c for c, mark in zip(line, marks, strict=False) if mark == "^")


def test_a_refusal_has_problem_underline_and_fix() -> None:
    assert lines("SELECT AVG(age) OVER (PARTITION BY region) FROM visits") == [
        "Window functions compare rows of different units",
        "    SELECT AVG(age) OVER (PARTITION BY region) FROM visits",
        "           ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^",
        (
            "Use GROUP BY instead. For ranks, use ORDER BY on the answer. For the first or last"
            " value of each unit, use MIN(x) or MAX(x) in a subquery with GROUP BY on the privacy"
            " id. For the largest values, ask for QUANTILE(x, 0.9) first and filter by the result:"
            " WHERE x >= 100. For shares of a total, ask for the counts and divide by their sum,"
            " which is free."
        ),
    ]


@pytest.mark.parametrize(
    ("sql", "piece"),
    [
        ("SELECT COUNT(*) OVER () FROM visits", "COUNT(*) OVER ()"),
        ("SELECT MAX((city)) FROM visits", "MAX((city))"),
        ("SELECT MAX(city, method => 'smooth') FROM visits", "MAX(city, method => 'smooth')"),
        ("SELECT SUM(CASE WHEN age THEN 1 END) FROM visits", "CASE WHEN age THEN 1 END"),
        ("SELECT SUM(CAST(city AS TIME)) FROM visits", "CAST(city AS TIME)"),
        ("SELECT COUNT(*) FROM visits WHERE city::time = '2026-01-01'", "city::time"),
        ("SELECT COUNT(*) FROM visits WHERE EXTRACT(era FROM day) = 1", "EXTRACT(era FROM day)"),
        ("SELECT COUNT(*) FROM visits WHERE day > CURRENT_DATE", "CURRENT_DATE"),
        ("SELECT COUNT(*) FROM visits WHERE (age, 1) = (2, 1)", "(age, 1)"),
        ("SELECT COUNT(*) FROM visits\nWHERE age > 3 AND agee < 5\nGROUP BY region", "agee"),
        (
            "SELECT COUNT(*) FROM visits FULL JOIN regions USING (region)",
            "JOIN regions USING (region)",
        ),
        ("SELECT COUNT(*) FROM visits, regions", "regions"),
        (
            "SELECT COUNT(*) FROM visits WHERE age > (SELECT age FROM visits)",
            "(SELECT age FROM visits)",
        ),
        ("SELECT COUNT(*) FROM visits WHERE frob() = 1", "frob()"),
        ("SELECT COUNT(*) FROM visits ORDER BY ALL", "ALL"),
        ("SELECT DISTINCT region FROM visits", "DISTINCT"),
        ("SELECT SUM(weight) FROM visits", "SUM(weight)"),
    ],
)
def test_the_offending_piece_is_underlined(sql: str, piece: str) -> None:
    assert marked(sql) == piece


def test_a_long_line_is_cut_around_the_piece() -> None:
    sql = (
        "SELECT COUNT(*) FROM visits WHERE "
        + "age > 3 AND " * 50
        + "agee < 5"
        + " AND age > 4" * 50
    )
    _, line, _, _ = lines(sql)
    assert len(line) < 120
    assert line.strip().startswith("…")
    assert line.endswith("…")
    assert marked(sql) == "agee"


def test_tabs_do_not_shift_the_carets() -> None:
    sql = "SELECT\tCOUNT(*)\tFROM visits\tWHERE agee < 5"
    assert marked(sql) == "agee"
    assert "\t" not in lines(sql)[1]


def test_undecodable_text_is_refused() -> None:
    with pytest.raises(InvalidArgument, match="sql must be text"):
        tokenise(cast(Any, 3))


@pytest.mark.parametrize(
    ("sql", "what"),
    [
        ("", "This statement is empty"),
        ("  \n -- only a comment", "This statement is empty"),
        ("SELECT '" + "x" * 65_536 + "'", "longer than 64 KiB"),
        ("é" * 33_000, "longer than 64 KiB"),
        ("SELECT\0 1", "NUL"),
        ("SELECT '\ud800'", "unpaired surrogate"),
        ("SELECT 'open", "not closed"),
        ("SELECT /* open", "not closed"),
        ('SELECT\n\n "open', "not closed"),
        ("SELECT " + "1, " * MAX_TOKENS, f"more than {MAX_TOKENS}"),
        ("SELECT " + "(" * (MAX_DEPTH + 1) + "1" + ")" * (MAX_DEPTH + 1), "nested more than 40"),
        (
            "SELECT " + "CASE WHEN " * (MAX_DEPTH + 1) + "1" + " THEN 1 END" * (MAX_DEPTH + 1),
            "nested more than 40",
        ),
    ],
)
def test_limits_come_before_the_parser(sql: str, what: str) -> None:
    with pytest.raises(Unsupported) as caught:
        tokenise(sql)
    first, line, marks, instead = str(caught.value).split("\n")
    assert what in first
    assert "^" in marks
    assert len(line) < 120
    assert instead


def test_forty_brackets_are_read() -> None:
    assert ask(
        "SELECT " + "(" * (MAX_DEPTH - 1) + "COUNT(*)" + ")" * (MAX_DEPTH - 1) + " FROM visits"
    ).outputs


def test_a_node_without_a_place_underlines_the_whole() -> None:
    text = tokenise("SELECT 1")
    assert text.find_span(exp.Star()) is None
    assert (
        str(text.refusal(Unbounded, "What", exp.Star(), "Do."))
        == "What\n    SELECT 1\n    ^^^^^^^^\nDo."
    )
    assert text.format_node(exp.Star()) == "*"


def test_a_piece_for_people_is_one_short_line() -> None:
    question = ask("SELECT SUM(age\n  +  1) FROM visits")
    assert question.aggregates[0].text == "SUM(age + 1)"
    question = ask("SELECT SUM(age" + " + 1" * 30 + ") FROM visits")
    assert len(question.aggregates[0].text) == 60


@pytest.mark.parametrize(
    ("key", "expected"),
    [
        ("FLOOR(age/10)*10", "FLOOR(age/10)*10"),
        ("CAST(age/10 AS INTEGER)*10", "CAST(age/10 AS INTEGER)*10"),
        ("EXTRACT(month FROM day)*2", "EXTRACT(month FROM day)*2"),
        ("FLOOR(ABS(age) / 10) + 1", "FLOOR(ABS(age) / 10) + 1"),
        ("day + INTERVAL 1 DAY", "day + INTERVAL '1' DAY"),
        ("region || 'AND' || city", "region || 'AND' || city"),
    ],
)
def test_the_text_of_a_key_is_complete(key: str, expected: str) -> None:
    assert ask(f"SELECT COUNT(*) FROM visits GROUP BY {key}").keys[0].text == expected


def test_text_that_parses_differently_is_regenerated_from_the_tree() -> None:
    with pytest.raises(Unsupported, match=r"GROUP BY FLOOR\(\(Cost \+ 1\) / 10\);"):
        ask("SELECT COUNT(*) FROM visits GROUP BY Cost + 1")


_NUMBERS = st.sampled_from(
    ["age", "EXTRACT(month FROM day)", "YEAR(day)", "LENGTH(region)", "7", "visits.age", '"age"']
)
_TEXTS = st.sampled_from(
    ["region", "city", "'a b'", "SUBSTRING(city, 1, 2)", "SUBSTRING(city FROM 1 FOR 2)"]
)
_DAYS = st.sampled_from(
    [
        "day",
        "month",
        "day + INTERVAL 1 DAY",
        "month - INTERVAL '2' WEEK",
        "DATE_TRUNC('month', day)",
        "day + 3",
    ]
)


def _larger(numbers: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    conditions = st.one_of(
        st.builds("{} > {}".format, numbers, numbers),
        st.builds("{} = {}".format, _TEXTS, _TEXTS),
        st.builds("{} BETWEEN {} AND {}".format, numbers, numbers, numbers),
        st.builds("NOT {} IN ({}, 3)".format, numbers, numbers),
        st.builds("EXTRACT(day FROM {}) = {}".format, _DAYS, numbers),
        st.just("smoker AND\tNOT smoker"),
    )
    return st.one_of(
        st.builds("{} + {}".format, numbers, numbers),
        st.builds("({}) * {}".format, numbers, numbers),
        st.builds("-{}".format, numbers),
        st.builds("FLOOR({} / 10)*10".format, numbers),
        st.builds("CAST({} AS INTEGER)".format, numbers),
        st.builds("({})::BIGINT % 3".format, numbers),
        st.builds("ABS({})\n + 1".format, numbers),
        st.builds("COALESCE({}, {})".format, numbers, numbers),
        st.builds("LEAST({}, {}, 9)".format, numbers, numbers),
        st.builds("CASE WHEN {} THEN {} ELSE {} END".format, conditions, numbers, numbers),
        st.builds("IF({}, {}, 0)".format, conditions, numbers),
    )


_EXPRESSIONS = st.one_of(
    st.recursive(_NUMBERS, _larger, max_leaves=6),
    _TEXTS,
    _DAYS,
    st.builds("{} || {}".format, _TEXTS, _TEXTS),
)


@settings(derandomize=True, max_examples=150, deadline=None)
@given(before=_EXPRESSIONS, key=_EXPRESSIONS, after=_EXPRESSIONS)
def test_a_formatted_node_parses_to_the_same_node(before: str, key: str, after: str) -> None:
    sql = f"SELECT {before}, {key}, {after} FROM visits"
    node = sqlglot.parse_one(sql, dialect="duckdb").expressions[1]
    text = tokenise(sql).format_node(node)
    assert len(text) <= 300
    assert (
        text.endswith("…")
        or sqlglot.parse_one(f"SELECT {text}", dialect="duckdb").expressions[0] == node
    )


@pytest.mark.parametrize(
    "cast",
    ["city::numeric", "CAST(city AS DECIMAL)", "CAST(city AS DECIMAL(5, 1))", "Cost::varchar"],
)
def test_a_type_that_the_parser_spells_out_is_underlined_as_it_was_written(cast: str) -> None:
    assert marked(f"SELECT COUNT(*) FROM visits WHERE {cast} > 1") == cast
