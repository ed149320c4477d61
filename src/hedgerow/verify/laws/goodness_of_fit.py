"""Goodness of fit: three complementary tests of draws against a distribution, at a stated rate of
false alarms.

**Pearson's chi-square**, for any departure: bins of equal probability in the body, and tail bins on
either side, each of half the probability of the one before, down to an expected count of 20. Bins
that small have heavier tails than the limiting distribution, so that the alarm is raised at a
ten-thousandth of the rate on its scale; the rate itself then holds (for rates down to 10^-9, by
computation).

**The remainders modulo 8**, for what wide bins hide, by the same test.

**The mean of log_prob**, for a wrong scale, which it detects with a fraction of the draws: under
the claim it has a known expectation (minus the entropy), and a distribution that is too wide or too
narrow changes it. By Chernoff, Pr[mean >= m] <= exp(-n (s m - K(s))) for every s > 0, and likewise
below for -1 < s < 0, where n is the number of draws and K(s) = ln sum p^(1+s) is computed from the
claim itself. This uses no limit theorem and holds for any number of draws.
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
    """The fit of draws: the chi-square statistic, its degrees of freedom, and a bound on the
    probability of a result at least as far off.
    """

    statistic: float
    degrees_of_freedom: int
    p_value: float

    def __str__(self) -> str:
        return f"chi-square {self.statistic:.1f} on {self.degrees_of_freedom} degrees of freedom"


def measure_fit(draws: Integers, distribution: IntegerDistribution) -> FitResult:
    """Measure the fit of draws to a distribution; draws of probability 0 have p-value 0."""
    cuts = _choose_bins(distribution, draws.size)
    edges = np.concatenate([[-np.inf], distribution.steps[cuts], [np.inf]])
    expected = np.diff(np.concatenate([[0.0], distribution.cumulative[cuts], [1.0]])) * draws.size
    seen = np.diff(np.searchsorted(np.sort(draws), edges, side="right"))
    statistic, freedom = float(np.sum((seen - expected) ** 2 / expected)), len(expected) - 1
    spread = bound_spread_probability(
        distribution, _mean_log_probability(draws, distribution), draws.size
    )
    remainders = _pearson_p_value(*_count_remainders(draws, distribution))
    smallest = min(_pearson_p_value(seen, expected), remainders, spread)
    if _has_impossible_draw(draws, distribution):
        smallest = 0.0
    return FitResult(statistic, freedom, min(1.0, TEST_COUNT * smallest))


def _pearson_p_value(seen: Integers, expected: Floats) -> float:
    if expected.size == 1:
        return 1.0
    statistic = float(np.sum((seen - expected) ** 2 / expected))
    return min(1.0, _TAIL_CORRECTION * float(chdtrc(expected.size - 1, statistic)))


def _count_remainders(
    draws: Integers, distribution: IntegerDistribution
) -> tuple[Integers, Floats]:
    """Return the counts of remainders modulo 8 and their expectations, equal far out; a single
    dummy bin if a remainder is too rare.
    """
    mass = distribution.weights * np.exp(distribution.log)
    known = distribution.weights == 1
    probabilities = (
        np.bincount(distribution.steps[known] % 8, mass[known], minlength=8)
        + mass[~known].sum() / 8
    )
    if probabilities.min() * draws.size < _MIN_EXPECTED:
        return np.zeros(1, dtype=np.int64), np.ones(1)
    return np.bincount(draws % 8, minlength=8), probabilities * draws.size


def _choose_bins(distribution: IntegerDistribution, count: int) -> Integers:
    """Return the indices of the points that end a bin, so that each bin has an expected count of at
    least 20.
    """
    depth = int(np.log2(max(count / _BODY_BINS / _MIN_EXPECTED, 2)))
    tails = 2.0 ** -np.arange(1, max(2, depth + 1)) / _BODY_BINS
    levels = np.sort(np.concatenate([tails, np.arange(1, _BODY_BINS) / _BODY_BINS, 1 - tails]))
    kept: list[int] = []
    done = 0.0
    for place in np.unique(np.searchsorted(distribution.cumulative, levels)).tolist():
        reached = float(distribution.cumulative[min(place, distribution.steps.size - 1)])
        if count * min(reached - done, 1 - reached) >= _MIN_EXPECTED:
            kept.append(place)
            done = reached
    return np.array(kept, dtype=np.int64)


def _has_impossible_draw(draws: Integers, distribution: IntegerDistribution) -> bool:
    """Return whether a draw lies outside the points of the distribution, or between adjacent points
    of weight 1.
    """
    place = np.clip(np.searchsorted(distribution.steps, draws), 0, distribution.steps.size - 1)
    missed = (distribution.steps[place] != draws) & (
        (distribution.weights[place] == 1)
        | (draws < distribution.steps[0])
        | (draws > distribution.steps[-1])
    )
    return bool(missed.any())


def _mean_log_probability(draws: Integers, distribution: IntegerDistribution) -> float:
    return float(np.mean(np.interp(draws, distribution.steps, distribution.log)))


def bound_spread_probability(distribution: IntegerDistribution, mean: float, count: int) -> float:
    """Bound the probability that the mean of log_prob over this many draws is as far off."""
    rate = float(np.max(TILTS * mean - distribution.cumulants))
    return min(1.0, 2 * exp(-count * max(rate, 0.0)))


def compute_power(
    distribution: IntegerDistribution, truth: IntegerDistribution, count: int, alarm: float
) -> float:
    """Return the probability that the mean of log_prob raises the alarm if the draws follow
    ``truth`` instead (normal approximation).
    """
    claimed = np.interp(truth.steps, distribution.steps, distribution.log)
    mean = truth.mean(claimed)
    deviation = sqrt(max(truth.mean((claimed - mean) ** 2), 1e-300) / count)
    scores = np.linspace(-6, 6, 241)
    caught = np.array(
        [
            bound_spread_probability(distribution, mean + z * deviation, count)
            <= alarm / TEST_COUNT
            for z in scores
        ]
    )
    return float(
        np.sum(np.exp(-(scores[caught] ** 2) / 2)) * (scores[1] - scores[0]) / sqrt(2 * np.pi)
    )


def compute_agreement_p_value(hits: int, trials: int, probability: float) -> float:
    """Return the exact two-sided binomial p-value of a count."""
    at_least = 1.0 if hits == 0 else float(betainc(hits, trials - hits + 1, probability))
    at_most = 1.0 if hits == trials else float(betainc(trials - hits, hits + 1, 1 - probability))
    return min(1.0, 2 * min(at_least, at_most))
