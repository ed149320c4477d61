"""Moment sharing: several aggregates computed from one measurement, where that lowers Laplace noise
(docs/decisions/0014).

A SUM and a COUNT of one column are computed from its moments, as they are beside its mean. COUNT(*)
is computed from the moments of a column that have a NULL sum, or whose values as read cannot be
NULL, for both shares of epsilon. The plan alone decides which. (Under change-one, moments have
twice the sensitivity of a count, and nothing is merged.)
"""

from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction

from hedgerow.calibration.null_rejection import is_never_null
from hedgerow.plan.measures import Measure
from hedgerow.plan.nodes import Aggregate, AnyMeasure

__all__ = ["compute_measure_shares", "merge_measures"]

_ROW_COUNT, _UNIT_COUNT = Measure("rows"), Measure("units")


def merge_measures(plan: Aggregate) -> Aggregate:
    """Return the plan with as few measures as give the same aggregates. A count of rows that
    decides which groups are shown stays.
    """
    moments = {
        (one.column, one.grid): one
        for one in sorted(_list_summed(plan), key=lambda one: one.degree)
        if one.kind == "moments"
    }
    totals = {
        (one.column, one.grid): Measure("moments", one.column, one.grid)
        for one in _list_summed(plan)
        if one.kind == "total"
    }
    pairs = {
        key: one for key, one in totals.items() if Measure("values", one.column) in plan.measures
    }
    many = len(plan.measures)
    # of a COUNT off two numbers, with one share of fewer, the variance is no larger
    if 2 * (many - len(pairs)) ** 2 <= many**2:
        moments = pairs | moments
    telling: dict[AnyMeasure, Measure] = {}
    if (
        _ROW_COUNT in plan.measures
        and (plan.source.domain is not None or _UNIT_COUNT in plan.measures)
        and (moments or totals)
    ):
        every = [
            replace(one, has_null_sum=_can_be_null(plan, one), counts_rows=True)
            for one in (*moments.values(), *totals.values())
        ]
        fewest = min(every, key=lambda one: one.width)
        telling[_ROW_COUNT] = moments[fewest.column, fewest.grid] = fewest
    telling |= {Measure("values", one.column): one for one in moments.values()}
    telling |= {
        one: moments[one.column, one.grid]
        for one in _list_summed(plan)
        if (one.column, one.grid) in moments
    }
    measures = tuple(dict.fromkeys(telling.get(one, one) for one in plan.measures))
    return plan if measures == plan.measures else replace(plan, measures=measures)


def _can_be_null(plan: Aggregate, measure: Measure) -> bool:
    """Return whether a value may be NULL as it is read. A file without NULLs proves nothing: NaN
    and unlisted values are read as NULL.
    """
    name = str(measure.column)
    return plan.bound.columns[name].nullable and not is_never_null(plan, name)


def _list_summed(plan: Aggregate) -> list[Measure]:
    """Return the plain sums and moments of one column whose values may differ."""
    return [
        one
        for one in plan.measures
        if isinstance(one, Measure)
        and one.kind != "distinct"
        and one.grid is not None
        and one.sum_bounds is None
        and one.second is None
        and one.grid.low < one.grid.high
    ]


def compute_measure_shares(plan: Aggregate, deciding: int | None) -> list[Fraction]:
    """Return the share of the price of each measure: equal, but moments that give COUNT(*) as well
    get two shares.

    With a share of its own COUNT(*) has the noise of one number. From moments it has that of
    ``width`` numbers, and is as accurate with sqrt(width) shares. The rest of the two shares goes
    to the count at the index ``deciding``, which decides which groups are shown.
    """
    sizes = [
        Fraction(2 if isinstance(one, Measure) and one.counts_rows else 1) for one in plan.measures
    ]
    together = sum(sizes)
    for index, measure in enumerate(plan.measures):
        if deciding is not None and isinstance(measure, Measure) and measure.counts_rows:
            sizes[index] = Fraction(math.sqrt(measure.width)).limit_denominator(1000)
            sizes[deciding] += 2 - sizes[index]
    return [size / together for size in sizes]
