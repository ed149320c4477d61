"""Checks of the options of an aggregate: DISTINCT and named arguments."""

from __future__ import annotations

from hedgerow.sql.aggregates.aggregate_syntax import AggregateSyntax
from hedgerow.sql.binder.row_expressions import RowBinder

__all__ = ["ORDER_STATISTICS", "check_options"]

ORDER_STATISTICS = ("QUANTILE", "MIN", "MAX", "MODE")


def check_options(binder: RowBinder, asked: AggregateSyntax) -> None:
    """Refuse options that contradict each other or do not apply to the aggregate."""
    named, limits = asked.named_arguments, asked.named_arguments.limits
    is_sum = asked.function in ("SUM", "COUNT") and not asked.distinct and len(asked.arguments) < 2
    has_method = named.method is not None or named.bound is not None
    conflicts = (
        (
            asked.distinct and asked.function not in ("COUNT", "SUM", "MIN", "MAX"),
            "DISTINCT is only allowed in COUNT, SUM and AVG",
            "Write COUNT(DISTINCT x), SUM(DISTINCT x) or AVG(DISTINCT x).",
        ),
        (
            has_method and asked.function not in ORDER_STATISTICS,
            f"{asked.name} takes no method and no bound",
            "Leave them out: they are for MEDIAN, QUANTILE, MIN, MAX and MODE.",
        ),
        (
            named.bracket is not None and asked.function != "QUANTILE",
            f"{asked.name} takes no bracket",
            "Leave it out: it is for MEDIAN, QUANTILE and PERCENTILE_CONT.",
        ),
        (
            named.clipped and limits is None and asked.distinct,
            "clipped => TRUE measures rows, and DISTINCT counts values",
            "Leave clipped out, or put it into another aggregate, such as COUNT(*, clipped =>"
            " TRUE).",
        ),
        (
            named.outer is not None and (limits is None or not named.clipped),
            "outer_bounds_per_group needs contribution_bounds_per_group and clipped => TRUE",
            "Add contribution_bounds_per_group => (0, 100), clipped => TRUE, or leave it out.",
        ),
        (
            limits is not None and not is_sum,
            "contribution_bounds_per_group is only for SUM and COUNT",
            "Leave it out.",
        ),
        (
            limits is not None and limits[0] > limits[1],
            "contribution_bounds_per_group must have its lower bound first",
            "Write contribution_bounds_per_group => (0, 100).",
        ),
        (
            limits is not None and limits[0] == limits[1] == 0,
            "This sum is always 0",
            "Leave it out, or choose wider contribution bounds.",
        ),
    )
    for is_wrong, problem, fix in conflicts:
        if is_wrong:
            binder.refuse(asked.node, problem, fix)
