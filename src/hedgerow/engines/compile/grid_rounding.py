"""A value in whole steps of a grid, as SQL."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

from sqlglot import exp

from hedgerow.engines.compile.sql_builders import (
    binary,
    call_function,
    cast_to_type,
    clamp,
    integer_literal,
    real_literal,
)
from hedgerow.plan.measures import ClampedGrid
from hedgerow.plan.nodes import Filter, Join, Project, RelationNode, Table
from hedgerow.plan.scalar.expressions import ColumnRef
from hedgerow.plan.scalar.functions import round_half_away
from hedgerow.plan.values import Range

__all__ = ["compile_grid_steps", "find_read_range"]


def find_read_range(rows: RelationNode, name: str) -> Range:
    """The type of a column; and its bounds, where it is handed on as it was read, since then it was
    moved between them. Those that are worked out for expressions are not believed here: doubles may
    lie beyond them by a rounding."""
    match rows:
        case Table():
            column = rows.schema.column(name)
            if column is not None and column.values is None and column.low is not None:
                return Range(column.type, column.low, column.high)
        case Filter():
            return find_read_range(rows.source, name)
        case Project() if isinstance(made := dict(rows.outputs)[name], ColumnRef):
            return find_read_range(rows.source, made.column)
        case Join():
            added = dict(rows.added_columns)
            return (
                find_read_range(rows.other, added[name])
                if name in added
                else find_read_range(rows.source, name)
            )
    return Range(rows.columns[name].type)


def compile_grid_steps(value: exp.Expr, known: Range, snap: ClampedGrid) -> exp.Expr:
    """A value in steps: clamped, unless it is known to lie there, divided, rounded half away from
    zero, clamped again. Whole numbers with step 1 stay whole."""
    low, high = integer_literal(snap.low), integer_literal(snap.high)
    if known.type == "integer" and snap.step == 1:
        return (
            value.copy()
            if _is_within_clamp(known, Fraction, snap)
            else clamp(value.copy(), low, high)
        )
    number = cast_to_type(value.copy(), "real") if known.type == "integer" else value.copy()
    step, first, last = float(snap.step), float(snap.low * snap.step), float(snap.high * snap.step)
    clamped = (
        number
        if _is_within_clamp(known, float, snap)
        else clamp(number, real_literal(first), real_literal(last))
    )
    steps = cast_to_type(
        call_function("round", binary(clamped, exp.Div, real_literal(step))), "integer"
    )
    # Division and rounding never turn an order round, and doubles divide here as they do there. So
    # where the two ends of the first clamp come out within the second, everything between them
    # does.
    if snap.low <= round_half_away(first / step) and round_half_away(last / step) <= snap.high:
        return steps
    return clamp(steps, low, high)


def _is_within_clamp(
    known: Range, as_compared: Callable[[Fraction], Fraction | float], snap: ClampedGrid
) -> bool:
    """Whether the clamp can move nothing, as numbers are compared there: whole ones exactly,
    others as doubles.
    """
    if known.low is None or known.high is None:
        return False
    low, first, last, high = map(
        as_compared, (snap.low * snap.step, known.low, known.high, snap.high * snap.step)
    )
    return low <= first and last <= high
