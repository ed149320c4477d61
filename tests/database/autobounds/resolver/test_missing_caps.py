"""Caps that are missing: which ones an answer needs, and what happens where none is found."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from database import shop
from database.searching import ask, charges, finding
from hedgerow.database import open
from hedgerow.errors import (
    Refused,
    Unbounded,
)


def test_caps_that_decide_nothing_are_not_missed(tmp_path: Path) -> None:
    """Those of a table that is only asked who is in it."""
    declared = "max_groups = 1\nmax_rows_per_group = 1\n"
    assert shop.POLICY.count(declared) == 1
    path = shop.write(tmp_path, shop.POLICY.replace(declared, "auto_bounds = true\n"))
    which = "customer IN (SELECT customer FROM customers WHERE age > 30)"
    some = (
        f"SELECT month, price > 50 AS dear, COUNT(*) AS n FROM orders WHERE {which} GROUP BY month,"
        " dear"
    )
    with open(path, in_process=True) as db:
        assert ask(db, some).rows
        assert len(charges(db)) == 1
        with pytest.raises(Refused, match="The contribution bounds of customers are not declared"):
            ask(
                db,
                "SELECT month, COUNT(*) AS n FROM orders o JOIN customers c ON o.customer ="
                " c.customer GROUP BY month",
            )


NEITHER: dict[str, Any] = {"finds": False, "max_groups": None, "max_rows_per_group": None}


@pytest.mark.parametrize(
    ("sql", "needs"),
    [
        ("SELECT COUNT(*) FROM data", "max_rows_per_group"),
        ("SELECT MEDIAN(age) FROM data", "max_rows_per_group"),
        ("SELECT town, COUNT(DISTINCT id) FROM data GROUP BY town", "max_groups"),
        ("SELECT age, COUNT(*) FROM data GROUP BY age", "max_groups and max_rows_per_group"),
        ("SELECT COUNT(DISTINCT id) FROM data", None),
        ("SELECT SUM(age, contribution_bounds_per_group => (0, 9)) FROM data", None),
        ("SELECT COUNT(*) FROM (SELECT id FROM data GROUP BY id)", None),
        (
            "SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS(max_groups_contributed = 1) town,"
            " COUNT(DISTINCT id) FROM data GROUP BY town",
            None,
        ),
    ],
)
def test_a_cap_that_is_missing_is_no_1(sql: str, needs: str | None) -> None:
    """A question that needs it is refused before any charge, and told the line to write."""
    with finding(**NEITHER) as db:
        if needs is None:
            ask(db, sql)
            return
        with pytest.raises(Unbounded) as refused:
            ask(db, sql)
        with pytest.raises(Unbounded):
            db.explain(sql, epsilon=1)
        assert charges(db) == []
        message = str(refused.value)
        for cap in ("max_groups", "max_rows_per_group"):
            assert (f"{cap} of data" in message) == (cap in needs)
            assert (f'{cap}="auto"' in message) == (cap in needs)


def test_a_cap_may_be_left_to_be_found_on_its_own() -> None:
    caps: dict[str, Any] = {"max_groups": None, "max_rows_per_group": "auto"}
    with finding(finds=False, **caps) as db:
        answer = ask(db, "SELECT COUNT(*) FROM data")
        assert "Found privately, not declared: max_rows_per_group of data, 4" in str(answer.notes)
        assert len(charges(db)) == 2
        with pytest.raises(Unbounded, match="max_groups of data"):
            ask(db, "SELECT town, COUNT(*) FROM data GROUP BY town")
        (row,) = db.query("SELECT max_groups, max_rows_per_group FROM hedgerow.tables").rows
        assert set(row.values()) == {None}


def test_a_join_names_the_table_whose_cap_is_missing(tmp_path: Path) -> None:
    path = shop.write(tmp_path)
    page = path.read_text()
    path.write_text(page.replace("max_groups = 3\nmax_rows_per_group = 2\n", ""))
    with open(path, in_process=True) as db:
        with pytest.raises(Unbounded, match=r"max_rows_per_group of orders .* = 5, or what"):
            db.query("SELECT COUNT(*) FROM orders", epsilon=0.1)
        for table in ("customers JOIN orders", "orders JOIN customers"):
            with pytest.raises(Unbounded, match="needs max_rows_per_group of orders"):
                db.query(f"SELECT COUNT(*) FROM {table} USING (customer)", epsilon=0.1)
        assert charges(db) == []
