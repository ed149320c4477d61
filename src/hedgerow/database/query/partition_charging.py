"""The parts of a partitioned table that a question reads: only these are charged.

The partition column of a row names its part. Conditions that read this column alone, and only
compare it or a part of its date, are evaluated on every declared value; a part is read where all of
them hold. Any other question, such as one with a join, reads the whole table. So does a question
whose conditions hold for rows of no part.

One question depends on a unit once, in however many parts the unit has rows. If it were charged
part by part, the unit would pay for each of them. So a question about several parts is charged to
the whole, unless no unit is in more than one part.
"""

from __future__ import annotations

from typing import Final

from hedgerow.plan.canonical_expressions import flatten
from hedgerow.plan.nodes import Aggregate, Filter, Project, RelationNode, Table
from hedgerow.plan.scalar.dates import DATE_PARTS, DATE_TRUNCATIONS
from hedgerow.plan.scalar.expressions import Expression, evaluate, find_columns, insert_casts
from hedgerow.plan.values import Value
from hedgerow.policy import TableRule
from hedgerow.policy.records import format_part_name
from hedgerow.sql.group_by import find_functions

__all__ = ["find_touched_parts"]

# Functions that the engine and Python evaluate alike, unlike the upper case of a letter or the last
# bit of a logarithm.
_EXACT_FUNCTIONS: Final = {
    "=",
    "<>",
    "<",
    "<=",
    ">",
    ">=",
    "in",
    "and",
    "or",
    "not",
    "is null",
    *DATE_PARTS,
    *DATE_TRUNCATIONS,
}


def find_touched_parts(plan: Aggregate, table: TableRule) -> tuple[str, ...] | None:
    """Return the names of the parts that a plan reads; None for the whole table."""
    rule = table.partition
    core, conditions = _split_conditions(plan.bound.source)
    if rule is None or core is None:
        return None
    column = core.schema.column(rule.column)
    declared = table.column(rule.column)
    if column is None or column.values is None or declared is None:
        return None
    decisive = [
        insert_casts(condition, core.columns)
        for condition in conditions
        if set(find_columns(condition)) == {column.name}
        and find_functions(condition) <= _EXACT_FUNCTIONS
    ]

    def holds(value: Value) -> bool:
        return all(evaluate(condition, {column.name: value}) is True for condition in decisive)

    if holds(None):  # rows of no part, which is also the case without any condition
        return None
    parts = tuple(
        format_part_name(value, declared.grain)  # type: ignore[arg-type]
        for value in column.values
        if holds(value)
    )
    return parts if len(parts) == 1 or (parts and rule.max_parts_per_unit == 1) else None


def _split_conditions(rows: RelationNode) -> tuple[Table | None, list[Expression]]:
    """Return the table and all conditions that its rows must meet; None for the table where the
    relation is more than that."""
    conditions: list[Expression] = []
    while isinstance(rows, Filter | Project):
        if isinstance(rows, Filter):
            conditions.extend(flatten(rows.condition, "and"))
        elif conditions:  # a condition on computed columns reads other names
            return None, []
        rows = rows.source
    return (rows, conditions) if isinstance(rows, Table) else (None, [])
