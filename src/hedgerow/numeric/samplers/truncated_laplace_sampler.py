"""Discrete Laplace noise that is *cut* at k: drawn again until |Z| <= k. How it is drawn, and how
far it reaches.

Let q = e^(-1/scale). Its law is that of discrete Laplace noise, given |Z| <= k:

- Pr[Z >= m] = q^m (1 - q^(k+1-m))/(1 + q - 2 q^(k+1)) for 1 <= m <= k, and 1 - Pr[Z >= 1 - m] for m
  <= 0, since it is symmetric.
- Pr[|Z| > r] <= level just if noise that is not cut exceeds r with at most level/2 + (1 - level) t,
  where it exceeds k with t. That is 2 (Pr[Z > r] - t)/(1 - 2 t) <= level, put the other way round.

How often it is drawn again depends on scale and cut alone. ``laplace_tail.laplace_cut`` has the cut
that a delta takes.
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
    """``size`` independent draws. A cut far below the scale keeps hardly any."""
    noise = discrete_laplace(scale, size)
    far = np.flatnonzero(np.abs(noise) > cut)
    while far.size:
        noise[far] = discrete_laplace(scale, far.size)
        far = far[np.abs(noise[far]) > cut]
    return noise


def truncated_laplace_tail(scale: Fraction, cut: int, m: int) -> float:
    """Pr[Z >= m] as a double."""
    if m <= 0:
        return 1.0 if m <= -cut else 1 - truncated_laplace_tail(scale, cut, 1 - m)
    if m > cut:
        return 0.0
    rate = float(1 / scale)
    start, rest, last = (
        -rate * float(min(steps, _MAX_FLOAT_STEPS)) for steps in (m, cut + 1 - m, cut + 1)
    )
    return exp(start) * expm1(rest) / (expm1(last) + exp(-rate) * expm1(last + rate))


def truncated_laplace_radius(scale: Fraction, cut: int, level: Fraction) -> int:
    """The smallest r with Pr[|Z| > r] <= level, for certain; within a part in 10^38 of a tie it
    may be one more.
    """
    beyond = exp_bounds(-(cut + 1) / scale)[0] / (1 + exp_bounds(-1 / scale)[1])
    return min(cut, laplace_threshold(scale, level / 2 + (1 - level) * beyond) - 1)
