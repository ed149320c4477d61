"""Bounds and caps that are found, between neighbours: a search moves no further than it pays
for, nor does any question under them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from random import Random
from typing import Any

import pyarrow as pa
import pytest

from database.attacks.judging import Shift, moved, told_apart
from database.attacks.neighbours import ID, World, base, neighbours
from database.attacks.seam import EPSILON, Asked, Versions, versions
from database.attacks.seeking import NEIGHBOURS, Found, look
from depth import many
from hedgerow.database import Database
from hedgerow.database.autobounds import search as searching
from hedgerow.database.autobounds.column_bounds import (
    calibrate_search_noise,
    compute_search_epsilon,
    list_magnitudes,
)
from hedgerow.database.autobounds.search import BoundsSearch
from hedgerow.policy import Policy
from hedgerow.release.payload import encode_payload

OPEN = ("n", "big", "cost", "temp", "score", "price")  # columns whose bounds the policy leaves out
QUESTIONS = (
    "SELECT SUM(n) FROM data",
    "SELECT AVG(temp), COUNT(*) FROM data WHERE temp < 5",
    "SELECT region, SUM(n), AVG(cost) FROM data GROUP BY region",
    "SELECT SUM(n * score), SUM(big) FROM data WHERE n > 0",
    "SELECT VAR_POP(price) FROM data",
    "SELECT MEDIAN(temp), MAX(cost) FROM data",
    "SELECT SUM(CASE WHEN n < 2 THEN cost ELSE -score END) FROM data",
    "SELECT city, SUM(price) FROM data GROUP BY city",
    "SELECT SUM(x) FROM (SELECT id, LEAST(GREATEST(SUM(n), -9), 9) AS x FROM data GROUP BY id)",
)


@dataclass(frozen=True)
class Finding(World):
    """A world whose policy lets bounds be found."""

    def policy(self, tables: Mapping[str, pa.Table]) -> Policy:
        arguments = {
            **self.arguments,
            "columns": {
                name: said for name, said in self.arguments["columns"].items() if name not in OPEN
            },
        }
        policy = Policy.for_frame(tables["data"], **arguments)
        caps: dict[str, Any] = (
            {} if self.unit == "row" else {"max_groups": None, "max_rows_per_group": None}
        )
        return replace(policy, tables=(replace(policy.tables[0], auto_bounds=True, **caps),))


@contextmanager
def opened(random: Random) -> Iterator[Versions]:
    """A world, a table of it and neighbours of that."""
    drawn = World.draw(random)
    world = Finding(
        drawn.unit, drawn.relation, drawn.max_groups, drawn.max_rows, drawn.noise, drawn.ids
    )
    rows = base(random, world)
    with versions(world, [rows, *neighbours(random, world, rows, NEIGHBOURS)], asked=2) as made:
        yield made


def keep(
    made: Versions, sought: Callable[[Database], BoundsSearch | None], numbers: list[int]
) -> None:
    """The same bounds or caps for both databases, as if a search had found them: they are public
    by then.
    """
    for version in (0, 1):
        database, _ = made._database(version)
        search = sought(database)
        if search is not None:
            charge = {"question": search.key, "version": search.table.version}
            entry = database.ledger.charge(
                {search.budget_rule.population: search.loss(EPSILON)},
                analyst="x",
                epsilon=EPSILON,
                **charge,
            )
            database.ledger.answer(
                entry,
                encode_payload(
                    [()],
                    [[number] for number in numbers[: len(search.plan.measures)]],
                    search.noise(EPSILON),
                ),
            )


def caps_for(sql: str) -> Callable[[Database], BoundsSearch | None]:
    """The search for the caps that a question needs and nobody has found yet."""

    def sought(database: Database) -> BoundsSearch | None:
        return next(
            (search for search in database.resolver.resolve(sql).missing_searches if search.caps),
            None,
        )

    return sought


def _bounds(database: Database, name: str) -> BoundsSearch:
    return database.resolver.find_bounds_search(("data", name))


@pytest.mark.long
@pytest.mark.parametrize("part", range(1))
def test_no_neighbour_moves_a_search_further_than_declared(part: int) -> None:
    random, pairs, all_the_way = Random(f"search {part}"), 0, 0
    while pairs < many(50):
        with opened(random) as made:
            database, _ = made._database(0)
            plans = [_bounds(database, name).plan for name in random.sample(OPEN, 2)]
            if made.unit.owner != "row":
                wanted = [
                    caps_for(sql)(database)
                    for sql in (
                        "SELECT COUNT(*) FROM data",
                        "SELECT city, level, COUNT(*) FROM data GROUP BY 1, 2",
                    )
                ]
                plans += [search.plan for search in wanted if search is not None]
                assert len(plans) == 4
            for plan in plans:
                compiled = made.statement(plan)
                first, *others = (
                    made.cells(version, compiled, plan) for version in range(len(made))
                )
                for cells in others:
                    assert list(moved(plan, made.unit, first, cells)) == []
                    shift, pairs = Shift.of(first, cells, 0), pairs + 1
                    all_the_way += (
                        max(shift.left, shift.entered) == plan.sensitivity(made.unit)[0].linf
                    )
    assert all_the_way * 3 > pairs  # many neighbours have another magnitude


@pytest.mark.long
@pytest.mark.parametrize("part", range(1))
def test_no_neighbour_moves_a_question_under_found_bounds_further_than_declared(part: int) -> None:
    random, found = Random(f"found {part}"), Found()
    while found.pairs < many(60):
        with opened(random) as made:
            for name in OPEN:
                sizes = list_magnitudes("integer" if name in ("n", "big") else "real")
                ends = [random.choice([0, 1, 3, len(sizes) // 2, len(sizes)]), random.randrange(2)]
                keep(made, partial(_bounds, name=name), ends)
            for sql in random.sample(QUESTIONS, 5):
                if made.unit.owner != "row":
                    keep(made, caps_for(sql), [random.randint(1, 3), random.randint(1, 3)])
                look(made, sql, found)
    assert found.violations == []
    assert found.told * 3 > found.pairs
    assert sum(found.reached.values()) > 0


def first_releases(made: Versions, sql: str) -> tuple[Asked, Asked]:
    """The search that comes first. Whether it finds anything among so few people is up to
    chance, and public.
    """
    one, other = (made.ask(version, sql) for version in (0, 1))
    assert {one.status, other.status} <= {"answered", "Refused"}
    return replace(one, status="answered", text=""), replace(other, status="answered", text="")


@pytest.mark.long
def test_error_messages_disclose_only_the_paid_search() -> None:
    random, told = Random("words"), 0
    for _ in range(many(2)):
        with opened(random) as made:
            for sql in (
                "SELECT SUM(n) FROM data",
                "SELECT region, AVG(temp) FROM data GROUP BY region",
            ):
                one, other = first_releases(made, sql)
                assert told_apart(one, other, made.unit) == []
                assert one.charge["about"]["aggregates"][0].startswith("bounds of")
                assert "parts" not in one.charge
                assert (one.charge["epsilon"], one.paid) == (
                    str(compute_search_epsilon(EPSILON, 1 if made.unit.owner == "row" else 2)),
                    True,
                )
                told += Shift.of(one.cells, other.cells, 0).groups  # type: ignore[arg-type]
    assert told > 0


def test_a_search_that_takes_more_than_it_pays_for_is_noticed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The harness would see it: choices for a hundred times their price."""

    def sharper(plan: Any, unit: Any, epsilon: Any, law: Any, parts: Any) -> Any:
        return calibrate_search_noise(plan, unit, 100 * epsilon, law, parts)

    monkeypatch.setattr(searching, "calibrate_search_noise", sharper)
    world = Finding(ID, "add-remove", 1, 2, "laplace", "integer")
    rows: Sequence[Any] = base(Random("sharp"), world)
    with versions(world, [rows, rows[1:]]) as made:
        problems = told_apart(*first_releases(made, "SELECT SUM(n) FROM data"), made.unit)
        assert any(problem.startswith("price") for problem in problems)
