"""Parts: over all questions about single parts, one unit moves no more of them than it pays for."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest

from database.attacks import shop
from database.attacks.helpers_shop_policy import ARROW
from database.attacks.judging import Distance, Shift, columns, moved
from database.attacks.seam import Versions, versions
from database.attacks.shop import KINDS, MONTHS, Data, Shop
from database.attacks.wider_mutants import parts_by_hash, parts_for_each_question
from depth import many
from hedgerow.engines.data_source import Cells
from hedgerow.plan.nodes import Aggregate
from hedgerow.plan.order_statistics import OrderStatistic

NEIGHBOURS = many(6)
QUESTIONS = {
    "visits": (
        "SELECT COUNT(*), SUM(minutes) FROM visits WHERE month = {}",
        (
            "SELECT region, COUNT(DISTINCT day), MEDIAN(minutes) FROM visits WHERE month = {} AND"
            " minutes > 5 GROUP BY region"
        ),
        (
            "SELECT AVG(minutes) FILTER (WHERE region = 'north') FROM (SELECT minutes, region FROM"
            " visits WHERE month = {})"
        ),
    ),
    "items": (
        "SELECT COUNT(*) FROM items WHERE kind = '{}' AND price > 1",
        "SELECT SUM(price) FROM items WHERE kind IN ('{}')",
    ),
}
PARTS: dict[str, tuple[Any, ...]] = {"visits": MONTHS, "items": KINDS}


def touched(plan: Aggregate, one: Cells, other: Cells) -> bool:
    """Whether anything moved."""
    for index, places in columns(plan.measures):
        if isinstance(plan.measures[index], OrderStatistic):
            if Shift.of(one, other, places[0]).groups:
                return True
        elif Distance.of(one, other, places).l0:
            return True
    return False


def moved_parts(
    opened: Versions, table: str, *, compare: int = 0
) -> tuple[list[set[Any]], list[str]]:
    """For each version the parts that some question moves in, against version ``compare``; and
    what went too far in one question.
    """
    found, wrong = [set[Any]() for _ in range(len(opened))], list[str]()
    for part in PARTS[table]:
        for question in QUESTIONS[table]:
            asked = opened.ask(0, question.format(part))
            assert asked.plan is not None
            assert asked.charge["parts"] == {"people": [table, [str(part)]]}
            compiled = opened.statement(asked.plan)
            each = [opened.cells(version, compiled, asked.plan) for version in range(len(opened))]
            for version, cells in enumerate(each):
                wrong += moved(asked.plan, opened.unit, each[compare], cells)
                if touched(asked.plan, each[compare], cells):
                    found[version].add(part)
    return found, wrong


def most_parts(world: Shop, table: str) -> tuple[int, int]:
    """How many parts one neighbour moves at most, and how many are paid for: each unit's own, on
    either side.
    """
    random = Random(f"parts {table}")
    data = shop.base(random, world)
    with versions(
        world, [data, *shop.neighbours(random, world, data, NEIGHBOURS)], asked=1
    ) as opened:
        found, wrong = moved_parts(opened, table)
    assert wrong == []
    assert world.parts is not None
    return max(map(len, found)), world.parts * (2 if world.relation == "change-one" else 1)


CASES = [
    ("add-remove", 1, "visits"),
    ("add-remove", 2, "items"),
    ("change-one", 1, "items"),
    ("change-one", 2, "visits"),
]


@pytest.mark.long
@pytest.mark.parametrize(("relation", "parts", "table"), CASES)
def test_one_unit_moves_no_more_parts_than_it_pays_for(
    relation: str, parts: int, table: str
) -> None:
    found, paid = most_parts(Shop(relation, 2, 3, "laplace", "integer", parts), table)
    assert 0 < found <= paid


@pytest.mark.long
@pytest.mark.parametrize(
    ("relation", "parts", "table"), [("add-remove", 1, "visits"), ("change-one", 1, "items")]
)
def test_parts_cut_for_each_question_are_found(
    relation: str, parts: int, table: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    parts_for_each_question(monkeypatch)
    found, paid = most_parts(Shop(relation, 2, 3, "laplace", "integer", parts), table)
    assert found > paid


def grown(world: Shop) -> int:
    """The most parts that somebody moves in two versions of the data, of which the second adds
    rows of later parts.
    """
    nobody: Data = {table: [] for table in ARROW}
    held: list[Data] = [nobody]
    random = Random("grown")
    for number in range(1, 1 + many(4)):
        calm = [
            shop.visit(random, world.who(number), 0)
            | {
                "month": month,
                "minutes": 45,
                "region": "north",
            }
            for month in (1, 2, 4, 5)
        ]
        held += [{**nobody, "visits": calm[:2]}, {**nobody, "visits": calm}]
    with versions(world, held, asked=1) as opened:
        found, _ = moved_parts(opened, "visits")
    return max(len(found[place] | found[place + 1]) for place in range(1, len(found), 2))


@pytest.mark.long
def test_data_that_grow_bring_no_more_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    world = Shop("add-remove", 1, 1, "laplace", "integer", 2)
    assert grown(world) == 2
    parts_by_hash(monkeypatch)
    assert grown(world) > 2
