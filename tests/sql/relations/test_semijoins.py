"""IN (SELECT …) and EXISTS about the same person: the pairs in semijoins.sql."""

from __future__ import annotations

import pytest

from hedgerow.errors import Unsupported
from hedgerow.plan.schema import Column, Link, Schema
from hedgerow.sql.catalog import Catalog, TableEntry
from hedgerow.sql.parser import parse_question
from sql.exactly import answer
from sql.fixtures import ask, check_answered, check_refused, pairs


@pytest.mark.parametrize(("sql", "told"), pairs("semijoins"))
def test_what_is_read(sql: str, told: str) -> None:
    check_answered(sql, told)


@pytest.mark.parametrize(("sql", "told"), pairs("semijoins__refused"))
def test_what_is_refused(sql: str, told: str) -> None:
    check_refused(sql, told)


def test_what_is_missing_is_not_outside_though_its_name_is_that_of_an_id_elsewhere() -> None:
    """NULL NOT IN (…) is not true. An id is never NULL, but ``id`` is one in the table of
    people, and not in that of their orders.
    """
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


FREE = "Ask for the values, which is free"


@pytest.mark.parametrize(
    ("where", "instead"),
    [
        # A row meets one of the regions at most, and several of what is not declared as unique: it
        # would be counted as often.
        (
            "region IN (SELECT region FROM regions)",
            (
                "Join it as it is, and write its conditions after WHERE: JOIN regions AS d ON"
                " visits.region = d.region."
            ),
        ),
        (
            (
                "EXISTS (SELECT 1 FROM regions r WHERE r.region = visits.region AND r.zone ="
                " visits.city)"
            ),
            (
                "write its conditions after WHERE: JOIN regions AS d ON visits.region = d.region"
                " AND visits.city = d.zone."
            ),
        ),
        (
            "city IN (SELECT drug FROM drugs)",
            f"{FREE}: SELECT DISTINCT drug FROM drugs; then write them: visits.city IN ('a', 'b').",
        ),
        (
            "city IN (SELECT drug FROM drugs WHERE price > 3)",
            (
                f"{FREE}: SELECT DISTINCT drug FROM drugs WHERE price > 3; then write them:"
                " visits.city IN ('a', 'b')."
            ),
        ),
        (
            "EXISTS (SELECT 1 FROM regions r WHERE r.zone = visits.city AND r.region = 'north')",
            (
                f"{FREE}: SELECT DISTINCT r.zone FROM regions AS r WHERE r.region = 'north'; then"
                " write them: visits.city IN ('a', 'b')."
            ),
        ),
        (
            "region NOT IN (SELECT region FROM regions WHERE zone = 'a')",
            (
                f"{FREE}: SELECT DISTINCT region FROM regions WHERE zone = 'a'; then write them:"
                " visits.region NOT IN ('a', 'b')."
            ),
        ),
        (
            (
                "NOT EXISTS (SELECT 1 FROM regions r WHERE r.region = visits.region AND r.zone ="
                " visits.city)"
            ),
            (
                f"{FREE}: SELECT DISTINCT r.region, r.zone FROM regions AS r; then write them: "
                "NOT (visits.region = … AND visits.city = … OR …)."
            ),
        ),
        # What is asked is a question of its own: it names tables, and not what WITH calls something
        # here.
        (
            "city IN (SELECT z.region FROM (SELECT region FROM regions) AS z)",
            (
                f"{FREE}: SELECT DISTINCT z.region FROM (SELECT region FROM regions) AS z; then"
                " write them: visits.city IN ('a', 'b')."
            ),
        ),
        (
            "city IN (SELECT region FROM named)",
            f"{FREE}; then write them: visits.city IN ('a', 'b').",
        ),
        (
            "age IN (SELECT visit_age FROM labs)",
            "EXISTS (SELECT 1 FROM labs AS d WHERE d.patient_id = … ",
        ),
        (
            "age IN (SELECT z.visit_age FROM (SELECT * FROM labs) AS z)",
            "EXISTS (SELECT 1 FROM … AS d WHERE d.patient_id = …",
        ),
    ],
)
def test_what_to_write_instead(where: str, instead: str) -> None:
    with pytest.raises(Unsupported) as caught:
        ask(f"WITH named AS (SELECT region FROM regions) SELECT COUNT(*) FROM visits WHERE {where}")
    assert instead in str(caught.value).splitlines()[-1]


def test_who_has_several_rows_is_told_as_a_join() -> None:
    rows = "SELECT patient_id FROM labs GROUP BY patient_id HAVING COUNT(*) >= 3"
    with pytest.raises(Unsupported) as caught:
        ask(f"SELECT COUNT(*) FROM visits WHERE patient_id IN ({rows})")
    assert str(caught.value).endswith(f"Join it in FROM: JOIN ({rows}) AS d USING (patient_id).")
    assert ask(f"SELECT COUNT(*) FROM visits JOIN ({rows}) AS d USING (patient_id)").aggregates
    for other in (
        "SELECT id FROM patients GROUP BY id",
        "SELECT patient_id FROM labs GROUP BY patient_id, kind",
    ):
        with pytest.raises(Unsupported, match=r"JOIN \(SELECT DISTINCT id FROM …\)"):
            ask(f"SELECT COUNT(*) FROM visits WHERE patient_id IN ({other})")
