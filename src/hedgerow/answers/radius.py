"""How far several noisy numbers, each times a weight, may be off together."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from functools import lru_cache

import numpy as np

from hedgerow.answers.blend import Blend
from hedgerow.mechanisms.gaussian import Gaussian
from hedgerow.numeric.tail import gaussian_radius
from hedgerow.release import Additive

__all__ = ["mean_size", "radius"]


def radius(law: Additive | Blend, weights: Sequence[Fraction], beta: Fraction) -> Fraction:
    """The sum of weights times independent noise stays within this, except with probability at most ``beta``.

    One number: exactly. Several: for Gaussian noise that of the same variance, a step more for being discrete. Discrete Laplace noise lies
    within a step of continuous noise of the same scale (cut the exponential draw to a whole number, keep the sign): so their sum has the
    tail of the continuous sum, a step for each number later.
    """
    known = _parts(law, weights)
    if len(known) == 1:
        ((one, weight),) = known
        return weight * int(one.error(beta))
    steps, largest = sum((weight for _, weight in known), Fraction(0)), max(one.scale * weight for one, weight in known)
    if any(isinstance(one, Gaussian) for one, _ in known):
        unit = max(weight for _, weight in known)
        size = math.sqrt(sum(float(one.scale * weight) ** 2 for one, weight in known)) / float(unit)
        return unit * (gaussian_radius(size, float(beta)) + 1)
    sizes = tuple(sorted(float(one.scale * weight / largest) for one, weight in known))
    far = Fraction(_laplace_radius(sizes, float(beta))) * largest + steps
    return min(far, sum((weight * int(one.error(beta / len(known))) for one, weight in known), Fraction(0)))


def _parts(law: Additive | Blend, weights: Sequence[Fraction]) -> list[tuple[Additive, Fraction]]:
    """Every draw of noise, with its weight."""
    used = [abs(weight) for weight in weights if weight]
    laws = law.parts if isinstance(law, Blend) else ((law, Fraction(1)),)
    return [(one, weight * share) for weight in used for one, share in laws if share]


@lru_cache(maxsize=256)
def _laplace_radius(sizes: tuple[float, ...], beta: float) -> float:
    """Where the tails of a sum of continuous Laplace noise of these scales, the largest of which is 1, hold ``beta`` or a little less."""
    low, high = 0.0, len(sizes) * math.log(len(sizes) / beta) + 1
    while high - low > 1e-6 * high:
        middle = (low + high) / 2
        low, high = (low, middle) if _beyond(middle, sizes) <= beta * 0.999 else (middle, high)
    return high


def _beyond(t: float, sizes: tuple[float, ...]) -> float:
    """Pr[|S| > t]: twice the integral of e^(-zt) M(z)/(2 pi i z) over z = c + iy, M(z) = prod 1/(1 - (b z)^2), at a c near the saddle."""
    tried, squares = np.linspace(0.01, 0.99, 99), np.square(sizes)
    c = tried[np.argmin(-tried * t - np.log1p(-np.outer(tried**2, squares)).sum(axis=1) - np.log(tried))]
    y = np.sinh(np.linspace(0, 12, 40_001)) / 100  # up to 800 scales, closest together at 0
    z = c + 1j * y
    value = np.exp(-z * t - np.log(1 - np.multiply.outer(z * z, squares)).sum(axis=1)) / z
    return float(2 * np.trapezoid(value.real, y) / math.pi)


def mean_size(law: Additive | Blend, weights: Sequence[Fraction]) -> float:
    """The mean absolute value of weights times independent noise.

    One number: 1/sinh(1/t) steps for discrete Laplace noise of scale t, about sigma sqrt(2/pi) for discrete Gaussian noise. Several Laplace
    ones: the integral of (1 - f(u))/u^2 over u > 0, times 2/pi, where f is the characteristic function, prod 1/(1 + (w b u)^2).
    """
    known = _parts(law, weights)
    sizes = np.array([float(one.scale * weight) for one, weight in known])
    if any(isinstance(one, Gaussian) for one, _ in known):
        return math.sqrt(2 / math.pi) * math.sqrt(float(np.square(sizes).sum()))
    if len(known) == 1:
        ((one, weight),) = known
        return float(weight) / math.sinh(1 / float(one.scale)) if one.scale > Fraction(1, 500) else 0.0
    u = np.tan((np.arange(20_000) + 0.5) * (math.pi / 2 / 20_000)) / sizes.max()
    near = -np.expm1(-np.log1p((u[:, None] * sizes) ** 2).sum(axis=1))
    slope = (1 + (u * sizes.max()) ** 2) / sizes.max() * (math.pi / 2 / 20_000)
    return float(2 / math.pi * np.sum(near / u**2 * slope))
