"""A note about clipping stands where a cap can bite, once, and nowhere else."""

from __future__ import annotations

from collections.abc import Iterator

import pyarrow as pa
import pytest

from hedgerow import protect
from hedgerow.answers.answer import Answer
from hedgerow.answers.clipping_caveats import NOT_MEASURED
from hedgerow.database import Database

TABLE = pa.table({"id": [n // 3 for n in range(600)], "x": [n % 4 for n in range(600)]})


@pytest.fixture(scope="module")
def db() -> Iterator[Database]:
    with protect(
        TABLE,
        unit="id",
        neighbours="add-remove",
        columns={"x": [0, 1, 2, 3]},
        epsilon=1000,
        max_groups=2,
        max_rows_per_group=2,
    ) as database:
        yield database


@pytest.mark.parametrize(
    ("sql", "bites"),
    [
        ("SELECT COUNT(*) FROM data", True),
        ("SELECT COUNT(*), SUM(x), AVG(x) FROM data WHERE x > 1", True),
        ("SELECT x, COUNT(DISTINCT id) FROM data GROUP BY x", True),
        ("SELECT MEDIAN(x) FROM data", True),
        ("SELECT COUNT(*) FROM data a JOIN data b USING (id)", True),
        ("SELECT AVG(n) FROM (SELECT COUNT(*) AS n FROM data GROUP BY x) AS t", True),
        ("SELECT COUNT(DISTINCT id) FROM data", False),
        ("SELECT x > 1 AS y, COUNT(DISTINCT id) FROM data GROUP BY y", False),
        ("SELECT COUNT(*) FROM (SELECT id FROM data GROUP BY id)", False),
        ("SELECT SUM(x, contribution_bounds_per_group => (0, 9)) FROM data", False),
    ],
)
def test_clipping_is_mentioned_once_where_it_can_happen(
    db: Database, sql: str, bites: bool
) -> None:
    answer = db.query(sql, epsilon=20)
    assert isinstance(answer, Answer) or sql.count("SELECT") == 2
    assert answer.notes.count(NOT_MEASURED) == bites  # type: ignore[union-attr]


def test_rows_that_are_units_have_nothing_to_cut() -> None:
    with protect(
        TABLE, unit="row", neighbours="add-remove", columns={"x": (0, 3)}, epsilon=9
    ) as rows:
        answer = rows.query("SELECT COUNT(*), SUM(x) FROM data", epsilon=1)
    assert NOT_MEASURED not in answer.notes  # type: ignore[union-attr]
