"""Mistakes planted into the code are found by the checks that the code passes."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from random import Random
from typing import Any

import pytest

from database.attacks import neighbours, shop
from database.attacks.judging import moved, told_apart
from database.attacks.neighbours import World
from database.attacks.planted import CASES, Case
from database.attacks.seam import Versions, versions
from database.attacks.shop import Shop

NEIGHBOURS = 14


def calm(random: Random, world: World | Shop) -> list[Any]:
    """Tables without trouble and their neighbours: nobody is old, nobody came in May or stayed
    long, and who came has ordered.
    """
    if isinstance(world, World):
        rows = [
            row | {"age": min(row["age"], 55)} for row in neighbours.base(random, world, trouble=0)
        ]
        return [rows, *neighbours.neighbours(random, world, rows, NEIGHBOURS)]
    data = shop.base(random, world, trouble=0)
    data["visits"] = [
        row | {"month": min(row["month"] or 1, 3), "minutes": 10, "region": "north"}
        for row in data["visits"]
    ]
    data["orders"] += [
        shop.order(random, world.who(place), 1, 0) | {"region": "north"} for place in range(1, 6)
    ]
    return [data, *shop.neighbours(random, world, data, NEIGHBOURS)]


@pytest.fixture(scope="module")
def worlds() -> Iterator[dict[World | Shop, Versions]]:
    with ExitStack() as opened:
        yield {
            world: opened.enter_context(versions(world, calm(Random("mutants"), world)))
            for world in dict.fromkeys(case.world for case in CASES)
        }


def breaches(opened: Versions, sql: str, *, everywhere: bool = False) -> list[str]:
    """What the checks say about one question on tables and their neighbours."""
    opened.forget()
    one = opened.ask(0, sql)
    asked = [
        opened.ask(version, sql) for version in (range(1, len(opened)) if everywhere else (1,))
    ]
    found = [problem for other in asked for problem in told_apart(one, other, opened.unit)]
    if not everywhere and one.plan is not None and one.cells is not None:
        compiled = opened.statement(one.plan)
        for version in range(2, len(opened)):
            found += moved(
                one.plan,
                opened.unit,
                one.cells,
                opened.cells(version, compiled, one.plan),
                one.released.get("centre"),
            )
    return found


ASKED = sorted({(case.world, case.sql) for case in CASES}, key=str)


@pytest.mark.long
@pytest.mark.parametrize("world", dict.fromkeys(world for world, _ in ASKED), ids=str)
def test_the_code_as_it_is_passes(
    world: World | Shop, worlds: dict[World | Shop, Versions]
) -> None:
    for sql in (sql for other, sql in ASKED if other == world):
        assert breaches(worlds[world], sql) == []
        assert worlds[world].ask(0, sql).status == "answered"


@pytest.mark.long
@pytest.mark.parametrize(
    "case", CASES, ids=lambda case: f"{case.bug}-{case.plant.__name__}-{case.breach}".lstrip("-")
)
def test_a_planted_mistake_is_found(
    case: Case, worlds: dict[World | Shop, Versions], monkeypatch: pytest.MonkeyPatch
) -> None:
    case.plant(monkeypatch)
    found = breaches(worlds[case.world], case.sql, everywhere=case.everywhere)
    assert any(problem.startswith(case.breach) for problem in found), found
