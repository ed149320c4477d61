"""A value in whole steps of a grid, as SQL."""

from __future__ import annotations

from sqlglot import exp

from hedgerow.engines.terms import as_type, between, call, real, test, whole
from hedgerow.plan.functions import half_away
from hedgerow.plan.measures import Snap
from hedgerow.plan.values import Range

__all__ = ["snapped"]


def snapped(value: exp.Expr, known: Range, snap: Snap) -> exp.Expr:
    """A value in steps: clamped, divided, rounded half away from zero, clamped again. Whole numbers with step 1 stay whole."""
    low, high = whole(snap.low), whole(snap.high)
    if known.type == "integer" and snap.step == 1:
        return between(value.copy(), low, high)
    number = as_type(value.copy(), "real") if known.type == "integer" else value.copy()
    step, first, last = float(snap.step), float(snap.low * snap.step), float(snap.high * snap.step)
    clamped = between(number, real(first), real(last))
    steps = as_type(call("round", test(clamped, exp.Div, real(step))), "integer")
    # Division and rounding never turn an order round, and doubles divide here as they do there. So where the two ends of the first clamp
    # come out within the second, everything between them does.
    if snap.low <= half_away(first / step) and half_away(last / step) <= snap.high:
        return steps
    return between(steps, low, high)
