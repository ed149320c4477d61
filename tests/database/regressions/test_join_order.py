"""Joins in another order are the same question: free, and with the same numbers as DuckDB gives
to the same text.
"""

from __future__ import annotations

from itertools import permutations
from pathlib import Path

import duckdb
import pytest

from database.shop import POLICY, write
from hedgerow.answers.answer import Answer
from hedgerow.database import open

SOURCES = ("customers c", "orders o", "items i", "cities t")
WHERE = "c.customer = o.customer AND i.order_number = o.number AND t.city = c.city AND quantity > 1"
LOOSE = (
    POLICY.replace(
        "max_groups = 3\nmax_rows_per_group = 2", "max_groups = 9\nmax_rows_per_group = 9"
    )
    .replace("max_groups = 1\nmax_rows_per_group = 6", "max_groups = 9\nmax_rows_per_group = 99")
    .replace('[tables.orders.partition]\ncolumn = "month"\nmax_parts_per_unit = 2\n', "")
)


def asked(order: tuple[str, ...]) -> str:
    return (
        f"SELECT land, COUNT(*) AS n, SUM(quantity) AS q FROM {', '.join(order)} WHERE {WHERE}"
        " GROUP BY land"
    )


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("shop")
    write(folder, LOOSE)
    return folder


def test_any_order_of_from_is_paid_for_once(shop: Path) -> None:
    with duckdb.connect() as plain, open(shop / "shop.toml") as db:
        for name in ("customers", "orders", "items", "cities"):
            plain.execute(f"CREATE VIEW {name} AS FROM '{shop / name}.parquet'")
        exact = {land: (n, q) for land, n, q in plain.execute(asked(SOURCES)).fetchall()}
        first = db.query(asked(SOURCES), epsilon=5000)
        assert isinstance(first, Answer)
        assert len(exact) > 1
        assert {row["land"]: (row["n"], row["q"]) for row in first.rows} == {
            land: pytest.approx(two, abs=2) for land, two in exact.items()
        }
        entries = len(db.ledger.entries())
        for order in permutations(SOURCES):
            again = db.query(asked(order), epsilon=5000)
            assert isinstance(again, Answer)
            assert again.receipt.reused
            assert again.rows == first.rows
        assert len(db.ledger.entries()) == entries


@pytest.mark.parametrize(
    "ways",
    [
        [
            "customers c JOIN orders o ON c.customer = o.customer",
            "orders o JOIN customers c USING (customer)",
            "orders o, customers c WHERE o.customer = c.customer",
        ],
        [
            "customers c JOIN cities t ON c.city = t.city",
            "cities t, customers c WHERE t.city = c.city",
        ],
    ],
)
def test_either_side_may_come_first(shop: Path, ways: list[str]) -> None:
    with open(shop / "shop.toml") as db:
        reused = [
            db.query(f"SELECT AVG(age) AS a FROM {way}", epsilon=1).receipt.reused for way in ways
        ]  # type: ignore[union-attr]
        assert reused == [False, *(True for _ in ways[1:])]
