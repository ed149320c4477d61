"""A note about clipping stands where a cap can bite, once, and nowhere else."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

import pyarrow as pa
import pytest

from hedgerow import protect
from hedgerow.answers.answer import Answer
from hedgerow.answers.clipping_caveats import NOT_MEASURED, list_capped_tables
from hedgerow.database import Database
from hedgerow.database.query.question_clipping import build_lost_rows_plan
from hedgerow.engines.reference.interpreter import interpret_plan
from hedgerow.plan.nodes import list_schemas
from sql.helpers_fixtures import ask

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


CAPPED = (  # the caps of visits are 5 rows and 3 groups, of labs 7 and 2, of orders 2 and 4
    ("SELECT COUNT(*) FROM visits WHERE age > 3", {"visits": 5}),
    ("SELECT smoker, COUNT(*) FROM visits GROUP BY smoker", {"visits": 5}),
    ("SELECT city, COUNT(*) FROM visits GROUP BY city", {"visits": 3}),
    ("SELECT SUM(value) FROM labs JOIN visits USING (patient_id)", {"visits": 2, "labs": 2}),
    ("SELECT COUNT(*) FROM labs LEFT JOIN orders USING (patient_id)", {"labs": 2, "orders": 2}),
    (
        "SELECT COUNT(*) FROM (SELECT patient_id FROM labs UNION ALL SELECT patient_id FROM visits)"
        " AS u",
        {"labs": 3, "visits": 3},
    ),
    (
        "SELECT COUNT(*) FROM labs JOIN (SELECT patient_id, COUNT(*) AS n FROM visits"
        " GROUP BY patient_id) AS s USING (patient_id) WHERE n > 2",
        {"labs": 7},
    ),
    ("SELECT COUNT(*) FROM visits JOIN regions USING (region)", {}),
    ("SELECT COUNT(*) FROM posts JOIN replies ON replies.post_id = posts.post_id", {}),
)


@pytest.mark.parametrize(("sql", "expected"), CAPPED)
def test_measured_tables_describe_joins_and_subqueries(sql: str, expected: dict[str, int]) -> None:
    assert dict(list_capped_tables(ask(sql)) or ()) == expected


@pytest.mark.parametrize("sql", [sql for sql, expected in CAPPED if expected])
def test_a_unit_that_is_cut_has_more_rows_than_the_cap_of_a_table(sql: str) -> None:
    """One person with random numbers of rows; those who lose a row are above the cap somewhere."""
    question, random, cut = ask(sql), Random(sql), 0
    caps, lost = dict(list_capped_tables(question) or ()), build_lost_rows_plan(question)
    assert lost is not None
    schemas = {schema.table: schema for schema in list_schemas(question.plan.bound.source)}
    for _ in range(60):
        sizes = {table: random.randrange(10) for table in schemas}
        tables = {
            name: [
                {"id": 1, **{one.name: _sample(one.type, n, one.values) for one in schema.columns}}
                for n in range(sizes[name] if schema.unit else 1)
            ]
            for name, schema in schemas.items()
        }
        found = interpret_plan(lost, tables, lambda *_: 0)
        if any(numbers[0] for (bucket,), numbers in found.items() if bucket):
            cut += 1
            assert any(sizes[table] > cap for table, cap in caps.items())
    assert cut > 5


def _sample(type_: str, n: int, values: object) -> object:
    if isinstance(values, tuple):
        return values[0]
    return {"integer": 4, "real": 0.5, "text": "x", "boolean": True}.get(type_)
