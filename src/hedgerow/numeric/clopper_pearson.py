"""Exact confidence bounds for a probability, from successes in independent trials (Clopper and
Pearson).

The tail Pr[X >= k] of a binomial distribution is a regularised incomplete beta function, computed
here by its continued fraction (Lentz), so that the core needs no statistics library. The bounds
describe estimates; no privacy guarantee rests on them.
"""

from __future__ import annotations

from collections.abc import Callable
from math import exp, lgamma, log, log1p

__all__ = ["clopper_pearson"]


def clopper_pearson(successes: int, trials: int, confidence: float) -> tuple[float, float]:
    """Return an interval that contains the probability with at least this confidence, two-sided."""
    outside = (1 - confidence) / 2
    low = (
        0.0
        if successes == 0
        else _find_root(lambda p: _binomial_tail(successes, trials, p), outside)
    )
    high = (
        1.0
        if successes == trials
        else _find_root(lambda p: _binomial_tail(successes + 1, trials, p), 1 - outside)
    )
    return low, high


def _find_root(rising: Callable[[float], float], target: float) -> float:
    low, high = 0.0, 1.0
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if rising(middle) < target else (low, middle)
    return (low + high) / 2


def _binomial_tail(k: int, n: int, p: float) -> float:
    """Return Pr[X >= k] for X binomial (n, p), 1 <= k <= n.

    It is the regularised incomplete beta function I_p(k, n-k+1).
    """
    a, b = k, n - k + 1
    front = exp(lgamma(a + b) - lgamma(a) - lgamma(b) + a * log(p) + b * log1p(-p))
    # the continued fraction converges fast below the mean, its mirror image above
    return (
        front * _continued_fraction(a, b, p) / a
        if p * (a + b + 2) < a + 1
        else 1 - front * _continued_fraction(b, a, 1 - p) / b
    )


def _continued_fraction(a: int, b: int, x: float) -> float:
    tiny, m = 1e-300, 0
    c, d = 1.0, 1 / max(1 - (a + b) * x / (a + 1), tiny)
    result = d
    while True:  # converges in about sqrt(max(a, b)) rounds
        m += 1
        even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m))
        odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))
        for term in (even, odd):
            d = 1 / (1 + term * d or tiny)
            c = 1 + term / c or tiny
            result *= c * d
        if abs(c * d - 1) < 1e-15:
            return result
