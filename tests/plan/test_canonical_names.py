"""Renamed measures, and joins whose sides change places."""

from __future__ import annotations

from fractions import Fraction

from hedgerow.plan.canonical_names import rename_columns, swap_sides
from hedgerow.plan.contingency import Contingency
from hedgerow.plan.measures import ClampedGrid, Measure
from hedgerow.plan.order_statistics import OrderStatistic
from plan.test_relations import CAPS, across

GRID = ClampedGrid(Fraction(1), 0, 9)
NAMES = {"x": "v0", "y": "v1"}


def test_each_kind_of_measure_reads_the_new_names() -> None:
    assert rename_columns(Measure("rows"), NAMES) == Measure("rows")
    assert rename_columns(Measure("values", "x"), NAMES).columns == ("v0",)
    both = Measure("moments", "x", GRID, second=("y", GRID))
    assert rename_columns(both, NAMES).columns == ("v0", "v1")
    median = OrderStatistic("quantiles", "y", GRID, quantiles=(Fraction(1, 2),))
    assert rename_columns(median, NAMES).columns == ("v1",)
    assert rename_columns(Contingency((("x", 2), ("y", 3))), NAMES).columns == ("v0", "v1")


def test_a_join_across_units_with_its_sides_swapped_has_the_same_columns() -> None:
    join = across(on=(("g", "label"), ("x", "")))
    swapped = swap_sides(join)
    assert set(join.columns) <= set(swapped.columns)
    assert swapped.truncations == CAPS[::-1]
    assert swapped.on == (("label on 0", "g"), ("", "x"))
    assert swap_sides(swapped).truncations == CAPS
