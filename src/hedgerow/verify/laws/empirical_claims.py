"""Claims of a mechanism that states no distribution, tested by draws on neighbours at the stated
false-alarm rate.
"""

from __future__ import annotations

import numpy as np

from hedgerow.verify.audit.confidence import certify_epsilon
from hedgerow.verify.laws.case import FALSE_ALARM_RATE, LawBroken, LawCase
from hedgerow.verify.laws.neighbours.data_sets import draw_encoded
from hedgerow.verify.laws.neighbours.worst_case import build_neighbour_set

__all__ = ["check_claim_by_draws"]


def check_claim_by_draws(case: LawCase, law: str) -> str:
    """Check that no output, and no complement of one, is certainly more likely on a neighbour than
    the loss allows; return the figures.
    """
    epsilon, delta = case.claim or (case.loss.epsilon, case.loss.delta)
    count, worst = max(case.draws // 200, 500), -np.inf
    pairs = build_neighbour_set(case).unstated_pairs
    for pair in pairs:
        one, other = (draw_encoded(place, count) for place in pair)
        outputs = np.union1d(one, other)
        hits, misses = ((side == outputs[:, None]).sum(axis=1) for side in (one, other))
        sides = [
            (hits, misses),
            (misses, hits),
            (count - hits, count - misses),
            (count - misses, count - hits),
        ]
        for likely, rare in sides:
            bounds = certify_epsilon(
                (likely, count),
                (rare, count),
                FALSE_ALARM_RATE / outputs.size / len(sides) / len(pairs),
                float(delta),
                0.5,
            )
            worst = max(worst, float(bounds.max()))
        if worst > epsilon:
            raise LawBroken(
                law,
                f"a log ratio of at most {float(epsilon):.6g}",
                f"{worst:.4g} or more in draws for {pair[0].description} and {pair[1].description}",
            )
    return (
        f"no probabilities are stated; {count} draws on each side: a log ratio of"
        f" {max(worst, 0.0):.3g} is certain, {float(epsilon):.3g} is allowed"
    )
