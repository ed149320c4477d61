"""Caps of a table, found privately where the policy leaves them out: how many groups, and rows in a group, count of one unit.

Of each unit count the groups that it is in, by the keys of a question, and the rows of the one that has most. Both numbers have a
magnitude, the least power of two that is not smaller, and the magnitude that c units reach is chosen. This is how ``bounds`` are found,
with the same room below. Headroom, a cap of twice that, is for questions without keys alone: in groups what is cut off spreads over them,
while the noise of both caps together comes upon each. Conditions of the question do not matter, so that all questions with these keys
share the caps.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Final

from hedgerow.database.bounds import place_of, size_at, sizes_pick
from hedgerow.plan.expressions import Expression, Read
from hedgerow.plan.nodes import Aggregate, Bound, Filter, Fold, Folded, Group, Project, Rows, Table
from hedgerow.plan.normal import normal
from hedgerow.plan.schema import Schema

__all__ = ["ANY", "caps_of", "caps_plan", "keys_of"]

_SIZES: Final = tuple(Fraction(2) ** power for power in range(20))
ANY: Final = 2**20  # more than any cap that is found


def keys_of(plan: Aggregate) -> tuple[Expression, ...] | None:
    """The keys of a question in terms of its table; None where there is more to its rows than one table."""
    plan = normal(plan)
    rows = plan.bound.source
    assert isinstance(rows, Project)  # in normal form
    outputs = dict(rows.outputs)
    core = rows.source.source if isinstance(rows.source, Filter) else rows.source
    return tuple(outputs[name] for name in plan.bound.keys) if isinstance(core, Table) else None


def caps_plan(schema: Schema, keys: Sequence[Expression], wanted: Sequence[str]) -> Aggregate:
    """The choice of each cap that is ``wanted``."""
    names = tuple(f"k{i}" for i in range(len(keys)))
    rows: Rows = Project(Table(schema), tuple(zip(names, keys, strict=True))) if keys else Table(schema)
    groups = Fold(rows, names, (("rows", Folded("rows")),))
    units = Fold(groups, (), (("max_groups", Folded("rows")), ("max_rows_per_group", Folded("greatest", "rows"))))
    places = Project(units, tuple((name, place_of(Read(name), "integer", _SIZES)) for name in wanted))
    return Aggregate(Group(Bound(places, (), 1, 1)), tuple(sizes_pick(name, _SIZES) for name in wanted))


def caps_of(numbers: Sequence[Sequence[int]], *, keys: bool) -> tuple[int, ...] | None:
    """The caps that the choices mean, in questions with or without keys; None where there were too few units to find any."""
    found = [size_at(_SIZES, place, headroom=0 if keys else 1) for (place,) in numbers]
    return None if None in found else tuple(int(size) for size in found if size is not None)
