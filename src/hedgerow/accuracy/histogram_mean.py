"""Intervals of a mean over a noisy histogram, where each bin only bounds its values.

| symbol | meaning |
|---|---|
| n_i, c_i, z_i | the exact and the noisy count of bin i, and its noise |
| a_i, b_i | the bounds of the values in bin i |
| t | the exact mean: (sum over all rows of x)/(sum of n_i) |
| r(w) | the radius at beta of the noise with the weights w |
| m, s^2 | the number of points, and their variance |
| d | the distance of their mean from the farther end |

**Statement.** ``compute_bin_mean_intervals`` contains t with probability at least 1 - beta,
whatever the data.

**Proof** (Fieller 1954, with one test for each end). sum n_i (a_i - t) <= 0 <= sum n_i (b_i - t).
So sum c_i (a_i - t) > r(a - t) only if the noise sum z_i (a_i - t) is above r, and sum c_i (b_i -
t) < -r(b - t) only if it is below -r: each has probability beta/2, because the noise is symmetric.
Every t is tested at its own weights, and only the exact one must pass: no union bound. []

**The ends.** r(a - t) is a norm of the weights, and so convex in t: the set of t that the first
test refuses is an interval, since a line less a convex function is above 0 there. If it begins at
the least possible t, the rest begins where it ends, which bisection finds; likewise from above with
the second test. For Laplace noise r is a factor times the standard deviation, and the factor
depends on how many terms share the variance at least; over all t that is m s^2/(s^2 + d^2): (sum of
(x - t)^2)/(t - end)^2 is a quadratic in 1/(t - end) with that minimum.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from hedgerow.accuracy.noise_sum import AdditiveNoise, bound_sum_radii
from hedgerow.accuracy.noise_variance import compute_noise_variance
from hedgerow.mechanisms.gaussian import Gaussian
from hedgerow.numeric.vectorised import Floats

__all__ = ["BinNoise", "BinPoints", "compute_bin_mean_intervals"]

_HALVINGS = 60
_ROUNDING_ERROR = 1e-11  # what the sums of doubles below may lose, as a part of what is summed


@dataclass(frozen=True, slots=True)
class BinNoise:
    """The noise of each bin: the sum of ``draws`` draws of a mechanism. An interval may miss with
    probability ``beta``. A bin may lack up to ``max_loss`` before noise is added.
    """

    mechanism: AdditiveNoise
    draws: int
    beta: Fraction
    max_loss: float = 0.0

    def compute_factors(self, shared: Floats) -> tuple[Floats, float]:
        """Return a radius as a multiple of the standard deviation of the sum, plus a multiple of
        that of its largest term (for Gaussian noise, one step).

        For Laplace noise, ``shared`` is a lower bound on the number of bins that share the
        variance.
        """
        if not isinstance(self.mechanism, Gaussian):
            return (
                np.asarray(
                    bound_sum_radii(
                        np.ones_like(shared),
                        [self.mechanism],
                        1 / np.maximum(shared * self.draws, 1),
                        self.beta,
                    )
                ),
                0.0,
            )
        without, with_step = bound_sum_radii(
            np.ones(2), [self.mechanism], np.array([0.0, 1.0]), self.beta
        )
        return np.full_like(shared, without), float(with_step - without)


@dataclass(frozen=True, slots=True, eq=False)
class BinPoints:
    """Sums over numbers x, one for each bin, for several means at once: of c x, x, x^2 and |c x|,
    and the ends of x.
    """

    weighted: Floats
    sums: Floats
    square_sums: Floats
    absolute_sums: Floats
    low: Floats
    high: Floats
    bins: int

    @classmethod
    def from_points(cls, points: Any, counts: Floats) -> BinPoints:
        """Build the sums from a row of points for each mean, or one row for all; likewise the
        counts.
        """
        rows = np.atleast_2d(np.asarray(points, dtype=np.float64))
        weighted, size = (
            _multiply_rows(a, b) for a, b in ((rows, counts), (np.abs(rows), np.abs(counts)))
        )
        return cls(
            weighted,
            rows.sum(axis=1),
            np.square(rows).sum(axis=1),
            size,
            rows.min(axis=1),
            rows.max(axis=1),
            rows.shape[1],
        )

    @property
    def variance_sharers(self) -> Floats:
        """A lower bound on the number of bins that share the variance of the noise, at every t."""
        mean = self.sums / self.bins
        spread = np.maximum(self.square_sums / self.bins - mean**2, 0)
        far = np.maximum(mean - self.low, self.high - mean)
        return np.asarray(self.bins * spread * (1 - 1e-9) / np.maximum(spread + far**2, 1e-300))

    def compute_radii(self, at: Floats, noise: BinNoise, factors: tuple[Floats, float]) -> Floats:
        """Return the radius of the noise of sum c (x - t)."""
        # Rounded upwards: a sum of squares of differences, from sums of powers.
        squares = self.square_sums - 2 * at * self.sums + self.bins * at**2
        squares = np.maximum(squares, 0) + _ROUNDING_ERROR * (self.square_sums + self.bins * at**2)
        most = np.maximum(np.abs(self.low - at), np.abs(self.high - at))
        one = math.sqrt(compute_noise_variance(noise.mechanism))
        # by Cauchy and Schwarz at least as much as the sum of |x - t|, and convex in t
        lost = noise.max_loss * np.sqrt(self.bins * squares)
        return np.asarray(
            one * (factors[0] * np.sqrt(noise.draws * squares) + factors[1] * most) + lost
        )


def compute_bin_mean_intervals(
    low: BinPoints, high: BinPoints, counts: Floats, noise: BinNoise
) -> tuple[Floats, Floats]:
    """Return the ends of the interval of each mean of numbers between ``low`` and ``high``."""
    total, sizes = counts.sum(axis=-1), np.abs(counts).sum(axis=-1)
    factors = [noise.compute_factors(points.variance_sharers) for points in (low, high)]

    def too_low(at: Floats) -> Any:
        lost = _ROUNDING_ERROR * (low.absolute_sums + sizes * np.abs(at))
        return low.weighted - total * at - low.compute_radii(at, noise, factors[0]) - lost > 0

    def too_high(at: Floats) -> Any:
        lost = _ROUNDING_ERROR * (high.absolute_sums + sizes * np.abs(at))
        return high.weighted - total * at + high.compute_radii(at, noise, factors[1]) + lost < 0

    start, stop = (np.broadcast_to(end, low.weighted.shape) for end in (low.low, high.high))
    return _bisect_edge(too_low, start, stop), _bisect_edge(too_high, stop, start)


def _multiply_rows(rows: Floats, counts: Floats) -> Floats:
    return np.asarray(rows @ counts if counts.ndim == 1 else (rows * counts).sum(axis=1))


def _bisect_edge(refused: Any, start: Floats, stop: Floats) -> Floats:
    """Return how far everything from ``start`` on is refused; ``start`` itself if all or nothing is
    refused.
    """
    inside, outside = start.copy(), stop.copy()
    for _ in range(_HALVINGS):
        middle = (inside + outside) / 2
        out = refused(middle)
        inside, outside = np.where(out, middle, inside), np.where(out, outside, middle)
    known = refused(start) & ~refused(stop)
    return np.asarray(np.where(known, inside, start))
