"""Tails of the discrete Gaussian: its delta at a given epsilon, its quantiles, its probabilities.

**Symbols.**

| symbol | meaning |
|---|---|
| p(z) | the noise, proportional to exp(-z^2/2 sigma^2) on the integers |
| s | the shift between neighbours, in whole steps |
| L(z) | the privacy loss ln p(z)/p(z+s) = (2 z s + s^2)/2 sigma^2 |
| c | eps sigma^2/s - s/2, where the privacy loss is epsilon |
| g(z) | p(z) (1 - e^(eps - L(z))) |
| h, t_i | standard deviation of a smoothing step, and t_i^2 = sigma_i^2 - h^2 |
| k | the relative ripple that smoothing leaves, 2 sum_n e^(-2 pi^2 h^2 n^2) |
| n | the number of cells that move, ``cells`` |
| m | the length of the move, m^2 = sum s_i^2/t_i^2 |

**Statement of ``gaussian_delta``.** ``gaussian_delta(sigma, shift, epsilon)`` is at least sup_S
Pr[Z in S] - e^eps Pr[Z + s in S] for every shift s of at most ``shift`` steps.

**Proof.** p is log-concave, so the ratio p(z)/p(z+s) rises with z and the worst event is a
half-line: the supremum is Pr[Z > c] - e^eps Pr[Z > c + s]. For a fixed c this difference grows with
s, so the largest shift is the worst. It is the sum of g(z) over z > c, and every term is positive.

Up to sigma = 1000 the terms are summed. Above, g is unimodal on [c, oo), so the sum exceeds the
integral by at most max g. The normaliser sum exp(-z^2/2 sigma^2) is at least sigma sqrt(2 pi)
(Poisson), so the integral is at most the continuous delta Phi(-c/sigma) - e^eps Phi(-(c+s)/sigma).
And since 1 - e^(eps-L) <= L - eps = (z-c) s/sigma^2, max g <= p(c) s/(e c) for c > 0 (else p(0)).

**Arithmetic.** Doubles. epsilon is first lowered by one part in 10^14, which can only raise delta:
at small sigma a single z may lie just beyond c and carry all of delta, and no rounding of sigma,
epsilon or L (a few 2^-53 each) may lose it. All terms of the sum are positive, so its remaining
relative error is far below the 10^-9 that is added. In the integral the two terms may cancel: each
is rounded by 10^-11 in the unfavourable direction before the difference is taken (the argument of
erfc is known to three 2^-53, and up to 38 sigma that moves the result by 38^2 times as much), and
the second by ten steps of the smallest doubles, where it has few digits left.

**Statement of ``gaussian_vector_delta``.** Let cells with independent discrete Gaussian noise of
scales sigma_i move by whole s_i, at most n of them in total. Their joint delta is at most
``gaussian_vector_delta(parts, cells, epsilon)``, where a part is a scale and a bound on the sum of
s_i^2 over the cells with that scale.

**Proof.** Take any h > 0 below all scales. Draw Y_i, continuous and normal around x_i with
deviation t_i, then a whole Z_i with probability e^(-(z-Y_i)^2/2h^2)/theta(Y_i), theta(y) = sum_z
e^(-(z-y)^2/2h^2). By Poisson summation theta(y) lies within 1 ± k of h sqrt(2 pi). Without theta,
the integral over Y_i is e^(-(z-x_i)^2/2 sigma_i^2) times a constant. So the discrete Gaussian
around x_i and the distribution of Z_i differ by a factor between a (1-k) and a (1+k), where a <= 1
is the same for all whole x_i. Cells that do not move have the same distribution in both data sets.
For every event S, with P', Q' the distributions of the Z_i,

    P(S) - e^eps Q(S) <= (1+k)^n (P'(S) - e^(eps - 2 n artanh k) Q'(S)).

P' and Q' are post-processed continuous Gaussians, so the bracket is at most their delta, which
depends on the length of the move alone: Phi(m/2 - e/m) - e^e Phi(-m/2 - e/m), growing in m, with e
= eps - 2 n artanh k (Balle and Wang 2018). Every h gives a bound; the least is taken. Doubles, as
above: m is rounded up, e down. For m > 100 the bound is 1; below, the arguments of Phi are off by
less than 10^-13, which moves Phi by 38 times as much.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from functools import lru_cache
from math import ceil, erfc, exp, floor, log, pi, sqrt

import numpy as np

from hedgerow.numeric.vectorised import Floats

__all__ = [
    "gaussian_delta",
    "gaussian_log_mass",
    "gaussian_radius",
    "gaussian_tail",
    "gaussian_vector_delta",
]

_MAX_SUMMED_SIGMA = 1000.0
_TAIL_SIGMAS = 12  # standard deviations; beyond lies less than e^-72 of the mass
_UP = 1 + 1e-9
_MIN_DELTA_BOUND = 1e-300  # Pr[Z > 38 sigma] is below it
# h^2; k is about 10^-3 at the first and negligible at the last
_SMOOTHING_VARIANCES = (0.35, 0.45, 0.55, 0.65, 0.75, 0.85, 0.95, 1.05, 1.2, 1.4, 1.7)


def gaussian_delta(sigma: float, shift: float, epsilon: float) -> float:
    """Return an upper bound on the delta of discrete Gaussian noise at ``epsilon``.

    Answers move by at most ``shift`` whole steps.
    """
    epsilon *= 1 - 1e-14
    cut = epsilon * sigma**2 / shift - shift / 2
    if cut > 38 * sigma:
        return _MIN_DELTA_BOUND
    bound = (
        _sum_delta(sigma, shift, epsilon, cut)
        if sigma <= _MAX_SUMMED_SIGMA
        else _integrate_delta(sigma, shift, epsilon, cut)
    )
    return min(1.0, max(bound, _MIN_DELTA_BOUND))


def _sum_delta(sigma: float, shift: float, epsilon: float, cut: float) -> float:
    reach = ceil(_TAIL_SIGMAS * sigma) + 10
    # one term more than needed, since ``cut`` is rounded: terms below it add nothing
    start = max(floor(cut), -reach)
    # the mass left out on the left; on the right it is covered by the 10^-9
    missed = exp(-_TAIL_SIGMAS * _TAIL_SIGMAS / 2) if start < 0 else 0.0
    z = np.arange(start, max(start, 0) + reach, dtype=np.float64)
    loss = (2 * z + shift) * (shift / (2 * sigma**2))
    gain = -np.expm1(np.minimum(epsilon - loss, 0.0))
    return float(np.sum(_bell_curve(z, sigma) * gain)) / _normaliser(sigma) * _UP + missed


def _integrate_delta(sigma: float, shift: float, epsilon: float, cut: float) -> float:
    peak = 1 / (sigma * sqrt(2 * pi))
    if cut > 0:
        peak *= exp(-((cut / sigma) ** 2) / 2) * min(1.0, shift / (cut * exp(1)))
    return max(_continuous_delta(cut / sigma, (cut + shift) / sigma, epsilon), 0.0) + peak * _UP


def _continuous_delta(near: float, far: float, epsilon: float) -> float:
    """Return an upper bound of Pr[X > near] - e^epsilon Pr[X > far], for standard normal X."""
    above = 0.5 * erfc(near / sqrt(2)) * (1 + 1e-11)
    beyond = max(0.5 * erfc(far / sqrt(2)) * (1 - 1e-11) - 5e-323, 0.0)
    # beyond 700 e^epsilon overflows; leaving the second term out errs upwards
    return above - (exp(epsilon) * (1 - 1e-13) * beyond if epsilon < 700 else 0.0)


def gaussian_vector_delta(
    parts: Sequence[tuple[float, float]], cells: int, epsilon: float
) -> float:
    """Return an upper bound on the joint delta of several cells at ``epsilon``.

    ``parts`` has a scale, and a bound on the sum of squared moves of its cells.
    """
    limit = 0.9 * min(sigma for sigma, _ in parts) ** 2
    variances = [variance for variance in _SMOOTHING_VARIANCES if variance < limit]
    return min([1.0, *(_smoothed_delta(parts, cells, epsilon, h2) for h2 in variances)])


def _smoothed_delta(
    parts: Sequence[tuple[float, float]], cells: int, epsilon: float, variance: float
) -> float:
    # k; all later terms of its sum are below 10^-8 times the first
    ripple = 2 * exp(-2 * pi**2 * variance) * (1 + 1e-8)
    length = sqrt(sum(squares / (sigma**2 - variance) for sigma, squares in parts)) * (1 + 1e-12)
    if not 1e-100 < length <= 100 or cells * ripple > 1:
        return 1.0
    epsilon = epsilon * (1 - 1e-14) - 2 * cells * ripple / (1 - ripple**2)
    near, far = epsilon / length - length / 2, epsilon / length + length / 2
    if near > 38:
        return _MIN_DELTA_BOUND
    return max(exp(cells * ripple) * _continuous_delta(near, far, epsilon) * _UP, _MIN_DELTA_BOUND)


def _bell_curve(z: Floats, sigma: float) -> Floats:
    with np.errstate(under="ignore"):
        result: Floats = np.exp(-((z / sigma) ** 2) / 2)
        return result


@lru_cache(maxsize=256)
def _normaliser(sigma: float) -> float:
    """Return sum_z exp(-z^2/2 sigma^2).

    From sigma = 2 on it is sigma sqrt(2 pi), up to a relative 2 e^(-2 pi^2 sigma^2) (Poisson).
    """
    if sigma >= 2:
        return sigma * sqrt(2 * pi)
    return float(np.sum(_bell_curve(np.arange(-30.0, 31.0), sigma)))


def gaussian_log_mass(z: Floats, sigma: float) -> Floats:
    """Return ln Pr[Z = z] as a double."""
    return -((z / sigma) ** 2) / 2 - log(_normaliser(sigma))


def gaussian_tail(sigma: float, m: int) -> float:
    """Return an upper bound of Pr[Z >= m], m >= 0; up to sigma = 1000 within one part in 10^8.

    Above that, the sum over z >= m is at most the integral from m - 1/2 where the bell is convex (m
    > sigma: Hermite and Hadamard). Elsewhere it exceeds it by at most 0.031/sigma^2: the midpoint
    rule errs by at most 1/8 of the integral of |f''| in each cell, only cells where f is concave
    count, and there |f''| adds up to at most max |f'| = 0.242/sigma^2.
    """
    if sigma > _MAX_SUMMED_SIGMA:
        excess = 0.0 if m > sigma else 0.031 / sigma**2
        return (0.5 * erfc((m - 0.5) / sigma / sqrt(2)) + excess) * _UP
    z = np.arange(m, m + ceil(_TAIL_SIGMAS * sigma) + 10.0)
    mass = float(np.sum(_bell_curve(z, sigma))) / _normaliser(sigma)
    return max(mass * _UP, _MIN_DELTA_BOUND)


def gaussian_radius(sigma: float, beta: float) -> int:
    """Return the smallest k with Pr[|Z| > k] <= beta; above sigma = 1000 at most one step more."""
    if sigma > _MAX_SUMMED_SIGMA:
        radii = range(ceil(_TAIL_SIGMAS * 4 * sigma))
        return bisect_left(radii, True, key=lambda k: 2 * gaussian_tail(sigma, k + 1) <= beta)
    # smallest first, so that the running sum keeps its digits
    z = np.arange(ceil(38 * sigma) + 10.0, 0, -1)
    # tails[i] = Pr[|Z| >= z[i]]
    tails = 2 * np.cumsum(_bell_curve(z, sigma)) / _normaliser(sigma) * _UP
    return int(z.size - np.searchsorted(tails, beta, side="right"))
