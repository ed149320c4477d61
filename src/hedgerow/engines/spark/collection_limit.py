"""The size of what a plan collects from a cluster, from public bounds, before the charge.

Spark counts the rows at each candidate value of an order statistic, and those exact counts come
here, where the selection runs on them. They must fit, whatever the data are.
"""

from __future__ import annotations

import math
from typing import Final

from hedgerow.errors import Unsupported
from hedgerow.plan.contribution_limits import MAX_TABLE_ROWS, compute_max_units
from hedgerow.plan.nodes import Aggregate
from hedgerow.plan.order_statistics import OrderStatistic

__all__ = ["check_collected_size"]

_MAX_LINES: Final = 10_000_000  # of a value and its count
_MAX_SAMPLE: Final = 2**28  # rows behind the counts: each takes 8 bytes here


def check_collected_size(plan: Aggregate) -> None:
    """Refuse an order statistic whose counts, or the rows behind them, may not fit here."""
    for measure in plan.measures:
        if isinstance(measure, OrderStatistic):
            _check_statistic(plan, measure)


def _check_statistic(plan: Aggregate, statistic: OrderStatistic) -> None:
    bound = plan.bound
    units = compute_max_units(bound.source)
    rows = min(units * bound.max_rows * bound.max_groups, MAX_TABLE_ROWS)
    domain = plan.source.domain
    groups = None if domain is None else math.prod(map(len, domain))
    values = _count_values(statistic)
    lines = rows if groups is None else min(rows, groups * values)
    if lines > _MAX_LINES:
        raise Unsupported(
            "This order statistic needs the counts of too many values to collect them from Spark."
            " Ask for fewer groups, declare a larger step of the column, or declare max_units of"
            f" the table so that at most {_MAX_LINES:,} rows count."
        )
    if rows > _MAX_SAMPLE:
        raise Unsupported(
            f"On Spark, an order statistic may count at most {_MAX_SAMPLE:,} rows. Declare"
            " max_units of the table, or fewer max_groups and max_rows_per_group."
        )


def _count_values(statistic: OrderStatistic) -> int:
    if statistic.values is not None:
        return len(statistic.values)
    assert statistic.grid is not None
    return statistic.grid.high - statistic.grid.low + 1
