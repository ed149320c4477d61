"""What a unit puts into a group, and what becomes of a unit's rows, by hand."""

from __future__ import annotations

from datetime import date
from fractions import Fraction

import pytest

from hedgerow.engines.reference.accumulate import (
    GroupKey,
    Row,
    aggregate_unit_rows,
    compute_contribution,
    compute_sum_contribution,
    merge_contributions,
)
from hedgerow.plan.contingency import Contingency
from hedgerow.plan.measures import ClampedGrid, Measure
from hedgerow.plan.nodes import UnitStatistic
from hedgerow.plan.order_statistics import OrderStatistic
from hedgerow.plan.values import Type, Value

SNAP = ClampedGrid(Fraction(1), 0, 4)
SOME: list[dict[str, Value]] = [
    {"x": 1, "y": 9},
    {"x": 3, "y": None},
    {"x": None, "y": 2},
    {"x": 3, "y": 1},
]


def backwards(unit: Value, group: GroupKey) -> int:
    return -int(str(group[-1]))


def test_moments() -> None:
    # y = 1, 3, 3 of a width of 4: y^2, 2 y (4 - y), (4 - y)^2 of each add up to 16.
    assert compute_sum_contribution(Measure("moments", "x", SNAP), SOME, 9) == (7, 5)
    assert compute_sum_contribution(Measure("moments", "x", SNAP, degree=2), SOME, 9) == (
        1 + 9 + 9,
        6 + 6 + 6,
        9 + 1 + 1,
    )
    assert compute_sum_contribution(Measure("moments", "x", SNAP, degree=2), SOME, 2) == (9, 9, 5)


def test_moments_with_a_rest_add_up_to_the_same_for_every_row() -> None:
    for degree in (1, 2):
        plain, fuller = (
            Measure("moments", "x", SNAP, degree=degree, has_null_sum=rest)
            for rest in (False, True)
        )
        # one of the four has no value
        assert compute_sum_contribution(fuller, SOME, 9) == (
            *compute_sum_contribution(plain, SOME, 9),
            4**degree,
        )
        assert sum(compute_sum_contribution(fuller, SOME, 9)) == 4 * 4**degree
        assert compute_sum_contribution(fuller, SOME[2:3], 9) == (*[0] * (degree + 1), 4**degree)


def test_moments_of_two_columns() -> None:
    """Rows without one of the two do not count, but are rows of the unit all the same."""
    pair = Measure("moments", "x", SNAP, second=("y", ClampedGrid(Fraction(1), 0, 2)))
    # (1, 2) gives 1 * 2, 1 * 0, 3 * 2, 3 * 0, and (3, 1) gives 3 * 1, 3 * 1, 1 * 1, 1 * 1.
    assert compute_sum_contribution(pair, SOME, 4) == (5, 3, 7, 1)
    assert compute_sum_contribution(pair, SOME, 2) == (2, 1, 3, 0)
    square = Measure("moments", "x", SNAP, degree=2, second=("y", ClampedGrid(Fraction(1), 0, 2)))
    assert compute_sum_contribution(square, SOME[:1], 1) == (4, 0, 0, 24, 0, 0, 36, 0, 0)
    assert compute_sum_contribution(square, SOME[1:3], 1) == (0,) * 9


@pytest.mark.parametrize(
    ("limits", "number"),
    [((0, 9), 7), ((0, 5), 5), ((8, 9), 8), ((-3, -1), -1)],
    ids=["inside", "above", "below", "far"],
)
def test_limits_are_of_the_whole_sum(limits: tuple[int, int], number: int) -> None:
    measure = Measure("total", "x", SNAP, sum_bounds=limits)
    assert compute_sum_contribution(measure, SOME, 1) == (number,)
    # without a value, nothing is put in
    assert compute_sum_contribution(measure, [{"x": None}], 1) == (0,)


def test_different_values() -> None:
    measure = Measure("distinct", "x")
    assert compute_contribution(measure, 1, ("a",), SOME, 9, backwards) == (3, 1)
    assert compute_contribution(measure, 1, ("a",), SOME, 1, backwards) == (3,)
    assert merge_contributions(measure, [(3, 1), (3,), (5, 1)]) == (3,)
    assert merge_contributions(measure, []) == (0,)
    total = Measure("distinct", "x", ClampedGrid(Fraction(2), -1, 4))
    assert compute_contribution(total, 1, ("a",), SOME, 1, backwards) == (3,)
    # 3 and 4 are two steps of 2, -9 is clamped to -1 and 99 to 4
    assert merge_contributions(total, [(3, 4), (4, -9), (99,)]) == (2 - 1 + 4,)
    assert merge_contributions(total, []) == (0,)


def test_combinations_in_parts() -> None:
    """Each of four rows counts a quarter of what counts; whoever has no more rows than count has
    them whole. Rows without a code, or with another number, are none."""
    cross = Contingency((("x", 4), ("y", 10)), resolution=8)
    more: list[dict[str, Value]] = [
        *SOME,
        {"x": 3, "y": 1},
        {"x": 4, "y": 0},
        {"x": -1, "y": 0},
        {"x": 0, "y": 10},
        {"x": 0, "y": 9},
    ]
    assert dict(compute_contribution(cross, 1, (), more, 1, backwards)) == {
        (3, 1): 4,
        (1, 9): 2,
        (0, 9): 2,
    }
    assert dict(compute_contribution(cross, 1, (), more, 3, backwards)) == {
        (3, 1): 12,
        (1, 9): 6,
        (0, 9): 6,
    }
    assert dict(compute_contribution(cross, 1, (), more, 4, backwards)) == {
        (3, 1): 16,
        (1, 9): 8,
        (0, 9): 8,
    }
    assert dict(compute_contribution(cross, 1, (), more, 3, backwards, exact=True)) == {
        (3, 1): Fraction(3, 2),
        (1, 9): Fraction(3, 4),
        (0, 9): Fraction(3, 4),
    }
    assert dict(compute_contribution(Contingency(cross.attributes), 1, (), more, 9, backwards)) == {
        (3, 1): 2,
        (1, 9): 1,
        (0, 9): 1,
    }
    assert compute_contribution(Contingency(cross.attributes), 1, (), more, 2, backwards) == (
        ((3, 1), 1),
    )
    assert (
        compute_contribution(cross, 1, (), [], 1, backwards),
        merge_contributions(cross, []),
    ) == ((), ({},))
    few = [{"x": 0, "y": 0}] * 16 + [{"x": 1, "y": 1}]  # 8/17 of a part is none
    assert compute_contribution(cross, 1, (), few, 1, backwards) == (((0, 0), 7),)
    assert merge_contributions(cross, [(((3, 1), 4),), (((3, 1), 8), ((0, 9), 2))]) == (
        {(3, 1): 12, (0, 9): 2},
    )


def from_the_largest(unit: Value, group: GroupKey) -> int:
    """What is asked about ends with a value and the number of its copy."""
    return -int(str(group[-2]))


def test_each_copy_of_a_value_has_a_rank_of_its_own() -> None:
    """Or a unit's rare values would be chosen as often as its frequent ones."""
    asked: list[GroupKey] = []

    def rank(unit: Value, group: GroupKey) -> int:
        asked.append(group)
        return int(str(group[-1]))

    pick = OrderStatistic("least", "x", SNAP)
    rows: list[Row] = [{"x": value} for value in (3, 3, 1, 3)]
    assert compute_contribution(pick, 1, ("a",), rows, 2, rank) == (1, 3)
    expected = [("a", 1, 1), ("a", 3, 1), ("a", 3, 2), ("a", 3, 3)]
    assert sorted(asked) == expected  # type: ignore[type-var]


def test_samples() -> None:
    """Equal values are all candidates; the sample of a group is sorted."""
    pick = OrderStatistic("least", "x", SNAP)
    assert compute_contribution(pick, 1, ("a",), SOME, 2, from_the_largest) == (3, 3)
    assert compute_contribution(pick, 1, ("a",), SOME, 2, lambda unit, group: 0) == (1, 3)
    assert merge_contributions(pick, [(3, 1), (99, 2)]) == ((1, 2, 3, 4),)
    assert merge_contributions(pick, []) == ((),)


def test_dates_are_chosen_by_their_ordinal() -> None:
    day = date(2020, 1, 1)
    pick = OrderStatistic(
        "greatest", "d", ClampedGrid(Fraction(1), day.toordinal(), day.toordinal() + 9)
    )
    assert merge_contributions(pick, [(date(2020, 1, 5), day), (date.max,)]) == (
        tuple(day.toordinal() + i for i in (0, 4, 9)),
    )


def test_modes_are_places_in_the_list() -> None:
    pick = OrderStatistic("mode", "x", values=(3, 7, 1))
    assert compute_contribution(pick, 1, (), [*SOME, {"x": 4}], 3, from_the_largest) == (3, 3, 1)
    assert merge_contributions(pick, [(3, 3, 1), (7,)]) == ((0, 0, 1, 2),)


@pytest.mark.parametrize(
    ("fold", "type_", "found"),
    [
        (UnitStatistic("rows"), "integer", 4),
        (UnitStatistic("values", "x"), "integer", 3),
        (UnitStatistic("distinct", "x"), "integer", 2),
        (UnitStatistic("least", "x"), "integer", 1),
        (UnitStatistic("greatest", "y"), "integer", 9),
        (UnitStatistic("total", "x", SNAP), "integer", 7),
        # 9, 2 and 1 are 4, 1 and 1 steps of 2
        (UnitStatistic("total", "y", ClampedGrid(Fraction(2), 0, 4)), "integer", 12),
        (UnitStatistic("total", "x", ClampedGrid(Fraction(1, 3), -9, 9)), "real", 21.0 * 1.0 / 3.0),
        (UnitStatistic("mean", "x", SNAP), "integer", 7 / 3),
        (
            UnitStatistic("mean", "y", ClampedGrid(Fraction(1, 10), 0, 100)),
            "real",
            120.0 * 1.0 / 10.0 / 3.0,
        ),
        (UnitStatistic("mean", "z", SNAP), "real", None),
        (UnitStatistic("total", "z", SNAP), "integer", None),
        (UnitStatistic("least", "z"), "date", None),
        (UnitStatistic("distinct", "z"), "text", 0),
    ],
)
def test_unit_rows_are_aggregated_to_one_value(
    fold: UnitStatistic, type_: Type, found: Value
) -> None:
    value = aggregate_unit_rows(fold, type_, [{**row, "z": None} for row in SOME])
    assert (type(value), value) == (type(found), found)


def test_the_sum_of_a_unit_stays_within_64_bits() -> None:
    many: list[dict[str, Value]] = [{"x": 2.0**53}] * 600
    wide = ClampedGrid(Fraction(1), -(2**53), 2**53)
    assert aggregate_unit_rows(UnitStatistic("total", "x", wide), "integer", many) == 2**62
    assert aggregate_unit_rows(UnitStatistic("total", "x", wide), "real", many) == 2.0**62
    assert aggregate_unit_rows(UnitStatistic("mean", "x", wide), "real", many) == 2.0**62 / 600
    assert (
        aggregate_unit_rows(
            UnitStatistic("total", "x", ClampedGrid(Fraction(3), -(2**53), -(2**53))),
            "integer",
            many * 3,
        )
        == -(2**62 // 3) * 3
    )
