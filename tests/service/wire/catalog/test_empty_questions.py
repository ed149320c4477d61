from __future__ import annotations

import pytest
from sqlglot import exp, parse_one

from hedgerow.service.wire.catalog.empty_questions import has_no_rows


def read(sql: str) -> exp.Query:
    tree = parse_one(sql, dialect="postgres")
    assert isinstance(tree, exp.Query)
    return tree


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT true FROM visits WHERE 1 <> 1 LIMIT 0",
        "SELECT * FROM visits LIMIT 0",
        "SELECT * FROM visits WHERE 1 = 0",
        "SELECT * FROM visits WHERE FALSE AND age > 3",
        "SELECT COUNT(*) FROM visits LIMIT 0",
        "SELECT age FROM visits UNION SELECT 1 LIMIT 0",
    ],
)
def test_some_questions_have_no_rows_whatever_the_data(sql: str) -> None:
    assert has_no_rows(read(sql))


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT * FROM visits LIMIT 10",
        "SELECT * FROM visits WHERE 1 = 1",
        "SELECT * FROM visits WHERE age = 0",
        "SELECT * FROM visits WHERE 1 = 0 OR age > 3",
        "SELECT COUNT(*) FROM visits WHERE 1 = 0",
        "SELECT (SELECT COUNT(*) FROM visits) WHERE 1 = 0",
        "SELECT * FROM (SELECT * FROM visits LIMIT 0) v, visits",
        "SELECT age FROM visits WHERE 1 = 0 UNION SELECT 1",
        "SELECT * FROM visits WHERE '1' = '0'",
    ],
)
def test_all_others_may_have_some(sql: str) -> None:
    assert not has_no_rows(read(sql))
