"""What a plan collects is bounded by what is public."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest

from hedgerow.engines.spark.collection_limit import check_collected_size
from hedgerow.errors import Unsupported
from hedgerow.plan.measures import ClampedGrid, Measure
from hedgerow.plan.nodes import Aggregate, Bound, Group, Table
from hedgerow.plan.order_statistics import OrderStatistic
from hedgerow.plan.schema import Column, Schema

VISITS = Schema("visits", (Column("cost", "real"), Column("region", "text")), "id", max_units=10**7)
FEW = ClampedGrid(Fraction(1), 0, 9)
MANY = ClampedGrid(Fraction(1), 0, 10**8)
MODE = OrderStatistic("mode", "region", values=("a", "b"))


def ask(
    measure: Any, max_rows: int = 1, domain: Any = (), *keys: str, units: int | None = 10**7
) -> Aggregate:
    bound = Bound(Table(replace(VISITS, max_units=units)), keys, 1, max_rows)
    return Aggregate(Group(bound, domain), (measure,))


def median(grid: ClampedGrid) -> OrderStatistic:
    return OrderStatistic("quantiles", "cost", grid, quantiles=(Fraction(1, 2),))


@pytest.mark.parametrize(
    "plan",
    [
        ask(Measure("units"), 10**6),
        ask(median(FEW), 26),
        ask(median(MANY)),
        ask(MODE, 2),
        ask(median(FEW), 26, (tuple(map(str, range(1000))),), "region"),
        ask(median(MANY), 1, None, "region"),
    ],
)
def test_few_values_or_few_rows_are_collected(plan: Aggregate) -> None:
    check_collected_size(plan)


@pytest.mark.parametrize(
    ("plan", "message"),
    [
        (ask(median(MANY), 2), "larger step"),
        (ask(median(MANY), 2, None, "region"), "fewer groups"),
        (ask(median(FEW), 27), "at most 268,435,456 rows"),
        (ask(MODE, 1, units=None), "Declare max_units"),
    ],
)
def test_more_are_refused_with_a_way_out(plan: Aggregate, message: str) -> None:
    with pytest.raises(Unsupported, match=message):
        check_collected_size(plan)
