"""Variances of discrete noise: of one draw, and of a weighted sum."""

from __future__ import annotations

import math

import numpy as np

from hedgerow.accuracy.weighted_noise import WeightedNoise
from hedgerow.mechanisms.laplace import Laplace
from hedgerow.release.noise import AdditiveNoise

__all__ = ["compute_noise_variance", "compute_variance"]


def compute_noise_variance(mechanism: AdditiveNoise) -> float:
    """Return the variance of one draw: 2q/(1-q)^2 = 1/(2 sinh^2(1/2t)) for discrete Laplace noise
    of scale t, q = e^(-1/t).

    For discrete Gaussian noise it is the square of the scale, up to a relative error of 10^-30 from
    a scale of 2 on (Poisson summation).
    """
    scale = float(mechanism.scale)
    if isinstance(mechanism, Laplace):
        return 0.5 / math.sinh(0.5 / scale) ** 2 if scale > 2e-3 else 0.0
    if scale >= 2:
        return scale**2
    z = np.arange(-80.0, 81.0)
    with np.errstate(under="ignore"):
        mass = np.exp(-((z / scale) ** 2) / 2)
    return float((mass * z**2).sum() / mass.sum())


def compute_variance(mechanism: WeightedNoise) -> float:
    """Return the exact variance of weighted noise."""
    return sum(float(share) ** 2 * compute_noise_variance(one) for one, share in mechanism.terms)
