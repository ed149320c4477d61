"""Sensitivity is real: made-up questions on made-up neighbours, recorded where exact numbers go through the door."""

from __future__ import annotations

from random import Random

import pytest

from database.breaches.neighbours import ID, Row, World, base, row
from database.breaches.seam import Distance, columns, versions
from database.breaches.seeking import seek

PARTS = 10


@pytest.mark.long
@pytest.mark.parametrize("part", range(PARTS))
def test_no_neighbour_moves_further_than_declared(part: int) -> None:
    found = seek(f"sensitivity {part}", 2_000 // PARTS)
    assert found.violations == []
    assert found.pairs >= 2_000 // PARTS
    assert found.told * 3 > found.pairs  # many neighbours do put in something else
    assert sum(found.reached.values()) > 0  # and some go all the way


CALM = {"age": 0, "region": "north", "level": 1, "city": "ulm", "score": -5.0, "cost": 0.0}


def _rows(who: int, times: int = 1, **values: object) -> list[Row]:
    return [row(Random(who), who, 0) | CALM | values for _ in range(times)]


@pytest.mark.parametrize("relation", ["add-remove", "change-one"])
@pytest.mark.parametrize(
    ("sql", "one", "other"),
    [
        ("SELECT COUNT(*) FROM data WHERE age > 0", {}, {"age": 1}),
        ("SELECT COUNT(age) FROM data", {"age": None}, {}),
        ("SELECT SUM(age) FROM data", {}, {"age": 2**63 - 1}),
        ("SELECT SUM(score) FROM data", {"score": -1e9}, {"score": 5.4}),
        ("SELECT SUM(cost) FROM data", {"cost": float("nan")}, {"cost": float("inf")}),
        ("SELECT AVG(age) FROM data", {"age": -7}, {"age": 999}),
        ("SELECT city, COUNT(*) FROM data GROUP BY city", {"city": "ulm"}, {"city": "bonn"}),
        ("SELECT region, SUM(age) FROM data GROUP BY region", {"age": 110}, {"age": 110, "region": "west"}),
    ],
)
def test_the_worst_neighbour_goes_all_the_way(relation: str, sql: str, one: Row, other: Row) -> None:
    """Declared sensitivity is not only enough: one unit with more rows than count does move the answer that far."""
    world = World(ID, relation, 1, 3, "laplace", "integer")
    rest = _rows(1) + _rows(2, region="south", city="kiel")
    first = rest + (_rows(3, 9, **one) if relation == "change-one" else [])
    with versions(world, [first, rest + _rows(3, 9, **other)]) as opened:
        seen, there = opened.ask(0, sql), opened.ask(1, sql)
        assert seen.plan is not None
        declared = seen.plan.sensitivity(opened.unit)
        for index, places in columns(seen.plan.measures):
            distance = Distance.of(seen.cells, there.cells, places)  # type: ignore[arg-type]
            assert (distance.l1, distance.l2_squared, distance.linf) == (
                declared[index].l1,
                declared[index].l2_squared,
                declared[index].linf,
            )


@pytest.mark.parametrize("ids", ["integer", "text", "real"])
def test_rows_of_nobody_change_nothing(ids: str) -> None:
    world, random = World(ID, "add-remove", 2, 2, "laplace", ids), Random("nobody")
    rows = base(random, world)
    nobody = [row(random, None) for _ in range(20)]
    if ids == "real":
        nobody += [row(random, float("nan")) for _ in range(20)]
    with versions(world, [rows, rows + nobody]) as opened:
        for sql in ("SELECT COUNT(*), SUM(age) FROM data", "SELECT city, AVG(cost) FROM data GROUP BY city"):
            one, other = opened.ask(0, sql), opened.ask(1, sql)
            assert one.plan is not None
            assert all(Distance.of(one.cells, other.cells, places).l0 == 0 for _, places in columns(one.plan.measures))  # type: ignore[arg-type]
            assert one.cells.keys == other.cells.keys  # type: ignore[union-attr]
