"""SELECT TOP n: it means LIMIT n wherever it stands, or is refused."""

from __future__ import annotations

import pytest

from hedgerow.errors import Unsupported
from hedgerow.sql.syntax.privacy_clause import tokenise_query
from sql.helpers_fixtures import ask


@pytest.mark.parametrize("top", ["TOP 5", "top (5)"])
def test_top_means_limit(top: str) -> None:
    found = ask(f"SELECT {top} region, COUNT(*) AS n FROM visits GROUP BY region ORDER BY n DESC")
    assert found == ask(
        "SELECT region, COUNT(*) AS n FROM visits GROUP BY region ORDER BY n DESC LIMIT 5"
    )


def test_top_of_a_subquery_stays_inside() -> None:
    written = "SELECT DISTINCT TOP 9 n FROM (SELECT TOP 2 a AS n FROM t ORDER BY a) AS s;"
    moved = " ".join(token.text for token in tokenise_query(written).body)
    assert (
        moved == "SELECT DISTINCT n FROM ( SELECT a AS n FROM t ORDER BY a LIMIT 2 ) AS s LIMIT 9 ;"
    )


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT TOP 5 PERCENT region, COUNT(*) FROM visits GROUP BY region",
        "SELECT TOP 5 region, COUNT(*) FROM visits GROUP BY region LIMIT 3",
        "SELECT TOP 5 region, COUNT(*) FROM visits GROUP BY region UNION SELECT 'a', 1",
        "SELECT TOP x region, COUNT(*) FROM visits GROUP BY region",
        "SELECT TOP",
    ],
)
def test_other_forms_of_top_are_refused(sql: str) -> None:
    with pytest.raises(Unsupported):
        ask(sql)


def test_a_column_may_be_named_top() -> None:
    with pytest.raises(Unsupported, match="visits has no column top"):
        ask("SELECT top, COUNT(*) FROM visits GROUP BY top")
