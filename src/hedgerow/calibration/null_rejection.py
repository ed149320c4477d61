"""Null-rejecting conditions: filters that no row with a NULL in some column can pass."""

from __future__ import annotations

from hedgerow.plan.canonical_expressions import simplify
from hedgerow.plan.nodes import Aggregate, Filter, Project
from hedgerow.plan.scalar.expressions import ColumnRef, Constant, substitute_columns

__all__ = ["is_never_null"]


def is_never_null(plan: Aggregate, name: str) -> bool:
    """Return whether the filter of a plan drops every row in which this output, a plain column, is
    NULL.
    """
    project = plan.bound.source
    if not isinstance(project, Project) or not isinstance(project.source, Filter):
        return False
    column, below = dict(project.outputs)[name], project.source
    if not isinstance(column, ColumnRef):
        return False
    known = below.columns
    nothing = {
        other: Constant(None, known[other].type) if other == column.column else ColumnRef(other)
        for other in known
    }
    left = simplify(substitute_columns(below.condition, nothing), known)
    return isinstance(left, Constant) and left.value is not True
