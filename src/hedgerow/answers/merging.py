"""Several aggregates off one measurement, where Laplace noise is the less for it: docs/decisions/0014 has the figures.

A SUM and a COUNT of one column are read off its moments, as they are beside its mean. COUNT(*) is read off the moments of a column that
have a rest, or whose values as read cannot be NULL, for both shares of epsilon. Which ones, is told by the plan alone. (Where units are
replaced, moments move twice as far as a count, and nothing is merged.)
"""

from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction

from hedgerow.answers.additive import is_never_null
from hedgerow.plan.measures import Measure
from hedgerow.plan.nodes import Aggregate, Measured

__all__ = ["merged", "shares_of"]

_ROWS, _UNITS = Measure("rows"), Measure("units")


def merged(plan: Aggregate) -> Aggregate:
    """The plan with as few measures as tell the same. A count of rows that decides which groups are shown stays."""
    moments = {(one.column, one.snap): one for one in _summed(plan) if one.kind == "moments"}
    totals = {(one.column, one.snap): Measure("moments", one.column, one.snap) for one in _summed(plan) if one.kind == "total"}
    pairs = {key: one for key, one in totals.items() if Measure("values", one.column) in plan.measures}
    many = len(plan.measures)
    if 2 * (many - len(pairs)) ** 2 <= many**2:  # of a COUNT off two numbers, with one share of fewer, the variance is no larger
        moments = pairs | moments
    telling: dict[Measured, Measure] = {}
    if _ROWS in plan.measures and (plan.source.domain is not None or _UNITS in plan.measures) and (moments or totals):
        every = [replace(one, rest=_may_be_null(plan, one), counts_rows=True) for one in (*moments.values(), *totals.values())]
        fewest = min(every, key=lambda one: one.width)
        telling[_ROWS] = moments[fewest.column, fewest.snap] = fewest
    telling |= {Measure("values", one.column): one for one in moments.values()}
    telling |= {one: moments[one.column, one.snap] for one in _summed(plan) if (one.column, one.snap) in moments}
    measures = tuple(dict.fromkeys(telling.get(one, one) for one in plan.measures))
    return plan if measures == plan.measures else replace(plan, measures=measures)


def _may_be_null(plan: Aggregate, measure: Measure) -> bool:
    """Return whether a value may be NULL as it is read. A file without NULLs proves nothing: NaN and unlisted values are read as NULL."""
    name = str(measure.column)
    return plan.bound.columns[name].nullable and not is_never_null(plan, name)


def _summed(plan: Aggregate) -> list[Measure]:
    """Sums and moments of one column, whose values may differ, and which are summed as they are."""
    return [
        one
        for one in plan.measures
        if isinstance(one, Measure) and one.snap is not None and one.limits is None and one.second is None and one.snap.low < one.snap.high
    ]


def shares_of(plan: Aggregate, decisive: int | None) -> list[Fraction]:
    """How much of the price each measure gets: all the same, but moments that tell COUNT(*) as well have two shares.

    With a share of its own COUNT(*) has the noise of one number. Off moments it has that of ``width`` numbers, and is as good with
    sqrt(width) shares. What is left of two goes to the count at the place ``decisive``, which says what groups are shown.
    """
    sizes = [Fraction(2 if isinstance(one, Measure) and one.counts_rows else 1) for one in plan.measures]
    together = sum(sizes)
    for index, measure in enumerate(plan.measures):
        if decisive is not None and isinstance(measure, Measure) and measure.counts_rows:
            sizes[index] = Fraction(math.sqrt(measure.width)).limit_denominator(1000)
            sizes[decisive] += 2 - sizes[index]
    return [size / together for size in sizes]
