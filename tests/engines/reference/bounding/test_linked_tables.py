"""Linked tables and combinations in the interpreter: no unit moves them too far."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from random import Random

import pytest

from engines.reference.helpers_bounding_mistakes import (
    ITEMS,
    LINKED,
    ORDERS,
    PARTS,
    SNAP,
    TABLE,
    flat,
    line,
)
from hedgerow.engines.reference.interpreter import (
    evaluate_relation,
    interpret_plan,
)
from hedgerow.plan.contingency import Contingency
from hedgerow.plan.measures import Measure
from hedgerow.plan.nodes import (
    Aggregate,
    Bound,
    Group,
    Table,
)
from hedgerow.plan.order_statistics import OrderStatistic
from hedgerow.plan.schema import Column, Link, Partition, Schema
from hedgerow.plan.values import Value
from hedgerow.privacy.unit import RELATIONS, Relation, Unit
from plan import brute, helpers_tables, worlds


def test_links_find_the_owners() -> None:
    found = [
        (unit, row["Order"], row["code"]) for unit, row in evaluate_relation(Table(ITEMS), LINKED)
    ]
    assert found == [
        ("u", 1, "a"),
        ("u", 2, "b"),
        ("v", 2, "b"),
        ("u", 2, None),
        ("v", 2, None),
        ("u", 1, "b"),
    ]
    # The code "b" stands in rows of u twice, and once in one of v: a part of it is one row of each.
    assert [(unit, row["item"]) for unit, row in evaluate_relation(Table(PARTS), LINKED)] == [
        ("u", "a"),
        ("u", "b"),
        ("v", "b"),
    ]


@pytest.mark.parametrize(
    ("most", "kept"), [(1, [("u", 1), ("v", 0)]), (2, [("u", 1), ("u", 5), ("v", 0)]), (3, None)]
)
def test_only_the_first_parts_of_each_unit_count(
    most: int, kept: list[tuple[str, int]] | None
) -> None:
    everything = [("u", 5), ("u", 1), ("v", None), ("u", None), ("v", 0), ("u", 1)]
    table = Table(Schema("t", (Column("day", "integer"),), "who", partition=Partition("DAY", most)))
    found = [
        (unit, row["day"])
        for unit, row in evaluate_relation(
            table, {"t": [{"who": who, "day": day} for who, day in everything]}
        )
    ]
    chosen = (
        everything
        if kept is None
        else [pair for pair in everything if pair in kept or (most == 2 and pair == ("v", None))]
    )
    assert sorted(found, key=str) == sorted(chosen, key=str)


def test_the_parts_of_a_parent_do_not_cut_its_links() -> None:
    orders = Schema("orders", ORDERS.columns, "who", partition=Partition("number", 1))
    cut = Schema(
        "items",
        ITEMS.columns,
        "who",
        link=Link("order", orders, "number"),
        partition=Partition("order", 1),
    )
    assert [row["number"] for _, row in evaluate_relation(Table(orders), LINKED)] == [1, 2, None]
    assert [(unit, row["code"]) for unit, row in evaluate_relation(Table(cut), LINKED)] == [
        ("u", "a"),
        ("u", "b"),
        ("v", "b"),
        ("v", None),
    ]


def test_samples_stand_in_one_place() -> None:
    pick = OrderStatistic("quantiles", "x", SNAP, quantiles=(Fraction(1, 4), Fraction(1, 2)))
    data = {
        "t": [
            line(1, "a", 5),
            line(1, "a", 3),
            line(1, "a", 4),
            line(2, "a", 99),
            line(2, "a", None),
        ]
    }
    question = Aggregate(
        Group(Bound(TABLE, ("g",), 1, 2), (("a", "b"),)),
        (Measure("rows"), pick, Measure("distinct", "x")),
    )

    def rank(unit: Value, group: tuple[Value, ...]) -> int:
        return {5: 0, 4: 1, 3: 2}.get(int(str(group[1])) if len(group) > 1 else 0, 0)

    assert interpret_plan(question, data, rank) == {("a",): (4, (4, 5, 10), 3), ("b",): (0, (), 0)}


def test_combinations_of_all_rows_count_as_often_as_units_have_them() -> None:
    source = Table(Schema("t", (Column("x", "integer"), Column("y", "integer")), "id"))
    pairs = [
        (1, 0, 2),
        (1, 0, 2),
        (1, 0, 2),
        (1, 1, 1),
        (2, 0, 2),
        (2, None, 1),
        (2, 2, 1),
        (2, 1, 3),
        (2, -1, 0),
        (None, 1, 1),
    ]
    data = {"t": [{"id": unit, "x": x, "y": y} for unit, x, y in pairs]}
    cross = Contingency((("x", 2), ("y", 3)), resolution=8)
    for most, expected in [
        (1, {(1, 1): 2, (0, 2): 6 + 8}),
        (3, {(1, 1): 6, (0, 2): 18 + 8}),
        (9, {(1, 1): 8, (0, 2): 32}),
    ]:
        assert interpret_plan(
            Aggregate(Group(Bound(source, (), 1, most)), (cross,)), data, flat
        ) == {(): (expected,)}
        exact = {codes: Fraction(parts, 8) for codes, parts in expected.items()}
        assert interpret_plan(
            Aggregate(Group(Bound(source, (), 1, most)), (cross,)), data, flat, exact=True
        ) == {(): (exact,)}
    cross = replace(cross, resolution=1)
    alone = Table(Schema("t", source.schema.columns, "row"))
    assert interpret_plan(Aggregate(Group(Bound(alone, (), 1, 1)), (cross,)), data, flat) == {
        (): ({(1, 1): 2, (0, 2): 4},)
    }
    assert interpret_plan(Aggregate(Group(Bound(source, (), 1, 1)), (cross,)), {"t": []}, flat) == {
        (): ({},)
    }


@pytest.mark.parametrize("relation", RELATIONS)
def test_no_unit_changes_a_contingency_table_more_than_declared(relation: Relation) -> None:
    moved = 0
    for example in range(250):
        random = Random(example)
        world, other = helpers_tables.world(random), helpers_tables.world(random)
        question = worlds.crossed(random, world.schemas)
        unit = random.choice(world.ids)
        if question.bound.source.unit == "row" or type(unit) is not type(other.ids[0]):
            continue
        changed = world.without(unit) if relation == "add-remove" else world.replaced(unit, other)
        before, after = (
            interpret_plan(question, tables, worlds.rank)[()][0]
            for tables in (world.tables, changed)
        )
        sizes = [abs(before.get(codes, 0) - after.get(codes, 0)) for codes in {**before, **after}]
        norms = (
            sum(size > 0 for size in sizes),
            max(sizes, default=0),
            sum(sizes),
            sum(size**2 for size in sizes),
        )
        (claim,) = question.sensitivity(Unit(relation, "id"))
        assert all(real <= most for real, most in zip(norms, brute.declared(claim), strict=True)), (
            example
        )
        moved += norms[0] > 0
    assert moved > 30


@pytest.mark.long
def test_the_rows_of_a_unit_depend_on_no_other_unit() -> None:
    """The invariant of all nodes: without the others, a unit has the same rows."""
    found = 0
    for example in range(300):
        random = Random(example)
        world = helpers_tables.world(random)
        source = worlds.source(random, world.schemas)
        everybody = [
            (unit, sorted(map(str, row.items())))
            for unit, row in evaluate_relation(source, world.tables)
        ]
        for unit in world.ids:
            others = [other for other in world.ids if other != unit]
            alone = [
                (who, sorted(map(str, row.items())))
                for who, row in evaluate_relation(source, world.without(*others))
            ]
            assert sorted(alone) == sorted(pair for pair in everybody if pair[0] == unit), example
            found += len(alone)
    assert found > 400


@pytest.mark.long
@pytest.mark.parametrize("relation", RELATIONS)
def test_no_unit_changes_an_answer_more_than_declared(relation: Relation) -> None:
    """Joins, folds, links and parts included."""
    moved = 0
    for example in range(250):
        random = Random(example)
        world, other = helpers_tables.world(random), helpers_tables.world(random)
        question = worlds.plan(random, world.schemas)
        unit = random.choice(world.ids)
        if question.bound.source.unit == "row" or type(unit) is not type(other.ids[0]):
            continue
        changed = world.without(unit) if relation == "add-remove" else world.replaced(unit, other)
        cells = [
            interpret_plan(question, tables, worlds.rank) for tables in (world.tables, changed)
        ]
        place = 0
        for measure, claim in zip(
            question.measures, question.sensitivity(Unit(relation, "id")), strict=True
        ):
            if isinstance(measure, OrderStatistic):
                before, after = (
                    {group: numbers[place] for group, numbers in found.items()} for found in cells
                )
                groups, most = brute.apart(before, after)  # type: ignore[arg-type]
                assert groups <= claim.l0, example
                assert most <= claim.linf, example
                place, moved = place + 1, moved + (most > 0)
                continue
            width, empty = measure.width, (0,) * 99
            both = [
                {g: f.get(g, empty)[place : place + width] for g in {**cells[0], **cells[1]}}
                for f in cells
            ]
            sizes = [
                abs(a - b) for g in both[0] for a, b in zip(both[0][g], both[1][g], strict=True)
            ]
            norms = (
                sum(size > 0 for size in sizes),
                max(sizes, default=0),
                sum(sizes),
                sum(size**2 for size in sizes),
            )
            assert all(
                real <= most for real, most in zip(norms, brute.declared(claim), strict=True)
            ), (example, measure)
            place, moved = place + width, moved + (norms[0] > 0)
    assert moved > 60
