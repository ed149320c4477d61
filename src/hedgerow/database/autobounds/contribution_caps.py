"""The private search for the contribution bounds ("caps") of a table that the policy leaves open:
the number of groups, and of rows in a group, that one unit contributes to.

Each unit contributes the number of its groups, by the keys of a question, and the number of rows in
its largest group. Both are rounded up to a power of two, and the power that c units reach is
selected, with the same room below as for the bounds of a column (``column_bounds``). Only questions
without keys get headroom, a cap of twice that size: with groups, the loss spreads over them while
the noise of both caps falls on each. The WHERE of a question does not matter, so all questions with
the same keys share the caps.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Final

from hedgerow.answers.unit_noun import name_unit
from hedgerow.database.autobounds.column_bounds import (
    build_magnitude_statistic,
    encode_magnitude,
    find_magnitude,
)
from hedgerow.errors import Unbounded
from hedgerow.plan.canonical_plans import canonicalise
from hedgerow.plan.nodes import (
    Aggregate,
    Bound,
    Filter,
    Group,
    Project,
    RelationNode,
    Table,
    UnitAggregation,
    UnitStatistic,
)
from hedgerow.plan.scalar.expressions import ColumnRef, Expression
from hedgerow.plan.schema import Schema
from hedgerow.policy import TableRule
from hedgerow.policy.from_frame import FRAME_SOURCE

__all__ = [
    "NO_CAP",
    "build_caps_plan",
    "build_missing_caps_refusal",
    "decode_caps",
    "find_table_keys",
]

_CAP_SIZES: Final = tuple(Fraction(2) ** power for power in range(20))
NO_CAP: Final = 2**20  # more than any cap that is found


def find_table_keys(plan: Aggregate) -> tuple[Expression, ...] | None:
    """Return the keys of a question in terms of its table; None where its rows come from more than
    one table."""
    plan = canonicalise(plan)
    rows = plan.bound.source
    assert isinstance(rows, Project)  # in canonical form
    outputs = dict(rows.outputs)
    core = rows.source.source if isinstance(rows.source, Filter) else rows.source
    return tuple(outputs[name] for name in plan.bound.keys) if isinstance(core, Table) else None


def build_missing_caps_refusal(table: TableRule, wanted: Sequence[str]) -> Unbounded:
    """Build the refusal of a question that needs caps which the policy leaves out."""
    assert table.privacy_unit is not None  # a public table has no caps
    noun = name_unit(str(table.population), table.privacy_unit)
    problem = " and ".join(
        f"{name} of {table.name} ({_CAP_MEANINGS[name].format(unit=noun.singular)})"
        for name in wanted
    )
    is_frame = table.source == FRAME_SOURCE
    equals = "=" if is_frame else " = "
    lines = " and ".join(f"{name}{equals}{_CAP_EXAMPLES[name]}" for name in wanted)
    found = " and ".join(f'{name}{equals}"auto"' for name in wanted)
    where = (
        f"Pass {lines} to protect, or what suits these data"
        if is_frame
        else f"Declare {lines}, or what suits these data, under [tables.{table.name}]"
    )
    return Unbounded(
        f"This question needs {problem}, which the policy does not declare. {where}; or {found} to"
        f" have {'them' if len(wanted) > 1 else 'it'} found privately, for a share of epsilon."
    )


_CAP_MEANINGS: Final = {
    "max_groups": "how many groups one {unit} contributes to",
    "max_rows_per_group": "how many rows of one {unit} count in a group",
}
_CAP_EXAMPLES: Final = {"max_groups": 3, "max_rows_per_group": 5}


def build_caps_plan(schema: Schema, keys: Sequence[Expression], wanted: Sequence[str]) -> Aggregate:
    """Build the plan that selects each ``wanted`` cap."""
    names = tuple(f"k{i}" for i in range(len(keys)))
    rows: RelationNode = (
        Project(Table(schema), tuple(zip(names, keys, strict=True))) if keys else Table(schema)
    )
    groups = UnitAggregation(rows, names, (("rows", UnitStatistic("rows")),))
    units = UnitAggregation(
        groups,
        (),
        (
            ("max_groups", UnitStatistic("rows")),
            ("max_rows_per_group", UnitStatistic("greatest", "rows")),
        ),
    )
    places = Project(
        units,
        tuple((name, encode_magnitude(ColumnRef(name), "integer", _CAP_SIZES)) for name in wanted),
    )
    return Aggregate(
        Group(Bound(places, (), 1, 1)),
        tuple(build_magnitude_statistic(name, _CAP_SIZES) for name in wanted),
    )


def decode_caps(numbers: Sequence[Sequence[int]], *, keys: bool) -> tuple[int, ...] | None:
    """Return the caps that the selections give, for questions with or without keys; None where
    there were too few units."""
    found = [find_magnitude(_CAP_SIZES, place, headroom=0 if keys else 1) for (place,) in numbers]
    return None if None in found else tuple(int(size) for size in found if size is not None)
