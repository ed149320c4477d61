"""Text between semicolons: quotes, comments, and what is not finished."""

from __future__ import annotations

import pytest

from hedgerow.cli.shell.statements import join_lines, split_statements


@pytest.mark.parametrize(
    ("text", "statements", "rest"),
    [
        ("SELECT 1; SELECT 2;\n", ["SELECT 1", "SELECT 2"], ""),
        ("SELECT 'a;b''c;' ; SELECT", ["SELECT 'a;b''c;'"], "SELECT"),
        ('SELECT "a;b";', ['SELECT "a;b"'], ""),
        ("SELECT 1 -- one; two\nFROM t;", ["SELECT 1  \nFROM t"], ""),
        ("SELECT 1 /* one; two */ FROM t;", ["SELECT 1   FROM t"], ""),
        ("SELECT 1 /* one;", [], "SELECT 1  /* one;"),
        ("SELECT 1 -- one;", [], "SELECT 1  -- one;"),
        ("SELECT 'a;", [], "SELECT 'a;"),
        (";; -- nothing\n;", [], ""),
        ("", [], ""),
    ],
)
def test_a_semicolon_ends_a_statement(text: str, statements: list[str], rest: str) -> None:
    assert split_statements(text) == (statements, rest)


def test_a_history_has_one_line_for_each_statement() -> None:
    assert join_lines("SELECT x,\n   'a  b'\nFROM t ") == "SELECT x, 'a  b' FROM t"
