"""Matches of regular expressions, by hand and beside the engine."""

from __future__ import annotations

from random import Random
from typing import Any

import duckdb
import pytest

from hedgerow.sql.syntax.pattern_matching import Pattern, parse_replacement
from hedgerow.sql.syntax.regular_expressions import PatternError, RegularExpression

A, B = ["set", 97, 97], ["set", 98, 98]
ANY = ["set", 0, 9, 11, 0x10FFFF]


def tree(*parts: Any) -> Pattern:
    return Pattern(["cat", *parts])


@pytest.mark.parametrize(
    ("written", "text", "found"),
    [
        (tree(A), "xaa", "a"),
        (tree(["rep", 0, None, False, A]), "xaa", ""),
        (tree(["rep", 1, None, False, A]), "xaab", "aa"),
        (tree(["rep", 1, None, True, A]), "xaab", "a"),
        (tree(["rep", 2, 3, False, A]), "aaaa", "aaa"),
        (tree(["rep", 2, 3, True, A]), "aaaa", "aa"),
        (tree(["rep", 2, 2, False, A]), "aaaa", "aa"),
        (tree(["or", A, ["cat", A, B]]), "ab", "a"),
        (tree(["or", ["cat", A, B], A]), "ab", "ab"),
        (tree(["^"], B), "ab", ""),
        (tree(B, ["$"]), "ab\n", ""),
        (tree(["rep", 0, None, False, ANY], ["$"]), "a\nbc", "bc"),
        (tree(), "", ""),
    ],
)
def test_the_first_match_by_the_order_of_choices(written: Pattern, text: str, found: str) -> None:
    assert written.extract(text, 0) == found
    assert written.matches(text) == (found != "" or written.matches(""))


def test_groups_and_replacements() -> None:
    written = tree(["group", 1, ["rep", 1, None, False, A]], ["group", 2, B])
    assert [written.extract("xaab", group) for group in (0, 1, 2)] == [
        "aab",
        "aa",
        "b",
    ]
    assert written.extract("x", 1) == ""
    parts = r"<\2\1>"
    assert written.substitute("aab ab", parts, every=False) == "<baa> ab"
    assert written.substitute("aab ab", parts, every=True) == "<baa> <ba>"
    assert written.substitute("x", parts, every=True) == "x"
    assert tree(["^"], A).substitute("aba", "", every=True) == "ba"


def test_time_grows_with_the_product_of_the_lengths() -> None:
    """Backtracking would take 2^60 steps."""
    choice = ["rep", 0, None, False, ["or", A, ["cat", A, A]]]
    assert not tree(["^"], choice, B).matches("a" * 60)


def test_replacements_are_texts_and_groups() -> None:
    assert parse_replacement("a\\1\\\\b\\0") == ["a", 1, "\\b", 0]
    assert parse_replacement("") == []
    for written in ("\\x", "a\\", "\\²"):
        with pytest.raises(ValueError, match=r"\\"):
            parse_replacement(written)


ATOMS = (
    "a",
    "b",
    "c",
    "0",
    "é",
    "😀",
    "/",
    ".",
    "^",
    "$",
    "\\d",
    "\\W",
    "\\.",
    "\\n",
    "[^/]",
    "[a-c]",
)
ATOMS += ("[^a]", "[\\d-]", "[\\s\\S]", "\\x00"[:0] or "-", "'", "%", '"', "~", "&", "#", " ")
REPEATS = ("*", "+", "?", "{2}", "{1,2}", "{0,2}", "*?", "+?", "??", "{2,}")
CHARACTERS = "aabbc/0.é\n😀 \x00-^$'\\"


def draw_pattern(random: Random, depth: int = 2) -> str:
    def atom() -> str:
        if depth and random.random() < 0.4:
            return random.choice(["(", "(?:"]) + draw_pattern(random, depth - 1) + ")"
        return random.choice(ATOMS)

    def sequence() -> str:
        return "".join(
            atom() + (random.choice(REPEATS) if random.random() < 0.4 else "")
            for _ in range(random.randrange(4))
        )

    return "|".join(sequence() for _ in range(random.choice([1, 1, 2, 3])))


def compare(random: Random, count: int) -> int:
    """Compare patterns drawn at random on texts drawn at random; return how many were read."""
    connection, read = duckdb.connect(), 0
    for _ in range(count):
        written = draw_pattern(random)
        try:
            pattern = RegularExpression(written, whole=random.random() < 0.1)
            groups = [random.randrange(pattern.groups + 1), 0]
            built, numbers = pattern.build(groups)
        except PatternError:
            continue
        texts = ["".join(random.choices(CHARACTERS, k=random.randrange(9))) for _ in range(20)]
        parts = f"<\\{numbers[0]}\\0\\\\>"
        every, sql = not pattern.may_be_empty(), str(built)
        found = connection.execute(
            "SELECT regexp_matches(t, ?), regexp_extract(t, ?, ?::INT), regexp_replace(t, ?, ?, ?)"
            " FROM (SELECT unnest(?) AS t)",
            [sql, sql, numbers[0], sql, parts, "g" * every, texts],
        ).fetchall()
        assert found == [
            (
                built.matches(text),
                built.extract(text, numbers[0]),
                built.substitute(text, parts, every),
            )
            for text in texts
        ], (written, sql)
        read += 1
    connection.close()
    return read


def test_the_engine_finds_what_the_plan_defines() -> None:
    assert compare(Random("patterns"), 400) > 150


def test_every_ascii_character_is_itself() -> None:
    connection = duckdb.connect()
    for code in (*range(1, 128), 0xE9, 0x1F600):
        for tree in ([["set", code, code]], [["set", code, code, 0x2000, 0x2000]]):
            text = str(Pattern(["cat", ["^"], *tree, ["$"]]))
            row = connection.execute("SELECT regexp_matches(?, ?)", [chr(code), text]).fetchone()
            other = connection.execute("SELECT regexp_matches('☃', ?)", [text]).fetchone()
            assert (row, other) == ((True,), (False,)), code
    connection.close()
