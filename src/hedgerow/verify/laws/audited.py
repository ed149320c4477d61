"""What can be said about a mechanism that states no law of its output: draws on neighbours, and bounds certain up to the alarm rate."""

from __future__ import annotations

import numpy as np

from hedgerow.verify.audit.confidence import certified
from hedgerow.verify.laws.case import ALARM, Case, LawBroken
from hedgerow.verify.laws.neighbours import world
from hedgerow.verify.laws.worlds import coded

__all__ = ["claim_stands"]


def claim_stands(case: Case, law: str) -> str:
    """Whether any output, or all but it, is certainly likelier on one of two neighbours than the loss allows; in words what was seen."""
    epsilon, delta = case.claim or (case.loss.epsilon, case.loss.delta)
    count, worst = max(case.draws // 200, 500), -np.inf
    pairs = world(case).unstated
    for pair in pairs:
        one, other = (coded(place, count) for place in pair)
        outputs = np.union1d(one, other)
        hits, misses = ((side == outputs[:, None]).sum(axis=1) for side in (one, other))
        sides = [(hits, misses), (misses, hits), (count - hits, count - misses), (count - misses, count - hits)]
        for likely, rare in sides:
            bounds = certified((likely, count), (rare, count), ALARM / outputs.size / len(sides) / len(pairs), float(delta), 0.5)
            worst = max(worst, float(bounds.max()))
        if worst > epsilon:
            raise LawBroken(
                law, f"a log ratio of at most {float(epsilon):.6g}", f"{worst:.4g} or more in draws for {pair[0].words} and {pair[1].words}"
            )
    return (
        f"no probabilities are stated; {count} draws a side: a log ratio of {max(worst, 0.0):.3g} is certain, {float(epsilon):.3g} allowed"
    )
