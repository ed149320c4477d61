"""Measures that several aggregates of one column share, because each measure costs budget."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from hedgerow.plan.measures import Measure
from hedgerow.plan.order_statistics import OrderStatistic
from hedgerow.sql.question import AggregateCall

__all__ = ["share_measures"]


# One column or two, and the class of their moments: those of one class share a measure.
_Moments = tuple[str | None, str | None, int]


def share_measures(
    calls: Sequence[AggregateCall], pairs: Mapping[str, tuple[str, str]]
) -> tuple[AggregateCall, ...]:
    """Return the aggregates with shared measures.

    SUM and COUNT of a column use the moments of its AVG or variance, if there is one, those of the
    highest degree. Those of a skewness or a kurtosis have a coarser grid, and are shared among
    these alone. The count of a pair of columns uses its moments; ``pairs`` has the two columns of
    the column that it counts. Quantiles of a column by the exponential method are selected
    together.
    """
    moments: dict[_Moments, Measure] = {}
    for measure in (call.measure for call in calls):
        if isinstance(measure, Measure) and measure.kind == "moments":
            (at,) = _list_places(measure, pairs)
            if at not in moments or measure.degree > moments[at].degree:
                moments[at] = measure
    return tuple(
        replace(
            call,
            measure=_find_shared_moments(call.measure, moments, pairs)
            or _merge_quantiles(call.measure, calls),
        )
        for call in calls
    )


def _list_places(measure: Measure, pairs: Mapping[str, tuple[str, str]]) -> list[_Moments]:
    """List the moments from which a measure can be computed, the best ones first."""
    pair = pairs.get(str(measure.column)) if measure.kind == "values" else None
    if pair is not None:
        return [(*pair, degree) for degree in (1, 2)]
    if measure.second is not None:
        return [(measure.column, measure.second[0], measure.degree)]
    return [(measure.column, None, 2 if measure.degree <= 2 else 4)]


def _find_shared_moments(
    measure: Measure | OrderStatistic,
    moments: Mapping[_Moments, Measure],
    pairs: Mapping[str, tuple[str, str]],
) -> Measure | None:
    if (
        not isinstance(measure, Measure)
        or measure.sum_bounds is not None
        or measure.kind not in ("moments", "total", "values")
    ):
        return None
    return next((moments[at] for at in _list_places(measure, pairs) if at in moments), None)


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
