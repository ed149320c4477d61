"""Choices among values: how far one unit moves a sample, by brute force, and what is refused."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest

from hedgerow.errors import InvalidArgument
from hedgerow.plan.measures import ClampedGrid, UnitReach
from hedgerow.plan.order_statistics import SELECTION_METHODS, OrderStatistic
from hedgerow.privacy.sensitivity import Sensitivity
from hedgerow.privacy.unit import RELATIONS, Relation, Unit
from plan import brute

SNAP = ClampedGrid(Fraction(1), 0, 6)
HALF = (Fraction(1, 2),)
CASES = [
    (1, 1, 1, 2),
    (1, 2, 2, 3),
    (2, 1, 2, 2),
    (2, 2, 1, 2),
    (3, 1, 1, 2),
    (3, 2, 1, 2),
    (None, 2, 1, 2),
]


@pytest.mark.long
@pytest.mark.parametrize("relation", RELATIONS)
@pytest.mark.parametrize(
    "pick",
    [
        OrderStatistic("quantiles", "x", SNAP, quantiles=HALF),
        OrderStatistic("least", "x", SNAP),
        OrderStatistic("mode", "x", values=(5, 2, 3)),
    ],
)
def test_declared_distances_hold_and_are_reached(pick: OrderStatistic, relation: Relation) -> None:
    """Values of a unit leave, at most so many in each group, and others enter; in at most so
    many groups.
    """
    for cells, max_groups, max_rows, most in CASES:
        plan = brute.world([pick], cells, max_groups, max_rows)
        groups = brute.GROUPS if cells is None else (*brute.GROUPS[:cells], "z")
        found = brute.samples(plan, brute.bags(groups, [2, 5, None], most))
        real = [brute.apart(*pair) for pair in brute.pairs(found, relation)]
        (sensitivity,) = plan.sensitivity(Unit(relation, "id"))
        assert max(groups for groups, _ in real) == sensitivity.l0, (cells, max_groups, max_rows)
        assert max(values for _, values in real) == sensitivity.linf, (cells, max_groups, max_rows)


def test_sensitivity() -> None:
    pick = OrderStatistic("greatest", "x", SNAP)
    assert pick.sensitivity(UnitReach(2, 3, None, is_change_one=False)) == Sensitivity.each(2, 3)
    assert pick.sensitivity(UnitReach(2, 3, 3, is_change_one=True)) == Sensitivity.each(3, 3)
    assert pick.sensitivity(UnitReach(5, 3, 3, is_change_one=False)) == Sensitivity.each(3, 3)


def test_width_and_columns() -> None:
    assert (
        OrderStatistic("quantiles", "x", SNAP, quantiles=(Fraction(1, 4), Fraction(1, 2))).width
        == 2
    )
    assert OrderStatistic("mode", "x", values=("a", "b")).width == 1
    assert OrderStatistic("least", "x", SNAP).columns == ("x",)
    for kind, methods in SELECTION_METHODS.items():
        for method in methods:
            extra: dict[str, Any] = {"values": (1, 2)} if kind == "mode" else {"grid": SNAP}
            extra |= {"quantiles": HALF} if kind == "quantiles" else {}
            extra |= {"bound": 3} if method == "propose" else {}
            assert OrderStatistic(kind, "x", method=method, **extra).method == method


@pytest.mark.parametrize(
    ("message", "arguments"),
    [
        ("must be one of", {"kind": "median", "grid": SNAP}),
        ("must be one of", {"kind": "least", "grid": SNAP, "method": "stable"}),
        (
            "must be one of exponential",
            {"kind": "mode", "values": (1, 2), "method": "propose", "bound": 1},
        ),
        ("must be given, or values for a mode", {"kind": "least"}),
        ("must be given, or values for a mode", {"kind": "mode", "grid": SNAP}),
        ("must be given, or values for a mode", {"kind": "mode", "grid": SNAP, "values": (1, 2)}),
        ("must be given, or values for a mode", {"kind": "least", "grid": SNAP, "values": (1, 2)}),
        ("must be two or more", {"kind": "mode", "values": (1,)}),
        ("must be two or more", {"kind": "mode", "values": (1, 1)}),
        ("must be two or more", {"kind": "mode", "values": (1, None)}),
        (
            ("must have at least two values"),
            {"kind": "least", "grid": ClampedGrid(Fraction(1), 2, 2)},
        ),
        ("in rising order", {"kind": "quantiles", "grid": SNAP}),
        ("in rising order", {"kind": "least", "grid": SNAP, "quantiles": HALF}),
        ("in rising order", {"kind": "quantiles", "grid": SNAP, "quantiles": (Fraction(0),)}),
        ("in rising order", {"kind": "quantiles", "grid": SNAP, "quantiles": (Fraction(1),)}),
        ("in rising order", {"kind": "quantiles", "grid": SNAP, "quantiles": (*HALF, *HALF)}),
        (
            "in rising order",
            {"kind": "quantiles", "grid": SNAP, "quantiles": (Fraction(2, 3), *HALF)},
        ),
        ("at least 1 for the method propose", {"kind": "least", "grid": SNAP, "method": "propose"}),
        (
            ("at least 1 for the method propose"),
            {"kind": "least", "grid": SNAP, "method": "propose", "bound": 0},
        ),
        ("at least 1 for the method propose", {"kind": "least", "grid": SNAP, "bound": 1}),
    ],
)
def test_invalid_arguments_are_refused(message: str, arguments: dict[str, Any]) -> None:
    with pytest.raises(InvalidArgument, match=message):
        OrderStatistic(**{"column": "x", **arguments})
