"""Tests of the truth gate, and how an alarm rate of 1e-9 is split over the whole grid.

Half of the rate is for means, half for frequencies (coverage of intervals, rank errors).

**Means.** Noise is symmetric around 0, so n independent answers y_i with the exact mean mu satisfy
P(|sum (y_i - mu)| >= a sqrt(sum (y_i - mu)^2)) <= 2 exp(-a^2/2), whatever the noise (Efron 1969; a
Rademacher sum given the sizes, then Hoeffding). With K mean tests in the grid each gets 5e-10/K, so
a = sqrt(2 ln(2K/5e-10)). An exact mean anywhere within ``bias`` of the meaning passes: the nearest
one is tried, since the ratio grows with the distance. Answers rounded to whole numbers are each at
most 1/2 from symmetric ones, hence at most 1/2 in the mean and in the root mean square.

**Frequencies.** A frequency fails when a one-sided binomial test at 1e-6 rejects that at most 5 %
of the draws lie outside. With M such tests alone M 1e-6 would be the alarm rate, so a rejection is
drawn again with fresh noise, ``count_rounds`` times in all, until M (1e-6)^rounds <= 5e-10.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction

import numpy as np
from scipy import stats

__all__ = ["RATE", "count_rounds", "exceeds_share", "find_factor", "measure_excess"]

RATE = 1e-9
OUTSIDE = 0.05
REJECT = 1e-6


def find_factor(tests: int) -> float:
    """Return the number of standard errors that one of so many mean tests allows."""
    return math.sqrt(2 * math.log(2 * tests / (RATE / 2)))


def count_rounds(tests: int) -> int:
    """Return how often in a row a frequency must be rejected to fail, among so many tests."""
    rounds = 1
    while tests * REJECT**rounds > RATE / 2:
        rounds += 1
    return rounds


def measure_excess(
    values: Sequence[float], meaning: Fraction, *, bias: float, factor: float
) -> float:
    """Return the distance of mean and meaning over what is allowed; above 1 is a false mean."""
    whole = all(isinstance(value, int) for value in values)
    away = np.array([float(value - meaning) for value in map(Fraction, values)])
    slack = bias + (0.5 if whole else 0.0) + 1e-12 * max(1.0, abs(float(meaning)))
    mean = abs(float(away.mean()))
    beyond = max(0.0, mean - slack)
    size = math.sqrt(float(away.var()) + beyond**2) + (0.5 if whole else 0.0)
    error = factor * size / math.sqrt(len(values))
    return mean / (slack + error)


def exceeds_share(outside: int, draws: int) -> bool:
    """Return whether so many draws outside reject, at 1e-6, that at most 5 % are."""
    return bool(stats.binom.sf(outside - 1, draws, OUTSIDE) < REJECT)
