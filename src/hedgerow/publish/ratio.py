"""Intervals of a mean over a noisy histogram, where each bin says only between which numbers its values lie.

**Statement.** Let n_i be the exact counts, c_i = n_i + noise, and t = (sum over all rows of x)/(sum of n_i) the mean of numbers x that lie
between a_i and b_i for the rows of bin i. ``ends`` holds t with probability at least 1 - beta, whatever the data.

**Proof** (Fieller 1954, with one test for each end). sum n_i (a_i - t) <= 0 <= sum n_i (b_i - t). So sum c_i (a_i - t) > r(a - t) only
where the noise sum z_i (a_i - t) is above r, its radius at beta, and sum c_i (b_i - t) < -r(b - t) only where it is below: each has
probability beta/2, noise being symmetric. Every t is tested at its own weights, and the exact one alone must pass: no union bound.

**The ends.** r(a - t) is a norm of the weights, and so convex in t: the t that the first test refuses are an interval, since a line less a
convex function is above 0 there. If it begins at the least t there is, what is left begins where it ends, which halving finds; so from
above with the second test. For Laplace noise r is a factor times the standard deviation, and the factor depends on how many terms share
the variance at least; over all t that is m s^2/(s^2 + d^2), s^2 the variance of the m points and d the distance of their mean from the
farther end: (sum of (x - t)^2)/(t - end)^2 is a quadratic in 1/(t - end) with that minimum.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from hedgerow.mechanisms.gaussian import Gaussian
from hedgerow.publish.designs import Floats, Law, noise_variance
from hedgerow.publish.intervals import sum_radii

__all__ = ["Noise", "Points", "ends"]

_HALVINGS = 60
_ROUNDED = 1e-11  # what the sums of doubles below may lose, as a part of what is summed


@dataclass(frozen=True, slots=True)
class Noise:
    """The noise of each bin: the sum of so many ``draws`` of a law. ``beta`` is how often an interval may miss. A bin may be
    ``lost`` too low before it is added."""

    law: Law
    draws: int
    beta: Fraction
    lost: float = 0.0

    def factors(self, shared: Floats) -> tuple[Floats, float]:
        """A radius is so many standard deviations of the sum, plus so many of its largest term (Gaussian noise: one step of it). Of Laplace
        noise by how many bins at least the variance is ``shared``."""
        if not isinstance(self.law, Gaussian):
            return np.asarray(sum_radii(np.ones_like(shared), [self.law], 1 / np.maximum(shared * self.draws, 1), self.beta)), 0.0
        without, with_step = sum_radii(np.ones(2), [self.law], np.array([0.0, 1.0]), self.beta)
        return np.full_like(shared, without), float(with_step - without)


@dataclass(frozen=True, slots=True, eq=False)
class Points:
    """What is needed of numbers x, one for each bin, for several means at once: sums of c x, x, x^2 and |c x|, and the ends of x."""

    weighted: Floats
    first: Floats
    second: Floats
    size: Floats
    low: Floats
    high: Floats
    bins: int

    @classmethod
    def of(cls, points: Any, counts: Floats) -> Points:
        """Of a row of points for each mean, or one row for all; of counts likewise."""
        rows = np.atleast_2d(np.asarray(points, dtype=np.float64))
        weighted, size = (_product(a, b) for a, b in ((rows, counts), (np.abs(rows), np.abs(counts))))
        return cls(weighted, rows.sum(axis=1), np.square(rows).sum(axis=1), size, rows.min(axis=1), rows.max(axis=1), rows.shape[1])

    @property
    def shared(self) -> Floats:
        """By how many bins the variance of the noise is shared at least, at every t."""
        mean = self.first / self.bins
        spread = np.maximum(self.second / self.bins - mean**2, 0)
        far = np.maximum(mean - self.low, self.high - mean)
        return np.asarray(self.bins * spread * (1 - 1e-9) / np.maximum(spread + far**2, 1e-300))

    def radii(self, at: Floats, noise: Noise, factors: tuple[Floats, float]) -> Floats:
        """The radius of the noise of sum c (x - t)."""
        # Rounded upwards: a sum of squares of differences, from sums of powers.
        squares = self.second - 2 * at * self.first + self.bins * at**2
        squares = np.maximum(squares, 0) + _ROUNDED * (self.second + self.bins * at**2)
        most = np.maximum(np.abs(self.low - at), np.abs(self.high - at))
        one = math.sqrt(noise_variance(noise.law))
        lost = noise.lost * np.sqrt(self.bins * squares)  # by Cauchy and Schwarz at least as much as the sum of |x - t|, and convex in t
        return np.asarray(one * (factors[0] * np.sqrt(noise.draws * squares) + factors[1] * most) + lost)


def ends(low: Points, high: Points, counts: Floats, noise: Noise) -> tuple[Floats, Floats]:
    """The ends of the interval of each mean of numbers between ``low`` and ``high``."""
    total, sizes = counts.sum(axis=-1), np.abs(counts).sum(axis=-1)
    factors = [noise.factors(points.shared) for points in (low, high)]

    def too_low(at: Floats) -> Any:
        lost = _ROUNDED * (low.size + sizes * np.abs(at))
        return low.weighted - total * at - low.radii(at, noise, factors[0]) - lost > 0

    def too_high(at: Floats) -> Any:
        lost = _ROUNDED * (high.size + sizes * np.abs(at))
        return high.weighted - total * at + high.radii(at, noise, factors[1]) + lost < 0

    start, stop = (np.broadcast_to(end, low.weighted.shape) for end in (low.low, high.high))
    return _edge(too_low, start, stop), _edge(too_high, stop, start)


def _product(rows: Floats, counts: Floats) -> Floats:
    return np.asarray(rows @ counts if counts.ndim == 1 else (rows * counts).sum(axis=1))


def _edge(refused: Any, start: Floats, stop: Floats) -> Floats:
    """How far from ``start`` on everything is refused; nothing, where that is all there is: then noise is all there is."""
    inside, outside = start.copy(), stop.copy()
    for _ in range(_HALVINGS):
        middle = (inside + outside) / 2
        out = refused(middle)
        inside, outside = np.where(out, middle, inside), np.where(out, outside, middle)
    known = refused(start) & ~refused(stop)
    return np.asarray(np.where(known, inside, start))
