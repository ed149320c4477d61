"""The choice of caps on its own: what is counted of each unit, and what a choice means."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import Any

import pyarrow as pa
import pytest

from database.searching import SURE, ask, charges, only_opened, policy_of
from engines.helpers_comparison import agreed
from hedgerow.database import open_frame
from hedgerow.database.autobounds.contribution_caps import (
    build_caps_plan,
    decode_caps,
    find_table_keys,
)
from hedgerow.errors import Refused
from hedgerow.plan.scalar.expressions import Call, ColumnRef, Constant
from hedgerow.plan.schema import Column, Schema
from hedgerow.policy import Policy
from hedgerow.privacy.unit import Unit
from hedgerow.sql.parser import parse_question
from sql.helpers_fixtures import CATALOG

SCHEMA = Schema("t", (Column("town", "text"), Column("n", "integer")), "id")
# Person 1 has five rows in three towns, three of them in one; person 2 one row; nobody's rows do
# not count.
ROWS = [
    {"id": who, "town": town, "n": 7}
    for who, town in [(1, "a"), (1, "a"), (1, "a"), (1, "b"), (1, None), (2, "a"), (None, "c")]
]
BOTH = ("max_groups", "max_rows_per_group")


@pytest.mark.parametrize(
    ("keys", "wanted", "places"),
    [
        ((ColumnRef("town"),), BOTH, ((1, 3), (1, 3))),  # 3 groups and 3 rows: 4 is the third power
        ((ColumnRef("town"),), ("max_groups",), ((1, 3),)),
        ((ColumnRef("town"), ColumnRef("n")), ("max_rows_per_group",), ((1, 3),)),
        ((), ("max_rows_per_group",), ((1, 4),)),  # 5 rows: 8
    ],
)
def test_groups_and_rows_of_each_unit_are_counted(
    keys: tuple[ColumnRef, ...], wanted: tuple[str, ...], places: object
) -> None:
    plan = build_caps_plan(SCHEMA, keys, wanted)
    assert agreed(plan, {"t": ROWS}) == {(): places}
    for unit in (Unit("add-remove", "id"), Unit("change-one", "id")):
        assert [(moves.l0, moves.linf) for moves in plan.sensitivity(unit)] == [(1, 1)] * len(
            wanted
        )


def test_counts_beyond_the_list_have_the_last_place() -> None:
    many = [{"id": 1, "town": "a", "n": n} for n in range(3000)]
    assert agreed(build_caps_plan(SCHEMA, (), ("max_rows_per_group",)), {"t": many}) == {
        (): ((13,),)
    }
    assert decode_caps(((20,),), keys=False) == (2**19,)


def test_selected_caps_have_headroom_without_keys() -> None:
    assert decode_caps(((1,),), keys=False) == (2,)
    assert decode_caps(((3,),), keys=False) == (8,)
    assert decode_caps(((3,), (1,)), keys=True) == (4, 1)
    assert decode_caps(((0,), (2,)), keys=True) == (1, 2)
    assert decode_caps(((-7,), (2,)), keys=True) is None


def test_keys_in_terms_of_the_table() -> None:
    def keys(sql: str) -> object:
        return find_table_keys(parse_question(sql, CATALOG).plan)

    assert keys("SELECT COUNT(*) FROM visits WHERE age > 3") == ()
    assert keys("SELECT city, COUNT(*) FROM visits WHERE age > 3 GROUP BY city") == (
        ColumnRef("city"),
    )
    ten = Call("floor", (Call("/", (ColumnRef("age"), Constant(10, "integer"))),))
    assert keys("SELECT FLOOR(a / 10), COUNT(*) FROM (SELECT age AS a FROM visits) GROUP BY 1") == (
        ten,
    )
    assert (
        keys("SELECT zone, COUNT(*) FROM visits JOIN regions USING (region) GROUP BY zone") is None
    )


# From the words of a question on


def capless(table: pa.Table, *caps: str, **changes: Any) -> Policy:
    """A policy that leaves out these caps."""
    policy = policy_of(table, **changes)
    return replace(policy, tables=(replace(policy.tables[0], **dict.fromkeys(caps)),))


def crowd() -> pa.Table:
    """Everybody has five rows, four of them in one town of three."""
    ids = [n for n in range(300) for _ in range(5)]
    return pa.table(
        {
            "id": ids,
            "x": [1.0] * len(ids),
            "town": [("a", "b", "c")[(n + (i % 5 == 0)) % 3] for i, n in enumerate(ids)],
        }
    )


def test_caps_are_found_and_serve_all_questions_with_these_keys() -> None:
    table = crowd()
    with open_frame(
        table,
        capless(
            table,
            "max_groups",
            "max_rows_per_group",
            columns={"town": ["a", "b", "c"], "x": (0, 1)},
        ),
    ) as db:
        answer = ask(db, "SELECT COUNT(*) AS n FROM data")
        assert answer.rows[0]["n"] == pytest.approx(1500, abs=2)
        # 8, and headroom
        assert (
            "Found privately, not declared: max_rows_per_group of data, 16 (ledger entry 3)."
            in answer.notes
        )
        ask(db, "SELECT SUM(x) FROM data WHERE town = 'a'")
        rows = ask(db, "SELECT town, COUNT(*) AS n FROM data GROUP BY town").rows
        assert [row["n"] for row in rows] == pytest.approx([500, 500, 500], abs=2)
        ask(db, "SELECT town, SUM(x) FROM data WHERE x > 0.5 GROUP BY town")
        both = "max_groups and max_rows_per_group of data by town"
        assert charges(db) == [
            ("max_rows_per_group of data", Fraction(SURE, 4)),
            ("COUNT(*)", Fraction(3 * SURE, 4)),
            ("SUM(x)", Fraction(SURE)),
            (both, Fraction(SURE, 4)),
            ("COUNT(*)", Fraction(3 * SURE, 4)),
            ("SUM(x)", Fraction(SURE)),
        ]
        assert any(
            f"{both}, 2 and 4" in note
            for note in db.explain("SELECT town, COUNT(*) FROM data GROUP BY town", epsilon=1).notes
        )


def test_a_question_that_needs_no_caps_searches_for_none() -> None:
    table = crowd()
    with open_frame(
        table,
        capless(
            table,
            "max_groups",
            "max_rows_per_group",
            columns={"town": ["a", "b", "c"], "x": (0, 1)},
        ),
    ) as db:
        assert ask(db, "SELECT COUNT(DISTINCT id) AS n FROM data").rows[0]["n"] == pytest.approx(
            300, abs=2
        )
        ask(db, "SELECT SUM(x, contribution_bounds_per_group => (0, 9)) FROM data")
        ask(db, "SELECT AVG(s) FROM (SELECT id, LEAST(SUM(x), 9) AS s FROM data GROUP BY id)")
        assert not any("max_" in what for what, _ in charges(db))
        ask(
            db,
            "SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS(max_groups_contributed = 3) town, COUNT(*)"
            " FROM data GROUP BY town",
        )
        assert charges(db)[-2][0] == "max_rows_per_group of data by town"


def test_a_cap_that_is_declared_stays() -> None:
    table = crowd()
    with open_frame(
        table, capless(table, "max_groups", columns={"town": ["a", "b", "c"]}, max_rows_per_group=3)
    ) as db:
        answer = ask(db, "SELECT town, COUNT(*) AS n FROM data GROUP BY town")
        assert [what for what, _ in charges(db)] == ["max_groups of data by town", "COUNT(*)"]
        # of the four rows in one town three count
        assert sum(row["n"] for row in answer.rows) == pytest.approx(1200, abs=2)
        told = db.explain("SELECT COUNT(*) FROM data", epsilon=1)
        assert told.lines[0].expected_error is not None


def test_explain_before_caps_are_found() -> None:
    table = crowd()
    with open_frame(table, capless(table, "max_rows_per_group", columns={"x": (0, 1)})) as db:
        told = db.explain("SELECT COUNT(*), COUNT(DISTINCT id) FROM data", epsilon=1)
        assert told.lines[0].expected_error is None
        assert told.lines[1].expected_error is not None
        assert "(0.25): max_rows_per_group of data." in told.notes[-1]
        assert db._engine is None


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT COUNT(*) FROM data a JOIN data b ON a.id = b.id",
        (
            "SELECT n, COUNT(*) FROM (SELECT id, town, COUNT(*) AS n FROM data GROUP BY id, town)"
            " GROUP BY n"
        ),
        "SELECT FLOOR(x / 10), COUNT(*) FROM data GROUP BY 1",
    ],
)
def test_caps_of_joins_must_be_declared(sql: str) -> None:
    table = crowd()
    with open_frame(
        table, capless(table, "max_groups", "max_rows_per_group", columns={}, delta=1e-9)
    ) as db:
        with pytest.raises(
            Refused,
            match=(
                r"The contribution bounds of data are not declared.*Declare max_groups.* under"
                r" \[tables.data\]|Declare max_rows_per_group"
            ),
        ):
            db.query(sql, epsilon=1)
        assert only_opened(db)
