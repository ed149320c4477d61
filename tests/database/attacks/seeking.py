"""The search for a neighbour that moves a question further than declared."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any

from database.attacks import neighbours, shop
from database.attacks.function_questions import function_question
from database.attacks.grammar import question
from database.attacks.judging import Distance, Shift, columns, moved, told_apart
from database.attacks.seam import Asked, Protected, Versions, versions
from database.attacks.shop_grammar import shop_question
from hedgerow.engines.data_source import Cells
from hedgerow.plan.nodes import Aggregate
from hedgerow.plan.order_statistics import OrderStatistic

NEIGHBOURS = 16  # of one table
QUESTIONS = 7  # on one table and its neighbours


@dataclass
class Found:
    """``told`` counts the pairs that put something else in, ``reached`` for each kind of measure
    those that moved it all the way.
    """

    pairs: int = 0
    told: int = 0
    refused: int = 0
    parts: int = 0
    violations: list[str] = field(default_factory=list)
    kinds: Counter[str] = field(default_factory=Counter)
    reached: Counter[str] = field(default_factory=Counter)


@dataclass(frozen=True)
class Scene:
    """Where to look: worlds, tables in them, their neighbours, and what is asked there."""

    draw: Callable[[Random], Any]
    base: Callable[[Random, Any], Any]
    neighbours: Callable[[Random, Any, Any, int], Any]
    question: Callable[[Random], str]


ONE_TABLE = Scene(neighbours.World.draw, neighbours.base, neighbours.neighbours, question)
FUNCTIONS = Scene(neighbours.World.draw, neighbours.base, neighbours.neighbours, function_question)
SHOP = Scene(shop.Shop.draw, shop.base, shop.neighbours, shop_question)


def seek(name: str, pairs: int, scene: Scene = ONE_TABLE, folder: Path | None = None) -> Found:
    """So many pairs of neighbours or a few more; the same ones for the same name. In files, if
    there is a folder for them.
    """
    random, found = Random(name), Found()
    while found.pairs < pairs:
        world = scene.draw(random)
        data = scene.base(random, world)
        with versions(
            world,
            [data, *scene.neighbours(random, world, data, NEIGHBOURS)],
            asked=2,
            folder=folder,
        ) as opened:
            for _ in range(QUESTIONS):
                look(opened, scene.question(random), found)
    return found


def look(opened: Versions, sql: str, found: Found) -> None:
    """One question on tables and all their neighbours: with the first from the words on, with
    the others from the engine on.
    """
    one, other = opened.ask(0, sql), opened.ask(1, sql)
    if {one.status, other.status} == {"answered"} and not one.charge and not other.charge:
        return  # by chance it means what another one meant, and was answered for free
    problems = told_apart(one, other, opened.unit)
    if one.plan is None or one.cells is None or other.cells is None:
        found.refused += 1
        if one.charge or one.status in ("answered", "SourceError"):
            problems.append(f"status: {one.status} after a charge")
    else:
        compiled = opened.statement(one.plan)
        for version in range(1, len(opened)):
            cells = other.cells if version == 1 else opened.cells(version, compiled, one.plan)
            problems += moved(one.plan, opened.unit, one.cells, cells, one.released.get("centre"))
            told = _count(opened, one.plan, one.cells, cells, found)
            if told and not _pays(opened.world, one, opened.data[0], opened.data[version]):
                problems.append("parts: it moved with somebody who does not pay for it")
        found.parts += "parts" in one.charge
    found.violations += [f"{opened.world}: {sql}: {problem}" for problem in problems]


def _pays(world: Protected, asked: Asked, one: Any, other: Any) -> bool:
    """Whether the unit in which two data sets differ is charged: it is, unless the question was
    charged to parts without it.
    """
    if "parts" not in asked.charge:
        return True
    ((table, names),) = asked.charge["parts"].values()
    assert isinstance(world, shop.Shop)
    return not world.parts_between(table, one, other).isdisjoint(names)


def _count(opened: Versions, plan: Aggregate, one: Cells, other: Cells, found: Found) -> bool:
    found.pairs += 1
    told, declared = False, plan.sensitivity(opened.unit)
    for index, places in columns(plan.measures):
        measure = plan.measures[index]
        if isinstance(measure, OrderStatistic):
            shift = Shift.of(one, other, places[0])
            far, all_the_way = (
                shift.groups,
                max(shift.left, shift.entered) == declared[index].linf
                and shift.groups == declared[index].l0,
            )
        else:
            distance = Distance.of(one, other, places)
            far, all_the_way = distance.l1, distance.l1 == declared[index].l1
        told |= far > 0
        found.kinds[measure.kind] += 1
        found.reached[measure.kind] += all_the_way
    told |= list(one.keys) != list(other.keys)
    found.told += told
    return told
