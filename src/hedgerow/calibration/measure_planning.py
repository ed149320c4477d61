"""The measures of a plan under its noise: counts that noise needs are added, others are merged.

Which groups to publish is decided by a count of units, or by a count of rows that is asked for
anyway. One unit may have m rows in the latter, so its threshold is about m times as high. If units
have sqrt(m) rows each, say, and a count of units of its own would still show groups that are a
quarter smaller, that count is added, and shares epsilon with the numbers asked for.

With Laplace noise, COUNT(*) and sums are computed from the moments of a column where that is better
(``moment_sharing``).
"""

from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction
from typing import Final

from hedgerow.calibration.moment_sharing import merge_measures
from hedgerow.calibration.noise_choice import (
    NoiseKind,
    add_centring_count,
    calibrate_noise,
    is_better,
)
from hedgerow.plan.measures import Measure
from hedgerow.plan.nodes import Aggregate
from hedgerow.privacy.unit import Unit

__all__ = ["add_deciding_count", "plan_measures"]

# A count of units is added if it shows groups smaller by this factor, for the noise it costs.
_MIN_GROUP_GAIN: Final = 4 / 3


def plan_measures(
    plan: Aggregate, unit: Unit, *, epsilon: Fraction, delta: Fraction | None, kind: NoiseKind
) -> Aggregate:
    """Return the plan with the measures that its noise needs."""
    counted = _add_counts(plan, unit, epsilon=epsilon, delta=delta, kind=kind)
    merged = merge_measures(counted)
    if merged is counted or unit.relation == "change-one" or kind == "gaussian":
        return counted
    if kind == "laplace":
        return merged
    # Merging does not help where the best noise is Gaussian.
    noise = calibrate_noise(counted, unit, epsilon=epsilon, delta=delta, kind=kind)
    return merged if noise.gaussian_epsilon is None else counted


def add_deciding_count(plan: Aggregate) -> Aggregate:
    """Return the plan with a count that can decide which groups to publish; a COUNT(*) that is
    asked for decides for free.
    """
    kinds = {measure.kind for measure in plan.measures}
    if plan.source.domain is not None or kinds & {"units", "rows"}:
        return plan
    return replace(plan, measures=(*plan.measures, Measure("units")))


def _add_counts(
    plan: Aggregate, unit: Unit, *, epsilon: Fraction, delta: Fraction | None, kind: NoiseKind
) -> Aggregate:
    """Return the plan with the counts that its noise needs; the best noise may be Gaussian, and
    then smaller with a count of units.
    """
    plain = add_deciding_count(plan)
    tried = "gaussian" if kind == "best" and delta is not None else kind
    centred = add_centring_count(plain, unit, tried)
    if kind != "best" or centred is plain:
        return _add_unit_count(centred, kind)
    without, with_units = (
        calibrate_noise(each, unit, epsilon=epsilon, delta=delta, kind=kind)
        for each in (plain, centred)
    )
    return centred if is_better(with_units, without, len(plain.measures)) else plain


def _add_unit_count(plan: Aggregate, kind: NoiseKind) -> Aggregate:
    """Add a count of units where a count of rows is much worse at deciding which groups to show.

    A threshold grows with the noise of its count, through bounds and shares alone: so the plan is
    the same at every epsilon, and a question that was answered at a larger one is found.
    """
    units, count = Measure("units"), len(plan.measures)
    if plan.source.domain is not None or units in plan.measures:
        return plan
    # The noise grows by this factor (in rho by its root), with one more measure to share with.
    growth = (count + 1) / count
    higher = math.sqrt(growth) if kind == "gaussian" else growth
    if higher * _MIN_GROUP_GAIN > math.sqrt(plan.bound.max_rows):
        return plan
    return replace(plan, measures=(*plan.measures, units))
