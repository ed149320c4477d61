"""Admissibility of noise for smooth sensitivity: the sliding and the dilation property, measured
from densities.

``check_sliding(mechanism)`` shifts the noise by many distances up to alpha,
``check_dilation(mechanism)`` scales it by many factors between e^-beta and e^beta, and
``check_joint_move(mechanism)`` does both to the noise of one number, as a neighbour may. Each
returns the worst result and the bound that the proof of
``mechanisms.data_dependent.smooth_sensitivity`` allows. The checks use the densities alone, on
grids of points, and none of the formulas for the constants.

- Power noise, and sliding of Laplace noise, are pure: the largest log ratio of densities counts.

- Otherwise the largest excess counts, the integral of (p - e^e q)+ in both orders. A dilation
changes the length of Z only (the l1 norm for Laplace noise, the l2 norm for Gaussian), so that the
density of the length decides.

Jointly, e = epsilon and delta are allowed. For one number the constants are made for that alone,
and each step by itself may use all of them. For several numbers, and with the classical constants,
each step has e = epsilon/2; of delta, dilation has all for Laplace noise, and for Gaussian noise
delta/2, and sliding, which comes second, e^(-epsilon/2) delta/2.

A grid can show a violation but not its absence, which the proof establishes. Integrals are accurate
to a part in 10^5.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import exp, inf, lgamma, log, pi, sqrt

import numpy as np

from hedgerow.errors import InvalidArgument
from hedgerow.mechanisms.data_dependent.smooth_sensitivity import SmoothSensitivity
from hedgerow.numeric.exact_number import Number, parse_positive
from hedgerow.numeric.vectorised import Floats

__all__ = ["AdmissibilityCheck", "check_dilation", "check_joint_move", "check_sliding"]

_SLACK = 1e-5
_FRACTIONS = np.linspace(0.1, 1, 10)
_GRID_POINTS = 10_001

LogDensity = Callable[[Floats], Floats]


@dataclass(frozen=True)
class AdmissibilityCheck:
    """The worst loss (or, with delta, excess) found for a property, and the allowed value."""

    name: str
    worst_found: float
    allowed: float

    @property
    def holds(self) -> bool:
        """True if the worst result is allowed, up to the error of the integrals."""
        return self.worst_found <= self.allowed * (1 + _SLACK)

    def __bool__(self) -> bool:
        return self.holds

    def __str__(self) -> str:
        return (
            f"{self.name} {'holds' if self.holds else 'fails'}: {self.worst_found:.6g} found,"
            f" {self.allowed:.6g} allowed"
        )


def check_sliding(mechanism: SmoothSensitivity, alpha: Number | None = None) -> AdmissibilityCheck:
    """Shift the noise by up to ``alpha``, by default the mechanism's own."""
    shifts = _FRACTIONS * float(
        mechanism.alpha if alpha is None else parse_positive(alpha, "alpha")
    )
    each, delta = float(mechanism.epsilon), float(mechanism.delta)
    if not _uses_joint_constants(mechanism):
        each, delta = each / 2, delta / 2 * exp(-each / 2)
    density = _log_density(mechanism)
    if mechanism.noise == "gaussian":
        return AdmissibilityCheck(
            "sliding",
            max(
                _compute_excess(density, _shift_density(density, shift), -40, 40 + shift, each)
                for shift in shifts
            ),
            delta,
        )
    z = _make_grid()
    return AdmissibilityCheck(
        "sliding",
        max(float(np.abs(density(z + shift) - density(z)).max()) for shift in shifts),
        each,
    )


def check_dilation(mechanism: SmoothSensitivity, beta: Number | None = None) -> AdmissibilityCheck:
    """Scale the noise up and down by up to e^``beta``, by default the mechanism's own."""
    stretches = _FRACTIONS * float(mechanism.beta if beta is None else parse_positive(beta, "beta"))
    d, delta = mechanism.dimension, float(mechanism.delta)
    each = float(mechanism.epsilon) / (1 if _uses_joint_constants(mechanism) else 2)
    if mechanism.noise == "power":
        density, z = _log_density(mechanism), _make_grid()
        worst = max(
            float(np.abs(stretch + density(exp(stretch) * z) - density(z)).max())
            for stretch in stretches
        )
        return AdmissibilityCheck("dilation", d * worst, each)
    length, share = _laplace_norm_density(d), delta
    if mechanism.noise == "gaussian":
        length, share = _normal_norm_density(d), delta / 2
    far = d + 40 * sqrt(d) + 2 * log(1 / delta) + 40
    worst = max(
        _compute_excess(length, _dilate_density(length, stretch), 1e-9, exp(stretch) * far, each)
        for stretch in stretches
    )
    return AdmissibilityCheck(
        "dilation", worst, delta if _uses_joint_constants(mechanism) else share
    )


def check_joint_move(
    mechanism: SmoothSensitivity, alpha: Number | None = None, beta: Number | None = None
) -> AdmissibilityCheck:
    """Shift the noise of one number by up to ``alpha`` and scale the wider of the two by up to
    e^``beta``, in both orders.
    """
    if mechanism.dimension != 1:
        raise InvalidArgument(
            "mechanism",
            "must answer with one number; check sliding and dilation for several",
            mechanism,
        )
    shifts = _FRACTIONS * float(
        mechanism.alpha if alpha is None else parse_positive(alpha, "alpha")
    )
    stretches = np.append(0, _FRACTIONS) * float(
        mechanism.beta if beta is None else parse_positive(beta, "beta")
    )
    epsilon, density = float(mechanism.epsilon), _log_density(mechanism)
    pairs = [
        (_shift_density(_dilate_density(density, stretch), shift), stretch)
        for shift in shifts
        for stretch in stretches
    ]
    if mechanism.noise == "power":
        z, worst = _make_grid(), 0.0
        for other, stretch in pairs:
            points = np.concatenate([z, z * exp(stretch)])
            worst = max(worst, float(np.abs(density(points) - other(points)).max()))
        return AdmissibilityCheck("the joint property", worst, epsilon)
    far = 2 * log(1 / float(mechanism.delta)) + 40 + float(shifts[-1])
    worst = max(
        _compute_excess(density, other, -exp(stretch) * far, exp(stretch) * far, epsilon)
        for other, stretch in pairs
    )
    return AdmissibilityCheck("the joint property", worst, float(mechanism.delta))


def _uses_joint_constants(mechanism: SmoothSensitivity) -> bool:
    return mechanism.dimension == 1 and not mechanism.classical


def _compute_excess(
    one: LogDensity, other: LogDensity, low: float, high: float, epsilon: float
) -> float:
    """Return the larger of the integrals of (p - e^epsilon q)+ in both orders, from the logarithms
    of p and q.

    The positive part is one interval or two, at the ends of the line; it is located on a grid, and
    then on finer grids around it.
    """
    return max(
        _integrate_excess(one, other, low, high, epsilon),
        _integrate_excess(other, one, low, high, epsilon),
    )


@np.errstate(divide="ignore", under="ignore", invalid="ignore")
def _integrate_excess(
    one: LogDensity, other: LogDensity, low: float, high: float, epsilon: float
) -> float:
    top, total = -inf, 0.0
    for _ in range(3):
        x = np.linspace(low, high, _GRID_POINTS)
        p = one(x)
        gain = p + np.log(-np.expm1(np.minimum(epsilon + other(x) - p, 0)))
        top = float(gain.max())
        if top == -inf:
            return 0.0
        total = exp(top) * float(np.trapezoid(np.exp(gain - top), x))
        kept = np.flatnonzero(gain > top - 50)
        low, high = x[max(kept[0] - 1, 0)], x[min(kept[-1] + 1, _GRID_POINTS - 1)]
    return total


def _shift_density(density: LogDensity, shift: float) -> LogDensity:
    return lambda z: density(z - shift)


def _dilate_density(density: LogDensity, stretch: float) -> LogDensity:
    return lambda z: density(z * exp(-stretch)) - stretch


def _make_grid() -> Floats:
    """Return points of the whole line, dense around 0 and around 1, on both sides."""
    half = np.concatenate([np.linspace(0, 30, 30_001), np.geomspace(30, 1e6, 2000)])
    return np.concatenate([-half[::-1], half])


def _log_density(mechanism: SmoothSensitivity) -> LogDensity:
    """Return the log-density; for power noise, up to a constant."""
    if mechanism.noise == "laplace":
        return lambda z: -np.abs(z) - log(2)
    if mechanism.noise == "gaussian":
        return _normal_log_density
    return lambda z: -np.log1p(np.abs(z) ** float(mechanism.gamma))


def _normal_log_density(z: Floats) -> Floats:
    return -(z**2) / 2 - log(2 * pi) / 2


def _laplace_norm_density(d: int) -> LogDensity:
    return lambda r: (d - 1) * np.log(r) - r - lgamma(d)


def _normal_norm_density(d: int) -> LogDensity:
    return lambda r: (d - 1) * np.log(r) - r**2 / 2 - lgamma(d / 2) - (d / 2 - 1) * log(2)
