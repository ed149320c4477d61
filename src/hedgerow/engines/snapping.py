"""A value in whole steps of a grid, as SQL."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

from sqlglot import exp

from hedgerow.engines.terms import as_type, between, call, real, test, whole
from hedgerow.plan.expressions import Read
from hedgerow.plan.functions import half_away
from hedgerow.plan.measures import Snap
from hedgerow.plan.nodes import Filter, Join, Project, Rows, Table
from hedgerow.plan.values import Range

__all__ = ["as_read", "snapped"]


def as_read(rows: Rows, name: str) -> Range:
    """The type of a column; and its bounds, where it is handed on as it was read, since then it was moved between them. Those that are
    worked out for expressions are not believed here: doubles may lie beyond them by a rounding."""
    match rows:
        case Table():
            column = rows.schema.column(name)
            if column is not None and column.values is None and column.low is not None:
                return Range(column.type, column.low, column.high)
        case Filter():
            return as_read(rows.source, name)
        case Project() if isinstance(made := dict(rows.outputs)[name], Read):
            return as_read(rows.source, made.column)
        case Join():
            added = dict(rows.adds)
            return as_read(rows.other, added[name]) if name in added else as_read(rows.source, name)
    return Range(rows.columns[name].type)


def snapped(value: exp.Expr, known: Range, snap: Snap) -> exp.Expr:
    """A value in steps: clamped, unless it is known to lie there, divided, rounded half away from zero, clamped again. Whole numbers with
    step 1 stay whole."""
    low, high = whole(snap.low), whole(snap.high)
    if known.type == "integer" and snap.step == 1:
        return value.copy() if _inside(known, Fraction, snap) else between(value.copy(), low, high)
    number = as_type(value.copy(), "real") if known.type == "integer" else value.copy()
    step, first, last = float(snap.step), float(snap.low * snap.step), float(snap.high * snap.step)
    clamped = number if _inside(known, float, snap) else between(number, real(first), real(last))
    steps = as_type(call("round", test(clamped, exp.Div, real(step))), "integer")
    # Division and rounding never turn an order round, and doubles divide here as they do there. So where the two ends of the first clamp
    # come out within the second, everything between them does.
    if snap.low <= half_away(first / step) and half_away(last / step) <= snap.high:
        return steps
    return between(steps, low, high)


def _inside(known: Range, as_compared: Callable[[Fraction], Fraction | float], snap: Snap) -> bool:
    """Whether the clamp can move nothing, as numbers are compared there: whole ones exactly, others as doubles."""
    if known.low is None or known.high is None:
        return False
    low, first, last, high = map(as_compared, (snap.low * snap.step, known.low, known.high, snap.high * snap.step))
    return low <= first and last <= high
