"""Columns of the two sides of a join: their names in the plan, and what each side shows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from hedgerow.plan.nodes import Join, Project
from hedgerow.plan.scalar.expressions import Call, ColumnRef, Constant, Expression
from hedgerow.plan.values import Range
from hedgerow.sql.binder.scope import ColumnReference, Scope
from hedgerow.sql.catalog import PRIVACY_ID, UnitPart
from hedgerow.sql.relations.join_conditions import JoinInput

__all__ = [
    "add_column",
    "add_expression",
    "add_presence",
    "choose_plan_names",
    "keep_matching",
    "list_added_columns",
    "merge_equal_columns",
    "prepare_semijoin",
]

_ONE: Final = Constant(1, "integer")


def choose_plan_names(scope: Scope, source: Scope) -> dict[str, str]:
    """Return free names for the columns of a source, prefixed with its alias if needed."""
    taken = set(source.rows.columns)
    names: dict[str, str] = {}
    for column in scope.columns:
        wanted = (
            column.plan_column
            if column.plan_column not in taken
            else f"{column.alias}.{column.name}"
        )
        while wanted in taken:
            wanted += "_"
        if column.plan_column and column.plan_column not in names:
            names[column.plan_column] = wanted
            taken.add(wanted)
    return names


def add_presence(scope: Scope, *, may_be_missing: bool) -> Scope:
    """Add an indicator to the side of an outer join that may be NULL: NULL where the id will be.

    Readable parts of a composite id may be NULL there as well, and identify nobody any more.
    """
    if may_be_missing:
        freed = (
            replace(column, owner=None)
            if isinstance(column.owner, UnitPart) and column.plan_column
            else column
            for column in scope.columns
        )
        scope = replace(scope, columns=tuple(freed))
    if not any(_is_id(column) for column in scope.columns):
        return scope
    name, rows = add_expression(scope)
    columns = tuple(
        replace(column, plan_column=name, range=rows.columns[name], may_be_missing=may_be_missing)
        if _is_id(column)
        else column
        for column in scope.columns
    )
    return replace(scope, rows=rows, columns=columns)


def _is_id(column: ColumnReference) -> bool:
    return column.owner is not None and column.is_privacy_id


def prepare_semijoin(
    source: Scope, part: JoinInput, pairs: list[tuple[str, str]]
) -> tuple[Scope, JoinInput, list[tuple[str, str]]]:
    """Return the two sides and the joined columns of a semijoin: its keys are not shown, and where
    nothing is compared, a constant is.
    """
    keys = {there for _, there in pairs}
    shown = tuple(column for column in part.scope.columns if column.plan_column not in keys)
    if not pairs and not part.scope.tables:
        name, rows = add_expression(source)
        source, pairs = replace(source, rows=rows), [(name, shown[0].plan_column)]
    return source, replace(part, scope=replace(part.scope, columns=shown)), pairs


def list_added_columns(scope: Scope, names: dict[str, str]) -> tuple[tuple[str, str], ...]:
    columns = dict.fromkeys(column.plan_column for column in scope.columns if column.plan_column)
    return tuple((names[column], column) for column in columns)


def merge_equal_columns(
    columns: Sequence[ColumnReference], pairs: Sequence[tuple[str, str]]
) -> tuple[ColumnReference, ...]:
    """Return columns where equal ones read whichever has the better known range.

    Reals stay apart, because 0.0 equals -0.0.
    """
    by_name = {column.plan_column: column for column in columns}
    better: dict[str, ColumnReference] = {}
    for own, there in pairs:
        mine, theirs = by_name[own].range, by_name[there].range
        if mine.type == theirs.type != "real" and _rank_knowledge(mine) != _rank_knowledge(theirs):
            more, less = (
                (own, there) if _rank_knowledge(mine) > _rank_knowledge(theirs) else (there, own)
            )
            better[less] = by_name[more]
    return tuple(
        (
            replace(column, plan_column=other.plan_column, range=other.range)
            if (other := better.get(column.plan_column))
            else column
        )
        for column in columns
    )


def _rank_knowledge(range_: Range) -> tuple[bool, bool]:
    return range_.values is not None, range_.is_bounded


def add_column(column: ColumnReference, names: dict[str, str]) -> ColumnReference:
    """Return a column of the right side; after a LEFT JOIN its privacy id may be missing."""
    if not column.plan_column:
        return column
    owner = None if column.may_be_missing and column.owner == PRIVACY_ID else column.owner
    return replace(column, plan_column=names[column.plan_column], owner=owner, size=1, work=1)


def add_expression(scope: Scope, expression: Expression = _ONE) -> tuple[str, Project]:
    """Add an expression to rows, by default the constant 1, and return its name, too."""
    name = "one"
    while name in scope.rows.columns:
        name += "_"
    kept = tuple((column, ColumnRef(column)) for column in scope.rows.columns)
    return name, Project(scope.rows, (*kept, (name, expression)))


def keep_matching(rows: Join, condition: Expression) -> Project:
    """Return the rows of a LEFT JOIN with NULL in the columns of the matches that do not meet a
    condition.
    """
    added = {name for name, _ in rows.added_columns}
    known = rows.columns
    return Project(
        rows,
        tuple(
            (
                name,
                Call("case", (condition, ColumnRef(name), Constant(None, known[name].type)))
                if name in added
                else ColumnRef(name),
            )
            for name in known
        ),
    )
