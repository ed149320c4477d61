"""Do draws follow the law they claim? Three tests that complement each other, at a stated rate of
false alarms.

**Pearson's chi-square**, for any departure: bins of equal probability in the body, and on either
side tail bins, each of half the probability of the one before, down to an expected count of 20.
Bins that small have heavier tails than the limit law, so the alarm is raised at a ten-thousandth of
the rate on its scale; the rate itself then holds (for rates down to 10^-9, by computation).

**The remainders modulo 8**, for what wide bins hide, by the same test.

**The mean of log_prob**, for a wrong scale, which it sees with a fraction of the draws: under the
claim it has a known expectation (minus the entropy), and a law too wide or too narrow moves it. By
Chernoff, Pr[mean >= m] <= exp(-n (s m - K(s))) for every s > 0, and likewise below for -1 < s < 0,
where K(s) = ln sum p^(1+s) is computed from the claim itself. No limit theorem, any number of
draws.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import exp, sqrt

import numpy as np
from scipy.special import betainc, chdtrc

from hedgerow.numeric.vectorised import Floats, Integers
from hedgerow.verify.laws.integer_distribution import TILTS, IntegerDistribution

__all__ = [
    "TEST_COUNT",
    "FitResult",
    "bound_spread_probability",
    "compute_agreement_p_value",
    "compute_power",
    "measure_fit",
]

_BODY_BINS = 48
_MIN_EXPECTED = 20
_TAIL_CORRECTION = 10_000
TEST_COUNT = 3


@dataclass(frozen=True)
class FitResult:
    """How draws fit: the chi-square statistic, its degrees of freedom, and how likely something
    at least as far off is, at most.
    """

    statistic: float
    degrees_of_freedom: int
    p_value: float

    def __str__(self) -> str:
        return f"chi-square {self.statistic:.1f} on {self.degrees_of_freedom} degrees of freedom"


def measure_fit(draws: Integers, law: IntegerDistribution) -> FitResult:
    """How well draws fit a law. Draws of what the law calls impossible have chance 0."""
    cuts = _choose_bins(law, draws.size)
    edges = np.concatenate([[-np.inf], law.steps[cuts], [np.inf]])
    expected = np.diff(np.concatenate([[0.0], law.cumulative[cuts], [1.0]])) * draws.size
    seen = np.diff(np.searchsorted(np.sort(draws), edges, side="right"))
    statistic, freedom = float(np.sum((seen - expected) ** 2 / expected)), len(expected) - 1
    spread = bound_spread_probability(law, _mean_log_probability(draws, law), draws.size)
    chance = (
        0.0
        if _has_impossible_draw(draws, law)
        else min(
            _pearson_p_value(seen, expected),
            _pearson_p_value(*_count_remainders(draws, law)),
            spread,
        )
    )
    return FitResult(statistic, freedom, min(1.0, TEST_COUNT * chance))


def _pearson_p_value(seen: Integers, expected: Floats) -> float:
    statistic = float(np.sum((seen - expected) ** 2 / expected))
    return (
        min(1.0, _TAIL_CORRECTION * float(chdtrc(expected.size - 1, statistic)))
        if expected.size > 1
        else 1.0
    )


def _count_remainders(draws: Integers, law: IntegerDistribution) -> tuple[Integers, Floats]:
    """Counts of the remainders modulo 8 and what to expect, all alike far out; nothing where a
    remainder is too rare.
    """
    mass = law.weights * np.exp(law.log)
    known = law.weights == 1
    chances = np.bincount(law.steps[known] % 8, mass[known], minlength=8) + mass[~known].sum() / 8
    if chances.min() * draws.size < _MIN_EXPECTED:
        return np.zeros(1, dtype=np.int64), np.ones(1)
    return np.bincount(draws % 8, minlength=8), chances * draws.size


def _choose_bins(law: IntegerDistribution, count: int) -> Integers:
    """Places of the points that end a bin, so that every bin has an expected count of 20 at
    least.
    """
    tails = (
        2.0 ** -np.arange(1, max(2, int(np.log2(max(count / _BODY_BINS / _MIN_EXPECTED, 2))) + 1))
        / _BODY_BINS
    )
    levels = np.sort(np.concatenate([tails, np.arange(1, _BODY_BINS) / _BODY_BINS, 1 - tails]))
    kept: list[int] = []
    done = 0.0
    for place in np.unique(np.searchsorted(law.cumulative, levels)).tolist():
        reached = float(law.cumulative[min(place, law.steps.size - 1)])
        if count * min(reached - done, 1 - reached) >= _MIN_EXPECTED:
            kept.append(place)
            done = reached
    return np.array(kept, dtype=np.int64)


def _has_impossible_draw(draws: Integers, law: IntegerDistribution) -> bool:
    """Whether a draw lies outside the points of the law, or between points that stand for
    themselves alone.
    """
    place = np.clip(np.searchsorted(law.steps, draws), 0, law.steps.size - 1)
    missed = (law.steps[place] != draws) & (
        (law.weights[place] == 1) | (draws < law.steps[0]) | (draws > law.steps[-1])
    )
    return bool(missed.any())


def _mean_log_probability(draws: Integers, law: IntegerDistribution) -> float:
    return float(np.mean(np.interp(draws, law.steps, law.log)))


def bound_spread_probability(law: IntegerDistribution, mean: float, count: int) -> float:
    """At most how likely the mean of log_prob over so many draws is as far off as this one."""
    rate = float(np.max(TILTS * mean - law.cumulants))
    return min(1.0, 2 * exp(-count * max(rate, 0.0)))


def compute_power(
    law: IntegerDistribution, truth: IntegerDistribution, count: int, alarm: float
) -> float:
    """How likely the mean of log_prob gives the alarm when the draws follow ``truth`` instead
    (normal approximation).
    """
    claimed = np.interp(truth.steps, law.steps, law.log)
    mean = truth.mean(claimed)
    deviation = sqrt(max(truth.mean((claimed - mean) ** 2), 1e-300) / count)
    scores = np.linspace(-6, 6, 241)
    caught = np.array(
        [
            bound_spread_probability(law, mean + z * deviation, count) <= alarm / TEST_COUNT
            for z in scores
        ]
    )
    return float(
        np.sum(np.exp(-(scores[caught] ** 2) / 2)) * (scores[1] - scores[0]) / sqrt(2 * np.pi)
    )


def compute_agreement_p_value(hits: int, trials: int, chance: float) -> float:
    """How likely a count at least as far off is, on its side and doubled: exact, from the
    binomial law.
    """
    at_least = 1.0 if hits == 0 else float(betainc(hits, trials - hits + 1, chance))
    at_most = 1.0 if hits == trials else float(betainc(trials - hits, hits + 1, 1 - chance))
    return min(1.0, 2 * min(at_least, at_most))
