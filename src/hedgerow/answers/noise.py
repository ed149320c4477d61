"""Which noise a question gets, from public parameters alone.

The epsilon of a question pays for all of it: its measures share it equally. With Laplace noise the shares are epsilons. With Gaussian
noise they are shares of rho = epsilon tanh(epsilon/2), which is what the dearest question of that epsilon would cost (a pure
epsilon it has not). A question that only chooses values has a pure epsilon under either noise, the one asked for: in shares of rho a median
at epsilon 1 would cost sqrt(8 tanh(1/2)) = 1.92 of it.

``"best"`` is whichever serves the epsilon *and the delta* of the question better: Laplace noise, or Gaussian noise whose delta at that
epsilon is no more (all numbers together, and the threshold: ``privacy.gaussian``). Better is the lower threshold where groups are not
declared, since a group that is not shown is off by all of its count; elsewhere the smaller variance, in the mean of its logarithms.

Which groups to show is decided by a count of people, or by a count of rows that is asked for anyway. One person may hold m rows in that, so
its threshold is about m times as high. Where people have sqrt(m) rows each, say, and a count of people of its own would still show groups
that are a quarter smaller, there is one, and the numbers asked for share epsilon with it.

With Laplace noise, COUNT(*) and sums are read off the moments of a column where that is better (``merging``).

Where caps may bite, scaled sums are counted in parts of 1/F step (``plan.measures``), F being the smallest power of two with which
cutting loses less than 1 % of the standard deviation of the noise, or the largest whose noise can be drawn. All of this is public.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache
from typing import Literal

from hedgerow.answers.blend import Blend, law_of
from hedgerow.answers.hierarchy import variance
from hedgerow.answers.merging import merged, shares_of
from hedgerow.errors import InvalidArgument, Unsupported
from hedgerow.mechanisms.gaussian import Gaussian, least_scale
from hedgerow.mechanisms.laplace import Laplace
from hedgerow.numeric.chunk import LARGEST_SCALE
from hedgerow.numeric.rounding import round_digits_up
from hedgerow.picking import TESTED, Picking
from hedgerow.plan.contributions import lost_parts
from hedgerow.plan.crossing import Cross
from hedgerow.plan.measures import Measure, Reach
from hedgerow.plan.nodes import Aggregate
from hedgerow.plan.picks import Pick
from hedgerow.privacy.gaussian import gaussian_loss, lone
from hedgerow.privacy.loss import rho_of_pure
from hedgerow.privacy.sensitivity import Sensitivity
from hedgerow.privacy.unit import Unit
from hedgerow.release import Centre, Law, Noise, fineness
from hedgerow.threshold import Threshold

__all__ = ["LawName", "centred", "counted", "noise_for", "noise_in_parts", "planned", "refined"]

LawName = Literal["laplace", "gaussian", "best"]
_FINEST = 60  # bits; no noise that hides anything asks for more
_LOST = Fraction(1, 100)  # of the standard deviation of the noise may be lost by cutting
_SMALLER = 4 / 3  # times smaller must groups be that a count of people shows, for the noise that it costs the rest


def counted(plan: Aggregate) -> Aggregate:
    """The plan with a count that can decide which groups to publish. A COUNT(*) that is asked for does that for free."""
    if plan.source.domain is not None or any(measure.kind in ("units", "rows") for measure in plan.measures):
        return plan
    return replace(plan, measures=(*plan.measures, Measure("units")))


def centred(plan: Aggregate, unit: Unit, law: LawName) -> Aggregate:
    """The plan with a count of units, where Gaussian noise is smaller when several counts are measured from the middle (``Centre``)."""
    if law != "gaussian" or unit.relation == "change-one" or len(_counts(plan)) < 2:
        return plan
    units = Measure("units")
    return plan if units in plan.measures else replace(plan, measures=(*plan.measures, units))


def planned(plan: Aggregate, unit: Unit, *, epsilon: Fraction, delta: Fraction | None, law: LawName) -> Aggregate:
    """The plan with the measures that its noise takes."""
    found = _with_counts(plan, unit, epsilon=epsilon, delta=delta, law=law)
    fewer = merged(found)
    if fewer is found or unit.relation == "change-one" or law == "gaussian":
        return found
    # A plan for Gaussian noise, which may be the best, stays: there it would be no better.
    return fewer if law == "laplace" or noise_for(found, unit, epsilon=epsilon, delta=delta, law=law).at is None else found


def _with_counts(plan: Aggregate, unit: Unit, *, epsilon: Fraction, delta: Fraction | None, law: LawName) -> Aggregate:
    """The plan with the counts that its noise takes. The best noise may be Gaussian, and then smaller with a count of units."""
    plain = counted(plan)
    more = centred(plain, unit, "gaussian" if law == "best" and delta is not None else law)
    if law != "best" or more is plain:
        return _by_people(more, law)
    without, with_units = (noise_for(each, unit, epsilon=epsilon, delta=delta, law=law) for each in (plain, more))
    return more if _better(with_units, without, len(plain.measures)) else plain


def _by_people(plan: Aggregate, law: LawName) -> Aggregate:
    """The plan with a count of people, where a count of rows would decide which groups are shown and is much worse at it.

    A threshold grows with the noise of its count, by caps and shares alone: so the plan is the same at every epsilon, and a question that
    was answered at a larger one is found.
    """
    units, many = Measure("units"), len(plan.measures)
    if plan.source.domain is not None or units in plan.measures:
        return plan
    grows = (many + 1) / many  # by so much, or in rho by its root, because there is one more to share with
    higher = math.sqrt(grows) if law == "gaussian" else grows
    return replace(plan, measures=(*plan.measures, units)) if higher * _SMALLER <= math.sqrt(plan.bound.max_rows) else plan


def _counts(plan: Aggregate) -> dict[int, int]:
    """The place of each measure into which a unit puts between 0 and b, the units themselves aside, and its b."""
    found = {}
    for index, measure in enumerate(plan.measures):
        if isinstance(measure, Measure) and measure.kind in ("rows", "values", "total") and measure.width == 1:
            low, high = measure.put_in(plan.bound.max_rows)
            if low == 0:
                found[index] = high
    return found


def noise_for(plan: Aggregate, unit: Unit, *, epsilon: Fraction, delta: Fraction | None, law: LawName, names: Sequence[str] = ()) -> Noise:
    """Noise that costs ``epsilon`` for the whole plan, and ``delta`` for the threshold of undeclared groups (called ``names``) and for
    answers that are tested first."""
    if law == "best":
        plain = noise_for(plan, unit, epsilon=epsilon, delta=delta, law="laplace", names=names)
        tight = None if delta is None else _tight(plan, unit, epsilon, delta)
        return plain if tight is None or not _better(tight, plain, len(plan.measures)) else tight
    chance = _share_of(delta, plan)
    # What is only chosen has a pure epsilon, which must be the one asked for. Beside Gaussian noise, which has none, it is paid in rho.
    paid: LawName = law if any(isinstance(measure, Measure) for measure in plan.measures) else "laplace"
    price = _Price(unit, plan.reach(unit), epsilon, rho_of_pure(epsilon), paid, chance)
    centre = _centre(plan, unit, law)
    moves = plan.sensitivity(unit)
    measures = [measure for measure in plan.measures if not isinstance(measure, Cross)]  # no question has one
    laws = tuple(price.law_for(measure, move, share) for measure, move, share in zip(measures, moves, _shares(plan, centre), strict=True))
    return Noise(laws, None if plan.source.domain is not None else _threshold(plan, unit, laws, chance, names), centre)


def noise_in_parts(
    plan: Aggregate, unit: Unit, *, epsilon: Fraction, delta: Fraction | None, law: LawName, names: Sequence[str] = ()
) -> tuple[Aggregate, Noise]:
    """Return the plan with the parts of a step in which its sums are counted, and noise as ``noise_for`` gives, in these parts."""
    coarse = noise_for(plan, unit, epsilon=epsilon, delta=delta, law=law, names=names)
    fine = refined(plan, coarse)
    if fine is plan:
        return plan, replace(coarse, fine=fineness(plan))
    if coarse.at is None or delta is None:
        kind: LawName = "laplace" if law == "best" else law
        noise: Noise | None = noise_for(fine, unit, epsilon=epsilon, delta=delta, law=kind, names=names)
    else:
        noise = _tight(fine, unit, epsilon, delta)
    return (plan, replace(coarse, fine=fineness(plan))) if noise is None else (fine, replace(noise, fine=fineness(fine)))


def refined(plan: Aggregate, noise: Noise) -> Aggregate:
    """Return the plan with its scaled sums in parts that are fine enough for this noise, which is in whole steps."""
    lost = lost_parts(plan)
    measures = tuple(
        replace(measure, fine=_factor(noise, index, measure, lost[index])) if isinstance(measure, Measure) and lost[index] else measure
        for index, measure in enumerate(plan.measures)
    )
    return plan if measures == plan.measures else replace(plan, measures=measures)


def _factor(noise: Noise, index: int, measure: Measure, lost: int) -> int:
    """The parts of a step for a measure whose numbers lose one part for each of so many units. An aggregate adds up several numbers: their
    losses add up, their noise by its squares only."""
    law, all_of_it = noise.laws[index], law_of(noise, index)
    assert not isinstance(law, Picking)
    parts = all_of_it.parts if isinstance(all_of_it, Blend) else ((law, Fraction(1)),)
    # In parts the noise is nearly continuous, where in whole steps there may be hardly any.
    spread = math.sqrt(sum(float(one.scale * share) ** 2 * (2 if isinstance(one, Laplace) else 1) for one, share in parts))
    wanted = lost * math.sqrt(measure.width) / (float(_LOST) * spread)
    drawn = float(LARGEST_SCALE / 2 / law.scale)
    return 1 << max(0, min(math.ceil(math.log2(wanted)), math.floor(math.log2(drawn)), _FINEST - measure.most.bit_length()))


def _tight(plan: Aggregate, unit: Unit, epsilon: Fraction, delta: Fraction) -> Noise | None:
    """Gaussian noise for the measures that add up, read at their share of epsilon; None where none do, or no such noise can be drawn."""
    moves, centre = plan.sensitivity(unit), _centre(plan, unit, "gaussian")
    each = list(zip(plan.measures, moves, _shares(plan, centre), strict=True))
    additive = [(move, share) for measure, move, share in each if isinstance(measure, Measure)]
    if not additive:
        return None
    at, chance = epsilon * sum(share for _, share in additive), delta / (1 + _tested(plan))
    price = _Price(unit, plan.reach(unit), epsilon, rho_of_pure(epsilon), "laplace", chance)
    try:
        scales = iter(_scales(tuple(additive), at, chance))
        laws = tuple(
            Gaussian(next(scales)) if isinstance(measure, Measure) else price.law_for(measure, move, share)  # type: ignore[arg-type]
            for measure, move, share in each
        )
    except InvalidArgument:
        return None
    if plan.source.domain is not None:
        return Noise(laws, None, centre, at)
    parts = [law.moved(move) for law, move in zip(laws, moves, strict=True) if isinstance(law, Gaussian)]
    slots, groups = moves[_decisive(plan)].l0, plan.bound.max_groups
    left = min((chance - spent) / alone for alone, spent in lone(parts, at, groups, slots) if alone)
    return Noise(laws, _threshold(plan, unit, laws, left * groups, ()), centre, at) if left > 0 else None


@lru_cache(maxsize=256)
def _scales(additive: tuple[tuple[Sensitivity, Fraction], ...], at: Fraction, chance: Fraction) -> list[Fraction]:
    """The least scales, to 9 digits, with which all moves together have at most that delta at that epsilon; each its share of rho."""
    lengths = [math.sqrt(move.l2_squared / share) for move, share in additive]
    moves = [move for move, _ in additive]

    def of(size: float) -> list[Fraction]:
        return [round_digits_up(Fraction(size * length)) for length in lengths]

    def enough(size: float) -> bool:
        return gaussian_loss(list(zip(of(size), moves, strict=True)), at).delta <= chance

    return of(float(least_scale(enough, 1e-9)))


def _better(one: Noise, other: Noise, many: int) -> bool:
    """Whether one noise serves the first so many measures better than the other."""
    if one.threshold is not None and other.threshold is not None:
        return (one.threshold.least - one.threshold.edge) < (other.threshold.least - other.threshold.edge)
    each = [[_variance(law_of(noise, index)) for index in range(many)] for noise in (one, other)]
    return sum(math.log(a / b) for a, b in zip(*each, strict=True) if b > 0) < 0


def _variance(law: Law | Blend) -> float:
    """Of noise; what is chosen has none."""
    return 0.0 if isinstance(law, Picking) else variance(law if isinstance(law, Blend) else Blend(((law, Fraction(1)),)))


def _threshold(plan: Aggregate, unit: Unit, laws: Sequence[Law], delta: Fraction | None, names: Sequence[str]) -> Threshold:
    if delta is None:
        raise Unsupported(
            f"Which values {' and '.join(names) or 'the keys'} have is private, since they are not declared, and to publish some takes "
            "a delta. List them in the policy (values = […]), or give the budget a delta."
        )
    index = _decisive(plan)
    most = 1 if plan.measures[index].kind == "units" else plan.bound.max_rows
    law = laws[index]
    assert not isinstance(law, Picking)
    moved = plan.sensitivity(unit)[index].l0
    return Threshold.calibrate(index, law, most=most, groups=plan.bound.max_groups, delta=delta, moved=moved)


def _share_of(delta: Fraction | None, plan: Aggregate) -> Fraction | None:
    """Equal parts for the threshold, where there is one, and for every answer that is tested or smoothed."""
    return None if delta is None else delta / max(1, _tested(plan) + (plan.source.domain is None))


def _tested(plan: Aggregate) -> int:
    return sum(isinstance(measure, Pick) and measure.method in (*TESTED, "smooth") for measure in plan.measures)


def _decisive(plan: Aggregate) -> int:
    """The place of the count that decides which groups are published."""
    kinds = [measure.kind for measure in plan.measures]
    return kinds.index("units" if "units" in kinds else "rows")


def _centre(plan: Aggregate, unit: Unit, law: LawName) -> Centre | None:
    """None unless the plan was made for it."""
    units = Measure("units")
    if centred(plan, unit, law) is not plan or units not in plan.measures or len(_counts(plan)) < 2 or law == "laplace":
        return None
    return Centre(plan.measures.index(units), tuple(_counts(plan).items())) if unit.relation == "add-remove" else None


def _shares(plan: Aggregate, centre: Centre | None) -> list[Fraction]:
    """How much of the price each measure gets: its share, but for counts that are measured from the middle.

    d such counts and the units that they are measured with have d shares together, the units r = 1/(1 + sqrt(d)) of them, which makes the
    variance of each count least: ((1 + sqrt(d))/2)^2 where it would be d.
    """
    many = len(plan.measures)
    if centre is None:
        return shares_of(plan, None if plan.source.domain is not None else _decisive(plan))
    counts = len(centre.bounds)
    block = Fraction(counts, many - 1)
    units = Fraction(1 / (1 + math.sqrt(counts))).limit_denominator(1000)
    found = [Fraction(1, many - 1)] * many
    found[centre.units] = block * units
    for index, _ in centre.bounds:
        found[index] = block * (1 - units) / counts
    return found


@dataclass(frozen=True, slots=True)
class _Price:
    """What the measures share: epsilon, or rho, and delta for each use of it."""

    unit: Unit
    reach: Reach
    epsilon: Fraction
    rho: Fraction
    law: LawName
    delta: Fraction | None

    def law_for(self, measure: Measure | Pick, move: Sensitivity, share: Fraction) -> Law:
        """The mechanism of a measure. What noise of such a size would leave is nothing."""
        try:
            return self._law(measure, move, share)
        except InvalidArgument as wrong:
            raise Unsupported(
                "This takes more noise, or less, than can be drawn: ask with another epsilon, tighter bounds or smaller caps."
            ) from wrong

    def _law(self, measure: Measure | Pick, move: Sensitivity, share: Fraction) -> Law:
        epsilon = self.epsilon * share
        if isinstance(measure, Pick):
            # What has no use for rho takes an epsilon whose rho is no more: (e/n) tanh(e/2n) <= (e tanh(e/2))/n.
            rho = self.rho * share if self.law == "gaussian" else None
            return Picking.calibrate(measure, self.reach, members=self.unit.group, epsilon=epsilon, rho=rho, delta=self.delta)
        if self.law == "laplace":
            return Laplace.calibrate(sensitivity=move, epsilon=epsilon)
        return Gaussian.calibrate(sensitivity=move, rho=self.rho * share)
