"""Which noise a question gets, from public parameters alone.

The epsilon of a question pays for all of it: its measures share it equally. With Laplace noise the shares are epsilons. With Gaussian
noise they are shares of rho = epsilon tanh(epsilon/2), which is what the dearest question of that epsilon would cost (a pure
epsilon it has not).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Literal

from hedgerow.errors import Unsupported
from hedgerow.mechanisms.gaussian import Gaussian
from hedgerow.mechanisms.laplace import Laplace
from hedgerow.plan.measures import Measure
from hedgerow.plan.nodes import Aggregate
from hedgerow.privacy.loss import rho_of_pure
from hedgerow.privacy.unit import Unit
from hedgerow.release import Noise, Threshold

__all__ = ["LawName", "counted", "noise_for"]

LawName = Literal["laplace", "gaussian"]


def counted(plan: Aggregate) -> Aggregate:
    """The plan with a count that can decide which groups to publish. A COUNT(*) that is asked for does that for free."""
    if plan.source.domain is not None or any(measure.kind in ("units", "rows") for measure in plan.measures):
        return plan
    return replace(plan, measures=(*plan.measures, Measure("units")))


def noise_for(plan: Aggregate, unit: Unit, *, epsilon: Fraction, delta: Fraction | None, law: LawName, names: Sequence[str] = ()) -> Noise:
    """Noise that costs ``epsilon`` for the whole plan, and ``delta`` for the threshold of undeclared groups (called ``names``)."""
    moves = plan.sensitivity(unit)
    if law == "laplace":
        share = epsilon / len(moves)
        laws: tuple[Laplace | Gaussian, ...] = tuple(Laplace.calibrate(sensitivity=move, epsilon=share) for move in moves)
    else:
        part = rho_of_pure(epsilon) / len(moves)
        laws = tuple(Gaussian.calibrate(sensitivity=move, rho=part) for move in moves)
    if plan.source.domain is not None:
        return Noise(laws)
    if delta is None:
        raise Unsupported(
            f"Which values {' and '.join(names) or 'the keys'} have is private, since they are not declared, and to publish some takes "
            "a delta. List them in the policy (values = […]), or give the budget a delta."
        )
    kinds = [measure.kind for measure in plan.measures]
    index = kinds.index("units" if "units" in kinds else "rows")
    most = 1 if kinds[index] == "units" else plan.bound.max_rows
    return Noise(laws, Threshold.calibrate(index, laws[index], most=most, groups=plan.bound.max_groups, delta=delta))
