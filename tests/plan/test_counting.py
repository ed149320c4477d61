"""What a unit puts into a group, and what becomes of a unit's rows, by hand."""

from __future__ import annotations

from datetime import date
from fractions import Fraction

import pytest

from hedgerow.plan.counting import Group, Row, entry, folded, merged, put_in
from hedgerow.plan.crossing import Cross
from hedgerow.plan.measures import Measure, Snap
from hedgerow.plan.nodes import Folded
from hedgerow.plan.picks import Pick
from hedgerow.plan.values import Type, Value

SNAP = Snap(Fraction(1), 0, 4)
SOME: list[dict[str, Value]] = [{"x": 1, "y": 9}, {"x": 3, "y": None}, {"x": None, "y": 2}, {"x": 3, "y": 1}]


def backwards(unit: Value, group: Group) -> int:
    return -int(str(group[-1]))


def test_moments() -> None:
    # y = 1, 3, 3 of a width of 4: y^2, 2 y (4 - y), (4 - y)^2 of each add up to 16.
    assert put_in(Measure("moments", "x", SNAP), SOME, 9) == (7, 5)
    assert put_in(Measure("moments", "x", SNAP, degree=2), SOME, 9) == (1 + 9 + 9, 6 + 6 + 6, 9 + 1 + 1)
    assert put_in(Measure("moments", "x", SNAP, degree=2), SOME, 2) == (9, 9, 5)


def test_moments_with_a_rest_add_up_to_the_same_for_every_row() -> None:
    for degree in (1, 2):
        plain, fuller = (Measure("moments", "x", SNAP, degree=degree, rest=rest) for rest in (False, True))
        assert put_in(fuller, SOME, 9) == (*put_in(plain, SOME, 9), 4**degree)  # one of the four has no value
        assert sum(put_in(fuller, SOME, 9)) == 4 * 4**degree
        assert put_in(fuller, SOME[2:3], 9) == (*[0] * (degree + 1), 4**degree)


def test_moments_of_two_columns() -> None:
    """Rows without one of the two do not count, but are rows of the unit all the same."""
    pair = Measure("moments", "x", SNAP, second=("y", Snap(Fraction(1), 0, 2)))
    # (1, 2) gives 1 * 2, 1 * 0, 3 * 2, 3 * 0, and (3, 1) gives 3 * 1, 3 * 1, 1 * 1, 1 * 1.
    assert put_in(pair, SOME, 4) == (5, 3, 7, 1)
    assert put_in(pair, SOME, 2) == (2, 1, 3, 0)
    square = Measure("moments", "x", SNAP, degree=2, second=("y", Snap(Fraction(1), 0, 2)))
    assert put_in(square, SOME[:1], 1) == (4, 0, 0, 24, 0, 0, 36, 0, 0)
    assert put_in(square, SOME[1:3], 1) == (0,) * 9


@pytest.mark.parametrize(
    ("limits", "number"), [((0, 9), 7), ((0, 5), 5), ((8, 9), 8), ((-3, -1), -1)], ids=["inside", "above", "below", "far"]
)
def test_limits_are_of_the_whole_sum(limits: tuple[int, int], number: int) -> None:
    measure = Measure("total", "x", SNAP, limits=limits)
    assert put_in(measure, SOME, 1) == (number,)
    assert put_in(measure, [{"x": None}], 1) == (0,)  # without a value, nothing is put in


def test_different_values() -> None:
    measure = Measure("distinct", "x")
    assert entry(measure, 1, ("a",), SOME, 9, backwards) == (3, 1)
    assert entry(measure, 1, ("a",), SOME, 1, backwards) == (3,)
    assert merged(measure, [(3, 1), (3,), (5, 1)]) == (3,)
    assert merged(measure, []) == (0,)


def test_combinations_in_parts() -> None:
    """Each of four rows counts a quarter of what counts; whoever has no more rows than count has them whole. Rows without a code, or with
    another number, are none."""
    cross = Cross((("x", 4), ("y", 10)), fine=8)
    more: list[dict[str, Value]] = [*SOME, {"x": 3, "y": 1}, {"x": 4, "y": 0}, {"x": -1, "y": 0}, {"x": 0, "y": 10}, {"x": 0, "y": 9}]
    assert dict(entry(cross, 1, (), more, 1, backwards)) == {(3, 1): 4, (1, 9): 2, (0, 9): 2}
    assert dict(entry(cross, 1, (), more, 3, backwards)) == {(3, 1): 12, (1, 9): 6, (0, 9): 6}
    assert dict(entry(cross, 1, (), more, 4, backwards)) == {(3, 1): 16, (1, 9): 8, (0, 9): 8}
    assert dict(entry(cross, 1, (), more, 3, backwards, exact=True)) == {
        (3, 1): Fraction(3, 2),
        (1, 9): Fraction(3, 4),
        (0, 9): Fraction(3, 4),
    }
    assert dict(entry(Cross(cross.attributes), 1, (), more, 9, backwards)) == {(3, 1): 2, (1, 9): 1, (0, 9): 1}
    assert entry(Cross(cross.attributes), 1, (), more, 2, backwards) == (((3, 1), 1),)
    assert (entry(cross, 1, (), [], 1, backwards), merged(cross, [])) == ((), ({},))
    few = [{"x": 0, "y": 0}] * 16 + [{"x": 1, "y": 1}]  # 8/17 of a part is none
    assert entry(cross, 1, (), few, 1, backwards) == (((0, 0), 7),)
    assert merged(cross, [(((3, 1), 4),), (((3, 1), 8), ((0, 9), 2))]) == ({(3, 1): 12, (0, 9): 2},)


def from_the_largest(unit: Value, group: Group) -> int:
    """What is asked about ends with a value and the number of its copy."""
    return -int(str(group[-2]))


def test_each_copy_of_a_value_has_a_rank_of_its_own() -> None:
    """Or a unit's rare values would be chosen as often as its frequent ones."""
    asked: list[Group] = []

    def rank(unit: Value, group: Group) -> int:
        asked.append(group)
        return int(str(group[-1]))

    pick = Pick("least", "x", SNAP)
    rows: list[Row] = [{"x": value} for value in (3, 3, 1, 3)]
    assert entry(pick, 1, ("a",), rows, 2, rank) == (1, 3)
    assert sorted(asked) == [("a", 1, 1), ("a", 3, 1), ("a", 3, 2), ("a", 3, 3)]  # type: ignore[type-var]


def test_samples() -> None:
    """Equal values are all candidates; the sample of a group is sorted."""
    pick = Pick("least", "x", SNAP)
    assert entry(pick, 1, ("a",), SOME, 2, from_the_largest) == (3, 3)
    assert entry(pick, 1, ("a",), SOME, 2, lambda unit, group: 0) == (1, 3)
    assert merged(pick, [(3, 1), (99, 2)]) == ((1, 2, 3, 4),)
    assert merged(pick, []) == ((),)


def test_dates_are_chosen_by_their_ordinal() -> None:
    day = date(2020, 1, 1)
    pick = Pick("greatest", "d", Snap(Fraction(1), day.toordinal(), day.toordinal() + 9))
    assert merged(pick, [(date(2020, 1, 5), day), (date.max,)]) == (tuple(day.toordinal() + i for i in (0, 4, 9)),)


def test_modes_are_places_in_the_list() -> None:
    pick = Pick("mode", "x", values=(3, 7, 1))
    assert entry(pick, 1, (), [*SOME, {"x": 4}], 3, from_the_largest) == (3, 3, 1)
    assert merged(pick, [(3, 3, 1), (7,)]) == ((0, 0, 1, 2),)


@pytest.mark.parametrize(
    ("fold", "type_", "found"),
    [
        (Folded("rows"), "integer", 4),
        (Folded("values", "x"), "integer", 3),
        (Folded("distinct", "x"), "integer", 2),
        (Folded("least", "x"), "integer", 1),
        (Folded("greatest", "y"), "integer", 9),
        (Folded("total", "x", SNAP), "integer", 7),
        (Folded("total", "y", Snap(Fraction(2), 0, 4)), "integer", 12),  # 9, 2 and 1 are 4, 1 and 1 steps of 2
        (Folded("total", "x", Snap(Fraction(1, 3), -9, 9)), "real", 21.0 * 1.0 / 3.0),
        (Folded("mean", "x", SNAP), "integer", 7 / 3),
        (Folded("mean", "y", Snap(Fraction(1, 10), 0, 100)), "real", 120.0 * 1.0 / 10.0 / 3.0),
        (Folded("mean", "z", SNAP), "real", None),
        (Folded("total", "z", SNAP), "integer", None),
        (Folded("least", "z"), "date", None),
        (Folded("distinct", "z"), "text", 0),
    ],
)
def test_folded(fold: Folded, type_: Type, found: Value) -> None:
    value = folded(fold, type_, [{**row, "z": None} for row in SOME])
    assert (type(value), value) == (type(found), found)


def test_what_a_unit_adds_up_stays_within_64_bits() -> None:
    many: list[dict[str, Value]] = [{"x": 2.0**53}] * 600
    wide = Snap(Fraction(1), -(2**53), 2**53)
    assert folded(Folded("total", "x", wide), "integer", many) == 2**62
    assert folded(Folded("total", "x", wide), "real", many) == 2.0**62
    assert folded(Folded("mean", "x", wide), "real", many) == 2.0**62 / 600
    assert folded(Folded("total", "x", Snap(Fraction(3), -(2**53), -(2**53))), "integer", many * 3) == -(2**62 // 3) * 3
