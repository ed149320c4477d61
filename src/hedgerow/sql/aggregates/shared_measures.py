"""Measures that several aggregates of one column share, because each measure costs budget."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from hedgerow.plan.measures import Measure
from hedgerow.plan.order_statistics import OrderStatistic
from hedgerow.sql.question import AggregateCall

__all__ = ["share_measures"]


def share_measures(calls: Sequence[AggregateCall]) -> tuple[AggregateCall, ...]:
    """Return the aggregates with shared measures.

    SUM and COUNT of a column use the moments of its AVG or variance, if there is one, those of the
    highest degree. Quantiles of a column by the exponential method are selected together.
    """
    moments: dict[str, Measure] = {}
    for measure in (call.measure for call in calls):
        if (
            isinstance(measure, Measure)
            and measure.kind == "moments"
            and measure.second is None
            and measure.column is not None
        ):
            known = moments.get(measure.column)
            moments[measure.column] = (
                measure if known is None or measure.degree > known.degree else known
            )
    return tuple(
        replace(
            call,
            measure=_find_shared_moments(call.measure, moments)
            or _merge_quantiles(call.measure, calls),
        )
        for call in calls
    )


def _find_shared_moments(
    measure: Measure | OrderStatistic, moments: dict[str, Measure]
) -> Measure | None:
    if (
        not isinstance(measure, Measure)
        or measure.column is None
        or measure.sum_bounds is not None
        or measure.second is not None
    ):
        return None
    return moments.get(measure.column) if measure.kind in ("moments", "total", "values") else None


def _merge_quantiles(
    measure: Measure | OrderStatistic, calls: Sequence[AggregateCall]
) -> Measure | OrderStatistic:
    if (
        not isinstance(measure, OrderStatistic)
        or measure.kind != "quantiles"
        or measure.method != "exponential"
    ):
        return measure
    picks = [call.measure for call in calls if isinstance(call.measure, OrderStatistic)]
    alike = [
        pick
        for pick in picks
        if (pick.kind, pick.column, pick.method) == (measure.kind, measure.column, measure.method)
    ]
    return replace(
        measure, quantiles=tuple(sorted({share for pick in alike for share in pick.quantiles}))
    )
