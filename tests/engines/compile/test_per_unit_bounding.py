from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from fractions import Fraction
from typing import Any

import pytest

from engines.helpers_comparison import agreed
from hedgerow.plan.measures import ClampedGrid, Measure
from hedgerow.plan.nodes import (
    Aggregate,
    Bound,
    Filter,
    Group,
    Table,
    UnitAggregation,
    UnitStatistic,
)
from hedgerow.plan.scalar.expressions import Call, ColumnRef, Constant
from hedgerow.plan.schema import Column, Schema
from hedgerow.plan.values import Value

COLUMNS = (
    Column("i", "integer"),
    Column("r", "real"),
    Column("t", "text"),
    Column("d", "date"),
    Column("b", "boolean"),
)
SCHEMA = Schema("t", COLUMNS, "id")
FAR = ClampedGrid(Fraction(1), -(2**53), 2**53)


def row(unit: Any, **values: Any) -> dict[str, Any]:
    return {"id": unit, **dict.fromkeys(("i", "r", "t", "d", "b")), **values}


def made(fold: UnitStatistic, rows: Sequence[dict[str, Any]], *keys: str) -> dict[Value, int]:
    """What the fold makes of the rows of each unit, with the number of units it is made for. The
    reference must say the same.
    """
    folded = UnitAggregation(Table(SCHEMA), keys, (("x", fold),))
    plan = Aggregate(Group(Bound(folded, ("x",), 100, 1), None), (Measure("units"),))
    return {key: units for (key,), (units,) in agreed(plan, {"t": rows}).items()}


def test_rows_values_and_different_ones_are_counted() -> None:
    rows = [row(1, i=5), row(1, i=5), row(1), row(1, i=6), row(2), row(None, i=1)]
    assert made(UnitStatistic("rows"), rows) == {4: 1, 1: 1}
    assert made(UnitStatistic("values", "i"), rows) == {3: 1, 0: 1}
    assert made(UnitStatistic("distinct", "i"), rows) == {2: 1, 0: 1}


def test_nan_is_not_a_value_and_both_zeros_are_equal() -> None:
    rows = [row(1, r=float("nan")), row(1, r=0.0), row(1, r=-0.0), row(1, r=float("inf"))]
    assert made(UnitStatistic("values", "r"), rows) == {3: 1}
    assert made(UnitStatistic("distinct", "r"), rows) == {2: 1}
    assert made(UnitStatistic("greatest", "r"), rows) == {float("inf"): 1}
    assert made(UnitStatistic("total", "r", ClampedGrid(Fraction(1, 2), 0, 7)), rows) == {3.5: 1}


def test_the_least_and_the_greatest_are_of_the_values_there_are() -> None:
    days = [date.min, date(2020, 2, 29), date.max]
    rows = [*(row(1, i=i, d=d) for i, d in zip((3, None, -(2**63)), days, strict=True)), row(2)]
    assert made(UnitStatistic("least", "i"), rows) == {-(2**63): 1, None: 1}
    assert made(UnitStatistic("greatest", "i"), rows) == {3: 1, None: 1}
    assert made(UnitStatistic("least", "d"), rows) == {date.min: 1, None: 1}
    assert made(UnitStatistic("greatest", "d"), rows) == {date.max: 1, None: 1}


def test_dates_outside_the_years_are_their_ends() -> None:
    rows = [row(1, d="infinity"), row(1, d="2020-01-01"), row(2, d="-infinity")]
    assert made(UnitStatistic("greatest", "d"), rows) == {date.max: 1, date.min: 1}


@pytest.mark.parametrize(
    ("value", "clamped"), [(2**53, 2**53), (2**63 - 1, 2**53), (-(2**63), -(2**53))]
)
def test_the_largest_values_add_up_exactly(value: int, clamped: int) -> None:
    assert made(UnitStatistic("total", "i", FAR), [row(1, i=value)] * 3 + [row(1, i=1)]) == {
        3 * clamped + 1: 1
    }


def test_a_total_of_more_than_62_bits_stays_there() -> None:
    """2^53 a row need 513 rows to get beyond 2^62."""
    for sign in (1, -1):
        rows = [row(1, i=sign * 2**53, r=sign * 2.0**53)] * 600
        assert made(UnitStatistic("total", "i", FAR), rows) == {sign * 2**62: 1}
        assert made(UnitStatistic("total", "r", FAR), rows) == {sign * 2.0**62: 1}
        assert made(UnitStatistic("mean", "i", FAR), rows) == {sign * 2.0**62 / 600: 1}


def test_a_total_of_whole_numbers_in_wide_steps_is_a_multiple_of_them_within_62_bits() -> None:
    step = 2**50 + 1
    rows = [row(1, i=2**62)] * 5
    assert made(
        UnitStatistic("total", "i", ClampedGrid(Fraction(step), -(2**53), 2**53)), rows
    ) == {2**62 // step * step: 1}
    assert made(
        UnitStatistic("total", "i", ClampedGrid(Fraction(2**62), -(2**53), 2**53)), rows
    ) == {2**62: 1}


def test_no_order_of_the_rows_shows_in_the_last_bit() -> None:
    values = [0.1, 0.2, 0.3, 1e15, -1e15, 1 / 3]
    snap = ClampedGrid(Fraction(1, 3), -(2**53), 2**53)
    ways = [
        made(UnitStatistic("mean", "r", snap), [row(1, r=value) for value in way])
        for way in (values, values[::-1], sorted(values))
    ]
    assert ways[0] == ways[1] == ways[2]


@pytest.mark.parametrize("kind", ["total", "mean"])
def test_a_sum_of_nothing_is_nothing(kind: Any) -> None:
    snap = ClampedGrid(Fraction(1, 4), -4, 4)
    assert made(
        UnitStatistic(kind, "r", snap), [row(1), row(1, r=float("nan")), row(2, r=0.0)]
    ) == {None: 1, 0.0: 1}


def test_a_unit_has_a_row_for_every_combination_of_its_keys_needed_or_not() -> None:
    rows = [
        row(1, t="a", i=1),
        row(1, t="a", i=2),
        row(1, t=None, i=3),
        row(1, t="", i=4),
        row(2, t="a", i=5),
    ]
    folded = UnitAggregation(
        Table(SCHEMA),
        ("t", "b"),
        (("n", UnitStatistic("rows")), ("most", UnitStatistic("greatest", "i"))),
    )
    plan = Aggregate(Group(Bound(folded, (), 1, 10), ()), (Measure("units"), Measure("rows")))
    assert agreed(plan, {"t": rows}) == {(): (2, 4)}
    by_most = Aggregate(Group(Bound(folded, ("most",), 10, 10), None), (Measure("rows"),))
    assert agreed(by_most, {"t": rows}) == {(2,): (1,), (3,): (1,), (4,): (1,), (5,): (1,)}


def test_per_unit_results_are_filtered_and_aggregated_again() -> None:
    rows = [row(unit, t=t, i=unit) for unit in (1, 2, 3) for t in "abc"[:unit] for _ in range(unit)]
    once = UnitAggregation(Table(SCHEMA), ("t",), (("n", UnitStatistic("rows")),))
    often = Filter(once, Call(">", (ColumnRef("n"), Constant(1, "integer"))))
    twice = UnitAggregation(
        often,
        (),
        (
            ("texts", UnitStatistic("distinct", "t")),
            ("n", UnitStatistic("total", "n", ClampedGrid(Fraction(1), 0, 100))),
        ),
    )
    plan = Aggregate(Group(Bound(twice, ("texts", "n"), 1, 1), None), (Measure("units"),))
    assert agreed(plan, {"t": rows}) == {(2, 4): (1,), (3, 9): (1,)}
