"""Which noise a question gets, from public parameters alone.

The epsilon of a question pays for all of it: its measures share it equally. With Laplace noise the shares are epsilons. With Gaussian
noise they are shares of rho = epsilon tanh(epsilon/2), which is what the dearest question of that epsilon would cost (a pure
epsilon it has not).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Literal

from hedgerow.errors import InvalidArgument, Unsupported
from hedgerow.mechanisms.gaussian import Gaussian
from hedgerow.mechanisms.laplace import Laplace
from hedgerow.picking import TESTED, Picking
from hedgerow.plan.crossing import Cross
from hedgerow.plan.measures import Measure, Reach
from hedgerow.plan.nodes import Aggregate
from hedgerow.plan.picks import Pick
from hedgerow.privacy.loss import rho_of_pure
from hedgerow.privacy.sensitivity import Sensitivity
from hedgerow.privacy.unit import Unit
from hedgerow.release import Centre, Law, Noise, Threshold

__all__ = ["LawName", "centred", "counted", "noise_for"]

LawName = Literal["laplace", "gaussian"]


def counted(plan: Aggregate) -> Aggregate:
    """The plan with a count that can decide which groups to publish. A COUNT(*) that is asked for does that for free."""
    if plan.source.domain is not None or any(measure.kind in ("units", "rows") for measure in plan.measures):
        return plan
    return replace(plan, measures=(*plan.measures, Measure("units")))


def centred(plan: Aggregate, unit: Unit, law: LawName) -> Aggregate:
    """The plan with a count of units, where Gaussian noise is smaller when several counts are measured from the middle (``Centre``)."""
    if law == "laplace" or unit.relation == "change-one" or len(_counts(plan)) < 2:
        return plan
    units = Measure("units")
    return plan if units in plan.measures else replace(plan, measures=(*plan.measures, units))


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
    chance = _share_of(delta, plan)
    price = _Price(unit, plan.reach(unit), epsilon, rho_of_pure(epsilon), law, chance)
    centre = _centre(plan, unit, law)
    shares = _shares(plan, centre)
    moves = plan.sensitivity(unit)
    measures = [measure for measure in plan.measures if not isinstance(measure, Cross)]  # no question has one
    laws = tuple(price.law_for(measure, move, share) for measure, move, share in zip(measures, moves, shares, strict=True))
    return Noise(laws, None if plan.source.domain is not None else _threshold(plan, laws, chance, names), centre)


def _threshold(plan: Aggregate, laws: Sequence[Law], delta: Fraction | None, names: Sequence[str]) -> Threshold:
    if delta is None:
        raise Unsupported(
            f"Which values {' and '.join(names) or 'the keys'} have is private, since they are not declared, and to publish some takes "
            "a delta. List them in the policy (values = […]), or give the budget a delta."
        )
    kinds = [measure.kind for measure in plan.measures]
    index = kinds.index("units" if "units" in kinds else "rows")
    most = 1 if kinds[index] == "units" else plan.bound.max_rows
    law = laws[index]
    assert not isinstance(law, Picking)
    return Threshold.calibrate(index, law, most=most, groups=plan.bound.max_groups, delta=delta)


def _share_of(delta: Fraction | None, plan: Aggregate) -> Fraction | None:
    """Equal parts for the threshold, where there is one, and for every answer that is tested or smoothed."""
    uses = sum(isinstance(measure, Pick) and measure.method in (*TESTED, "smooth") for measure in plan.measures)
    return None if delta is None else delta / max(1, uses + (plan.source.domain is None))


def _centre(plan: Aggregate, unit: Unit, law: LawName) -> Centre | None:
    """None unless the plan was made for it."""
    units = Measure("units")
    if centred(plan, unit, law) is not plan or units not in plan.measures or len(_counts(plan)) < 2 or law == "laplace":
        return None
    return Centre(plan.measures.index(units), tuple(_counts(plan).items())) if unit.relation == "add-remove" else None


def _shares(plan: Aggregate, centre: Centre | None) -> list[Fraction]:
    """How much of the price each measure gets: all the same, but for counts that are measured from the middle.

    d such counts and the units that they are measured with have d shares together, the units r = 1/(1 + sqrt(d)) of them, which makes the
    variance of each count least: ((1 + sqrt(d))/2)^2 where it would be d.
    """
    many = len(plan.measures)
    if centre is None:
        return [Fraction(1, many)] * many
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
