"""Radii of weighted sums of independent discrete noise: bounds that a sum exceeds with probability
at most beta.

``find_single_radius`` is for one draw: the smallest radius that the discrete distribution allows.

``find_sum_radius`` is for draws of one weight: the same, from the distribution of the sum. Its
masses are the Fourier coefficients of the product of the characteristic functions, which
``numpy.fft`` gives to 10^-15; 10^-12 is added to every tail.

``bound_sum_radii`` is for any weights, from three numbers: the variance, the largest standard
deviation of one term, and the smallest scale.

*Gaussian.* Let Z be discrete Gaussian noise of scale s >= 2, N normal noise of that scale. Pr[Z >=
k] <= Pr[N >= k - 1] for every whole k, since p decreases on both sides of 0 and its normaliser is s
sqrt(2 pi), up to 10^-30 of it. So one term w Z is below w N + w in distribution. Once it is normal,
all others may be: if N' is normal of standard deviation u w, then w Z + N' has the density of the
normal sum times a theta function within 2 e^(-2 pi^2 v) of 1, v = s^2 u^2/(s^2 + u^2) (complete the
square, Poisson summation). Begin with the term of largest weight: then v >= 2, and that is below
10^-16. So the sum has the tail of the normal distribution of its variance, one step of the largest
weight later.

*Laplace.* Watch a Brownian motion until an exponential time. Let Z be the last whole number it came
to, R the way from there to the end. It starts afresh at every whole number, so Z and R are
independent; the end Z + R is Laplace; and Z, a walk that goes on with probability 1/cosh(1/t) at
each step, is discrete Laplace of the same scale t. R is symmetric, and E e^(xR) is at most that of
a triangle, (sinh(x/2)/(x/2))^2 <= e^(x^2/12), because 1/x^2 - 1/sinh(x)^2 decreases. So for weights
w and every h > 0

    Pr[|sum w Z| > r + h] (1 - e^(-3 h^2/|w|^2)) <= Pr[|sum w L| > r].

And Laplace noise is normal noise of random variance: sum w L = sqrt(V) N, with V a sum of
independent exponential numbers. If no term has more than 1/k of the variance, then k equal terms
majorise them, and V is below theirs in convex order. Pr[|sqrt(V) N| > r] is convex in V up to r^2/3
and concave beyond, where its tangent is above it: the convex function of both has the larger
expectation, and for k equal terms that is one integral.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import lru_cache

import numpy as np
import numpy.typing as npt
from scipy.special import erfc, gammaln

from hedgerow.errors import InvalidArgument
from hedgerow.mechanisms.gaussian import Gaussian
from hedgerow.mechanisms.laplace import Laplace
from hedgerow.numeric.exact_number import Number, parse_probability, parse_whole

__all__ = ["bound_sum_radii", "compute_characteristic", "find_single_radius", "find_sum_radius"]

Floats = npt.NDArray[np.float64]
AdditiveNoise = Laplace | Gaussian

_SLACK = 1e-12
_MAX_TRANSFORM_LENGTH = 2**22
_TERM_COUNTS = (1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 128, 256, 512, 1024)
_ROUNDING_SHARES = (1e-4, 1e-3, 0.003, 0.01, 0.02, 0.05, 0.1, 0.15, 0.2, 0.3)


def find_single_radius(mechanism: AdditiveNoise, beta: Number) -> int:
    """Return the smallest k that one draw exceeds with probability at most ``beta``."""
    return int(mechanism.error(beta))


@lru_cache(maxsize=4096)
def find_sum_radius(mechanism: AdditiveNoise, draws: int, beta: Number) -> int:
    """Return the smallest k that the sum of ``draws`` draws exceeds with probability at most
    ``beta``.
    """
    level, many = float(parse_probability(beta, "beta")), parse_whole(draws, "draws")
    if many == 1:
        return find_single_radius(mechanism, beta)
    spread = float(mechanism.scale) * math.sqrt(2 * many)
    length = 2 ** math.ceil(math.log2(spread * (20 + math.log(1e15)) + 64))
    if length > _MAX_TRANSFORM_LENGTH or level < 1e-9:
        return math.ceil(
            float(
                bound_sum_radii(
                    np.array([many * _compute_continuous_variance(mechanism)]),
                    [mechanism],
                    _compute_continuous_variance(mechanism),
                    beta,
                )[0]
            )
        )
    angles = 2 * math.pi * np.arange(length // 2 + 1) / length
    mass = np.fft.irfft(compute_characteristic(mechanism, angles) ** many, length)[: length // 2]
    tails = 2 * np.cumsum(mass[:0:-1])[::-1]  # tails[k] = Pr[|S| > k]
    return int(np.argmax(tails + _SLACK <= level))


def compute_characteristic(mechanism: AdditiveNoise, angles: Floats) -> Floats:
    """Return E cos(angle Z)."""
    scale = float(mechanism.scale)
    if isinstance(mechanism, Laplace):
        # Noise of a scale below a hundredth is 0 but for e^-100 of the time.
        return (
            np.asarray(1 / (1 + (np.sin(angles / 2) / math.sinh(0.5 / scale)) ** 2))
            if scale > 0.01
            else np.ones_like(angles)
        )
    with np.errstate(under="ignore"):
        if scale < 1:
            z = np.arange(1, 40)
            mass = np.exp(-((z / scale) ** 2) / 2)
            waves = sum(
                one * np.cos(angles * k)
                for k, one in zip(z.tolist(), mass.tolist(), strict=True)
                if one > 1e-20
            )
            return np.asarray((1 + 2 * waves) / (1 + 2 * mass.sum()) + 0 * angles)
        near = angles - 2 * math.pi * np.round(angles / (2 * math.pi))
        turns = 2 * math.pi * np.arange(-2, 3)
        bells = sum(np.exp(-(((near + turn) * scale) ** 2) / 2) for turn in turns.tolist())
        return np.asarray(bells / np.exp(-((turns * scale) ** 2) / 2).sum())


def _compute_continuous_variance(mechanism: AdditiveNoise) -> float:
    """Return the variance of the continuous distribution, at least that of the discrete one."""
    return float(mechanism.scale) ** 2 * (2 if isinstance(mechanism, Laplace) else 1)


def bound_sum_radii(
    variances: Floats, mechanisms: Sequence[AdditiveNoise], largest: Floats | float, beta: Number
) -> Floats:
    """Return a radius for each variance of a weighted sum of draws. ``largest`` bounds the variance
    of one term of each sum.
    """
    level = float(parse_probability(beta, "beta"))
    if not mechanisms or len({type(mechanism) for mechanism in mechanisms}) > 1:
        raise InvalidArgument("mechanisms", "must be at least one, all Laplace or all Gaussian")
    # Noise of a smaller scale than this is 0 but for e^-50 of the time.
    there = Fraction(1, 10) if isinstance(mechanisms[0], Gaussian) else Fraction(1, 50)
    scale = float(
        min((mechanism.scale for mechanism in mechanisms if mechanism.scale > there), default=there)
    )
    spread = np.sqrt(np.asarray(variances, dtype=np.float64))
    most = np.broadcast_to(np.asarray(largest, dtype=np.float64), spread.shape)
    if isinstance(mechanisms[0], Gaussian):
        if scale < 2:  # discrete Gaussian noise is subgaussian: E e^(uZ) <= e^(u^2 s^2/2)
            return np.asarray(
                spread
                * math.sqrt(2 * math.log(2 / level) * scale**2 / _compute_gaussian_variance(scale))
            )
        step = np.sqrt(np.minimum(most, spread**2)) / scale
        return np.asarray(_find_normal_radius(level * (1 - 1e-9)) * spread + step)
    # The continuous sum has a variance larger by at most the ratio, and a term of it a share larger
    # by at most the ratio of the ratios.
    ratio, least = (
        _compute_variance_ratio(scale),
        _compute_variance_ratio(max(float(mechanism.scale) for mechanism in mechanisms)),
    )
    with np.errstate(divide="ignore", invalid="ignore"):
        shares = np.nan_to_num(
            spread**2 / (most * max(ratio / least, 1.0)), nan=1.0, posinf=_TERM_COUNTS[-1]
        )
    places = np.searchsorted(_TERM_COUNTS, np.maximum(shares * (1 + 1e-9), 1), side="right") - 1
    factors = {
        int(place): _find_discrete_factor(_TERM_COUNTS[place], scale, ratio, level)
        for place in np.unique(places)
    }
    return np.asarray(spread * np.vectorize(factors.__getitem__, otypes=[np.float64])(places))


def _compute_variance_ratio(scale: float) -> float:
    """Return the ratio of the variance of continuous Laplace noise of this scale to that of
    discrete noise.
    """
    return (2 * max(scale, 0.02) * math.sinh(0.5 / max(scale, 0.02))) ** 2


def _compute_gaussian_variance(scale: float) -> float:
    z = np.arange(-40.0, 41.0)
    with np.errstate(under="ignore"):
        mass = np.exp(-((z / scale) ** 2) / 2)
    return float((mass * z**2).sum() / mass.sum())


@lru_cache(maxsize=1024)
def _find_discrete_factor(terms: int, scale: float, ratio: float, level: float) -> float:
    """Return the least r + h, in standard deviations of the discrete sum: the norm of its weights
    is at most sqrt(ratio/2)/scale of them.
    """
    norm = math.sqrt(ratio / 2) / scale
    return min(
        _find_laplace_factor(terms, level * (1 - left)) * math.sqrt(ratio)
        + math.sqrt(math.log(1 / left) / 3) * norm
        for left in _ROUNDING_SHARES
    )


@lru_cache(maxsize=1024)
def _find_laplace_factor(terms: int, level: float) -> float:
    """Return how many standard deviations a sum of Laplace noise stays within, if no term has more
    than 1/terms of the variance.
    """
    shares = np.geomspace(1e-9, 1 + 60 / math.sqrt(terms), 6001)
    logs = terms * math.log(terms) - float(gammaln(terms)) + terms * np.log(shares) - terms * shares
    with np.errstate(under="ignore"):
        density = np.exp(logs)  # of the logarithm of the share

    def beyond(far: float) -> float:
        bent = far**2 / 3
        inner = np.minimum(shares, bent)
        slope = math.exp(-1.5) * far / (math.sqrt(2 * math.pi) * bent**1.5)
        with np.errstate(under="ignore"):
            value = erfc(far / np.sqrt(2 * inner)) + slope * (shares - inner)
        return float(np.trapezoid(value * density, np.log(shares)))

    return _find_least(lambda far: beyond(far) * (1 + 1e-5) <= level, 2 * math.log(4 / level) + 4)


@lru_cache(maxsize=256)
def _find_normal_radius(level: float) -> float:
    return _find_least(lambda far: math.erfc(far / math.sqrt(2)) <= level, 40.0)


def _find_least(enough: Callable[[float], bool], high: float) -> float:
    """Return the smallest sufficient number, rounded up."""
    low = 1e-9
    while high - low > 1e-9 * high:
        middle = (low + high) / 2
        low, high = (low, middle) if enough(middle) else (middle, high)
    return high
