"""Window functions and EXISTS over public tables, as they are written for the engine."""

from __future__ import annotations

import pytest

from hedgerow.errors import Unsupported
from sql.public_tables.helpers_regions import shown


@pytest.mark.parametrize(
    ("sql", "written"),
    [
        (
            "SELECT RANK() OVER (ORDER BY people DESC) FROM regions",
            "SELECT rank ( ) OVER ( ORDER BY people DESC ) FROM regions AS regions",
        ),
        (
            "SELECT SUM(people) OVER (PARTITION BY region ORDER BY people ROWS BETWEEN 2 PRECEDING"
            " AND CURRENT ROW) FROM regions",
            "SELECT sum ( people ) OVER ( PARTITION BY region ORDER BY people ROWS BETWEEN 2"
            " PRECEDING AND CURRENT ROW ) FROM regions AS regions",
        ),
        (
            "SELECT LAG(people, 1, 0) OVER (ORDER BY region) FROM regions",
            "SELECT lag ( people , 1 , 0 ) OVER ( ORDER BY region ) FROM regions AS regions",
        ),
        (
            "SELECT region FROM regions QUALIFY ROW_NUMBER() OVER (ORDER BY people) = 1",
            "SELECT region FROM regions AS regions QUALIFY coalesce ( CAST ( ( row_number ( )"
            " OVER ( ORDER BY people ) = 1 ) AS BOOLEAN ) , FALSE )",
        ),
        (
            "SELECT EXISTS (SELECT 1 FROM regions)",
            "SELECT EXISTS ( SELECT 1 FROM regions AS regions )",
        ),
    ],
)
def test_a_window_is_written_in_our_words(sql: str, written: str) -> None:
    assert shown(sql) == written


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT ABS(people) OVER () FROM regions",
        "SELECT SUM(people) OVER w FROM regions",
        "SELECT SUM(people) OVER (ORDER BY people GROUPS 1 PRECEDING) FROM regions",
        "SELECT SUM(people) OVER (ORDER BY people ROWS people PRECEDING) FROM regions",
        "SELECT SUM(people) OVER (ORDER BY people ROWS 1 PRECEDING EXCLUDE TIES) FROM regions",
        "SELECT LAG(people IGNORE NULLS) OVER (ORDER BY people) FROM regions",
    ],
)
def test_other_windows_are_refused(sql: str) -> None:
    with pytest.raises(Unsupported):
        shown(sql)
