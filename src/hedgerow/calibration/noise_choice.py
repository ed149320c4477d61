"""The choice of noise for a question, from public parameters alone.

The epsilon of a question pays for all of it: its measures share it equally. With Laplace noise the
shares are epsilons. With Gaussian noise they are shares of rho = epsilon tanh(epsilon/2), the rho
of the most expensive question of that epsilon (Gaussian noise has no pure epsilon). A question of
order statistics only has a pure epsilon under either noise, the one asked for: in shares of rho, a
median at epsilon 1 would cost sqrt(8 tanh(1/2)) = 1.92 of it.

``"best"`` is whichever serves the epsilon *and the delta* of the question better: Laplace noise, or
Gaussian noise whose delta at that epsilon is no more (all numbers together, and the threshold:
``privacy.gaussian_composition``). Better means the lower threshold if groups are not declared,
since a group that is not shown is off by its whole count; otherwise the smaller variance, in the
mean of its logarithms.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache
from typing import Literal

from hedgerow.accuracy.noise_variance import compute_noise_variance, compute_variance
from hedgerow.accuracy.weighted_noise import WeightedNoise, find_noise
from hedgerow.calibration.moment_sharing import compute_measure_shares
from hedgerow.errors import InvalidArgument, Unsupported
from hedgerow.mechanisms.gaussian import Gaussian, find_smallest_scale
from hedgerow.mechanisms.laplace import Laplace
from hedgerow.numeric.rounding import round_digits_up
from hedgerow.plan.contingency import Contingency
from hedgerow.plan.measures import Measure, UnitReach
from hedgerow.plan.nodes import Aggregate
from hedgerow.plan.order_statistics import OrderStatistic
from hedgerow.privacy.gaussian_composition import bound_lone_group_deltas, compute_gaussian_loss
from hedgerow.privacy.loss import compute_pure_rho
from hedgerow.privacy.sensitivity import Sensitivity
from hedgerow.privacy.unit import Unit
from hedgerow.release.candidate_selection import TESTED_METHODS, CalibratedSelection
from hedgerow.release.group_selection import Threshold
from hedgerow.release.noise import CentredCounts, NoiseMechanism, ReleaseNoise

__all__ = [
    "NoiseKind",
    "add_centring_count",
    "calibrate_noise",
    "calibrate_tight_gaussian",
    "is_better",
]

NoiseKind = Literal["laplace", "gaussian", "best"]


def add_centring_count(plan: Aggregate, unit: Unit, kind: NoiseKind) -> Aggregate:
    """Return the plan with a count of units if Gaussian noise is smaller with several centred
    counts (``CentredCounts``).
    """
    if kind != "gaussian" or unit.relation == "change-one" or len(_list_bounded_counts(plan)) < 2:
        return plan
    units = Measure("units")
    return plan if units in plan.measures else replace(plan, measures=(*plan.measures, units))


def _list_bounded_counts(plan: Aggregate) -> dict[int, int]:
    """Return the index and the b of each measure to which one unit adds between 0 and b, without
    the count of units.
    """
    contributions = {
        index: measure.contribution(plan.bound.max_rows)
        for index, measure in enumerate(plan.measures)
        if isinstance(measure, Measure) and measure.kind in ("rows", "values", "total")
    }
    return {index: high for index, (low, high) in contributions.items() if low == 0}


def calibrate_noise(
    plan: Aggregate,
    unit: Unit,
    *,
    epsilon: Fraction,
    delta: Fraction | None,
    kind: NoiseKind,
    names: Sequence[str] = (),
) -> ReleaseNoise:
    """Calibrate noise that costs ``epsilon`` for the whole plan, and ``delta`` for the threshold of
    undeclared groups (called ``names``) and for tested answers.
    """
    if kind == "best":
        plain = calibrate_noise(
            plan, unit, epsilon=epsilon, delta=delta, kind="laplace", names=names
        )
        tight = None if delta is None else calibrate_tight_gaussian(plan, unit, epsilon, delta)
        return plain if tight is None or not is_better(tight, plain, len(plan.measures)) else tight
    uses = _count_delta_uses(plan) + (plan.source.domain is None)
    share = None if delta is None else delta / max(1, uses)
    # Order statistics alone have a pure epsilon, which must be the one asked for. Beside Gaussian
    # noise, which has none, they are paid in rho.
    has_sums = any(isinstance(measure, Measure) for measure in plan.measures)
    paid: NoiseKind = kind if has_sums else "laplace"
    price = _NoiseBudget(unit, plan.reach(unit), epsilon, compute_pure_rho(epsilon), paid, share)
    centre, moves = _choose_centre(plan, unit, kind), plan.sensitivity(unit)
    shares = _compute_shares(plan, centre)
    measures = (measure for measure in plan.measures if not isinstance(measure, Contingency))
    mechanisms = tuple(price.calibrate(*each) for each in zip(measures, moves, shares, strict=True))
    threshold = None
    if plan.source.domain is None:
        threshold = _calibrate_threshold(plan, unit, mechanisms, share, names)
    return ReleaseNoise(mechanisms, threshold, centre)


def calibrate_tight_gaussian(
    plan: Aggregate, unit: Unit, epsilon: Fraction, delta: Fraction
) -> ReleaseNoise | None:
    """Calibrate Gaussian noise for the sums of a plan, converted at their share of epsilon; None if
    there are no sums, or no such noise can be drawn.
    """
    moves, centre = plan.sensitivity(unit), _choose_centre(plan, unit, "gaussian")
    each = list(zip(plan.measures, moves, _compute_shares(plan, centre), strict=True))
    additive = tuple((move, share) for one, move, share in each if isinstance(one, Measure))
    if not additive:
        return None
    at = epsilon * sum(share for _, share in additive)
    allowed = delta / (1 + _count_delta_uses(plan))
    price = _NoiseBudget(
        unit, plan.reach(unit), epsilon, compute_pure_rho(epsilon), "laplace", allowed
    )
    try:
        scales = iter(_find_scales(additive, at, allowed))
        mechanisms = tuple(
            Gaussian(next(scales))
            if isinstance(measure, Measure)
            else price.calibrate(measure, move, share)  # type: ignore[arg-type]
            for measure, move, share in each
        )
    except InvalidArgument:
        return None
    if plan.source.domain is not None:
        return ReleaseNoise(mechanisms, None, centre, at)
    pairs = zip(mechanisms, moves, strict=True)
    parts = [one.cells(move) for one, move in pairs if isinstance(one, Gaussian)]
    slots, groups = moves[_find_deciding_count(plan)].l0, plan.bound.max_groups
    lone = bound_lone_group_deltas(parts, at, groups, slots)
    left = min((allowed - spent) / alone for alone, spent in lone if alone)
    if left <= 0:
        return None
    threshold = _calibrate_threshold(plan, unit, mechanisms, left * groups, ())
    return ReleaseNoise(mechanisms, threshold, centre, at)


@lru_cache(maxsize=256)
def _find_scales(
    additive: tuple[tuple[Sensitivity, Fraction], ...], at: Fraction, delta: Fraction
) -> list[Fraction]:
    """Find the smallest scales, to 9 digits, with which all sums together have at most ``delta`` at
    the epsilon ``at``; each gets its share of rho.
    """
    lengths = [math.sqrt(move.l2_squared / share) for move, share in additive]
    moves = [move for move, _ in additive]

    def scale_all(size: float) -> list[Fraction]:
        return [round_digits_up(Fraction(size * length)) for length in lengths]

    def enough(size: float) -> bool:
        return (
            compute_gaussian_loss(list(zip(scale_all(size), moves, strict=True)), at).delta <= delta
        )

    return scale_all(float(find_smallest_scale(enough, 1e-9)))


def is_better(a: ReleaseNoise, b: ReleaseNoise, count: int) -> bool:
    """Return whether noise a serves the first ``count`` measures better than b."""
    if a.threshold is not None and b.threshold is not None:
        lowest, other = (t.minimum_count - t.edge_probability for t in (a.threshold, b.threshold))
        return lowest < other
    pairs = ((_compute_variance(a, index), _compute_variance(b, index)) for index in range(count))
    return sum(math.log(one / other) for one, other in pairs if other > 0) < 0


def _compute_variance(noise: ReleaseNoise, index: int) -> float:
    """Return the variance of a measure's noise; 0 for an order statistic."""
    one = find_noise(noise, index)
    if isinstance(one, CalibratedSelection):
        return 0.0
    return compute_variance(one) if isinstance(one, WeightedNoise) else compute_noise_variance(one)


def _calibrate_threshold(
    plan: Aggregate,
    unit: Unit,
    mechanisms: Sequence[NoiseMechanism],
    delta: Fraction | None,
    names: Sequence[str],
) -> Threshold:
    if delta is None:
        raise Unsupported(
            f"The values of {' and '.join(names) or 'the keys'} are not declared, so publishing"
            " some of them needs a delta. List them in the policy (values = […]), or add a delta to"
            " the budget."
        )
    index = _find_deciding_count(plan)
    mechanism = mechanisms[index]
    assert not isinstance(mechanism, CalibratedSelection)
    return Threshold.calibrate(
        index,
        mechanism,
        max_count=1 if plan.measures[index].kind == "units" else plan.bound.max_rows,
        groups=plan.bound.max_groups,
        delta=delta,
        touched=plan.sensitivity(unit)[index].l0,
    )


def _count_delta_uses(plan: Aggregate) -> int:
    return sum(
        isinstance(measure, OrderStatistic) and measure.method in (*TESTED_METHODS, "smooth")
        for measure in plan.measures
    )


def _find_deciding_count(plan: Aggregate) -> int:
    """Return the index of the count that decides which groups are published."""
    kinds = [measure.kind for measure in plan.measures]
    return kinds.index("units" if "units" in kinds else "rows")


def _choose_centre(plan: Aggregate, unit: Unit, kind: NoiseKind) -> CentredCounts | None:
    """Return the centred counts of a plan; None unless it has a count of units for them."""
    units, bounds = Measure("units"), _list_bounded_counts(plan)
    if (
        kind == "laplace"
        or unit.relation != "add-remove"
        or units not in plan.measures
        or len(bounds) < 2
    ):
        return None
    return CentredCounts(plan.measures.index(units), tuple(bounds.items()))


def _compute_shares(plan: Aggregate, centre: CentredCounts | None) -> list[Fraction]:
    """Return the share of the price of each measure: equal, except for centred counts.

    d centred counts and their count of units have d shares together, the units r = 1/(1 + sqrt(d))
    of them, which minimises the variance of each count: ((1 + sqrt(d))/2)^2 where it would be d.
    """
    if centre is None:
        deciding = _find_deciding_count(plan) if plan.source.domain is None else None
        return compute_measure_shares(plan, deciding)
    share, counts = Fraction(1, len(plan.measures) - 1), len(centre.bounds)
    units = Fraction(1 / (1 + math.sqrt(counts))).limit_denominator(1000)
    shares = [share] * len(plan.measures)
    shares[centre.units] = counts * share * units
    for index, _ in centre.bounds:
        shares[index] = share * (1 - units)
    return shares


@dataclass(frozen=True, slots=True)
class _NoiseBudget:
    """The price that the measures share: epsilon or rho, and the delta of each use."""

    unit: Unit
    reach: UnitReach
    epsilon: Fraction
    rho: Fraction
    kind: NoiseKind
    delta: Fraction | None

    def calibrate(
        self, measure: Measure | OrderStatistic, move: Sensitivity, share: Fraction
    ) -> NoiseMechanism:
        """Calibrate the mechanism of a measure; refuse noise of a size that cannot be drawn."""
        try:
            return self._calibrate_measure(measure, move, share)
        except InvalidArgument as wrong:
            raise Unsupported(
                "This question needs more noise, or less, than can be drawn. Use another epsilon,"
                " tighter bounds or smaller contribution bounds."
            ) from wrong

    def _calibrate_measure(
        self, measure: Measure | OrderStatistic, move: Sensitivity, share: Fraction
    ) -> NoiseMechanism:
        epsilon = self.epsilon * share
        if isinstance(measure, OrderStatistic):
            # A method that cannot use rho gets an epsilon whose rho is no more: (e/n) tanh(e/2n) <=
            # (e tanh(e/2))/n.
            rho = self.rho * share if self.kind == "gaussian" else None
            return CalibratedSelection.calibrate(
                measure,
                self.reach,
                members=self.unit.group,
                epsilon=epsilon,
                rho=rho,
                delta=self.delta,
            )
        if self.kind == "laplace":
            return Laplace.calibrate(sensitivity=move, epsilon=epsilon)
        return Gaussian.calibrate(sensitivity=move, rho=self.rho * share)
