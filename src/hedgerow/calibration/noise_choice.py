"""Which noise a question gets, from public parameters alone.

The epsilon of a question pays for all of it: its measures share it equally. With Laplace noise the
shares are epsilons. With Gaussian noise they are shares of rho = epsilon tanh(epsilon/2), which is
what the dearest question of that epsilon would cost (a pure epsilon it has not). A question that
only chooses values has a pure epsilon under either noise, the one asked for: in shares of rho a
median at epsilon 1 would cost sqrt(8 tanh(1/2)) = 1.92 of it.

``"best"`` is whichever serves the epsilon *and the delta* of the question better: Laplace noise, or
Gaussian noise whose delta at that epsilon is no more (all numbers together, and the threshold:
``privacy.gaussian``). Better is the lower threshold where groups are not declared, since a group
that is not shown is off by all of its count; elsewhere the smaller variance, in the mean of its
logarithms.

Which groups to show is decided by a count of people, or by a count of rows that is asked for
anyway. One person may hold m rows in that, so its threshold is about m times as high. Where people
have sqrt(m) rows each, say, and a count of people of its own would still show groups that are a
quarter smaller, there is one, and the numbers asked for share epsilon with it.

With Laplace noise, COUNT(*) and sums are read off the moments of a column where that is better
(``merging``).

Where caps may bite, scaled sums are counted in parts of 1/F step (``plan.measures``), F being the
smallest power of two with which cutting loses less than 1 % of the standard deviation of the noise,
or the largest whose noise can be drawn. All of this is public.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache
from typing import Literal

from hedgerow.accuracy.noise_variance import compute_variance
from hedgerow.accuracy.weighted_noise import WeightedNoise, find_noise
from hedgerow.calibration.moment_sharing import compute_measure_shares, merge_measures
from hedgerow.errors import InvalidArgument, Unsupported
from hedgerow.mechanisms.gaussian import Gaussian, find_smallest_scale
from hedgerow.mechanisms.laplace import Laplace
from hedgerow.numeric.rounding import round_digits_up
from hedgerow.numeric.vectorised import MAX_SCALE
from hedgerow.plan.contingency import Contingency
from hedgerow.plan.contribution_limits import compute_rounding_loss
from hedgerow.plan.measures import Measure, UnitReach
from hedgerow.plan.nodes import Aggregate
from hedgerow.plan.order_statistics import OrderStatistic
from hedgerow.privacy.gaussian_composition import bound_lone_group_deltas, compute_gaussian_loss
from hedgerow.privacy.loss import compute_pure_rho
from hedgerow.privacy.sensitivity import Sensitivity
from hedgerow.privacy.unit import Unit
from hedgerow.release.candidate_selection import TESTED_METHODS, CalibratedSelection
from hedgerow.release.group_selection import Threshold
from hedgerow.release.noise import CentredCounts, NoiseMechanism, ReleaseNoise, list_counting_steps

__all__ = [
    "NoiseKind",
    "add_centring_count",
    "add_deciding_count",
    "calibrate_noise",
    "calibrate_refined_noise",
    "plan_measures",
    "refine_steps",
]

NoiseKind = Literal["laplace", "gaussian", "best"]
_MAX_STEP_BITS = 60  # bits; no noise that hides anything asks for more
_MAX_LOST_SHARE = Fraction(1, 100)  # of the standard deviation of the noise may be lost by cutting
# times smaller must groups be that a count of people shows, for the noise that it costs the rest
_MIN_GROUP_GAIN = 4 / 3


def add_deciding_count(plan: Aggregate) -> Aggregate:
    """The plan with a count that can decide which groups to publish. A COUNT(*) that is asked
    for does that for free.
    """
    if plan.source.domain is not None or any(
        measure.kind in ("units", "rows") for measure in plan.measures
    ):
        return plan
    return replace(plan, measures=(*plan.measures, Measure("units")))


def add_centring_count(plan: Aggregate, unit: Unit, law: NoiseKind) -> Aggregate:
    """The plan with a count of units, where Gaussian noise is smaller when several counts are
    measured from the middle (``CentredCounts``).
    """
    if law != "gaussian" or unit.relation == "change-one" or len(_list_bounded_counts(plan)) < 2:
        return plan
    units = Measure("units")
    return plan if units in plan.measures else replace(plan, measures=(*plan.measures, units))


def plan_measures(
    plan: Aggregate, unit: Unit, *, epsilon: Fraction, delta: Fraction | None, law: NoiseKind
) -> Aggregate:
    """The plan with the measures that its noise takes."""
    found = _add_counts(plan, unit, epsilon=epsilon, delta=delta, law=law)
    fewer = merge_measures(found)
    if fewer is found or unit.relation == "change-one" or law == "gaussian":
        return found
    # A plan for Gaussian noise, which may be the best, stays: there it would be no better.
    return (
        fewer
        if law == "laplace"
        or calibrate_noise(found, unit, epsilon=epsilon, delta=delta, law=law).gaussian_epsilon
        is None
        else found
    )


def _add_counts(
    plan: Aggregate, unit: Unit, *, epsilon: Fraction, delta: Fraction | None, law: NoiseKind
) -> Aggregate:
    """The plan with the counts that its noise takes. The best noise may be Gaussian, and then
    smaller with a count of units.
    """
    plain = add_deciding_count(plan)
    more = add_centring_count(
        plain, unit, "gaussian" if law == "best" and delta is not None else law
    )
    if law != "best" or more is plain:
        return _add_unit_count(more, law)
    without, with_units = (
        calibrate_noise(each, unit, epsilon=epsilon, delta=delta, law=law) for each in (plain, more)
    )
    return more if _is_better(with_units, without, len(plain.measures)) else plain


def _add_unit_count(plan: Aggregate, law: NoiseKind) -> Aggregate:
    """The plan with a count of people, where a count of rows would decide which groups are shown
    and is much worse at it.

    A threshold grows with the noise of its count, by caps and shares alone: so the plan is the same
    at every epsilon, and a question that was answered at a larger one is found.
    """
    units, many = Measure("units"), len(plan.measures)
    if plan.source.domain is not None or units in plan.measures:
        return plan
    # by so much, or in rho by its root, because there is one more to share with
    grows = (many + 1) / many
    higher = math.sqrt(grows) if law == "gaussian" else grows
    return (
        replace(plan, measures=(*plan.measures, units))
        if higher * _MIN_GROUP_GAIN <= math.sqrt(plan.bound.max_rows)
        else plan
    )


def _list_bounded_counts(plan: Aggregate) -> dict[int, int]:
    """The place of each measure into which a unit puts between 0 and b, the units themselves
    aside, and its b.
    """
    found = {}
    for index, measure in enumerate(plan.measures):
        if (
            isinstance(measure, Measure)
            and measure.kind in ("rows", "values", "total")
            and measure.width == 1
        ):
            low, high = measure.contribution(plan.bound.max_rows)
            if low == 0:
                found[index] = high
    return found


def calibrate_noise(
    plan: Aggregate,
    unit: Unit,
    *,
    epsilon: Fraction,
    delta: Fraction | None,
    law: NoiseKind,
    names: Sequence[str] = (),
) -> ReleaseNoise:
    """Noise that costs ``epsilon`` for the whole plan, and ``delta`` for the threshold of
    undeclared groups (called ``names``) and for answers that are tested first."""
    if law == "best":
        plain = calibrate_noise(
            plan, unit, epsilon=epsilon, delta=delta, law="laplace", names=names
        )
        tight = None if delta is None else _calibrate_tight_gaussian(plan, unit, epsilon, delta)
        return plain if tight is None or not _is_better(tight, plain, len(plan.measures)) else tight
    chance = _split_delta(delta, plan)
    # What is only chosen has a pure epsilon, which must be the one asked for. Beside Gaussian
    # noise, which has none, it is paid in rho.
    paid: NoiseKind = (
        law if any(isinstance(measure, Measure) for measure in plan.measures) else "laplace"
    )
    price = _NoiseBudget(unit, plan.reach(unit), epsilon, compute_pure_rho(epsilon), paid, chance)
    centre = _choose_centre(plan, unit, law)
    moves = plan.sensitivity(unit)
    # no question has one
    measures = [measure for measure in plan.measures if not isinstance(measure, Contingency)]
    laws = tuple(
        price.calibrate(measure, move, share)
        for measure, move, share in zip(measures, moves, _compute_shares(plan, centre), strict=True)
    )
    return ReleaseNoise(
        laws,
        (
            None
            if plan.source.domain is not None
            else _calibrate_threshold(plan, unit, laws, chance, names)
        ),
        centre,
    )


def calibrate_refined_noise(
    plan: Aggregate,
    unit: Unit,
    *,
    epsilon: Fraction,
    delta: Fraction | None,
    law: NoiseKind,
    names: Sequence[str] = (),
) -> tuple[Aggregate, ReleaseNoise]:
    """Return the plan with the parts of a step in which its sums are counted, and noise as
    ``calibrate_noise`` gives, in these parts.
    """
    coarse = calibrate_noise(plan, unit, epsilon=epsilon, delta=delta, law=law, names=names)
    fine = refine_steps(plan, coarse)
    if fine is plan:
        return plan, replace(coarse, counting_steps=list_counting_steps(plan))
    if coarse.gaussian_epsilon is None or delta is None:
        kind: NoiseKind = "laplace" if law == "best" else law
        noise: ReleaseNoise | None = calibrate_noise(
            fine, unit, epsilon=epsilon, delta=delta, law=kind, names=names
        )
    else:
        noise = _calibrate_tight_gaussian(fine, unit, epsilon, delta)
    return (
        (plan, replace(coarse, counting_steps=list_counting_steps(plan)))
        if noise is None
        else (fine, replace(noise, counting_steps=list_counting_steps(fine)))
    )


def refine_steps(plan: Aggregate, noise: ReleaseNoise) -> Aggregate:
    """Return the plan with its scaled sums in parts that are fine enough for this noise, which
    is in whole steps.
    """
    lost = compute_rounding_loss(plan)
    measures = tuple(
        (
            replace(measure, resolution=_choose_fineness(noise, index, measure, lost[index]))
            if isinstance(measure, Measure) and lost[index]
            else measure
        )
        for index, measure in enumerate(plan.measures)
    )
    return plan if measures == plan.measures else replace(plan, measures=measures)


def _choose_fineness(noise: ReleaseNoise, index: int, measure: Measure, lost: int) -> int:
    """The parts of a step for a measure whose numbers lose one part for each of so many units. An
    aggregate adds up several numbers: their losses add up, their noise by its squares only."""
    law, all_of_it = noise.mechanisms[index], find_noise(noise, index)
    assert not isinstance(law, CalibratedSelection)
    parts = all_of_it.terms if isinstance(all_of_it, WeightedNoise) else ((law, Fraction(1)),)
    # In parts the noise is nearly continuous, where in whole steps there may be hardly any.
    spread = math.sqrt(
        sum(
            float(one.scale * share) ** 2 * (2 if isinstance(one, Laplace) else 1)
            for one, share in parts
        )
    )
    wanted = lost * math.sqrt(measure.width) / (float(_MAX_LOST_SHARE) * spread)
    drawn = float(MAX_SCALE / 2 / law.scale)
    return 1 << max(
        0,
        min(
            math.ceil(math.log2(wanted)),
            math.floor(math.log2(drawn)),
            _MAX_STEP_BITS - measure.row_total.bit_length(),
        ),
    )


def _calibrate_tight_gaussian(
    plan: Aggregate, unit: Unit, epsilon: Fraction, delta: Fraction
) -> ReleaseNoise | None:
    """Gaussian noise for the measures that add up, read at their share of epsilon; None where
    none do, or no such noise can be drawn.
    """
    moves, centre = plan.sensitivity(unit), _choose_centre(plan, unit, "gaussian")
    each = list(zip(plan.measures, moves, _compute_shares(plan, centre), strict=True))
    additive = [(move, share) for measure, move, share in each if isinstance(measure, Measure)]
    if not additive:
        return None
    at, chance = (
        epsilon * sum(share for _, share in additive),
        delta / (1 + _count_delta_uses(plan)),
    )
    price = _NoiseBudget(
        unit, plan.reach(unit), epsilon, compute_pure_rho(epsilon), "laplace", chance
    )
    try:
        scales = iter(_find_scales(tuple(additive), at, chance))
        laws = tuple(
            (
                Gaussian(next(scales))
                if isinstance(measure, Measure)
                else price.calibrate(measure, move, share)  # type: ignore[arg-type]
            )
            for measure, move, share in each
        )
    except InvalidArgument:
        return None
    if plan.source.domain is not None:
        return ReleaseNoise(laws, None, centre, at)
    parts = [
        law.cells(move) for law, move in zip(laws, moves, strict=True) if isinstance(law, Gaussian)
    ]
    slots, groups = moves[_find_deciding_count(plan)].l0, plan.bound.max_groups
    left = min(
        (chance - spent) / alone
        for alone, spent in bound_lone_group_deltas(parts, at, groups, slots)
        if alone
    )
    return (
        ReleaseNoise(laws, _calibrate_threshold(plan, unit, laws, left * groups, ()), centre, at)
        if left > 0
        else None
    )


@lru_cache(maxsize=256)
def _find_scales(
    additive: tuple[tuple[Sensitivity, Fraction], ...], at: Fraction, chance: Fraction
) -> list[Fraction]:
    """The least scales, to 9 digits, with which all moves together have at most that delta at
    that epsilon; each its share of rho.
    """
    lengths = [math.sqrt(move.l2_squared / share) for move, share in additive]
    moves = [move for move, _ in additive]

    def of(size: float) -> list[Fraction]:
        return [round_digits_up(Fraction(size * length)) for length in lengths]

    def enough(size: float) -> bool:
        return compute_gaussian_loss(list(zip(of(size), moves, strict=True)), at).delta <= chance

    return of(float(find_smallest_scale(enough, 1e-9)))


def _is_better(one: ReleaseNoise, other: ReleaseNoise, many: int) -> bool:
    """Whether one noise serves the first so many measures better than the other."""
    if one.threshold is not None and other.threshold is not None:
        return (one.threshold.minimum_count - one.threshold.edge_probability) < (
            other.threshold.minimum_count - other.threshold.edge_probability
        )
    each = [
        [_compute_variance(find_noise(noise, index)) for index in range(many)]
        for noise in (one, other)
    ]
    return sum(math.log(a / b) for a, b in zip(*each, strict=True) if b > 0) < 0


def _compute_variance(law: NoiseMechanism | WeightedNoise) -> float:
    """Of noise; what is chosen has none."""
    return (
        0.0
        if isinstance(law, CalibratedSelection)
        else compute_variance(
            law if isinstance(law, WeightedNoise) else WeightedNoise(((law, Fraction(1)),))
        )
    )


def _calibrate_threshold(
    plan: Aggregate,
    unit: Unit,
    laws: Sequence[NoiseMechanism],
    delta: Fraction | None,
    names: Sequence[str],
) -> Threshold:
    if delta is None:
        raise Unsupported(
            f"Which values {' and '.join(names) or 'the keys'} have is private, since they are not"
            " declared, and to publish some takes a delta. List them in the policy (values = […]),"
            " or give the budget a delta."
        )
    index = _find_deciding_count(plan)
    most = 1 if plan.measures[index].kind == "units" else plan.bound.max_rows
    law = laws[index]
    assert not isinstance(law, CalibratedSelection)
    moved = plan.sensitivity(unit)[index].l0
    return Threshold.calibrate(
        index, law, max_count=most, groups=plan.bound.max_groups, delta=delta, touched=moved
    )


def _split_delta(delta: Fraction | None, plan: Aggregate) -> Fraction | None:
    """Equal parts for the threshold, where there is one, and for every answer that is tested or
    smoothed.
    """
    return (
        None
        if delta is None
        else delta / max(1, _count_delta_uses(plan) + (plan.source.domain is None))
    )


def _count_delta_uses(plan: Aggregate) -> int:
    return sum(
        isinstance(measure, OrderStatistic) and measure.method in (*TESTED_METHODS, "smooth")
        for measure in plan.measures
    )


def _find_deciding_count(plan: Aggregate) -> int:
    """The place of the count that decides which groups are published."""
    kinds = [measure.kind for measure in plan.measures]
    return kinds.index("units" if "units" in kinds else "rows")


def _choose_centre(plan: Aggregate, unit: Unit, law: NoiseKind) -> CentredCounts | None:
    """None unless the plan was made for it."""
    units = Measure("units")
    if (
        add_centring_count(plan, unit, law) is not plan
        or units not in plan.measures
        or len(_list_bounded_counts(plan)) < 2
        or law == "laplace"
    ):
        return None
    return (
        CentredCounts(plan.measures.index(units), tuple(_list_bounded_counts(plan).items()))
        if unit.relation == "add-remove"
        else None
    )


def _compute_shares(plan: Aggregate, centre: CentredCounts | None) -> list[Fraction]:
    """How much of the price each measure gets: its share, but for counts that are measured from the
    middle.

    d such counts and the units that they are measured with have d shares together, the units r =
    1/(1 + sqrt(d)) of them, which makes the variance of each count least: ((1 + sqrt(d))/2)^2 where
    it would be d.
    """
    many = len(plan.measures)
    if centre is None:
        return compute_measure_shares(
            plan, None if plan.source.domain is not None else _find_deciding_count(plan)
        )
    counts = len(centre.bounds)
    block = Fraction(counts, many - 1)
    units = Fraction(1 / (1 + math.sqrt(counts))).limit_denominator(1000)
    found = [Fraction(1, many - 1)] * many
    found[centre.units] = block * units
    for index, _ in centre.bounds:
        found[index] = block * (1 - units) / counts
    return found


@dataclass(frozen=True, slots=True)
class _NoiseBudget:
    """What the measures share: epsilon, or rho, and delta for each use of it."""

    unit: Unit
    reach: UnitReach
    epsilon: Fraction
    rho: Fraction
    kind: NoiseKind
    delta: Fraction | None

    def calibrate(
        self, measure: Measure | OrderStatistic, move: Sensitivity, share: Fraction
    ) -> NoiseMechanism:
        """The mechanism of a measure. What noise of such a size would leave is nothing."""
        try:
            return self._calibrate_measure(measure, move, share)
        except InvalidArgument as wrong:
            raise Unsupported(
                "This takes more noise, or less, than can be drawn: ask with another epsilon,"
                " tighter bounds or smaller caps."
            ) from wrong

    def _calibrate_measure(
        self, measure: Measure | OrderStatistic, move: Sensitivity, share: Fraction
    ) -> NoiseMechanism:
        epsilon = self.epsilon * share
        if isinstance(measure, OrderStatistic):
            # What has no use for rho takes an epsilon whose rho is no more: (e/n) tanh(e/2n) <= (e
            # tanh(e/2))/n.
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
