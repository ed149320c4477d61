"""The meaning of a plan, by hand."""

from __future__ import annotations

from fractions import Fraction
from math import inf, nan
from random import Random

import pytest

from engines.reference.helpers_bounding_mistakes import (
    ALL,
    COLUMNS,
    SNAP,
    TABLE,
    _kept,
    flat,
    line,
    plan,
)
from hedgerow.engines.reference.interpreter import (
    compute_sum_contribution,
    evaluate_relation,
    interpret_plan,
    round_to_grid,
)
from hedgerow.plan.measures import ClampedGrid, Measure
from hedgerow.plan.nodes import (
    Aggregate,
    Bound,
    Filter,
    Group,
    Join,
    Project,
    Table,
    Union,
    UnitAggregation,
    UnitStatistic,
)
from hedgerow.plan.scalar.expressions import Call, ColumnRef, Constant
from hedgerow.plan.schema import Column, Schema
from hedgerow.plan.values import Value


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
