"""Which parts of a partitioned table are charged."""

from __future__ import annotations

import pytest

from database.test_catalog import COLUMNS, LINKED
from hedgerow.database.catalog import catalog_of
from hedgerow.database.parts import parts_of
from hedgerow.policy import parse_policy
from hedgerow.sql.reading import parse


def parts(sql: str, most: int = 2) -> tuple[str, ...] | None:
    policy = parse_policy(LINKED.replace("PARTS", str(most)).replace("number = { hidden = true }\n", ""))
    orders = policy.table("orders")
    assert orders is not None
    return parts_of(parse(sql, catalog_of(policy, COLUMNS)).plan, orders)


@pytest.mark.parametrize(
    "condition",
    [
        "month = DATE '2026-02-01'",
        "month > DATE '2026-01-01' AND month < DATE '2026-03-01'",
        "month IN (DATE '2026-02-01', DATE '1999-01-01')",
        "EXTRACT(MONTH FROM month) = 2",
        "NOT month <> DATE '2026-02-01' AND 1 = 1",
    ],
)
def test_one_part(condition: str) -> None:
    assert parts(f"SELECT COUNT(*) FROM orders WHERE {condition}") == ("2026-02",)


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT COUNT(*) FROM orders",
        "SELECT month, COUNT(*) FROM orders GROUP BY month",
        "SELECT COUNT(*) FROM orders WHERE month = DATE '2026-02-01' OR month IS NULL",
        "SELECT COUNT(*) FROM orders WHERE month >= DATE '2026-02-01'",
        "SELECT COUNT(*) FROM orders WHERE COALESCE(month, DATE '2026-01-01') = DATE '2026-02-01'",
        "SELECT COUNT(*) FROM orders WHERE LN(EXTRACT(MONTH FROM month)) BETWEEN 0.5 AND 1",
        "SELECT COUNT(*) FROM orders WHERE month = DATE '1999-01-01'",
        "SELECT COUNT(*) FROM orders JOIN items ON order_number = number WHERE month = DATE '2026-02-01'",
        "SELECT COUNT(*) FROM (SELECT customer, MAX(month) AS last FROM orders GROUP BY customer) t WHERE last = DATE '2026-02-01'",
    ],
)
def test_the_whole(sql: str) -> None:
    assert parts(sql) is None


def test_several_parts_where_nobody_is_in_two() -> None:
    assert parts("SELECT COUNT(*) FROM orders WHERE month >= DATE '2026-02-01'", most=1) == ("2026-02", "2026-03")
