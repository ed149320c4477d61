from __future__ import annotations

import pytest

from hedgerow.errors import InvalidArgument
from hedgerow.service.statement_limits import check_statement


@pytest.mark.parametrize(
    ("sql", "message"),
    [
        ("", "SELECT statement"),
        ("  \n", "SELECT statement"),
        (7, "SELECT statement"),
        ("x" * 65_537, "65,536 bytes"),
        ("ä" * 32_769, "65,536 bytes"),
        ("\udfff" * 30_000, "65,536 bytes"),
        ("SELECT " + "1," * 2_500, "5,000 words"),
        ("SELECT " + "(" * 41, "40 brackets"),
        ("SELECT " + "'a''(' || (" * 41, "40 brackets"),
        ("SELECT " + "[{" * 21, "40 brackets"),
        ("/* " + "*" * 100 + "*/" + "(" * 41, "40 brackets"),
    ],
)
def test_statements_beyond_a_limit_are_refused(sql: str, message: str) -> None:
    with pytest.raises(InvalidArgument, match=message):
        check_statement(sql)


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT COUNT(*) FROM visits",
        "SELECT " + "(" * 40 + "1" + ")" * 40,
        "SELECT " + "f(1), " * 800,
        "SELECT '" + "(" * 1000 + "'",
        'SELECT "' + "(" * 1000 + '""" FROM t',
        "SELECT 1 -- " + "(" * 1000 + "\n",
        "SELECT 1 /* " + "(" * 1000 + " */",
        "SELECT '" + "a" * 60_000,  # never closed: for the parser to refuse
        "/*" + "*" * 60_000,
    ],
)
def test_everything_else_is_left_to_the_parser(sql: str) -> None:
    check_statement(sql)
    with pytest.raises(InvalidArgument, match="40 brackets"):  # it was read to its end
        check_statement("(" * 41 + sql)
