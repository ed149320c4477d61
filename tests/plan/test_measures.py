"""Sensitivity by brute force: nobody moves a measure further than declared, and somebody moves it that far."""

from __future__ import annotations

from fractions import Fraction

import pytest

from hedgerow.errors import InvalidArgument, Refused
from hedgerow.plan.measures import KINDS, Kind, Measure, Reach, Snap
from hedgerow.privacy.sensitivity import Sensitivity
from hedgerow.privacy.unit import RELATIONS, Relation, Unit
from plan import brute

SNAPS = [Snap(Fraction(1), low, high) for low, high in [(-1, 2), (0, 2), (1, 3), (-3, -1), (2, 2)]]
PLAIN: list[tuple[Kind, Snap | None]] = [("units", None), ("rows", None), ("values", None)]
SUMS: list[tuple[Kind, Snap | None]] = [("total", snap) for snap in SNAPS] + [("mean", snap) for snap in SNAPS[:4]]


def measure(kind: Kind, snap: Snap | None) -> Measure:
    return Measure(kind, None if kind in ("units", "rows") else "x", snap)


@pytest.mark.long
@pytest.mark.parametrize("relation", RELATIONS)
@pytest.mark.parametrize(("kind", "snap"), PLAIN + SUMS)
def test_declared_moves_hold_and_are_reached(kind: Kind, snap: Snap | None, relation: Relation) -> None:
    low, high = (0, 1) if snap is None else (snap.low - 1, snap.high + 1)  # the clamp has something to do
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
        plan = brute.world([measure(kind, snap)], cells, max_groups, max_rows)
        groups = brute.GROUPS if cells is None else (*brute.GROUPS[:cells], "z")
        found = brute.answers(plan, brute.bags(groups, [*sorted({low, middle, high}), None], most))
        real = brute.largest(brute.differences(found, relation))
        (sensitivity,) = plan.sensitivity(Unit(relation, "id"))
        claim = brute.declared(sensitivity)
        assert all(a <= b for a, b in zip(real, claim, strict=True)), (cells, max_groups, max_rows, real, claim)
        assert real[1:] == claim[1:], (cells, max_groups, max_rows, real, claim)
        if kind != "mean":  # both numbers of a mean move only for values between the bounds
            assert real[0] == claim[0], (cells, max_groups, max_rows, real, claim)


def test_a_row_that_leaves_moves_a_sum_by_more_than_the_width_of_its_bounds() -> None:
    sensitivity = Measure("total", "x", Snap(Fraction(1), 50, 60)).sensitivity(Reach(1, 1, 1, moves=True))
    assert sensitivity == Sensitivity.of(60)


def test_a_mean_costs_one_width_not_two() -> None:
    mean = Measure("mean", "x", Snap(Fraction(1), 0, 10))
    assert mean.width == 2
    assert Measure("rows").width == 1
    assert mean.sensitivity(Reach(1, 1, 1, moves=False)) == Sensitivity(2, Fraction(10), Fraction(10), Fraction(100))
    assert mean.sensitivity(Reach(3, 2, None, moves=True)) == Sensitivity(12, Fraction(20), Fraction(120), Fraction(2400))


def test_sums_that_nobody_moves_are_refused() -> None:
    reach = Reach(1, 1, 1, moves=False)
    with pytest.raises(Refused, match="can only be 0"):
        Measure("total", "x", Snap(Fraction(1), 0, 0)).sensitivity(reach)
    with pytest.raises(Refused, match="bounds are equal"):
        Measure("mean", "x", Snap(Fraction(1), 2, 2)).sensitivity(reach)


def test_guards() -> None:
    snap = Snap(Fraction(1), 0, 1)
    assert KINDS == ("units", "rows", "values", "total", "mean")
    with pytest.raises(InvalidArgument, match="must be one of"):
        Measure("median", "x")  # type: ignore[arg-type]
    for wrong in [("units", "x", None), ("values", None, None), ("total", "x", None), ("values", "x", snap)]:
        with pytest.raises(InvalidArgument, match="must have a column"):
            Measure(*wrong)  # type: ignore[arg-type]
    with pytest.raises(InvalidArgument, match="low <= high"):
        Snap(Fraction(1), 1, 0)
    with pytest.raises(InvalidArgument, match=r"2\^53"):
        Snap(Fraction(1), 0, 2**53 + 1)
    with pytest.raises(InvalidArgument, match="step must be above 0"):
        Snap(Fraction(0), 0, 1)
    for step in (Fraction(2**901), Fraction(1, 2**901)):
        with pytest.raises(InvalidArgument, match=r"2\^-900"):
            Snap(step, 0, 1)
