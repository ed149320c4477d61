"""Mistakes that `make check` must find by itself, each by a small question on two or three
neighbouring tables.

All of them are promised to it (``brief.PROMISED``). That they find the mistakes is shown in `make
test`, with each of them planted.
"""

from __future__ import annotations

import itertools
import json
import math
from collections.abc import Iterator
from contextlib import ExitStack
from typing import Any

import pytest

from database.attacks import mutants as old
from database.attacks import wider_mutants as new
from database.attacks.judging import groups, told_apart
from database.attacks.mutants import Patch
from database.attacks.neighbours import ID, TAME, World
from database.attacks.planted import DECLARED, OPEN, PERSON, REPLACED, ROW
from database.attacks.seam import Versions, versions
from hedgerow import protect

Row = dict[str, Any]
WORLDS = (PERSON, REPLACED, ROW)
# Far beyond all bounds; the next is nothing that a bound could be compared with.
BEYOND = {"age": 2**63 - 1, "cost": 1e308, "temp": 1e16, "gap": 10.0, "score": 9.3e18}
NOTHING = {"cost": math.nan, "temp": math.nan, "gap": math.nan, "score": math.nan, "age": None}


def _calm(world: World) -> list[Row]:
    """Six people with two rows each, of whom nobody is old."""
    rows = [
        {name: values[place % len(values)] for name, values in TAME.items()} for place in range(12)
    ]
    return [
        row | {ID: _who(world, place // 2 + 1), "age": min(row["age"], 55)}
        for place, row in enumerate(rows)
    ]


def _who(world: World, number: int) -> Any:
    return f"p{number}" if world.ids == "text" else number


def _everywhere(world: World) -> list[Row]:
    """Somebody with two rows in every group that there can be, in towns where nobody else is,
    and with the most of everything.
    """
    places = list(itertools.product(("north", "south", "east", "west"), (1, 2, 3)))
    there = [
        {"region": region, "level": level, "city": f"town {place}", **BEYOND}
        for place, (region, level) in enumerate(places)
    ]
    return [_calm(world)[0] | {ID: _who(world, 6)} | one for one in there for _ in range(3)]


def _neighbours(world: World) -> list[list[Row]]:
    """A table and two neighbours of it: somebody who is everywhere, and one who is nothing."""
    calm = _calm(world)
    if world.unit == "row":
        return [calm, [*calm, calm[0] | BEYOND], [*calm, calm[0] | NOTHING]]
    left = [row for row in calm if row[ID] != _who(world, 6)]
    stays = left if world.relation == "add-remove" else calm
    return [stays, left + _everywhere(world), [*left, calm[0] | {ID: _who(world, 6)} | NOTHING]]


@pytest.fixture(scope="module")
def worlds() -> Iterator[dict[World, Versions]]:
    with ExitStack() as opened:
        yield {world: opened.enter_context(versions(world, _neighbours(world))) for world in WORLDS}


def _breaches(opened: Versions, sql: str) -> list[str]:
    """What is wrong between a table and its neighbours, or with what is released of them."""
    opened.forget()
    one, *others = (opened.ask(version, sql) for version in range(len(opened)))
    found = [problem for other in others for problem in told_apart(one, other, opened.unit)]
    if one.status != "answered":
        found.append(f"status: {one.status}, {one.text}")
    elif one.plan is not None and one.plan.source.domain is not None and one.cells is not None:
        told = [len(column) for column in (one.released["keys"], *one.released["numbers"])]
        found += ["shape: declared groups are left out"] * (set(told) != {len(groups(one.cells))})
    return found


QUESTIONS = {
    "a count that comes free with its mean": (
        PERSON,
        "SELECT region, level, AVG(age) FROM data GROUP BY region, level",
    ),
    "a mean at half its price": (REPLACED, "SELECT AVG(score) FROM data"),
    "two sums at the price of one": (PERSON, "SELECT SUM(age), COUNT(cost) FROM data"),
    "sensitivity from the largest value": (ROW, "SELECT SUM(age) FROM data"),
    "a limit before the noise": (PERSON, f"{DECLARED} ORDER BY 3 DESC LIMIT 2"),
    "a limit before the threshold": (REPLACED, f"{OPEN} ORDER BY 2 DESC LIMIT 2"),
    "a group too many for choices": (PERSON, "SELECT region, MAX(age) FROM data GROUP BY region"),
    "a group too many": (REPLACED, DECLARED),
    "a threshold for one group": (PERSON, OPEN),
    "rows beyond the cap": (PERSON, "SELECT SUM(age) FROM data"),
    "bounds that outlive their column": (PERSON, "SELECT SUM(age * 3) FROM data"),
    "what is no number": (PERSON, "SELECT SUM(cost) FROM data"),
    "another way of rounding": (ROW, "SELECT SUM(gap) FROM data"),
}


@pytest.mark.parametrize("mistake", QUESTIONS)
def test_nothing_shows_the_mistake(mistake: str, worlds: dict[World, Versions]) -> None:
    world, sql = QUESTIONS[mistake]
    assert _breaches(worlds[world], sql) == []


def test_values_that_are_not_numbers_are_not_counted(worlds: dict[World, Versions]) -> None:
    opened = worlds[PERSON]
    opened.forget()
    without, _, with_ = (
        opened.ask(version, "SELECT COUNT(cost) FROM data") for version in range(3)
    )
    assert without.cells is not None
    assert with_.cells is not None
    assert (
        [column.tolist() for column in with_.cells.numbers]
        == [column.tolist() for column in without.cells.numbers]
        != []
    )


def test_two_separately_opened_tables_get_the_same_noise() -> None:
    """The tables above share one catalog; these share nothing, so that no bound can come from a
    look at them either.
    """
    laws = []
    for rows in _neighbours(ROW)[:2]:
        with protect(ROW.tables(rows)["data"], **ROW.arguments) as db:
            db.query("SELECT SUM(age), AVG(cost) FROM data", epsilon=1)
            laws.append(json.loads(db.ledger.entries()[-1].body["payload"])["laws"])
    assert laws[0] == laws[1]


SEEDED: tuple[Patch, ...] = (
    old.charge_after_answer,
    old.clip_after_sum,
    old.measures_at_one_epsilon,
    old.mean_at_half_price,
    old.sensitivity_from_data,
    old.noise_reused,
    old.limit_before_noise,
    old.nan_passes_clamp,
    old.bound_kept,
    old.threshold_for_one_group,
    old.no_group_cap,
    old.ties_past_the_cap,
    old.no_row_cap,
    old.python_rounding,
    new.count_without_noise,
    new.group_too_many_for_picks,
)


@pytest.mark.long
@pytest.mark.parametrize("plant", SEEDED, ids=lambda plant: plant.__name__)
def test_a_seeded_mistake_is_found(
    plant: Patch, worlds: dict[World, Versions], monkeypatch: pytest.MonkeyPatch
) -> None:
    plant(monkeypatch)
    assert any(_breaches(worlds[world], sql) for world, sql in QUESTIONS.values())
