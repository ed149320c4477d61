"""Tails of the discrete Gaussian: its delta at a given epsilon, its quantiles, its probabilities.

**Statement of ``gaussian_delta``.** For noise p(z) proportional to exp(-z^2/2 sigma^2) on the
integers, ``gaussian_delta(sigma, shift, epsilon)`` is at least sup_S Pr[Z in S] - e^epsilon Pr[Z +
s in S] for every shift s of at most ``shift`` steps.

**Proof.** p is log-concave, so the ratio p(z)/p(z+s) rises with z and the best event is a
half-line: the supremum is Pr[Z > c] - e^eps Pr[Z > c + s], largest at c = eps sigma^2/s - s/2. For
a fixed c that difference grows with s, so the largest shift is the worst. It is the sum of g(z) =
p(z) (1 - e^(eps - L(z))) over z > c, L(z) = (2 z s + s^2) / 2 sigma^2, and every term is positive.

Up to sigma = 1000 the sum is taken as it stands. Above, g is unimodal on [c, oo), so the sum
exceeds the integral by at most max g; the normaliser sum exp(-z^2/2 sigma^2) is at least sigma
sqrt(2 pi) (Poisson), so the integral is at most the continuous delta Phi(-c/sigma) - e^eps
Phi(-(c+s)/sigma); and since 1 - e^(eps-L) <= L - eps = (z-c) s/sigma^2, for c > 0 max g <= p(c)
s/(e c) (else p(0)).

**Arithmetic.** Doubles. epsilon is first lowered by its 10^-14th part, which only raises delta: at
small sigma a single z may lie a hair beyond c and carry all of delta, and no rounding of sigma,
epsilon or L (a few 2^-53 each) may lose it. All terms of the sum are positive, so the rest of its
relative error is far below the 10^-9 that is added. In the integral the two terms may cancel: each
is rounded by 10^-11 against us before the difference is taken (the argument of erfc is known to
three 2^-53, and up to 38 sigma that moves it by 38^2 times as much), and the second by ten steps of
the smallest doubles, where it has few digits left.

**Statement of ``gaussian_vector_delta``.** Let cells with independent discrete Gaussian noise of
scales sigma_i move by whole s_i, at most ``cells`` of them at all. The delta of all together is at
most ``gaussian_vector_delta(parts, cells, epsilon)``, a part being a scale and a bound on the sum
of s_i^2 over the cells of that scale.

**Proof.** Take any h > 0 below all scales, t_i^2 = sigma_i^2 - h^2. Draw Y_i, continuous and normal
around x_i with deviation t_i, then a whole Z_i with probability e^(-(z-Y_i)^2/2h^2)/theta(Y_i),
theta(y) = sum_z e^(-(z-y)^2/2h^2). By Poisson summation theta(y) lies within 1 ± k of h sqrt(2 pi),
k = 2 sum_n e^(-2 pi^2 h^2 n^2). Without theta, the integral over Y_i is e^(-(z-x_i)^2/2 sigma_i^2)
times a constant: so the discrete Gaussian around x_i and the law of Z_i differ by a factor between
c (1-k) and c (1+k), where c <= 1 is the same for all whole x_i. Cells that do not move are alike in
both worlds. For every event, with n = ``cells``,

    P(S) - e^eps Q(S) <= (1+k)^n (P'(S) - e^(eps - 2 n artanh k) Q'(S)),        P', Q' the laws of
    the Z_i.

Those are made from continuous Gaussians, so the bracket is at most their delta, which depends on
the length of the move alone: Phi(m/2 - e/m) - e^e Phi(-m/2 - e/m), m^2 = sum s_i^2/t_i^2, growing
in m (Balle and Wang 2018). Every h gives a bound; the least is taken. Doubles, as above: m is
rounded up, e down. Moves of m > 100 are not looked at; below, the arguments of Phi are off by less
than 10^-13, which moves it by 38 times as much.
"""

from __future__ import annotations

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
_TAIL_SIGMAS = 12  # standard deviations; what lies beyond has less than e^-72 of the mass
_UP = 1 + 1e-9
_MIN_DELTA_BOUND = 1e-300  # Pr[Z > 38 sigma] is below it
# h^2; beyond it k is nothing, and at the first a thousandth
_SMOOTHING_VARIANCES = (0.35, 0.45, 0.55, 0.65, 0.75, 0.85, 0.95, 1.05, 1.2, 1.4, 1.7)


def gaussian_delta(sigma: float, shift: float, epsilon: float) -> float:
    """An upper bound on the delta of discrete Gaussian noise at ``epsilon`` when answers move by
    at most ``shift`` (whole) steps.
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
    # one more than need be, since ``cut`` is rounded: what lies below it gains nothing
    start = max(floor(cut), -reach)
    # what was cut off on the left; on the right it is within the 10^-9
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
    """At least Pr[X > near] - e^epsilon Pr[X > far], X continuous and standard normal."""
    above = 0.5 * erfc(near / sqrt(2)) * (1 + 1e-11)
    beyond = max(0.5 * erfc(far / sqrt(2)) * (1 - 1e-11) - 5e-323, 0.0)
    # e^epsilon is only used where it cannot overflow; leaving the second term out errs upwards
    return above - (exp(epsilon) * (1 - 1e-13) * beyond if epsilon < 700 else 0.0)


def gaussian_vector_delta(
    parts: Sequence[tuple[float, float]], cells: int, epsilon: float
) -> float:
    """An upper bound on the delta at ``epsilon`` of several cells together: scales, and the
    squares of how far the cells of each move.
    """
    narrow = min(sigma for sigma, _ in parts)
    return min(
        [
            1.0,
            *(
                _smoothed_delta(parts, cells, epsilon, square)
                for square in _SMOOTHING_VARIANCES
                if square < 0.9 * narrow**2
            ),
        ]
    )


def _smoothed_delta(
    parts: Sequence[tuple[float, float]], cells: int, epsilon: float, square: float
) -> float:
    # k; all later terms of its sum are below 10^-8 of the first
    ripple = 2 * exp(-2 * pi**2 * square) * (1 + 1e-8)
    length = sqrt(sum(moved / (sigma**2 - square) for sigma, moved in parts)) * (1 + 1e-12)
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
    """sum_z exp(-z^2/2 sigma^2); from sigma = 2 on sigma sqrt(2 pi), but for 2 e^(-2 pi^2
    sigma^2) of it (Poisson).
    """
    if sigma >= 2:
        return sigma * sqrt(2 * pi)
    return float(np.sum(_bell_curve(np.arange(-30.0, 31.0), sigma)))


def gaussian_log_mass(z: Floats, sigma: float) -> Floats:
    """The logarithm of Pr[Z = z], as a double."""
    return -((z / sigma) ** 2) / 2 - log(_normaliser(sigma))


def gaussian_tail(sigma: float, m: int) -> float:
    """At least Pr[Z >= m] for m >= 0, and above it by less than a part in 10^8 while sigma is at
    most 1000.

    Beyond, the sum over z >= m is at most the integral from m - 1/2 where the bell is convex (m >
    sigma: Hermite and Hadamard). Elsewhere it exceeds it by at most 0.031/sigma^2: the midpoint
    rule errs by at most 1/8 of the integral of |f''| in each cell, only cells where f is concave
    count, and there |f''| adds up to at most max |f'| = 0.242/sigma^2.
    """
    if sigma > _MAX_SUMMED_SIGMA:
        return (
            0.5 * erfc((m - 0.5) / sigma / sqrt(2)) + (0.0 if m > sigma else 0.031 / sigma**2)
        ) * _UP
    return max(
        float(np.sum(_bell_curve(np.arange(m, m + ceil(_TAIL_SIGMAS * sigma) + 10.0), sigma)))
        / _normaliser(sigma)
        * _UP,
        _MIN_DELTA_BOUND,
    )


def gaussian_radius(sigma: float, beta: float) -> int:
    """The smallest k with Pr[|Z| > k] <= beta; above sigma = 1000 at most one step more."""
    if sigma > _MAX_SUMMED_SIGMA:
        low, high = -1, ceil(_TAIL_SIGMAS * 4 * sigma)
        while high - low > 1:
            k = (low + high) // 2
            low, high = (low, k) if 2 * gaussian_tail(sigma, k + 1) <= beta else (k, high)
        return high
    # smallest first, so that the running sum keeps its digits
    z = np.arange(ceil(38 * sigma) + 10.0, 0, -1)
    # tails[i] = Pr[|Z| >= z[i]]
    tails = 2 * np.cumsum(_bell_curve(z, sigma)) / _normaliser(sigma) * _UP
    return int(z.size - np.searchsorted(tails, beta, side="right"))
