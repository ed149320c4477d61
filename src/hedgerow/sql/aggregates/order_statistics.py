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
    reader: RowBinder, asked: AggregateSyntax, value: TypedExpression, column: str
) -> OrderStatistic:
    """Build an order statistic; refuse one without known candidates."""
    kind = _STATISTIC_KINDS[asked.function]
    method = _choose_method(reader, asked, kind)
    if value.range.values == ():
        reader.refuse(asked.node, "The argument is always NULL", "Leave it out.")
    if kind == "mode":
        return _build_mode(reader, asked, value, column, method)
    if value.type not in ("integer", "real", "date"):
        line = suggest_number_declaration(reader.scope, [value], "real", ", min = …, max = …")
        instead = (
            "Use MODE(x) or COUNT(x)."
            if line is None
            else f"{line}; otherwise use MODE(x) or COUNT(x)."
        )
        reader.refuse(
            asked.node,
            f"{asked.name} needs numbers or dates, but this is {value.type}",
            instead,
        )
    grid = _build_grid(reader, asked, value)
    at = _compute_probabilities(reader, asked, value, method)
    if asked.named_arguments.bound is None:
        return OrderStatistic(kind, column, grid, quantiles=at, method=method)
    return OrderStatistic(
        kind,
        column,
        grid,
        quantiles=at,
        method=method,
        bound=max(1, round_half_away(asked.named_arguments.bound / grid.step)),
    )


def _compute_probabilities(
    reader: RowBinder, asked: AggregateSyntax, value: TypedExpression, method: SelectionMethod
) -> tuple[Fraction, ...]:
    """Return the fraction of a quantile, between the ends of its bracket if it has one."""
    at, wide = asked.probability, asked.named_arguments.bracket
    shares: tuple[Fraction, ...] = (
        () if at is None else (at,) if wide is None else (at - wide, at, at + wide)
    )
    if any(10**6 % share.denominator for share in shares):
        reader.refuse(
            asked.node,
            "The fraction of a quantile has at most six decimals",
            "Write 0.333333 for a third.",
        )
    if wide is None:
        return shares
    if wide <= 0 or not 0 < shares[0] < shares[-1] < 1:
        what = "The bracket around a quantile must stay between 0 and 1"
        reader.refuse(
            asked.node,
            what,
            "Write MEDIAN(x, bracket => 0.05), which spans the quantiles from 0.45 to 0.55.",
        )
    if method != "exponential":
        reader.refuse(
            asked.node,
            f"A bracket needs the method 'exponential', not {method!r}",
            "Leave out the method or the bracket.",
        )
    if value.type == "date":
        reader.refuse(
            asked.node,
            "A bracket needs numbers, but this is a date",
            "Leave it out, or count days: DATE_DIFF('day', DATE '2026-01-01', d).",
        )
    return shares


def _choose_method(
    reader: RowBinder, asked: AggregateSyntax, kind: OrderStatisticKind
) -> SelectionMethod:
    """Return the selection method; only 'propose' takes a bound."""
    allowed, named = SELECTION_METHODS[kind], asked.named_arguments
    method = named.method or allowed[0]
    if method not in allowed:
        reader.refuse(
            asked.node,
            f"{asked.name} has no method {method[:30]!r}",
            f"The methods are {', '.join(allowed)}.",
        )
    if (method == "propose") != (named.bound is not None):
        if named.bound is None:
            what = "method => 'propose' needs a bound"
            reader.refuse(
                asked.node,
                what,
                "Add bound => 5: your guess of how far one unit can move the answer.",
            )
        reader.refuse(
            asked.node,
            "bound is only for the method 'propose'",
            "Write method => 'propose', or leave bound out.",
        )
    if named.bound is not None and named.bound <= 0:
        reader.refuse(asked.node, "bound must be greater than 0", "Write bound => 5.")
    return method


def _build_grid(reader: RowBinder, asked: AggregateSyntax, value: TypedExpression) -> ClampedGrid:
    if not value.range.is_bounded:
        raise reader.build_unbounded_error(asked.node, [value])
    grid = build_grid(value.range)
    if grid is None:
        what, instead = (
            f"The bounds are too wide for {asked.name}",
            "Declare narrower bounds in the policy: within ±2^53.",
        )
        raise reader.text.refusal(Unbounded, what, asked.node, instead)
    if grid.low == grid.high:
        reader.refuse(asked.node, "This has only one possible value", "Leave it out.")
    return grid


def _build_mode(
    reader: RowBinder,
    asked: AggregateSyntax,
    value: TypedExpression,
    column: str,
    method: SelectionMethod,
) -> OrderStatistic:
    values = compute_domain(reader.scope, value)
    if values is None:
        what = "MODE needs a column with declared values"
        text = reader.text.format_node(asked.arguments[0])
        instead = (
            f'List them in the policy: {text} = {{ values = ["a", "b"] }}; or write GROUP BY {text}'
            " with COUNT(*)."
        )
        raise reader.text.refusal(Unbounded, what, asked.node, instead)
    if len(values) < 2:
        reader.refuse(asked.node, "This has only one possible value", "Leave it out.")
    return OrderStatistic(kind="mode", column=column, values=tuple(sorted(values)), method=method)  # type: ignore[type-var]
