"""Grids of the numbers that SUM, AVG and the moments add up, and refusals of other arguments."""

from __future__ import annotations

from datetime import date
from fractions import Fraction
from typing import Final

from hedgerow.errors import Unbounded
from hedgerow.plan.measures import ClampedGrid
from hedgerow.plan.scalar.expressions import find_columns, infer_range
from hedgerow.sql.aggregates.aggregate_syntax import AggregateSyntax
from hedgerow.sql.aggregates.grids import build_grid
from hedgerow.sql.binder.declaration_hints import suggest_number_declaration
from hedgerow.sql.binder.row_expressions import RowBinder
from hedgerow.sql.binder.typed_expression import TypedExpression
from hedgerow.sql.predicates.domain_narrowing import inline_projections
from hedgerow.sql.syntax.quoting import quote_name

__all__ = ["build_number_grid"]

# Squares of larger steps, and of the noise on them, would leave the range of doubles.
_MAX_STEP: Final = Fraction(2**400)
# A range within the calendar, to see whether bounds come from the calendar alone.
_NARROW_CALENDAR: Final = (
    Fraction(date(1001, 1, 1).toordinal()),
    Fraction(date(9001, 1, 1).toordinal()),
)


def build_number_grid(
    binder: RowBinder,
    asked: AggregateSyntax,
    value: TypedExpression,
    max_width: int | None,
    *,
    allow_constant: bool = False,
) -> ClampedGrid:
    """Return the grid of a bounded number; refuse other types and missing bounds."""
    node, name = asked.node, asked.name
    _check_number(binder, asked, value)
    if not value.range.is_bounded:
        raise binder.build_unbounded_error(node, [value])
    if asked.named_arguments.limits is None:
        _check_date_bounds(binder, asked, value)
    grid = build_grid(value.range, max_width)
    if grid is None:
        problem = "The bounds are too wide for an exact sum"
        fix = "Declare narrower bounds in the policy: within ±2^53."
        raise binder.text.refusal(Unbounded, problem, node, fix)
    is_squared = asked.function.startswith(("VAR", "STDDEV", "COVAR", "REGR"))
    if is_squared and not 1 / _MAX_STEP <= grid.step <= _MAX_STEP:
        size, change = ("large", "smaller") if grid.step > 1 else ("small", "larger")
        binder.refuse(
            node,
            f"The values are too {size} to be squared",
            f"Multiply them by a factor that makes them {change} first.",
        )
    if grid.low == grid.high and not allow_constant:
        binder.refuse(node, f"{name} of a constant is always the same", "Leave it out.")
    return grid


def _check_number(binder: RowBinder, asked: AggregateSyntax, value: TypedExpression) -> None:
    node, name = asked.node, asked.name
    if value.range.values == ():
        binder.refuse(node, "The argument is always NULL", "Leave it out.")
    if value.type not in ("integer", "real"):
        line = suggest_number_declaration(binder.scope, [value], "real", ", min = …, max = …")
        fix = (
            "Use COUNT(x), or a column that is a number."
            if line is None
            else f"{line}; otherwise use COUNT(x)."
        )
        binder.refuse(node, f"{name} needs numbers, but this is {value.type}", fix)


def _check_date_bounds(binder: RowBinder, asked: AggregateSyntax, value: TypedExpression) -> None:
    """Refuse bounds that come from the calendar alone, which has 9999 years."""
    rows, expression = inline_projections(binder.scope.rows, value.expression)
    ranges = rows.columns
    dates = [
        name
        for name in dict.fromkeys(find_columns(expression))
        if ranges[name].type == "date" and not ranges[name].is_bounded
    ]
    if not dates:
        return
    low, high = _NARROW_CALENDAR
    narrowed = {name: ranges[name].with_changes(low=low, high=high) for name in dates}
    narrow = infer_range(expression, {**ranges, **narrowed})
    if (narrow.low, narrow.high) == (value.range.low, value.range.high):
        return
    names = " and ".join(map(quote_name, dates))
    problem = f"{asked.name} needs bounds, and {names} {'has' if len(dates) == 1 else 'have'} none"
    clamped = f"LEAST(GREATEST({_format_argument(binder, asked)}, 0), 365)"
    fix = (
        f"Clamp it to bounds of your choice: {clamped}; or declare the days in the policy: values ="
        ' "2026-01-01 … 2026-12-31".'
    )
    raise binder.text.refusal(Unbounded, problem, asked.node, fix)


def _format_argument(binder: RowBinder, asked: AggregateSyntax) -> str:
    return binder.text.format_node(asked.arguments[0]) if asked.arguments else "x"
