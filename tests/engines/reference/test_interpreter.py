"""The meaning of a plan, by hand."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from math import inf, nan
from random import Random
from typing import Any

import pytest

from depth import many
from hedgerow.engines.reference import interpreter as reference
from hedgerow.engines.reference.accumulate import Rank
from hedgerow.engines.reference.interpreter import (
    compute_sum_contribution,
    evaluate_relation,
    interpret_plan,
    round_to_grid,
)
from hedgerow.plan.contingency import Contingency
from hedgerow.plan.measures import ClampedGrid, Measure, SecondPopulation
from hedgerow.plan.nodes import (
    Aggregate,
    Bound,
    Filter,
    Group,
    Join,
    Project,
    RelationNode,
    Table,
    Union,
    UnitAggregation,
    UnitStatistic,
)
from hedgerow.plan.order_statistics import OrderStatistic
from hedgerow.plan.scalar.expressions import Call, ColumnRef, Constant
from hedgerow.plan.schema import Column, Link, Partition, Schema
from hedgerow.plan.values import Value
from hedgerow.privacy.unit import RELATIONS, Relation, Unit
from plan import brute, meetings, worlds

COLUMNS = (
    Column("g", "text", values=("a", "b", "c")),
    Column("x", "integer", Fraction(0), Fraction(10)),
)
TABLE = Table(Schema("t", COLUMNS, "id"))
SNAP = ClampedGrid(Fraction(1), 0, 10)
ALL = (
    Measure("units"),
    Measure("rows"),
    Measure("values", "x"),
    Measure("total", "x", SNAP),
    Measure("moments", "x", SNAP),
)


def line(who: object, g: object, x: object) -> dict[str, object]:
    return {"id": who, "g": g, "x": x}


def flat(unit: Value, group: tuple[Value, ...]) -> int:
    return 0


def plan(
    source: RelationNode = TABLE,
    max_groups: int = 3,
    max_rows: int = 3,
    domain: tuple[tuple[Value, ...], ...] | None = (("a", "b"),),
) -> Aggregate:
    return Aggregate(Group(Bound(source, ("g",), max_groups, max_rows), domain), ALL)


def test_sums_of_few_rows_are_plain() -> None:
    data = {
        "t": [
            line(1, "a", 4),
            line(1, "a", None),
            line(2, "a", 12),
            line(2, "b", "3"),
            line(None, "a", 1),
            line(nan, "a", 1),
        ]
    }
    assert interpret_plan(plan(), data, flat) == {
        ("a",): (2, 3, 2, 14, 14, 6),
        ("b",): (1, 1, 1, 3, 3, 7),
    }


def test_many_rows_count_less_each() -> None:
    data = {"t": [line(1, "a", 4), line(1, "a", 5), line(1, "a", None)]}
    # Two of three: 3 * 2/3 rows, 2 * 2/3 values, 9 * 2/3, and for the mean 9 * 2/3 and 11 * 2/3,
    # each cut to a whole number.
    assert interpret_plan(plan(max_rows=2), data, flat)[("a",)] == (1, 2, 1, 6, 6, 7)


def test_cut_towards_zero() -> None:
    together = [{"x": -1}, {"x": -1}, {"x": -1}, {"x": 0}]
    assert compute_sum_contribution(
        Measure("total", "x", ClampedGrid(Fraction(1), -5, 5)), together, 1
    ) == (0,)
    assert compute_sum_contribution(
        Measure("total", "x", ClampedGrid(Fraction(1), -5, 5)), together, 2
    ) == (-1,)
    assert compute_sum_contribution(
        Measure("total", "x", ClampedGrid(Fraction(1), -5, 5)), together, 3
    ) == (-2,)
    assert compute_sum_contribution(
        Measure("total", "x", ClampedGrid(Fraction(1), -5, 5)), together, 4
    ) == (-3,)


def test_groups_are_kept_by_rank_then_by_key() -> None:
    data = {"t": [line(1, g, 1) for g in ("c", "b", "a")] + [line(2, "c", 1)]}
    free = plan(max_groups=2, domain=None)
    assert interpret_plan(free, data, flat).keys() == {("a",), ("b",), ("c",)}
    assert {group: numbers[0] for group, numbers in interpret_plan(free, data, flat).items()} == {
        ("a",): 1,
        ("b",): 1,
        ("c",): 1,
    }
    backwards = interpret_plan(free, data, lambda unit, group: -ord(str(group[0])))
    assert {group: numbers[0] for group, numbers in backwards.items()} == {("b",): 1, ("c",): 2}


def test_undeclared_groups_are_dropped_before_groups_are_chosen() -> None:
    data = {"t": [line(1, "a", 1), line(1, "b", 1), line(1, None, 1)]}
    only = plan(max_groups=1, domain=(("b", "c"),))
    assert {group: numbers[0] for group, numbers in interpret_plan(only, data, flat).items()} == {
        ("b",): 1,
        ("c",): 0,
    }


def test_null_is_a_group_where_none_is_declared_and_comes_first() -> None:
    data = {"t": [line(1, "a", 1), line(1, "unheard of", 1)]}
    assert interpret_plan(plan(max_groups=1, domain=None), data, flat) == {
        (None,): (1, 1, 1, 1, 1, 9)
    }


def test_no_keys_one_cell() -> None:
    bound = Bound(TABLE, (), 1, 1)
    assert interpret_plan(Aggregate(Group(bound), ALL), {"t": []}, flat) == {(): (0,) * 6}
    assert interpret_plan(Aggregate(Group(bound, None), ALL), {"t": []}, flat) == {}


def test_every_row_a_unit() -> None:
    table = Table(Schema("t", COLUMNS, "row"))
    data = {"t": [line(None, "a", 1), line(None, "a", 1), line(3, "b", 2)]}
    assert [unit for unit, _ in evaluate_relation(table, data)] == [0, 1, 2]
    assert interpret_plan(plan(table, 1, 1), data, flat) == {
        ("a",): (2, 2, 2, 2, 2, 18),
        ("b",): (1, 1, 1, 2, 2, 8),
    }


def test_filter_and_project() -> None:
    half = Project(
        TABLE, (("g", ColumnRef("g")), ("y", Call("/", (ColumnRef("x"), Constant(2, "integer")))))
    )
    some = Filter(half, Call(">", (ColumnRef("y"), Constant(1, "integer"))))
    data = {"t": [line(1, "a", 2), line(2, "a", 3), line(3, "a", None)]}
    assert list(evaluate_relation(half, data)) == [
        (1, {"g": "a", "y": 1.0}),
        (2, {"g": "a", "y": 1.5}),
        (3, {"g": "a", "y": None}),
    ]
    assert list(evaluate_relation(some, data)) == [(2, {"g": "a", "y": 1.5})]


def test_whole_numbers_among_reals_become_reals_even_beside_null() -> None:
    table = Table(Schema("t", (Column("n", "integer"), Column("r", "real")), "id"))
    mixed = Project(table, (("y", Call("coalesce", (ColumnRef("n"), ColumnRef("r")))),))
    ((_, row),) = evaluate_relation(mixed, {"t": [{"id": 1, "n": 2**53 + 1, "r": None}]})
    assert row["y"] == 2.0**53
    assert isinstance(row["y"], float)


def test_union_keeps_duplicates() -> None:
    other = Table(Schema("s", COLUMNS, "who"))
    data = {
        "t": [line(1, "a", 1)],
        "s": [{"who": 1, "g": "a", "x": 1}, {"who": None, "g": "a", "x": 1}],
    }
    assert list(evaluate_relation(Union((TABLE, other)), data)) == [(1, {"g": "a", "x": 1})] * 2
    assert interpret_plan(plan(Union((TABLE, other))), data, flat)[("a",)] == (1, 2, 2, 2, 2, 18)


def test_join_looks_up_public_rows() -> None:
    public = Table(Schema("p", (Column("k", "text"), Column("w", "integer")), None))
    data = {
        "t": [line(1, "a", 1), line(2, "b", 1), line(3, None, 1)],
        "p": [{"k": k, "w": w} for k, w in [("a", 5), ("a", None), ("a", 3), (None, 9)]],
    }
    for matches, found in [(1, [3]), (2, [3, 5]), (9, [3, 5, None])]:
        join = Join(TABLE, public, (("g", "k"),), (("w", "w"),), matches)
        assert list(evaluate_relation(join, data)) == [
            (1, {"g": "a", "x": 1, "w": w}) for w in found
        ]
    by_number = Join(
        TABLE,
        Table(Schema("p", (Column("k", "text"), Column("w", "real")), None)),
        (("x", "w"),),
        (("w", "w"),),
    )
    assert [
        unit for unit, _ in evaluate_relation(by_number, {**data, "p": [{"k": "a", "w": 1.0}]})
    ] == [1, 2, 3]


@pytest.mark.parametrize(
    ("value", "snap", "steps"),
    [
        (7, SNAP, 7),
        (-7, SNAP, 0),
        (2**63 - 1, ClampedGrid(Fraction(1), 0, 2**53), 2**53),
        (2.5, SNAP, 3),
        (-2.5, ClampedGrid(Fraction(1), -9, 9), -3),
        (inf, SNAP, 10),
        (-inf, SNAP, 0),
        # 2.5 steps, which round to 3: clamped before and after
        (10.0, ClampedGrid(Fraction(4), 0, 2), 2),
        (10.0, ClampedGrid(Fraction(4), 0, 5), 3),
        (0.3, ClampedGrid(Fraction(1, 10), 0, 10), 3),
        # 0.35 / 0.1 as doubles is 3.4999999999999996
        (0.35, ClampedGrid(Fraction(1, 10), 0, 10), 3),
        (7, ClampedGrid(Fraction(2), 0, 10), 4),
        (0.49999999999999994, SNAP, 0),
    ],
)
def test_snapped(value: float, snap: ClampedGrid, steps: int) -> None:
    assert round_to_grid(value, snap) == steps


def test_units_do_not_meet() -> None:
    """What one unit puts in does not depend on the others: the answers to two halves add up to
    the answer to the whole.
    """
    random = Random(1)
    for _ in range(100):
        data = [
            line(random.randint(1, 4), random.choice("abc"), random.choice([None, -1, 3, 99]))
            for _ in range(12)
        ]
        question = plan(
            max_groups=random.randint(1, 3),
            max_rows=random.randint(1, 3),
            domain=(("a", "b", "c"),),
        )

        def rank(unit: Value, group: tuple[Value, ...]) -> int:
            return hash((unit, ord(str(group[0])))) % 5

        whole, first, rest = (
            interpret_plan(question, {"t": [row for row in data if row["id"] in ids]}, rank)
            for ids in [(1, 2, 3, 4), (1, 3), (2, 4)]
        )
        assert whole == {
            group: tuple(a + b for a, b in zip(first[group], rest[group], strict=True))
            for group in whole
        }


def test_rows_beside_those_of_the_same_unit() -> None:
    other = Table(Schema("s", (Column("g", "text"), Column("w", "real")), "who"))
    data = {
        "t": [line(1, "a", 1), line(1, "b", 2), line(2, "a", 3)],
        "s": [
            {"who": who, "g": g, "w": w}
            for who, g, w in [
                (1, "a", 1.0),
                (1, "a", 5.0),
                (2, "b", 3.0),
                (None, "a", 3.0),
                (3, "a", 1.0),
            ]
        ],
    }
    both = Join(TABLE, other, (("g", "g"),), (("w", "w"),))
    assert list(evaluate_relation(both, data)) == [
        (1, {"g": "a", "x": 1, "w": w}) for w in (1.0, 5.0)
    ]
    kept = [
        (unit, row["x"], row["w"])
        for unit, row in evaluate_relation(
            Join(TABLE, other, (("g", "g"),), (("w", "w"),), keeps_unmatched=True), data
        )
    ]
    assert kept == [(1, 1, 1.0), (1, 1, 5.0), (1, 2, None), (2, 3, None)]
    assert [
        (unit, row["x"], row["w"])
        for unit, row in evaluate_relation(Join(TABLE, other, (("x", "w"),), (("w", "w"),)), data)
    ] == [
        (1, 1, 1.0),
        (2, 3, 3.0),
    ]
    assert len(list(evaluate_relation(Join(TABLE, other, (), ()), data))) == 2 * 2 + 1


def test_rows_that_find_nothing_public_are_kept() -> None:
    public = Filter(
        Table(Schema("p", (Column("k", "text"), Column("w", "integer")), None)),
        Call(">", (ColumnRef("w"), Constant(0, "integer"))),
    )
    data = {
        "t": [line(1, "a", 1), line(2, "b", 1), line(3, None, 1)],
        "p": [{"k": "a", "w": w} for w in (0, 4, 3)],
    }
    found = {
        matches: [(u, row["w"]) for u, row in evaluate_relation(_kept(public, matches), data)]
        for matches in (None, 1)
    }
    assert found == {
        None: [(1, 3), (1, 4), (2, None), (3, None)],
        1: [(1, 3), (2, None), (3, None)],
    }


def _kept(public: RelationNode, matches: int | None) -> Join:
    return Join(TABLE, public, (("g", "k"),), (("w", "w"),), matches, keeps_unmatched=True)


def test_per_unit_aggregation_returns_one_row_per_unit() -> None:
    data = {
        "t": [
            line(1, "a", 1),
            line(2, "a", 3),
            line(1, "b", None),
            line(1, "a", 4),
            line(1, None, 2),
        ]
    }
    outputs = (
        ("n", UnitStatistic("rows")),
        ("s", UnitStatistic("total", "x", SNAP)),
        ("top", UnitStatistic("greatest", "x")),
    )
    assert list(evaluate_relation(UnitAggregation(TABLE, ("g",), outputs), data)) == [
        (1, {"g": "a", "n": 2, "s": 5, "top": 4}),
        (2, {"g": "a", "n": 1, "s": 3, "top": 3}),
        (1, {"g": "b", "n": 1, "s": None, "top": None}),
        (1, {"g": None, "n": 1, "s": 2, "top": 2}),
    ]
    assert list(evaluate_relation(UnitAggregation(TABLE, (), outputs[:1]), data)) == [
        (1, {"n": 4}),
        (2, {"n": 1}),
    ]


ORDERS = Schema("orders", (Column("number", "integer"), Column("g", "text")), "who")
ITEMS = Schema(
    "items",
    (Column("Order", "integer", Fraction(0), Fraction(9)), Column("code", "text")),
    "who",
    link=Link("ORDER", ORDERS, "Number"),
)
PARTS = Schema("parts", (Column("item", "text"),), "who", link=Link("item", ITEMS, "code"))
LINKED: dict[str, list[dict[str, object]]] = {
    # Order 2 belongs to two units, and to one of them twice; 3 has no owner, and a missing number
    # is no number.
    "orders": [
        {"who": who, "number": n, "g": "x"}
        for who, n in [("u", 1), ("u", 2), ("u", 2), ("v", "2"), (None, 3), ("w", None)]
    ],
    "items": [
        {"Order": n, "code": code}
        for n, code in [("1", "a"), (2, "b"), (3, "c"), (None, "d"), (7, "e"), (2, None), (1, "b")]
    ],
    "parts": [{"item": code} for code in ("a", "b", "c", None)],
}


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
        world, other = worlds.world(random), worlds.world(random)
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
        world = worlds.world(random)
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
        world, other = worlds.world(random), worlds.world(random)
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


IDS: dict[str, tuple[Column | None, list[object], list[object]]] = {
    "written": (Column("id", "integer"), ["1", " 1", "01", "1.0", "+1", "x", "", None], [1] * 5),
    # strangers stay two
    "bounded": (Column("ID", "integer", Fraction(0), Fraction(1)), ["2", "3"], [2, 3]),
    "long": (Column("id", "integer"), [2**70, 2**70 + 1], [2**70, 2**70 + 1]),
    "real": (
        Column("id", "real"),
        [0.0, -0.0, nan, 2**53 + 1, 2**53],
        [0.0, 0.0, 2.0**53, 2.0**53],
    ),
    "text": (Column("id", "text"), [7, "7", "", " \t\u3000"], ["7", "7"]),
    "nothing": (None, ["1", "01", "", " ", nan, None, 3], ["1", "01", 3]),
}


@pytest.mark.parametrize("case", IDS)
def test_rows_are_assigned_to_their_owners(case: str) -> None:
    declared, raw, found = IDS[case]
    table = Table(Schema("t", () if declared is None else (declared,), "id"))
    data = {"t": [{"id": one, "ID": one} for one in raw]}
    assert [unit for unit, _ in evaluate_relation(table, data)] == found


PATIENTS: dict[str, list[dict[str, Any]]] = {
    "visits": [
        *(
            {"id": 1, "doctor": doctor, "month": "may", "cost": 5}
            for doctor in (1, 1, 1, 2, 4, None)
        ),
        {"id": 2, "doctor": 1, "month": "june", "cost": -2},
        {"id": 3, "doctor": 1, "month": "june", "cost": 4},
        {"id": None, "doctor": 1, "month": "june", "cost": 4},
    ],
    "doctors": [
        {"id": 1, "ward": "b", "fee": 1},
        {"id": 1, "ward": "a", "fee": 3},
        {"id": 2, "ward": "b", "fee": None},
    ],
}


def test_rows_meet_one_row_of_whom_they_name() -> None:
    """Of doctor 1 the first row by what it adds; doctor 4 does not exist, and who names nobody
    is dropped.
    """
    met = list(evaluate_relation(meetings.meeting((), bonds=3), PATIENTS))
    assert [unit for unit, _ in met] == [(1, 1), (1, 1), (1, 1), (1, 2), (2, 1), (3, 1)]
    assert [(row["ward"], row["fee"]) for _, row in met[2:4]] == [("a", 3), ("b", None)]


def test_references_are_chosen_before_the_join() -> None:
    """Doctor 4, whom nobody knows, takes the place of one that counts."""

    def backwards(unit: Value, cell: tuple[Value, ...]) -> int:
        return -int(str(cell[0]))

    assert [
        unit for unit, _ in evaluate_relation(meetings.meeting((), bonds=2), PATIENTS, backwards)
    ] == [(1, 2), (2, 1), (3, 1)]
    # With the month in it, a bond is a doctor and a month.
    twice = {
        **PATIENTS,
        "visits": [
            {"id": 1, "doctor": 1, "month": month, "cost": 1}
            for month in ("may", "june", "may", None)
        ],
    }
    assert len(list(evaluate_relation(meetings.meeting(("month",), bonds=2), twice, flat))) == 2
    assert len(list(evaluate_relation(meetings.meeting((), bonds=1), twice, flat))) == 4


def test_each_number_of_a_second_unit_is_clamped() -> None:
    measures = (
        Measure("rows"),
        Measure("units"),
        Measure("total", "cost", meetings.COST),
        Measure("moments", "cost", meetings.COST),
    )
    plain = meetings.asked(("ward",), measures, bonds=3, rows=2, most=9)
    # Patient 1 has three visits to doctor 1, of which two count: 15 * 2/3 = 10; and patients 2 and
    # 3 bring -2 and 4.
    assert interpret_plan(plain, PATIENTS, flat) == {
        ("a",): (4, 3, 12, 20, 8),
        ("b",): (1, 1, 5, 7, 0),
    }
    tight = meetings.asked(("ward",), measures, bonds=3, rows=2, most=2)
    assert interpret_plan(tight, PATIENTS, flat) == {
        ("a",): (2, 2, 10, 14, 8),
        ("b",): (1, 1, 5, 7, 0),
    }


@pytest.mark.long
@pytest.mark.parametrize("relation", RELATIONS)
@pytest.mark.parametrize("table", ["visits", "doctors"])
def test_no_unit_of_two_populations_changes_an_answer_more_than_declared(
    table: str, relation: Relation
) -> None:
    assert list(meetings.searched(table, relation, range(many(60)), interpret_plan)) == []


@pytest.mark.parametrize("relation", RELATIONS)
def test_a_unit_of_either_population_reaches_the_stated_sensitivity(relation: Relation) -> None:
    """One month, one doctor for each visit, caps that bind."""
    asked = meetings.asked(("month",), (Measure("rows"),), bonds=2, rows=2, most=3)
    unit = Unit(relation, "id")
    (mine,), (theirs,) = asked.sensitivity(unit), asked.second_population_sensitivity(unit)

    def visits(who: int, month: str, doctors: tuple[int, ...]) -> list[dict[str, Any]]:
        return [{"id": who, "doctor": doctor, "month": month, "cost": 1} for doctor in doctors]

    def told(visits: list[dict[str, Any]], doctors: tuple[int, ...]) -> list[int]:
        found = interpret_plan(
            asked,
            {"visits": visits, "doctors": [{"id": who, "ward": "a", "fee": 1} for who in doctors]},
            flat,
        )
        return [found[(month,)][0] for month in meetings.MONTHS]

    busy = visits(1, "may", (1, 1, 2, 2))
    other = [] if relation == "add-remove" else visits(2, "july", (1, 1, 2, 2))
    moved = [abs(a - b) for a, b in zip(told(busy, (1, 2)), told(other, (1, 2)), strict=True)]
    assert (sum(moved), max(moved), sum(move**2 for move in moved)) == (
        mine.l1,
        mine.linf,
        mine.l2_squared,
    )
    everywhere = [
        line
        for who in (1, 2, 3, 4)
        for month in meetings.MONTHS
        for line in visits(who * 10 + len(month), month, (1,))
    ]
    moved = [abs(a - b) for a, b in zip(told(everywhere, (1,)), told(everywhere, ()), strict=True)]
    if relation == "add-remove":
        assert moved == [3, 3, 3]
        assert (sum(moved), max(moved), len(moved)) == (theirs.l1, theirs.linf, theirs.l0)
    # all three months; replaced, a doctor still moves no more than that, since there are no others
    assert theirs.l1 == 9


def no_clamp(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        reference,
        "_clamp_second_population",
        lambda plan, measure, put, exact: [numbers for _, numbers in put],
    )


def cut_not_clamped(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of those who come to one of the others the first count, and no more."""

    def clamped(
        plan: Aggregate, measure: Measure, put: list[tuple[Any, Any]], *, exact: bool
    ) -> list[Any]:
        assert plan.population_join is not None
        got: dict[Any, list[Any]] = {}
        for (unit, other), numbers in put:
            got.setdefault(other, []).append((meetings.rank(unit, ()), unit, numbers))
        return [
            numbers
            for each in got.values()
            for _, _, numbers in sorted(each, key=lambda one: one[:2])[
                : plan.population_join.population.max_rows
            ]
        ]

    monkeypatch.setattr(reference, "_clamp_second_population", clamped)


def no_cap_on_bonds(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        reference,
        "_keep_first_references",
        lambda found, others, rank: (one for one in found if one[1][others.id_column] is not None),
    )


def bonds_after_the_meeting(monkeypatch: pytest.MonkeyPatch) -> None:
    """Only doctors who are there use up bonds."""
    plain, first = reference._evaluate_join, reference._keep_first_references

    def join(node: Join, tables: reference.RawTables, rank: Rank) -> Any:
        there = {row["id"] for row in tables["doctors"]}

        def present(found: Any, others: SecondPopulation, rank: Rank) -> Any:
            return first((one for one in found if one[1][others.id_column] in there), others, rank)

        monkeypatch.setattr(reference, "_keep_first_references", present)
        yield from plain(node, tables, rank)

    monkeypatch.setattr(reference, "_evaluate_join", join)


def all_rows_of_the_others(monkeypatch: pytest.MonkeyPatch) -> None:
    plain = reference._evaluate_join

    def join(node: Join, tables: reference.RawTables, rank: Rank) -> Any:
        object.__setattr__(node, "max_matches", None)
        yield from plain(node, tables, rank)

    monkeypatch.setattr(reference, "_evaluate_join", join)


MISTAKES: dict[Any, tuple[str, Relation]] = {
    no_clamp: ("doctors", "add-remove"),
    cut_not_clamped: ("visits", "add-remove"),
    no_cap_on_bonds: ("visits", "add-remove"),
    bonds_after_the_meeting: ("doctors", "add-remove"),
    all_rows_of_the_others: ("doctors", "add-remove"),
}


@pytest.mark.long
@pytest.mark.parametrize("mistake", MISTAKES, ids=lambda mistake: mistake.__name__)
def test_mistakes_in_the_bounds_of_two_populations_are_found(
    mistake: Callable[..., None], monkeypatch: pytest.MonkeyPatch
) -> None:
    table, relation = MISTAKES[mistake]
    mistake(monkeypatch)
    assert next(meetings.searched(table, relation, range(600), interpret_plan), None) is not None
