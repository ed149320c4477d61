"""Is noise admissible for smooth sensitivity? The sliding and the dilation property, measured from densities.

``sliding(mechanism)`` moves the noise by many distances up to alpha, ``dilation(mechanism)`` scales it by many factors between e^-beta
and e^beta; each returns the worst that happens and what the proof of ``mechanisms.smooth_sensitivity`` allows. Nothing is taken from the
formulas that the constants come from: only the densities, on grids of points, are.

- Power noise, and sliding of Laplace noise, are pure: the largest logarithm of a ratio of densities, at most epsilon/2.
- Else the largest excess, the integral of (p - e^(epsilon/2) q)+ in both orders. A dilation changes the length of Z only (the l1 norm for
  Laplace noise, the l2 norm for Gaussian), so it is the density of the length that counts. At most delta for Laplace noise; for
  Gaussian delta/2, and e^(-epsilon/2) delta/2 for sliding, which comes second.

A grid shows a breach, never its absence; the absence is what the proof is for. Integrals are good to a part in 10^5.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import exp, inf, lgamma, log, pi, sqrt

import numpy as np

from hedgerow.mechanisms.smooth_sensitivity import SmoothSensitivity
from hedgerow.numeric.chunk import Floats
from hedgerow.numeric.number import Number, positive

__all__ = ["Step", "dilation", "sliding"]

_SLACK = 1e-5
_SHARES = np.linspace(0.1, 1, 10)
_POINTS = 10_001

LogDensity = Callable[[Floats], Floats]


@dataclass(frozen=True)
class Step:
    """The worst loss (or, with delta, excess) that was found for one of the two properties, and how much is allowed."""

    name: str
    worst: float
    allowed: float

    @property
    def holds(self) -> bool:
        """Whether the worst is allowed, up to the error of integrals."""
        return self.worst <= self.allowed * (1 + _SLACK)

    def __bool__(self) -> bool:
        return self.holds

    def __str__(self) -> str:
        return f"{self.name} {'holds' if self.holds else 'fails'}: {self.worst:.6g} found, {self.allowed:.6g} allowed"


def sliding(mechanism: SmoothSensitivity, alpha: Number | None = None) -> Step:
    """Moves the noise by up to ``alpha``, by default the mechanism's own."""
    shifts = _SHARES * float(mechanism.alpha if alpha is None else positive(alpha, "alpha"))
    half = float(mechanism.epsilon) / 2
    if mechanism.noise == "gaussian":
        worst = max(_excess(_normal, _moved(_normal, shift), -40, 40 + shift, half) for shift in shifts)
        return Step("sliding", worst, float(mechanism.delta) / 2 * exp(-half))
    density, z = _density(mechanism), _line()
    return Step("sliding", max(float(np.abs(density(z + shift) - density(z)).max()) for shift in shifts), half)


def dilation(mechanism: SmoothSensitivity, beta: Number | None = None) -> Step:
    """Scales the noise by up to e^``beta``, by default the mechanism's own, and down as far."""
    stretches = _SHARES * float(mechanism.beta if beta is None else positive(beta, "beta"))
    half, d, delta = float(mechanism.epsilon) / 2, mechanism.dimension, float(mechanism.delta)
    if mechanism.noise == "power":
        density, z = _density(mechanism), _line()
        worst = max(float(np.abs(stretch + density(exp(stretch) * z) - density(z)).max()) for stretch in stretches)
        return Step("dilation", d * worst, half)
    length, share = (_laplace_length(d), delta) if mechanism.noise == "laplace" else (_normal_length(d), delta / 2)
    far = d + 40 * sqrt(d) + 2 * log(1 / delta) + 40
    worst = max(_excess(length, _scaled(length, stretch), 1e-9, exp(stretch) * far, half) for stretch in stretches)
    return Step("dilation", worst, share)


def _excess(one: LogDensity, other: LogDensity, low: float, high: float, epsilon: float) -> float:
    """The larger of the integrals of (p - e^epsilon q)+ in both orders, from the logarithms of p and q.

    The ratio is monotone, so what is above 0 is one interval: it is sought on a grid, and then on finer ones around it.
    """
    return max(_one_sided(one, other, low, high, epsilon), _one_sided(other, one, low, high, epsilon))


@np.errstate(divide="ignore", under="ignore", invalid="ignore")
def _one_sided(one: LogDensity, other: LogDensity, low: float, high: float, epsilon: float) -> float:
    top, total = -inf, 0.0
    for _ in range(3):
        x = np.linspace(low, high, _POINTS)
        p = one(x)
        gain = p + np.log(-np.expm1(np.minimum(epsilon + other(x) - p, 0)))
        top = float(gain.max())
        if top == -inf:
            return 0.0
        total = exp(top) * float(np.trapezoid(np.exp(gain - top), x))
        kept = np.flatnonzero(gain > top - 50)
        low, high = x[max(kept[0] - 1, 0)], x[min(kept[-1] + 1, _POINTS - 1)]
    return total


def _moved(density: LogDensity, shift: float) -> LogDensity:
    return lambda z: density(z - shift)


def _scaled(density: LogDensity, stretch: float) -> LogDensity:
    return lambda z: density(z * exp(-stretch)) - stretch


def _line() -> Floats:
    """Points of the whole line, dense around 0 and around 1, on both sides."""
    half = np.concatenate([np.linspace(0, 30, 30_001), np.geomspace(30, 1e6, 2000)])
    return np.concatenate([-half[::-1], half])


def _density(mechanism: SmoothSensitivity) -> LogDensity:
    """The logarithm of the density, up to a constant."""
    if mechanism.noise == "laplace":
        return lambda z: -np.abs(z)
    return lambda z: -np.log1p(np.abs(z) ** float(mechanism.gamma))


def _normal(z: Floats) -> Floats:
    return -(z**2) / 2 - log(2 * pi) / 2


def _laplace_length(d: int) -> LogDensity:
    return lambda r: (d - 1) * np.log(r) - r - lgamma(d)


def _normal_length(d: int) -> LogDensity:
    return lambda r: (d - 1) * np.log(r) - r**2 / 2 - lgamma(d / 2) - (d / 2 - 1) * log(2)
