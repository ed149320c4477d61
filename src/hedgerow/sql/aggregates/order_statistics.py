"""MEDIAN, QUANTILE, MIN, MAX and MODE: values that are selected instead of added up."""

from __future__ import annotations

from fractions import Fraction
from typing import Final

from hedgerow.errors import Unbounded
from hedgerow.plan.measures import ClampedGrid
from hedgerow.plan.order_statistics import (
    SELECTION_METHODS,
    OrderStatistic,
    OrderStatisticKind,
    SelectionMethod,
)
from hedgerow.plan.scalar.functions import round_half_away
from hedgerow.sql.aggregates.aggregate_syntax import AggregateSyntax
from hedgerow.sql.aggregates.grids import build_grid
from hedgerow.sql.binder.declaration_hints import suggest_number_declaration
from hedgerow.sql.binder.row_expressions import RowBinder
from hedgerow.sql.binder.typed_expression import TypedExpression
from hedgerow.sql.group_by import compute_domain

__all__ = ["build_order_statistic"]

_STATISTIC_KINDS: Final[dict[str, OrderStatisticKind]] = {
    "QUANTILE": "quantiles",
    "MIN": "least",
    "MAX": "greatest",
    "MODE": "mode",
}


def build_order_statistic(
    binder: RowBinder, asked: AggregateSyntax, value: TypedExpression, column: str
) -> OrderStatistic:
    """Build an order statistic; refuse one without known candidates."""
    kind = _STATISTIC_KINDS[asked.function]
    method = _choose_method(binder, asked, kind)
    if value.range.values == ():
        binder.refuse(asked.node, "The argument is always NULL", "Leave it out.")
    if kind == "mode":
        return _build_mode(binder, asked, value, column, method)
    if value.type not in ("integer", "real", "date"):
        line = suggest_number_declaration(binder.scope, [value], "real", ", min = …, max = …")
        fix = (
            "Use MODE(x) or COUNT(x)."
            if line is None
            else f"{line}; otherwise use MODE(x) or COUNT(x)."
            if kind == "quantiles"
            else f'{line}; if it has few texts, declare them: values = ["a", "b"].'
        )
        binder.refuse(
            asked.node,
            f"{asked.name} needs numbers or dates, but this is {value.type}",
            fix,
        )
    grid = _build_grid(binder, asked, value)
    fractions = _compute_probabilities(binder, asked, value, method)
    if asked.named_arguments.bound is None:
        return OrderStatistic(kind, column, grid, quantiles=fractions, method=method)
    return OrderStatistic(
        kind,
        column,
        grid,
        quantiles=fractions,
        method=method,
        bound=max(1, round_half_away(asked.named_arguments.bound / grid.step)),
    )


def _compute_probabilities(
    binder: RowBinder, asked: AggregateSyntax, value: TypedExpression, method: SelectionMethod
) -> tuple[Fraction, ...]:
    """Return the fraction of a quantile, between the ends of its bracket if it has one."""
    fraction, half_width = asked.probability, asked.named_arguments.bracket
    fractions: tuple[Fraction, ...] = (
        ()
        if fraction is None
        else (fraction,)
        if half_width is None
        else (fraction - half_width, fraction, fraction + half_width)
    )
    if any(10**6 % fraction.denominator for fraction in fractions):
        binder.refuse(
            asked.node,
            "The fraction of a quantile has at most six decimals",
            "Write 0.333333 for a third.",
        )
    if half_width is None:
        return fractions
    if half_width <= 0 or not 0 < fractions[0] < fractions[-1] < 1:
        binder.refuse(
            asked.node,
            "The bracket around a quantile must stay between 0 and 1",
            "Write MEDIAN(x, bracket => 0.05), which spans the quantiles from 0.45 to 0.55.",
        )
    if method != "exponential":
        binder.refuse(
            asked.node,
            f"A bracket needs the method 'exponential', not {method!r}",
            "Leave out the method or the bracket.",
        )
    if value.type == "date":
        binder.refuse(
            asked.node,
            "A bracket needs numbers, but this is a date",
            "Leave it out, or count days: DATE_DIFF('day', DATE '2026-01-01', d).",
        )
    return fractions


def _choose_method(
    binder: RowBinder, asked: AggregateSyntax, kind: OrderStatisticKind
) -> SelectionMethod:
    """Return the selection method; only 'propose' takes a bound."""
    allowed, named = SELECTION_METHODS[kind], asked.named_arguments
    method = named.method or allowed[0]
    if method not in allowed:
        binder.refuse(
            asked.node,
            f"{asked.name} has no method {method[:30]!r}",
            f"The methods are {', '.join(allowed)}.",
        )
    if (method == "propose") != (named.bound is not None):
        if named.bound is None:
            binder.refuse(
                asked.node,
                "method => 'propose' needs a bound",
                "Add bound => 5: your guess of how far one unit can move the answer.",
            )
        binder.refuse(
            asked.node,
            "bound is only for the method 'propose'",
            "Write method => 'propose', or leave bound out.",
        )
    if named.bound is not None and named.bound <= 0:
        binder.refuse(asked.node, "bound must be greater than 0", "Write bound => 5.")
    return method


def _build_grid(binder: RowBinder, asked: AggregateSyntax, value: TypedExpression) -> ClampedGrid:
    if not value.range.is_bounded:
        raise binder.build_unbounded_error(asked.node, [value])
    grid = build_grid(value.range)
    if grid is None:
        problem, fix = (
            f"The bounds are too wide for {asked.name}",
            "Declare narrower bounds in the policy: within ±2^53.",
        )
        raise binder.text.refusal(Unbounded, problem, asked.node, fix)
    if grid.low == grid.high:
        binder.refuse(asked.node, "This has only one possible value", "Leave it out.")
    return grid


def _build_mode(
    binder: RowBinder,
    asked: AggregateSyntax,
    value: TypedExpression,
    column: str,
    method: SelectionMethod,
) -> OrderStatistic:
    values = compute_domain(binder.scope, value)
    if values is None:
        problem = "MODE needs a column with declared values"
        text = binder.text.format_node(asked.arguments[0])
        fix = (
            f'List them in the policy: {text} = {{ values = ["a", "b"] }}; or write GROUP BY {text}'
            " with COUNT(*)."
        )
        raise binder.text.refusal(Unbounded, problem, asked.node, fix)
    if len(values) < 2:
        binder.refuse(asked.node, "This has only one possible value", "Leave it out.")
    return OrderStatistic(
        kind="mode",
        column=column,
        values=tuple(sorted(values)),  # type: ignore[type-var]
        method=method,
    )
