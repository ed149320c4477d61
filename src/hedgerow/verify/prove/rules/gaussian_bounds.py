"""The rho that a numeric claim (epsilon, delta) allows, exact where all noise is Gaussian.

A proof bounds rho, the sum of shift^2 / (2 sigma^2) over all draws, on every path. A shift may
depend on earlier noise, but not on its own.

Where all noise is Gaussian, that says more than zCDP. Append one more draw that uses up what is
left of rho; who sees more learns no less. The log-likelihood ratio of the two runs is then a sum of
increments that are normal given the past, with variances that add up to 2 rho on every path. Such a
sum is normal itself (Lévy: a martingale with deterministic quadratic variation is a Brownian
motion), with mean rho and variance 2 rho. So, with mu^2 = 2 rho, the program is (epsilon, delta)
private for

    delta = P(Z > epsilon / mu - mu / 2) - e^epsilon P(Z > epsilon / mu + mu / 2),

which grows with mu (Dong, Roth, Su 2022; for shifts that depend on the past: Koskela, Tobaben,
Honkela 2023). It is attained by one draw, so it is exact.
"""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache
from typing import Final

from hedgerow.numeric.rounding import exp_bounds
from hedgerow.privacy.zcdp_conversion import find_largest_rho
from hedgerow.verify.language.program import Noise, Program
from hedgerow.verify.refute.normal_bounds import bound_tail

__all__ = ["compute_largest_rho", "find_largest_gaussian_rho"]

_STEPS: Final = 40
_GRID: Final = 10**9  # mu is a multiple of its reciprocal
_MAX_EPSILON: Final = 100


def compute_largest_rho(program: Program, epsilon: Fraction, delta: Fraction) -> Fraction:
    """Return a rho that the claim allows, the largest one up to rounding."""
    found = find_largest_rho(epsilon, delta)
    if epsilon <= _MAX_EPSILON and all(one.noise is Noise.GAUSSIAN for one in program.samples):
        return max(found, find_largest_gaussian_rho(epsilon, delta))
    return found


@lru_cache(maxsize=256)
def find_largest_gaussian_rho(epsilon: Fraction, delta: Fraction) -> Fraction:
    """Return the largest rho that Gaussian noise alone may have, rounded down."""
    low, high = Fraction(0), Fraction(1)
    while high < 64 and _bound_delta(high, epsilon) <= delta:
        low, high = high, 2 * high
    for _ in range(_STEPS):
        middle = Fraction(int((low + high) / 2 * _GRID), _GRID)
        if middle in (low, high):
            break
        if _bound_delta(middle, epsilon) <= delta:
            low = middle
        else:
            high = middle
    return low * low / 2


def _bound_delta(mu: Fraction, epsilon: Fraction) -> Fraction:
    """Bound delta from above for a positive mu."""
    if mu <= 0:
        return Fraction(0)
    near, far = epsilon / mu - mu / 2, epsilon / mu + mu / 2
    return bound_tail(near).high - exp_bounds(epsilon)[0] * bound_tail(far).low
