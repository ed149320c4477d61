"""Which parts of a partitioned table are charged."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import pytest

from database import shop
from database.test_catalog_builder import COLUMNS, LINKED
from hedgerow.database import Database, open
from hedgerow.database.catalog_builder import build_catalog
from hedgerow.database.query.partition_charging import find_touched_parts
from hedgerow.policy import parse_policy
from hedgerow.privacy.budget_view import DualBalance
from hedgerow.sql.parser import parse_question


def parts(sql: str, most: int = 2) -> tuple[str, ...] | None:
    policy = parse_policy(
        LINKED.replace("PARTS", str(most)).replace("number = { hidden = true }\n", "")
    )
    orders = policy.table("orders")
    assert orders is not None
    return find_touched_parts(parse_question(sql, build_catalog(policy, COLUMNS)).plan, orders)


@pytest.mark.parametrize(
    "condition",
    [
        "month = DATE '2026-02-01'",
        "month > DATE '2026-01-01' AND month < DATE '2026-03-01'",
        "month IN (DATE '2026-02-01', DATE '1999-01-01')",
        "EXTRACT(MONTH FROM month) = 2",
        "NOT month <> DATE '2026-02-01' AND 1 = 1",
        "month = DATE '2026-02-01' AND number > 3",
        "month = DATE '2026-02-01' AND (number > 3 OR month = DATE '2026-01-01')",
        (
            "EXTRACT(MONTH FROM month) = 2 AND number > EXTRACT(MONTH FROM month) AND number IS NOT"
            " NULL"
        ),
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
        "SELECT COUNT(*) FROM orders WHERE NOT month <> DATE '1999-01-01'",
        "SELECT COUNT(*) FROM orders WHERE month = DATE '2026-02-01' OR number = 3",
        "SELECT COUNT(*) FROM orders WHERE (month = DATE '2026-02-01') = (number = 3)",
        "SELECT COUNT(*) FROM orders WHERE EXTRACT(MONTH FROM month) = number",
        (
            "SELECT COUNT(*) FROM orders WHERE CASE WHEN number > 3 THEN month = DATE '2026-02-01'"
            " ELSE TRUE END"
        ),
        "SELECT COUNT(*) FROM orders WHERE NOT (month <> DATE '2026-02-01' AND number > 3)",
        (
            "SELECT COUNT(*) FROM orders JOIN items ON order_number = number WHERE month = DATE"
            " '2026-02-01'"
        ),
        (
            "SELECT COUNT(*) FROM (SELECT customer, MAX(month) AS last FROM orders GROUP BY"
            " customer) t WHERE last = DATE '2026-02-01'"
        ),
    ],
)
def test_the_whole(sql: str) -> None:
    assert parts(sql) is None


def test_a_condition_on_disjoint_parts_is_charged_to_each_of_them() -> None:
    assert parts("SELECT COUNT(*) FROM orders WHERE month >= DATE '2026-02-01'", most=1) == (
        "2026-02",
        "2026-03",
    )


def part(db: Database, month: str) -> Fraction:
    """What has been spent by whoever is in this part."""
    account = db.budget.parts["orders"][month]
    assert isinstance(account, DualBalance)
    assert isinstance(account.epsilon.spent, Fraction)
    return account.epsilon.spent


def test_a_question_about_a_part_is_charged_to_it(tmp_path: Path) -> None:
    count = "SELECT COUNT(*) FROM orders WHERE month = DATE '2026-0{}-01'"
    with open(shop.write(tmp_path), in_process=True) as db:
        told = db.explain(count.format(1), epsilon=1)
        assert told.notes[-1] == "Only the part 2026-01 of orders would be charged."
        assert told.questions_left >= 10_000
        db.query(count.format(1), epsilon=1)
        # nothing is charged any more
        assert not any("part" in note for note in db.explain(count.format(1), epsilon=1).notes)
        # whoever is in two parts has paid
        assert [part(db, month) for month in ("2026-01", "2026-02", "2026-03")] == [1, 1, 1]
        db.query(count.format(2), epsilon=1)
        assert [part(db, month) for month in ("2026-01", "2026-02", "2026-03")] == [2, 2, 1]
        db.query(count.format(3), epsilon=1)  # nobody is in three parts, so nobody pays three times
        assert [part(db, month) for month in ("2026-01", "2026-02", "2026-03")] == [2, 2, 2]
        assert db.budget.epsilon.spent == 2  # type: ignore[union-attr]
        both = db.explain("SELECT COUNT(*) FROM orders WHERE month < DATE '2026-03-01'", epsilon=1)
        assert not any("part" in note for note in both.notes)
        db.query("SELECT COUNT(*) FROM orders", epsilon=1)
        assert [part(db, month) for month in ("2026-01", "2026-02", "2026-03")] == [3, 3, 3]
        rows = db.query(
            "SELECT part, spent FROM hedgerow.budget WHERE currency = 'epsilon' AND part IS NOT"
            " NULL"
        ).rows  # type: ignore[union-attr]
        assert rows == [{"part": f"orders 2026-0{n}", "spent": 3.0} for n in (1, 2, 3)]


def test_disjoint_parts_are_named_in_the_charge(tmp_path: Path) -> None:
    path = shop.write(
        tmp_path, shop.POLICY.replace("max_parts_per_unit = 2", "max_parts_per_unit = 1")
    )
    with open(path, in_process=True) as db:
        told = db.explain("SELECT COUNT(*) FROM orders WHERE month < DATE '2026-03-01'", epsilon=1)
        assert told.notes[-1] == "Only the parts 2026-01, 2026-02 of orders would be charged."
