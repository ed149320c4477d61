"""The counting steps of scaled sums: parts of a step, fine enough that truncation is lost in noise.

Where contribution bounds can have an effect, scaled sums are counted in parts of 1/F step
(``plan.measures``). F is the smallest power of two with which truncation loses less than 1 % of the
standard deviation of the noise, or the largest whose noise can be drawn. All of this is public.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Final

from hedgerow.accuracy.weighted_noise import WeightedNoise, find_noise
from hedgerow.calibration.noise_choice import NoiseKind, calibrate_noise, calibrate_tight_gaussian
from hedgerow.mechanisms.laplace import Laplace
from hedgerow.numeric.vectorised import MAX_SCALE
from hedgerow.plan.contribution_limits import compute_rounding_loss
from hedgerow.plan.measures import Measure
from hedgerow.plan.nodes import Aggregate
from hedgerow.privacy.unit import Unit
from hedgerow.release.candidate_selection import CalibratedSelection
from hedgerow.release.noise import AdditiveNoise, ReleaseNoise, list_counting_steps

__all__ = ["calibrate_refined_noise", "refine_steps"]

_MAX_STEP_BITS: Final = 60  # no noise that hides anything needs more
_MAX_LOST_SHARE: Final = Fraction(1, 100)  # of the standard deviation of the noise


def calibrate_refined_noise(
    plan: Aggregate,
    unit: Unit,
    *,
    epsilon: Fraction,
    delta: Fraction | None,
    kind: NoiseKind,
    names: Sequence[str] = (),
) -> tuple[Aggregate, ReleaseNoise]:
    """Return the plan with refined counting steps, and its calibrated noise in these steps."""
    coarse = calibrate_noise(plan, unit, epsilon=epsilon, delta=delta, kind=kind, names=names)
    fine = refine_steps(plan, coarse)
    noise: ReleaseNoise | None = None
    if fine is not plan and coarse.gaussian_epsilon is not None and delta is not None:
        noise = calibrate_tight_gaussian(fine, unit, epsilon, delta)
    elif fine is not plan:
        plain: NoiseKind = "laplace" if kind == "best" else kind
        noise = calibrate_noise(fine, unit, epsilon=epsilon, delta=delta, kind=plain, names=names)
    if noise is None:
        fine, noise = plan, coarse
    return fine, replace(noise, counting_steps=list_counting_steps(fine))


def refine_steps(plan: Aggregate, noise: ReleaseNoise) -> Aggregate:
    """Return the plan with its scaled sums in parts fine enough for noise in whole steps."""
    lost = compute_rounding_loss(plan)
    measures = tuple(
        replace(measure, resolution=_choose_resolution(noise, index, measure, lost[index]))
        if isinstance(measure, Measure) and lost[index]
        else measure
        for index, measure in enumerate(plan.measures)
    )
    return plan if measures == plan.measures else replace(plan, measures=measures)


def _choose_resolution(noise: ReleaseNoise, index: int, measure: Measure, lost: int) -> int:
    """Return the parts of a step for a measure whose numbers lose up to ``lost`` parts.

    An aggregate adds up several numbers: their losses add up, but only the squares of their noise.
    """
    mechanism, combined = noise.mechanisms[index], find_noise(noise, index)
    assert not isinstance(mechanism, CalibratedSelection)
    terms: tuple[tuple[AdditiveNoise, Fraction], ...] = ((mechanism, Fraction(1)),)
    if isinstance(combined, WeightedNoise):
        terms = combined.terms
    # In parts the noise is nearly continuous, where in whole steps there may be hardly any.
    deviation = math.sqrt(
        sum(
            float(one.scale * share) ** 2 * (2 if isinstance(one, Laplace) else 1)
            for one, share in terms
        )
    )
    wanted = lost * math.sqrt(measure.width) / (float(_MAX_LOST_SHARE) * deviation)
    drawable = float(MAX_SCALE / 2 / mechanism.scale)
    bits = min(
        math.ceil(math.log2(wanted)),
        math.floor(math.log2(drawable)),
        _MAX_STEP_BITS - measure.row_total.bit_length(),
    )
    return 1 << max(0, bits)
