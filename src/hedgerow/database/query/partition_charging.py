"""Which parts of a partitioned table a question is about: only these are charged.

A row is in the part that its partition column says. Conditions that read this column and nothing
else, and do no more than compare it or a part of its date, are tried on every declared value: a
part counts where all of them hold. Anything else, such as a join, or a condition that rows of no
part satisfy, is about the whole.

One question moves with a unit once, however many of its parts the unit has rows in. Charged part by
part a unit would pay for each of them, so a question about several parts is charged to the whole,
unless nobody is in more than one.
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

# What an engine and Python cannot come to see differently, as they might the upper case of a letter
# or the last bit of a logarithm.
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
    """The names of the parts; None for the whole."""
    rule = table.partition
    core, conditions = _split_conditions(plan.bound.source)
    if rule is None or core is None:
        return None
    column = core.schema.column(rule.column)
    declared = table.column(rule.column)
    if column is None or column.values is None or declared is None:
        return None
    telling = [
        condition
        for condition in conditions
        if set(find_columns(condition)) == {column.name}
        and find_functions(condition) <= _EXACT_FUNCTIONS
    ]
    about = [insert_casts(condition, core.columns) for condition in telling]

    def holds(value: Value) -> bool:
        return all(evaluate(condition, {column.name: value}) is True for condition in about)

    if holds(None):  # also where there is no such condition
        return None
    found = tuple(
        format_part_name(value, declared.grain)  # type: ignore[arg-type]
        for value in column.values
        if holds(value)
    )
    return found if len(found) == 1 or (found and rule.max_parts_per_unit == 1) else None


def _split_conditions(rows: RelationNode) -> tuple[Table | None, list[Expression]]:
    """The table and the conditions that a row must meet, all of them; None for the table where
    there is more to it.
    """
    conditions: list[Expression] = []
    while isinstance(rows, Filter | Project):
        if isinstance(rows, Filter):
            conditions.extend(flatten(rows.condition, "and"))
        elif conditions:  # a condition on computed columns reads other names
            return None, []
        rows = rows.source
    return (rows, conditions) if isinstance(rows, Table) else (None, [])
