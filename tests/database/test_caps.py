"""The choice of caps on its own: what is counted of each unit, and what a choice means."""

from __future__ import annotations

import pytest

from engines.against import agreed
from hedgerow.database.caps import caps_of, caps_plan, keys_of
from hedgerow.plan.expressions import Call, Constant, Read
from hedgerow.plan.schema import Column, Schema
from hedgerow.privacy.unit import Unit
from hedgerow.sql.reading import parse
from sql.fixtures import CATALOG

SCHEMA = Schema("t", (Column("town", "text"), Column("n", "integer")), "id")
# Person 1 has five rows in three towns, three of them in one; person 2 one row; nobody's rows do not count.
ROWS = [{"id": who, "town": town, "n": 7} for who, town in [(1, "a"), (1, "a"), (1, "a"), (1, "b"), (1, None), (2, "a"), (None, "c")]]
BOTH = ("max_groups", "max_rows_per_group")


@pytest.mark.parametrize(
    ("keys", "wanted", "places"),
    [
        ((Read("town"),), BOTH, ((1, 3), (1, 3))),  # 3 groups and 3 rows: 4 is the third power
        ((Read("town"),), ("max_groups",), ((1, 3),)),
        ((Read("town"), Read("n")), ("max_rows_per_group",), ((1, 3),)),
        ((), ("max_rows_per_group",), ((1, 4),)),  # 5 rows: 8
    ],
)
def test_groups_and_rows_of_each_unit_are_counted(keys: tuple[Read, ...], wanted: tuple[str, ...], places: object) -> None:
    plan = caps_plan(SCHEMA, keys, wanted)
    assert agreed(plan, {"t": ROWS}) == {(): places}
    for unit in (Unit("add-remove", "id"), Unit("change-one", "id")):
        assert [(moves.l0, moves.linf) for moves in plan.sensitivity(unit)] == [(1, 1)] * len(wanted)


def test_counts_beyond_the_list_have_the_last_place() -> None:
    many = [{"id": 1, "town": "a", "n": n} for n in range(3000)]
    assert agreed(caps_plan(SCHEMA, (), ("max_rows_per_group",)), {"t": many}) == {(): ((13,),)}
    assert caps_of(((20,),), keys=False) == (2**19,)


def test_what_is_chosen_means_caps_with_headroom_where_there_are_no_keys() -> None:
    assert caps_of(((1,),), keys=False) == (2,)
    assert caps_of(((3,),), keys=False) == (8,)
    assert caps_of(((3,), (1,)), keys=True) == (4, 1)
    assert caps_of(((0,), (2,)), keys=True) == (1, 2)
    assert caps_of(((-7,), (2,)), keys=True) is None


def test_keys_in_terms_of_the_table() -> None:
    def keys(sql: str) -> object:
        return keys_of(parse(sql, CATALOG).plan)

    assert keys("SELECT COUNT(*) FROM visits WHERE age > 3") == ()
    assert keys("SELECT city, COUNT(*) FROM visits WHERE age > 3 GROUP BY city") == (Read("city"),)
    ten = Call("floor", (Call("/", (Read("age"), Constant(10, "integer"))),))
    assert keys("SELECT FLOOR(a / 10), COUNT(*) FROM (SELECT age AS a FROM visits) GROUP BY 1") == (ten,)
    assert keys("SELECT zone, COUNT(*) FROM visits JOIN regions USING (region) GROUP BY zone") is None
