"""Mistakes planted into the code are found by the checks that the code passes."""

from __future__ import annotations

from random import Random

import pytest

from database.breaches.mutants import CASES, Case
from database.breaches.neighbours import World, base, neighbours
from database.breaches.seam import told_apart, versions

NEIGHBOURS = 10


def breaches(world: World, sql: str) -> list[str]:
    """What the checks say about one question on a table without trouble, where nobody is old, and its neighbours."""
    random = Random("mutants")
    rows = [row | {"age": min(row["age"], 55)} for row in base(random, world, trouble=0)]
    with versions(world, [rows, *neighbours(random, world, rows, NEIGHBOURS)]) as opened:
        asked = [opened.ask(version, sql) for version in range(1 + NEIGHBOURS)]
        return [problem for other in asked[1:] for problem in told_apart(asked[0], other, opened.unit)]


@pytest.mark.long
@pytest.mark.parametrize(("world", "sql"), sorted({(case.world, case.sql) for case in CASES}, key=str), ids=str)
def test_the_code_as_it_is_passes(world: World, sql: str) -> None:
    assert breaches(world, sql) == []


@pytest.mark.long
@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case.plant.__name__}-{case.breach}")
def test_a_planted_mistake_is_found(case: Case, monkeypatch: pytest.MonkeyPatch) -> None:
    case.plant(monkeypatch)
    found = breaches(case.world, case.sql)
    assert any(problem.startswith(case.breach) for problem in found), found
