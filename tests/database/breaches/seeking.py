"""The search for a neighbour that moves a question further than declared."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from random import Random

from database.breaches.grammar import question
from database.breaches.neighbours import World, base, neighbours
from database.breaches.seam import Distance, Versions, columns, moved, told_apart, versions
from hedgerow.engines.source import Cells
from hedgerow.plan.nodes import Aggregate
from hedgerow.privacy.sensitivity import Sensitivity

NEIGHBOURS = 16  # of one table
QUESTIONS = 7  # on one table and its neighbours


@dataclass
class Found:
    """``told`` counts the pairs that put something else in, ``reached`` for each kind of measure those that moved it all the way."""

    pairs: int = 0
    told: int = 0
    refused: int = 0
    violations: list[str] = field(default_factory=list)
    kinds: Counter[str] = field(default_factory=Counter)
    reached: Counter[str] = field(default_factory=Counter)


def seek(name: str, pairs: int) -> Found:
    """So many pairs of neighbours or a few more; the same ones for the same name."""
    random, found = Random(name), Found()
    while found.pairs < pairs:
        world = World.draw(random)
        rows = base(random, world)
        tables = [rows, *neighbours(random, world, rows, NEIGHBOURS)]
        with versions(world, tables) as opened:
            for _ in range(QUESTIONS):
                look(opened, question(random), found)
    return found


def look(opened: Versions, sql: str, found: Found) -> None:
    """One question on a table and all its neighbours: with the first from the words on, with the others from the engine on."""
    one, other = opened.ask(0, sql), opened.ask(1, sql)
    problems = told_apart(one, other, opened.unit)
    if one.plan is None or one.cells is None or other.cells is None:
        found.refused += 1
        if one.charge or one.status in ("answered", "SourceError"):
            problems.append(f"status: {one.status} after a charge")
    else:
        declared, statement = one.plan.sensitivity(opened.unit), opened.statement(one.plan)
        for version in range(1, len(opened)):
            cells = other.cells if version == 1 else opened.cells(version, statement, one.plan)
            problems += moved(one.plan, declared, one.cells, cells)
            _count(one.plan, one.cells, cells, declared, found)
    found.violations += [f"{opened.world}: {sql}: {problem}" for problem in problems]


def _count(plan: Aggregate, one: Cells, other: Cells, declared: Sequence[Sensitivity], found: Found) -> None:
    found.pairs += 1
    told = False
    for index, places in columns(plan.measures):
        kind = plan.measures[index].kind
        distance = Distance.of(one, other, places)
        told |= distance.l1 > 0
        found.kinds[kind] += 1
        found.reached[kind] += distance.l1 == declared[index].l1
    found.told += told
