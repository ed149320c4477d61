"""IN (SELECT …) and EXISTS about the same unit or public tables: the pairs in semijoins.sql, and
their meaning.
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from hedgerow.errors import Unsupported
from hedgerow.plan.schema import Column, Link, Schema
from hedgerow.sql.catalog import Catalog, TableEntry
from hedgerow.sql.parser import parse_question
from sql.helpers_exact_answers import answer
from sql.helpers_fixtures import ask, check_answered, check_refused, pairs
from sql.helpers_three_readers import Readers, open_readers


@pytest.fixture(scope="module")
def readers() -> Iterator[Readers]:
    with open_readers() as opened:
        yield opened


@pytest.mark.parametrize(("sql", "expected"), pairs("semijoins"))
def test_supported_sql_has_the_expected_plan(sql: str, expected: str) -> None:
    check_answered(sql, expected)


@pytest.mark.parametrize(("sql", "expected"), pairs("semijoins__refused"))
def test_unsupported_sql_is_refused_with_the_expected_message(sql: str, expected: str) -> None:
    check_refused(sql, expected)


LABS = "EXISTS (SELECT 1 FROM labs l WHERE l.patient_id = visits.patient_id"
NULLS = "(SELECT drug FROM drugs)"  # one of them is NULL
CONDITIONS = (
    f"{LABS})",
    f"NOT {LABS} AND l.value > 30)",
    f"{LABS} AND l.kind = 'hb') OR age > 60",
    f"NOT ({LABS} AND l.value > 50) OR region = 'north')",
    f"({LABS} AND l.kind = 'na') AND NOT {LABS} AND l.value < 20)) OR smoker",
    f"{LABS} AND l.value > 20) = TRUE",
    f"CASE WHEN {LABS}) THEN age > 30 ELSE smoker END",
    # the row compares itself with the rows of the same person
    f"{LABS} AND l.visit_age <> visits.age)",
    f"NOT {LABS} AND l.visit_age <> age)",
    f"{LABS} AND age < l.visit_age)",
    f"{LABS} AND l.visit_age >= visits.age + 5 AND region = 'north')",
    f"NOT {LABS} AND l.visit_age <= visits.age) OR smoker",
    f"NOT {LABS} AND region = 'north')",
    f"{LABS} AND l.visit_age = age)",
    # joins, groups and further subqueries inside
    "EXISTS (SELECT 1 FROM orders o JOIN lines x ON x.order_id = o.order_id, drugs d WHERE"
    " o.patient_id = visits.patient_id AND d.drug = x.drug AND d.price > 10)",
    "NOT EXISTS (SELECT * FROM orders o JOIN lines x ON x.order_id = o.order_id AND"
    " o.patient_id = visits.patient_id)",
    "EXISTS (SELECT 1 FROM orders o WHERE o.patient_id = visits.patient_id AND EXISTS (SELECT 1"
    " FROM lines x WHERE x.order_id = o.order_id AND x.amount > 15))",
    "EXISTS (SELECT 1 FROM labs l WHERE l.patient_id = visits.patient_id GROUP BY l.kind HAVING"
    " COUNT(*) > 1)",
    "patient_id IN (SELECT patient_id FROM labs)",
    "patient_id NOT IN (SELECT patient_id FROM labs WHERE value > 50) OR age < 9",
    "patient_id IN (SELECT patient_id FROM labs GROUP BY patient_id HAVING COUNT(*) > 1)",
    "patient_id NOT IN (SELECT o.patient_id FROM orders o JOIN lines x ON x.order_id ="
    " o.order_id WHERE x.amount > 9)",
    "patient_id IN (SELECT patient_id FROM labs UNION ALL SELECT id FROM patients WHERE sex = 'f')",
    "(patient_id, age) IN (SELECT patient_id, visit_age FROM labs)",
    # a list for each person, with NULL in some of them
    "age IN (SELECT visit_age FROM labs l WHERE l.patient_id = visits.patient_id)",
    "age NOT IN (SELECT visit_age FROM labs l WHERE l.patient_id = visits.patient_id)",
    "NOT (age IN (SELECT visit_age FROM labs l WHERE l.patient_id = visits.patient_id) AND smoker)",
    # public tables: anything may be compared, and NULL in the list counts
    "region IN (SELECT region FROM regions)",
    "region NOT IN (SELECT region FROM regions WHERE zone = 'a')",
    f"city IN {NULLS}",
    f"city NOT IN {NULLS}",
    "city NOT IN (SELECT drug FROM drugs WHERE drug IS NOT NULL)",
    "city NOT IN (SELECT drug FROM drugs WHERE price > 400)",  # empty: true for NULL, too
    f"NOT (city IN {NULLS} OR age > 50)",
    f"(city IN {NULLS}) IS NULL",
    "(city NOT IN (SELECT drug FROM drugs WHERE price > 400)) IS NULL",
    "EXISTS (SELECT 1 FROM regions r WHERE r.region = visits.region AND r.zone = 'a')",
    "NOT EXISTS (SELECT 1 FROM regions r WHERE r.region = visits.region)",
    "EXISTS (SELECT 1 FROM drugs WHERE price > 400)",
    "EXISTS (SELECT 1 FROM drugs WHERE price > 9) AND age > 50",
    "NOT EXISTS (SELECT 1 FROM drugs WHERE price > 400) OR smoker",
    "region IN (SELECT r.region FROM regions r JOIN drugs d ON d.drug = r.zone)",
    "region NOT IN (SELECT r.region FROM regions r JOIN drugs d ON d.drug = r.zone WHERE d.price"
    " > 9) AND city IS NOT NULL",
    f"{LABS} AND l.value > 90) OR region IN (SELECT region FROM regions WHERE zone = 'b')",
)


@pytest.mark.parametrize("condition", CONDITIONS)
def test_conditions_mean_what_they_mean_in_sql(condition: str, readers: Readers) -> None:
    readers.read(f"SELECT COUNT(*) AS n, COUNT(smoker) AS s FROM visits WHERE {condition}")


@pytest.mark.parametrize(
    "sql",
    [
        f"SELECT SUM(CASE WHEN {LABS}) THEN 1 ELSE 0 END) AS n FROM visits",
        f"SELECT COUNT(*) FILTER (WHERE {LABS} AND l.kind = 'hb')) AS n FROM visits",
        f"SELECT CASE WHEN {LABS}) THEN 'yes' ELSE 'no' END AS k, COUNT(*) AS n FROM visits"
        " GROUP BY k",
        "SELECT SUM(n) AS n FROM (SELECT patient_id, LEAST(COUNT(*), 9) AS n FROM visits WHERE"
        " region IN (SELECT region FROM regions) GROUP BY patient_id) t",
        # every row is a unit of its own: public tables only
        "SELECT COUNT(*) AS n FROM answers WHERE region IN (SELECT region FROM regions)",
        "SELECT COUNT(*) AS n FROM answers WHERE region NOT IN (SELECT zone FROM regions) OR score"
        " > 3",
        # a line and other lines of the same order, along the declared link
        "SELECT COUNT(*) AS n FROM lines a WHERE EXISTS (SELECT 1 FROM lines b WHERE b.order_id ="
        " a.order_id AND b.amount <> a.amount)",
        "SELECT COUNT(*) AS n FROM lines a JOIN orders o ON o.order_id = a.order_id WHERE o.urgent"
        " AND NOT EXISTS (SELECT 1 FROM lines b WHERE b.order_id = a.order_id AND b.amount >"
        " a.amount)",
        "SELECT COUNT(*) AS n FROM orders WHERE order_id NOT IN (SELECT order_id FROM lines WHERE"
        " amount > 3)",
        "WITH sick AS (SELECT patient_id AS who FROM labs WHERE value > 50) SELECT COUNT(*) AS n"
        " FROM patients p WHERE p.id IN (SELECT who FROM sick) OR p.sex = 'm'",
    ],
)
def test_statements_mean_what_they_mean_in_sql(sql: str, readers: Readers) -> None:
    readers.read(sql)


def test_the_order_of_conditions_does_not_change_the_plan() -> None:
    tests = [
        "region IN (SELECT region FROM regions)",
        "NOT EXISTS (SELECT 1 FROM labs l WHERE l.patient_id = visits.patient_id)",
        "patient_id IN (SELECT patient_id FROM orders)",
    ]
    plans = [
        ask(f"SELECT COUNT(*) FROM visits WHERE {' AND '.join(order)}").plan
        for order in (tests, tests[::-1], [tests[1], tests[0], tests[2]])
    ]
    assert plans[1:] == plans[:1] * 2


def test_names_are_looked_up_inside_the_subquery_first() -> None:
    one, two = (
        ask(f"SELECT COUNT(*) FROM patients WHERE EXISTS (SELECT 1 FROM visits WHERE {test})").plan
        for test in (
            "patient_id = id AND region = 'north'",
            "visits.patient_id = patients.id AND visits.region = 'north'",
        )
    )
    assert one == two


def test_not_in_drops_null_although_another_table_has_an_id_of_that_name() -> None:
    """NULL NOT IN (…) is not true. Privacy ids are never NULL, but ``id`` is not one everywhere."""
    people = Schema("people", (Column("id", "integer"),), "id")
    orders = Schema("orders", (Column("person", "integer"), Column("id", "integer")), "person")
    lines = Schema(
        "lines", (Column("order_id", "integer"),), "person", link=Link("order_id", orders, "id")
    )
    catalog = Catalog(
        {
            schema.table: TableEntry(schema, max_groups=9, max_rows_per_group=9)
            for schema in (people, orders, lines)
        }
    )
    data = {
        "people": [],
        "orders": [{"person": 1, "id": number} for number in (None, 5, 6)],
        "lines": [{"order_id": 5}],
    }
    for table in ("orders", "(SELECT person, id FROM orders)"):
        question = parse_question(
            f"SELECT COUNT(*) FROM {table} AS o WHERE o.id NOT IN (SELECT order_id FROM lines)",
            catalog,
        )
        assert answer(question, data) == [(1,)]


@pytest.mark.parametrize(
    ("where", "instead"),
    [
        (
            "age IN (SELECT visit_age FROM labs)",
            "EXISTS (SELECT 1 FROM labs AS d WHERE d.patient_id = … ",
        ),
        (
            "age IN (SELECT z.visit_age FROM (SELECT * FROM labs) AS z)",
            "EXISTS (SELECT 1 FROM … AS d WHERE d.patient_id = …",
        ),
        (
            "EXISTS (SELECT 1 FROM drugs WHERE price > age)",
            "or EXISTS with equalities only; or join the table.",
        ),
    ],
)
def test_the_fix_says_what_to_compare(where: str, instead: str) -> None:
    with pytest.raises(Unsupported) as caught:
        ask(f"SELECT COUNT(*) FROM visits WHERE {where}")
    assert instead in str(caught.value).splitlines()[-1]
