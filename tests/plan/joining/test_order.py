"""Inner joins in another order are the same question, and give the same numbers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from random import Random

import pytest

from depth import many
from hedgerow.engines.reference.interpreter import interpret_plan
from hedgerow.plan.canonical_plans import canonicalise, compute_plan_key, map_measures
from hedgerow.plan.measures import Measure
from hedgerow.plan.nodes import (
    Aggregate,
    Bound,
    Filter,
    Group,
    Join,
    Project,
    RelationNode,
    Table,
    UnitAggregation,
    UnitStatistic,
)
from hedgerow.plan.scalar.expressions import ColumnRef
from plan import helpers_tables, worlds

Place = tuple[int, str]


@dataclass(frozen=True)
class Written:
    """Several rows, what has to agree between them, and the columns that are asked about; to be
    joined in one order or another.
    """

    parts: tuple[RelationNode, ...]
    ties: tuple[tuple[Place, Place], ...]
    asked: tuple[Place, ...]

    def rows(self, order: Sequence[int], nested: int | None = None) -> RelationNode:
        """As FROM would put them together; from the place ``nested`` on, those already there
        stand in a subquery of their own.
        """
        rows = self.named(order[0])
        for number, place in enumerate(order[1:], 1):
            if number == nested:
                rows = Project(
                    rows, tuple((name, ColumnRef(name)) for name in reversed(list(rows.columns)))
                )
            other = self.parts[place]
            on = [
                (f"{a}.{x}", y)
                for one in self.ties
                for (a, x), (b, y) in (one, one[::-1])
                if b == place and a in order[:number]
            ]
            rows = Join(
                rows, other, tuple(on), tuple((f"{place}.{name}", name) for name in other.columns)
            )
        return rows

    def named(self, place: int) -> RelationNode:
        return Project(
            self.parts[place],
            tuple((f"{place}.{name}", ColumnRef(name)) for name in self.parts[place].columns),
        )

    def question(self, order: Sequence[int], nested: int | None = None) -> Aggregate:
        rows = self.rows(order, nested)
        names = [f"{at}.{name}" for at, name in self.asked]
        measures = [
            Measure("rows"),
            Measure("units"),
            *(Measure("values", name) for name in names[1:]),
        ]
        return Aggregate(
            Group(Bound(rows, (names[0],), 2, 3), None), tuple(dict.fromkeys(measures))
        )

    def orders(self, random: Random) -> list[int]:
        """A protected one first, a public one where something ties it."""
        left, order = list(range(len(self.parts))), list[int]()
        while left:
            tied = {b for one in self.ties for (a, _), (b, _) in (one, one[::-1]) if a in order}
            may = [i for i in left if self.parts[i].unit is not None or (order and i in tied)]
            order.append(random.choice(may))
            left.remove(order[-1])
        return order


def written(random: Random, world: helpers_tables.World, *, once: bool) -> Written:
    """With ``once``, no table is read twice."""
    many_parts = random.choice([1, 2, 2, 3])
    private = (
        random.sample(helpers_tables.PRIVATE, many_parts)
        if once
        else random.choices(helpers_tables.PRIVATE[:2], k=many_parts)
    )
    parts: list[RelationNode] = [Table(world.schemas[schema.table]) for schema in private]
    ties: list[tuple[Place, Place]] = []
    for i, part in enumerate(parts):
        if random.random() < 0.3:
            parts[i] = Filter(part, worlds.condition(random, part.columns))
        elif random.random() < 0.3:
            parts[i] = UnitAggregation(
                part,
                tuple(random.sample(sorted(part.columns), random.choice([0, 1]))),
                (("n", UnitStatistic("rows")),),
            )
    parts += [Table(world.schemas["places"])] * random.choice([0, 1, 1, 1 if once else 2])
    for i, part in enumerate(parts[1:], 1):
        for j in random.sample(
            range(i), random.randint(0 if part.unit is not None else 1, min(i, 2))
        ):
            ties += [((i, a), (j, b)) for a, b in _fitting(random, part, parts[j])]
    if any(
        part.unit is None and not any(i in (a, b) for (a, _), (b, _) in ties)
        for i, part in enumerate(parts)
    ):
        return written(random, world, once=once)
    places = [(i, name) for i, part in enumerate(parts) for name in part.columns]
    return Written(tuple(parts), tuple(ties), tuple(random.sample(places, min(3, len(places)))))


def _fitting(random: Random, one: RelationNode, other: RelationNode) -> list[tuple[str, str]]:
    fits = [
        (a, b) for a, x in one.columns.items() for b, y in other.columns.items() if x.type == y.type
    ]
    return random.sample(fits, min(len(fits), random.choice([1, 1, 2])))


@pytest.mark.long
@pytest.mark.parametrize("once", [True, False])
def test_any_order_is_the_same_question_with_the_same_numbers(once: bool) -> None:
    """Only rows that are spelled alike, such as those of a table beside itself, may keep the
    order in which they were written.
    """
    full = moved = 0
    for example in range(many(200)):
        random = Random(example)
        world = helpers_tables.world(random, 12)
        made = written(random, world, once=once)
        first, *others = (made.orders(random) for _ in range(6))
        other = next((order for order in others if order != first), first)
        plans = [made.question(first), made.question(other, random.choice([None, 1, 2]))]
        one, two = map(canonicalise, plans)
        assert canonicalise(one) == one, example
        if once:
            assert compute_plan_key(plans[0]) == compute_plan_key(plans[1]), example
            assert one == two, example
        numbers, after = (
            interpret_plan(plan, world.tables, worlds.rank) for plan in (plans[0], one)
        )
        assert interpret_plan(plans[1], world.tables, worlds.rank) == numbers, example
        at = [one.measures.index(measure) for measure in map_measures(plans[0])]
        assert {group: tuple(found[i] for i in at) for group, found in after.items()} == numbers, (
            example
        )
        full, moved = full + bool(numbers), moved + (first != other and bool(numbers))
    assert full > 40
    assert moved > 15
