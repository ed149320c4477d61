"""What one side of a join adds up can be added up before the other side is met.

Where rows meet those of the same unit, and nothing else is compared, a unit has after the join
every row of the one side beside every row of the other. Say that what is added up comes from one
side, and the groups from the other. Then a unit with n rows here, whose values sum to s, and m rows
of a group there has n m rows in that group, whose values sum to s m. So each side needs a look at
its own rows alone, and what meets in the end is a line for each unit.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from hedgerow.plan.nodes import Filter, Join, Project, RelationNode
from hedgerow.plan.scalar.expressions import ColumnRef, find_columns

__all__ = ["JoinSides", "split_join"]


@dataclass(frozen=True, slots=True)
class JoinSides:
    """The side that has what is added up, and the one that has the groups; each unit has all
    pairs of its rows in them.
    """

    summed: RelationNode
    grouped: RelationNode


def split_join(
    rows: RelationNode, keys: Collection[str], columns: Collection[str]
) -> JoinSides | None:
    """The two sides of rows whose groups are ``keys``, where ``columns`` are added up; None
    where they cannot be told apart.
    """
    layers: list[Filter | Project] = []
    while isinstance(rows, Filter | Project):
        layers.append(rows)
        rows = rows.source
    if not isinstance(rows, Join) or not _is_unit_cross_join(rows):
        return None
    sides: list[RelationNode] = [
        rows.source,
        Project(rows.other, tuple((name, ColumnRef(there)) for name, there in rows.added_columns)),
    ]
    names = [set(rows.source.columns), {name for name, _ in rows.added_columns}]
    for layer in reversed(layers):
        if isinstance(layer, Filter):
            place = next(
                (place for place in (0, 1) if set(find_columns(layer.condition)) <= names[place]),
                None,
            )
            if place is None:  # it compares the two
                return None
            sides[place] = Filter(sides[place], layer.condition)
            continue
        for place in (0, 1):
            outputs = tuple(
                (name, value)
                for name, value in layer.outputs
                if set(find_columns(value)) <= names[place]
            )
            sides[place], names[place] = (
                Project(sides[place], outputs),
                {name for name, _ in outputs},
            )
    for here, there in ((0, 1), (1, 0)):
        if set(columns) <= names[here] and set(keys) <= names[there]:
            return JoinSides(sides[here], sides[there])
    return None


def _is_unit_cross_join(join: Join) -> bool:
    """Whether rows meet all those of their unit, and no others."""
    return (
        join.other.unit is not None
        and not join.on
        and not join.keeps_unmatched
        and join.max_matches is None
        and join.second_population is None
    )
