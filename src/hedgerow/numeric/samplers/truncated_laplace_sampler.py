"""Truncated discrete Laplace noise: redrawn until |Z| <= cut. Sampler, tail and radius.

**Symbols.** q = e^(-1/scale); k = the cut; t = the probability that untruncated noise exceeds k.

The distribution is that of discrete Laplace noise, given |Z| <= k:

- Pr[Z >= m] = q^m (1 - q^(k+1-m))/(1 + q - 2 q^(k+1)) for 1 <= m <= k, and 1 - Pr[Z >= 1 - m] for m
  <= 0, by symmetry.
- Pr[|Z| > r] <= level exactly if untruncated noise exceeds r with probability at most level/2 + (1
  - level) t. This is 2 (Pr[Z > r] - t)/(1 - 2 t) <= level, rearranged.

The number of redraws depends on scale and cut alone. ``tails.laplace.laplace_truncation`` computes
the cut for a given delta.
"""

from __future__ import annotations

from fractions import Fraction
from math import exp, expm1

import numpy as np

from hedgerow.numeric.rounding import exp_bounds
from hedgerow.numeric.samplers.laplace_sampler import discrete_laplace
from hedgerow.numeric.tails.laplace import laplace_threshold
from hedgerow.numeric.vectorised import Integers

__all__ = ["truncated_laplace", "truncated_laplace_radius", "truncated_laplace_tail"]

_MAX_FLOAT_STEPS = 10**300


def truncated_laplace(scale: Fraction, cut: int, size: int) -> Integers:
    """Draw ``size`` independent values. A cut far below the scale rejects nearly all draws."""
    noise = discrete_laplace(scale, size)
    far = np.flatnonzero(np.abs(noise) > cut)
    while far.size:
        noise[far] = discrete_laplace(scale, far.size)
        far = far[np.abs(noise[far]) > cut]
    return noise


def truncated_laplace_tail(scale: Fraction, cut: int, m: int) -> float:
    """Return Pr[Z >= m] as a double."""
    if m <= 0:
        return 1.0 if m <= -cut else 1 - truncated_laplace_tail(scale, cut, 1 - m)
    if m > cut:
        return 0.0
    rate = float(1 / scale)
    counts = (min(steps, _MAX_FLOAT_STEPS) for steps in (m, cut + 1 - m, cut + 1))
    start, rest, last = (-rate * float(steps) for steps in counts)
    return exp(start) * expm1(rest) / (expm1(last) + exp(-rate) * expm1(last + rate))


def truncated_laplace_radius(scale: Fraction, cut: int, level: Fraction) -> int:
    """Return the smallest r with Pr[|Z| > r] <= level, decided by rational bounds.

    Within one part in 10^38 of a tie it may be one more.
    """
    beyond = exp_bounds(-(cut + 1) / scale)[0] / (1 + exp_bounds(-1 / scale)[1])
    return min(cut, laplace_threshold(scale, level / 2 + (1 - level) * beyond) - 1)
