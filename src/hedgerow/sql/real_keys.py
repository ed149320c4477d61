"""Real numbers as keys of GROUP BY: those on a grid are grouped by their whole number of steps."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from sqlglot import exp

from hedgerow.plan.scalar.expressions import Call, ColumnRef, Constant, Expression, infer_range
from hedgerow.plan.schema import Column
from hedgerow.plan.values import compute_default_step
from hedgerow.sql.binder.row_expressions import RowBinder
from hedgerow.sql.binder.scope import Scope
from hedgerow.sql.binder.typed_expression import TypedExpression, build_constant

__all__ = ["RealKey", "find_real_key"]

_ROUNDINGS: Final = ("round", "floor", "ceil", "case")  # CASE is TRUNC
_MAX_EXACT: Final = 2**53  # whole numbers up to here are doubles


@dataclass(frozen=True, slots=True)
class RealKey:
    """A real key: rows are grouped by ``steps``, a whole number, and ``written`` is what the
    statement groups by. It is the number of steps, times ``factor`` or divided by it.
    """

    written: Expression
    steps: TypedExpression
    factors: tuple[tuple[str, Constant], ...]

    def build_shown(self, name: str) -> Expression:
        """Build the real number from the column that holds the number of steps."""
        shown: Expression = ColumnRef(name)
        for function, factor in self.factors:
            shown = Call(function, (shown, factor))
        return shown if self.factors else Call("to real", (shown,))


def find_real_key(binder: RowBinder, node: exp.Expr, value: TypedExpression) -> RealKey | None:
    """Return how a real key counts steps; None if it is on no grid that is known."""
    return _find_quotient(binder.scope, value) or _find_declared_grid(binder, node, value)


def _find_quotient(scope: Scope, value: TypedExpression) -> RealKey | None:
    """Return the key of an integer, or of a rounded number divided by a constant (as ROUND(x, 2)
    is) or times one.

    Not of age / 10: other databases would drop the remainder.
    """
    call = value.expression
    if not isinstance(call, Call) or call.function not in ("/", "*", "to real"):
        return None
    whole, *rest = call.arguments
    if rest and not (isinstance(whole, Call) and whole.function in _ROUNDINGS):
        return None
    factors = [part for part in rest if isinstance(part, Constant) and part.value]
    if len(factors) < len(rest):
        return None
    known = infer_range(whole, scope.ranges)
    ends = (known.low, known.high)
    if known.type != "integer" or any(end is None or abs(end) > _MAX_EXACT for end in ends):
        return None
    steps = TypedExpression(whole, known, value.size, value.work)
    return RealKey(call, steps, tuple((call.function, factor) for factor in factors))


def _find_declared_grid(
    binder: RowBinder, node: exp.Expr, value: TypedExpression
) -> RealKey | None:
    """Return the key of a column whose step is declared, or found in the file of its public
    table."""
    name = value.expression.column if isinstance(value.expression, ColumnRef) else None
    visible = None if name is None else binder.scope.find_plan_column(name)
    if visible is None or visible.origin is None or not _has_declared_step(visible.origin[1]):
        return None
    step = visible.origin[1].step
    assert step is not None
    scaled, factors = value, list[tuple[str, Constant]]()
    for number, scale, restore in ((step.denominator, "*", "/"), (step.numerator, "/", "*")):
        if number != 1:
            scaled = binder.apply(node, scale, scaled, build_constant(number, "integer"))
            factors.insert(0, (restore, Constant(number, "integer")))
    return RealKey(value.expression, binder.apply(node, "round", scaled), tuple(factors))


def _has_declared_step(column: Column) -> bool:
    if column.step is None or column.low is None or column.high is None:
        return False
    usual = compute_default_step(column.low, column.high)
    return column.step != usual and max(-column.low, column.high) / column.step <= _MAX_EXACT
