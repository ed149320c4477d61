"""Sensitivity by brute force: nobody moves a measure further than declared, and somebody moves
it that far.
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import pytest

from hedgerow.errors import InvalidArgument, Refused
from hedgerow.plan.measures import (
    MEASURE_KINDS,
    ClampedGrid,
    Measure,
    UnitReach,
    UnitStatistic,
)
from hedgerow.plan.values import Range
from hedgerow.privacy.sensitivity import Sensitivity
from hedgerow.privacy.unit import RELATIONS, Relation, Unit
from plan import brute

SNAPS = [
    ClampedGrid(Fraction(1), low, high) for low, high in [(-1, 2), (0, 2), (1, 3), (-3, -1), (2, 2)]
]
PLAIN = [Measure("units"), Measure("rows"), Measure("values", "x"), Measure("distinct", "x")]
SUMS = [Measure("total", "x", snap) for snap in SNAPS] + [
    Measure("moments", "x", snap) for snap in SNAPS[:4]
]
LIMITED = [
    Measure("total", "x", ClampedGrid(Fraction(1), -9, 9), sum_bounds=limits)
    for limits in [(-1, 2), (1, 3), (-3, -1), (2, 2)]
]
POWERS = [
    Measure("moments", "x", SNAPS[place], degree=degree)
    for place, degree in ((0, 2), (1, 2), (0, 3), (1, 4))
]
RESTS = [
    Measure("moments", "x", snap, degree=degree, has_null_sum=True)
    for snap in SNAPS[:2]
    for degree in (1, 2)
]
PAIRS = [
    Measure("moments", "x", SNAPS[0], degree=degree, second=("x", SNAPS[1])) for degree in (1, 2)
]
FINE = [
    replace(measure, resolution=8) for measure in (PLAIN[2], SUMS[0], SUMS[5], RESTS[0], PAIRS[0])
]


@pytest.mark.long
@pytest.mark.parametrize("relation", RELATIONS)
@pytest.mark.parametrize("measure", PLAIN + SUMS + LIMITED + POWERS + RESTS + PAIRS + FINE)
def test_declared_moves_hold_and_are_reached(measure: Measure, relation: Relation) -> None:
    kind, snap = measure.kind, measure.grid
    # the clamp has something to do
    low, high = (4, 6) if snap is None else (snap.low - 1, snap.high + 1)
    if measure.sum_bounds is not None:
        low, high = measure.sum_bounds[0] - 1, measure.sum_bounds[1] + 1
    middle = (low + high) // 2
    for cells, max_groups, max_rows, most in [
        (1, 1, 1, 2),
        (1, 2, 2, 3),
        (2, 1, 2, 2),
        (2, 2, 1, 2),
        (3, 1, 1, 2),
        (3, 2, 1, 2),
        (None, 2, 1, 2),
    ]:
        plan = brute.world([measure], cells, max_groups, max_rows)
        groups = brute.GROUPS if cells is None else (*brute.GROUPS[:cells], "z")
        found = brute.answers(plan, brute.bags(groups, [*sorted({low, middle, high}), None], most))
        real = brute.largest(brute.differences(found, relation))
        (sensitivity,) = plan.sensitivity(Unit(relation, "id"))
        claim = brute.declared(sensitivity)
        assert all(a <= b for a, b in zip(real, claim, strict=True)), (
            cells,
            max_groups,
            max_rows,
            real,
            claim,
        )
        assert real[1:] == claim[1:], (cells, max_groups, max_rows, real, claim)
        if kind != "moments":  # all numbers of a mean move only for values between the bounds
            assert real[0] == claim[0], (cells, max_groups, max_rows, real, claim)


def test_a_row_that_leaves_moves_a_sum_by_more_than_the_width_of_its_bounds() -> None:
    sensitivity = Measure("total", "x", ClampedGrid(Fraction(1), 50, 60)).sensitivity(
        UnitReach(1, 1, 1, is_change_one=True)
    )
    assert sensitivity == Sensitivity.of(60)


def test_a_mean_costs_one_width_not_two() -> None:
    mean = Measure("moments", "x", ClampedGrid(Fraction(1), 0, 10))
    assert mean.width == 2
    assert Measure("rows").width == 1
    assert mean.sensitivity(UnitReach(1, 1, 1, is_change_one=False)) == Sensitivity(
        2, Fraction(10), Fraction(10), Fraction(100)
    )
    assert mean.sensitivity(UnitReach(3, 2, None, is_change_one=True)) == Sensitivity(
        12, Fraction(20), Fraction(120), Fraction(2400)
    )


def test_moments_of_higher_degree_cost_one_power_of_the_width() -> None:
    wide, narrow = ClampedGrid(Fraction(1), 0, 10), ClampedGrid(Fraction(1), -1, 2)
    square, pair = (
        Measure("moments", "x", wide, degree=2),
        Measure("moments", "x", wide, degree=2, second=("y", narrow)),
    )
    assert (square.width, pair.width, pair.columns, square.row_total, pair.row_total) == (
        3,
        9,
        ("x", "y"),
        100,
        900,
    )
    assert square.sensitivity(UnitReach(1, 1, 1, is_change_one=False)) == Sensitivity(
        3, Fraction(100), Fraction(100), Fraction(10_000)
    )
    assert pair.sensitivity(UnitReach(2, 1, 3, is_change_one=True)) == Sensitivity(
        27, Fraction(900), Fraction(3600), Fraction(4 * 810_000)
    )
    assert Measure("units").row_total == 1


def test_limits_bound_a_unit_with_any_rows() -> None:
    total = Measure("total", "x", ClampedGrid(Fraction(1), 0, 10), sum_bounds=(-2, 5))
    assert total.sensitivity(UnitReach(2, 100, None, is_change_one=False)) == Sensitivity.each(2, 5)
    assert total.sensitivity(UnitReach(1, 100, 1, is_change_one=True)) == Sensitivity.of(7)


def test_sums_of_zero_sensitivity_are_refused() -> None:
    reach = UnitReach(1, 1, 1, is_change_one=False)
    with pytest.raises(Refused, match="can only be 0"):
        Measure("total", "x", ClampedGrid(Fraction(1), 0, 0)).sensitivity(reach)
    with pytest.raises(Refused, match="can only be 0"):
        Measure("total", "x", ClampedGrid(Fraction(1), 0, 9), sum_bounds=(0, 0)).sensitivity(reach)
    with pytest.raises(Refused, match="bounds of this value are equal"):
        Measure("moments", "x", ClampedGrid(Fraction(1), 2, 2)).sensitivity(reach)


def test_invalid_measures_are_refused() -> None:
    snap = ClampedGrid(Fraction(1), 0, 1)
    assert MEASURE_KINDS == ("units", "rows", "values", "distinct", "total", "moments")
    with pytest.raises(InvalidArgument, match="must be one of"):
        Measure("median", "x")  # type: ignore[arg-type]
    for wrong in [
        ("units", "x", None),
        ("values", None, None),
        ("total", "x", None),
        ("values", "x", snap),
    ]:
        with pytest.raises(InvalidArgument, match="must have a column"):
            Measure(*wrong)  # type: ignore[arg-type]
    for kind, limits in [
        ("moments", (0, 1)),
        ("total", (2, 1)),
        ("total", (0, 2**62 + 1)),
        ("total", (-(2**62) - 1, 0)),
    ]:
        with pytest.raises(InvalidArgument, match="sum_bounds must belong to a total"):
            Measure(kind, "x", snap, sum_bounds=limits)  # type: ignore[arg-type]
    for wrong_total in [{"degree": 2}, {"second": ("y", snap)}]:
        with pytest.raises(InvalidArgument, match="unless the measure is moments"):
            Measure("total", "x", snap, **wrong_total)  # type: ignore[arg-type]
    wide = ClampedGrid(Fraction(1), 0, 2**31)
    moments = {"kind": "moments", "column": "x", "grid": snap}
    for wrong_degree in [
        {"degree": 0},
        {"degree": 5},
        {"grid": wide, "degree": 2},
        {"grid": wide, "second": ("y", wide)},
    ]:
        with pytest.raises(InvalidArgument, match=r"to that power below 2\^62"):
            Measure(**(moments | wrong_degree))  # type: ignore[arg-type]
    for wrong_rest in [
        Measure("rows"),
        Measure("total", "x", snap),
        Measure("moments", "x", snap, second=("y", snap)),
    ]:
        with pytest.raises(InvalidArgument, match="unless the measure is moments"):
            replace(wrong_rest, has_null_sum=True)
    with pytest.raises(InvalidArgument, match="low <= high"):
        ClampedGrid(Fraction(1), 1, 0)
    with pytest.raises(InvalidArgument, match=r"2\^53"):
        ClampedGrid(Fraction(1), 0, 2**53 + 1)
    with pytest.raises(InvalidArgument, match="step must be above 0"):
        ClampedGrid(Fraction(0), 0, 1)
    for step in (Fraction(2**901), Fraction(1, 2**901)):
        with pytest.raises(InvalidArgument, match=r"2\^-900"):
            ClampedGrid(step, 0, 1)


@pytest.mark.parametrize(
    "measure", [Measure("units"), Measure("rows"), *SUMS[:4], POWERS[0], RESTS[0]]
)
def test_numbers_of_a_second_unit_lie_between_its_bounds(measure: Measure) -> None:
    low, high = measure.number_bounds(3)
    assert low <= 0 <= high
    one = (0, measure.row_total) if measure.kind == "moments" else measure.contribution(1)
    assert (low, high) == (3 * one[0], 3 * one[1])
    stays, moves = (
        measure.second_population_sensitivity(UnitReach(2, 3, 4, moving))
        for moving in (False, True)
    )
    assert stays == Sensitivity.each(2 * measure.width, max(-low, high))
    assert (moves.l0, moves.linf) == (4 * measure.width, high - low)


def test_a_second_unit_cannot_move_sums_of_zeros() -> None:
    with pytest.raises(Refused, match="The values of this sum can only be 0"):
        Measure("total", "x", ClampedGrid(Fraction(1), 0, 0)).second_population_sensitivity(
            UnitReach(1, 1, 1, False)
        )


@pytest.mark.parametrize("relation", RELATIONS)
@pytest.mark.parametrize(
    "measure",
    [
        one
        for one in PLAIN + SUMS + POWERS + RESTS + PAIRS
        if one.is_scaled and one.grid != SNAPS[4]
    ],
)
def test_parts_of_a_step_are_moved_as_many_times_farther(
    measure: Measure, relation: Relation
) -> None:
    reach = UnitReach(2, 3, 5, is_change_one=relation == "change-one")
    whole, fine = measure.sensitivity(reach), replace(measure, resolution=64).sensitivity(reach)
    assert (fine.l0, fine.linf, fine.l1, fine.l2_squared) == (
        whole.l0,
        64 * whole.linf,
        64 * whole.l1,
        64**2 * whole.l2_squared,
    )
    assert replace(measure, resolution=64).number_bounds(2) == tuple(
        64 * end for end in measure.number_bounds(2)
    )


def test_a_sum_of_distinct_values_moves_by_as_many_of_the_largest_as_a_unit_may_add() -> None:
    grid = ClampedGrid(Fraction(1), -4, 9)
    total = Measure("distinct", "x", grid)
    assert total.contribution(3) == (-12, 27)
    added = total.sensitivity(UnitReach(2, 3, None, is_change_one=False))
    assert (added.l0, added.linf, added.l1) == (2, 27, 54)
    swapped = total.sensitivity(UnitReach(1, 3, 1, is_change_one=True))
    assert (swapped.l0, swapped.linf, swapped.l1) == (1, 39, 39)
    with pytest.raises(InvalidArgument, match="a grid for sums"):
        Measure("values", "x", grid)


def test_parts_are_of_scaled_sums_alone_and_fit_wide_integers() -> None:
    snap = ClampedGrid(Fraction(1), 0, 2**20)
    for wrong in [
        Measure("rows"),
        Measure("units"),
        Measure("distinct", "x"),
        Measure("total", "x", snap, sum_bounds=(0, 5)),
    ]:
        assert not wrong.is_scaled
        with pytest.raises(InvalidArgument, match="must be 1 if rows are not scaled"):
            replace(wrong, resolution=2)
    assert Measure("total", "x", snap, resolution=2**68).resolution == 2**68
    with pytest.raises(InvalidArgument, match=r"at most 2\^88"):
        Measure("total", "x", snap, resolution=2**69)
    with pytest.raises(InvalidArgument, match="resolution"):
        Measure("values", "x", resolution=0)
    with pytest.raises(InvalidArgument, match="must belong to moments"):
        Measure("rows", counts_rows=True)


def test_invalid_statistics_are_refused() -> None:
    snap = ClampedGrid(Fraction(1), 0, 1)
    for wrong in [("rows", "x"), ("values", None), ("total", "x"), ("least", "x", snap)]:
        with pytest.raises(InvalidArgument, match="must have a column unless it counts rows"):
            UnitStatistic(*wrong)  # type: ignore[arg-type]
    with pytest.raises(InvalidArgument, match="fit a double"):
        UnitStatistic("total", "x", ClampedGrid(Fraction(2**901 + 1, 2**901), 0, 1))


def test_types_that_have_no_such_statistic_are_refused() -> None:
    halves = ClampedGrid(Fraction(1, 2), 0, 1)
    for statistic, type_, problem in [
        (UnitStatistic("total", "x", halves), "text", "sum numbers only"),
        (UnitStatistic("total", "x", halves), "integer", "in whole steps"),
        (UnitStatistic("least", "x"), "text", "numbers or dates only"),
    ]:
        with pytest.raises(InvalidArgument, match=problem):
            statistic.check_type(type_, "y")  # type: ignore[arg-type]
    UnitStatistic("mean", "x", halves).check_type("integer", "y")


def test_the_range_of_a_statistic_follows_from_its_column() -> None:
    columns = {"x": Range("real", Fraction(-1), Fraction(2))}
    assert UnitStatistic("rows").range(columns).low == 0
    assert UnitStatistic("least", "x").range(columns).nullable
    assert UnitStatistic("mean", "x", ClampedGrid(Fraction(1), -1, 2)).range(columns).high == 2
    for low, high in [(-1, 2), (0, 2), (-1, 0)]:
        total = UnitStatistic("total", "x", ClampedGrid(Fraction(1), low, high)).range(columns)
        assert (total.low, total.high) == (0 if low == 0 else None, 0 if high == 0 else None)
