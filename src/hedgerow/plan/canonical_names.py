"""New names for columns, and the other order of the sides of a join, for canonical plans."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from hedgerow.plan.contingency import Contingency
from hedgerow.plan.nodes import AnyMeasure
from hedgerow.plan.order_statistics import OrderStatistic
from hedgerow.plan.relations import Join, Project
from hedgerow.plan.scalar.expressions import ColumnRef

__all__ = ["rename_columns", "swap_sides"]


def rename_columns(measure: AnyMeasure, names: Mapping[str, str]) -> AnyMeasure:
    """Return a measure of the columns with these new names."""
    if isinstance(measure, Contingency):
        return replace(
            measure, attributes=tuple((names[name], size) for name, size in measure.attributes)
        )
    if measure.column is None:
        return measure
    if isinstance(measure, OrderStatistic) or measure.second is None:
        return replace(measure, column=names[measure.column])
    return replace(
        measure, column=names[measure.column], second=(names[measure.second[0]], measure.second[1])
    )


def swap_sides(join: Join) -> Join:
    """Return a join across units with its sides in the other order, and the same columns."""
    assert join.truncations is not None
    ours, theirs = join.truncations
    mark = max(join.columns, key=len, default="") + " on"  # longer than any name
    keys = {f"{mark} {i}": there for i, (_, there) in enumerate(join.on) if there}
    names = {**dict(join.added_columns), **keys}
    other = Project(join.other, tuple((name, ColumnRef(there)) for name, there in names.items()))
    on = tuple((f"{mark} {i}" if there else "", own) for i, (own, there) in enumerate(join.on))
    added = tuple((name, name) for name in join.source.columns)
    return Join(other, join.source, on, added, truncations=(theirs, ours))
