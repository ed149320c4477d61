"""IN (SELECT …) and EXISTS about the same unit: the pairs in semijoins.sql."""

from __future__ import annotations

import pytest

from hedgerow.errors import Unsupported
from hedgerow.plan.schema import Column, Link, Schema
from hedgerow.sql.catalog import Catalog, TableEntry
from hedgerow.sql.parser import parse_question
from sql.helpers_exact_answers import answer
from sql.helpers_fixtures import ask, check_answered, check_refused, pairs


@pytest.mark.parametrize(("sql", "expected"), pairs("semijoins"))
def test_supported_sql_has_the_expected_plan(sql: str, expected: str) -> None:
    check_answered(sql, expected)


@pytest.mark.parametrize(("sql", "expected"), pairs("semijoins__refused"))
def test_unsupported_sql_is_refused_with_the_expected_message(sql: str, expected: str) -> None:
    check_refused(sql, expected)


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


def test_in_with_group_by_is_suggested_as_a_join() -> None:
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
