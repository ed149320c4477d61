"""Clauses that are refused: the pairs in clauses__refused.sql."""

from __future__ import annotations

import pytest

from hedgerow.errors import Unsupported
from sql.fixtures import ask, check_refused, pairs


@pytest.mark.parametrize(("sql", "told"), pairs("clauses__refused"))
def test_what_is_refused(sql: str, told: str) -> None:
    check_refused(sql, told)


@pytest.mark.parametrize(
    ("sql", "told"),
    [
        (
            "SELECT * FROM information_schema.tables",
            "SELECT * FROM hedgerow.columns lists tables and columns for free.",
        ),
        (
            "SELECT DISTINCT region, COUNT(*) FROM visits GROUP BY region",
            "leave DISTINCT out: each group is returned once.",
        ),
    ],
)
def test_habits_are_told_what_stands_for_them(sql: str, told: str) -> None:
    with pytest.raises(Unsupported) as caught:
        ask(sql)
    assert str(caught.value).endswith(told)
