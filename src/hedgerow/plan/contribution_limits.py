"""Public bounds on the units of a plan: how many there are, and how many rows each of them has.

Nothing private depends on them, since contribution bounds are enforced in any case. They tell where
the bounds can have an effect, and how much truncation to whole parts may lose.
"""

from __future__ import annotations

import math
from typing import Final

from hedgerow.plan.measures import Measure
from hedgerow.plan.nodes import (
    Aggregate,
    Filter,
    Join,
    Project,
    RelationNode,
    Table,
    Union,
    UnitAggregation,
)

__all__ = [
    "MAX_TABLE_ROWS",
    "can_exceed_group_bound",
    "can_exceed_row_bound",
    "compute_max_rows_per_unit",
    "compute_max_units",
    "compute_rounding_loss",
]

MAX_TABLE_ROWS: Final = 2**36  # no table has as many rows
_MAX_LISTED_KEYS: Final = 1000


def compute_max_rows_per_unit(rows: RelationNode) -> int | None:
    """Return the largest number of rows of a unit; None if only the data tell."""
    if rows.unit == "row":
        return 1  # ``Bound`` lets nothing multiply them
    if isinstance(rows, Table):
        return None
    if isinstance(rows, Union):
        each = [compute_max_rows_per_unit(source) for source in rows.sources]
        return None if None in each else sum(one or 0 for one in each)
    most = compute_max_rows_per_unit(rows.source)
    if isinstance(rows, Filter | Project):
        return most
    if isinstance(rows, UnitAggregation):
        known = rows.source.columns
        lists = [known[key].domain(_MAX_LISTED_KEYS) for key in rows.keys]
        values = [
            None if listed is None else len(listed) + known[key].nullable
            for key, listed in zip(rows.keys, lists, strict=True)
        ]
        made = None if None in values else math.prod(one or 0 for one in values)
        return min((one for one in (most, made) if one is not None), default=None)
    partners = (
        rows.max_matches if rows.other.unit is None else compute_max_rows_per_unit(rows.other)
    )
    return None if most is None or partners is None else most * max(partners, 1)


def compute_max_units(rows: RelationNode) -> int:
    """Return the public bound on the number of units of a relation, or on its rows if none is
    declared.
    """
    if isinstance(rows, Table):
        return MAX_TABLE_ROWS if rows.schema.max_units is None else rows.schema.max_units
    if isinstance(rows, Union):
        return sum(map(compute_max_units, rows.sources))
    # who meets others puts something in for each of them
    bonds = (
        1
        if not isinstance(rows, Join)
        else rows.second_population.max_references
        if rows.second_population is not None
        else rows.truncations[0].max_rows_per_unit * rows.truncations[1].max_rows_per_key
        if rows.truncations is not None
        else 1
    )
    return bonds * compute_max_units(rows.source)


def can_exceed_row_bound(plan: Aggregate) -> bool:
    """Return whether a unit may have more rows in a group than count."""
    most = compute_max_rows_per_unit(plan.bound.source)
    return plan.bound.max_rows < (MAX_TABLE_ROWS if most is None else most)


def can_exceed_group_bound(plan: Aggregate) -> bool:
    """Return whether a unit may be in more groups than count."""
    cells, most = plan.source.cells, compute_max_rows_per_unit(plan.bound.source)
    least = min((one for one in (cells, most) if one is not None), default=None)
    return bool(plan.bound.keys) and (least is None or least > plan.bound.max_groups)


def compute_rounding_loss(plan: Aggregate) -> tuple[int, ...]:
    """Return for each measure how many parts of a step one of its numbers loses at most by
    truncation.
    """
    units = compute_max_units(plan.bound.source) if can_exceed_row_bound(plan) else 0
    return tuple(
        units if isinstance(one, Measure) and one.is_scaled else 0 for one in plan.measures
    )
