"""GROUP BY in another order is the same question; its answer comes in the order asked."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import permutations

import pytest

from database.clinic import ask, exactly
from hedgerow.answers.answer import Answer
from hedgerow.database.query.run import read_count_question
from hedgerow.plan.canonical_plans import compute_plan_key as meaning_of


@pytest.mark.parametrize(
    "keys",
    [
        ("region", "age > 40", "city"),
        ("region", "age > 40"),
        ("v.region", "p.region", "p.cost > 50"),
    ],
)
def test_the_order_of_keys_does_not_make_another_question(keys: tuple[str, ...]) -> None:
    """Also where they are not declared (city), and in a join, where columns of both sides have
    the same name.
    """
    rows = "data v JOIN data p ON v.patient_id = p.patient_id" if "." in keys[0] else "data"

    def asked(order: Sequence[int], more: str = "") -> str:
        named = [f"{keys[place]} AS c{place}" for place in order]
        return (
            f"SELECT {', '.join(named)}, COUNT(*) AS n FROM {rows} GROUP BY"
            f" {', '.join(keys[place] for place in order)}{more}"
        )

    with exactly(epsilon=100) as db:
        first = ask(db, asked(range(len(keys))), epsilon=5)
        spent, entries = db.budget, len(db.ledger.entries())
        assert len(first) > 3
        for order in permutations(range(len(keys))):
            again = db.query(asked(order), epsilon=5)
            assert isinstance(again, Answer)
            assert again.receipt.reused
            assert again.columns == (*(f"c{place}" for place in order), "n")
            assert [list(row) for row in again.rows] == [list(again.columns)] * len(first)
            wanted = sorted(first, key=lambda row: [row[f"c{place}"] for place in order])
            assert again.rows == wanted
            assert ask(db, asked(order, " LIMIT 3"), epsilon=5) == wanted[:3]
            assert ask(db, asked(order, " ORDER BY n > 50"), epsilon=5) == sorted(
                wanted, key=lambda row: row["n"] > 50
            )
        assert (db.budget, len(db.ledger.entries())) == (spent, entries)


def test_keys_of_other_meaning_are_another_question() -> None:
    with exactly(epsilon=100) as db:
        ask(
            db,
            "SELECT region, age > 40 AS old, COUNT(*) AS n FROM data GROUP BY region, old",
            epsilon=5,
        )
        assert not db.query(
            "SELECT age > 41 AS old, region, COUNT(*) AS n FROM data GROUP BY old, region",
            epsilon=5,
        ).receipt.reused  # type: ignore[union-attr]
        assert not db.query(
            "SELECT age > 40 AS old, region, COUNT(*) AS n FROM data WHERE age > 1 GROUP BY 1, 2",
            epsilon=5,
        ).receipt.reused  # type: ignore[union-attr]


def test_numbers_for_a_mechanism_come_in_the_order_asked() -> None:
    """Its list is part of what is asked, and no two orders of it are the same."""
    with exactly(epsilon=100) as db:
        one, other = (
            read_count_question(db, f"SELECT {keys}, COUNT(*) FROM data GROUP BY {keys}")
            for keys in ("region, age > 40", "age > 40, region")
        )
    assert one.plan.source.domain == (("east", "north", "south", "west"), (False, True))
    assert other.plan.source.domain == ((False, True), ("east", "north", "south", "west"))
    assert [key.text for key in other.keys] == ["age > 40", "region"]
    assert meaning_of(one.plan) != meaning_of(other.plan)
