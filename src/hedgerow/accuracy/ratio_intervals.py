"""Intervals of means, variances and covariances, from noisy moments b_1 … b_k (Fieller, 1954).

| symbol | meaning |
|---|---|
| b_i, beta_i | the noisy and the exact i-th moment |
| k_i, l_i, q_i | the weight of the i-th moment in the means of t, of u, and of t u |
| m, l, v; m', l', s | means and covariance, exact; and as the noisy numbers have them |
| N | the noisy total |
| r(w) | the radius of the noise with the weights w |
| d, e | bounds on the distance of m from m', and of l from l' |

The radius r of a sum of noise grows with the absolute value of each weight, and in proportion if
all do (``weighted_sum``).

**Means.** The exact mean of t is m = (sum of k_i beta_i)/(sum of beta_i), so the sum of (k_i - m)
beta_i is 0, and that of (k_i - m) b_i is nothing but noise: with probability 1 - beta it lies
within r(m), the radius of the noise with the weights k_i - m. So the set of all m in [0, 1] with
|sum of (k_i - m) b_i| <= r(m) contains the exact mean with that probability, whatever the data. An
interval around it is returned: for m between two points of a grid no weight is larger than the
larger one of those at the points, so r is below one number there.

**Variances and covariances.** The sum over i of (q_i - l k_i - m l_i + m l - v) times beta_i is 0.
That over b_i is N (s + (m' - m)(l' - l) - v). So with probability 1 - beta_1 it is within r of
those weights, and with 1 - beta_2 the means are in their intervals, at most d and e away from m',
l'. There, with y = |s - v|, a weight is w_i at m', l', s, give or take e |k_i - m'| + d |l_i - l'|
+ d e + y: so y <= f(y), f(y) = d e + r(all weights |w_i| + these)/N. If f(x) < x for some x > 0,
then f(y) <= f(x) y/x < y for all y > x, so no such y is left: |s - v| <= x. Such an x is found by
trying f(0), f of that, and so on. The means matter little: d e is small beside d. For a variance,
(m' - m)^2 only makes v larger. For a sample, v (N - w) takes the place of v N, w being the total of
one row: N - w divides. Both parts fail with probability beta_1 + beta_2 = beta at most. []
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction

import numpy as np

from hedgerow.accuracy.weighted_noise import WeightedNoise
from hedgerow.accuracy.weighted_sum import compute_radii
from hedgerow.numeric.vectorised import Floats
from hedgerow.release.noise import AdditiveNoise

__all__ = ["compute_covariance_intervals", "compute_mean_intervals", "to_matrix"]

# of the grid; fewer where radii take time, which is above so many draws:
_GRID_POINTS, _COARSE_GRID_POINTS = 257, 65
_MAX_FAST_DRAWS = 4
_BATCH_GROUPS = 4096  # groups at a time
# this part of the failures allowed is for the means, where a covariance is asked for
_MEANS_SHARE = 0.1
_STEP, _MAX_ITERATIONS = 1e-3, 40
# a covariance of t and u is between -1/4 and 1/4, of a sample between -1/2 and 1/2
_MAX_COVARIANCE = 1.0
_ROUNDING_ERROR = 1e-14  # what sums of a few doubles may lose, as a part of what is summed

NoisyNumbers = Sequence[Sequence[int | Fraction]]


def to_matrix(columns: NoisyNumbers) -> Floats:
    """Return a matrix with a row for each group and a column for each number."""
    return (
        np.array([[float(number) for number in column] for column in columns])
        .reshape(len(columns), -1)
        .T
    )


def compute_mean_intervals(
    numbers: Floats, counts: Floats, noise: AdditiveNoise | WeightedNoise, beta: float
) -> Floats:
    """Return for each group (a row of ``numbers``) the ends of the interval of the mean, between 0
    and 1.

    ``counts`` holds the weight of each number in the mean. The whole range is returned where the
    noise of the total may be as large as the total.
    """
    points = np.linspace(
        0,
        1,
        _GRID_POINTS
        if len(counts) * _count_draws(noise) <= _MAX_FAST_DRAWS
        else _COARSE_GRID_POINTS,
    )
    away = np.abs(counts - points[:, None])
    far = compute_radii(noise, np.maximum(away[:-1], away[1:]), beta)
    drowned = compute_radii(noise, np.ones((1, len(counts))), beta)[0]
    ends = [
        _solve_means(part, counts, points, far, drowned)
        for part in np.array_split(numbers, len(numbers) // _BATCH_GROUPS + 1)
    ]
    return np.concatenate(ends)


def _solve_means(
    numbers: Floats, counts: Floats, points: Floats, far: Floats, drowned: float
) -> Floats:
    """Return the hull of the means whose test does not fail, solved between grid points."""
    part, total = (numbers @ counts)[:, None], numbers.sum(axis=1)[:, None]
    within = far + _ROUNDING_ERROR * np.abs(numbers).sum(axis=1)[:, None]
    sure = (total > drowned)[:, 0]
    total = np.where(total > drowned, total, 1.0)
    from_, to = (
        np.maximum(points[:-1], (part - within) / total),
        np.minimum(points[1:], (part + within) / total),
    )
    low = np.where(from_ <= points[1:], from_, 1.0).min(axis=1)
    high = np.where(to >= points[:-1], to, 0.0).max(axis=1)
    ends = np.stack([np.minimum(low, high), np.maximum(low, high)], axis=1)
    return np.where(sure[:, None], ends, np.array([0.0, 1.0]))


def compute_covariance_intervals(
    numbers: Floats,
    counts: tuple[Floats, Floats, Floats],
    noise: AdditiveNoise | WeightedNoise,
    beta: float,
    less: float = 0.0,
) -> Floats:
    """Return for each group the ends of the interval of the covariance of t and u; NaN where the
    noise of the total is large beside it.

    ``counts`` holds the weight of each number in the means of t, u and t u, and ``less`` is
    subtracted from the total. For a variance t and u are the same array.
    """
    first, second, both = counts
    same = first is second
    total = numbers.sum(axis=1)
    sure = (total > 0) & (total > less)
    total = np.where(sure, total, 1.0 + less)
    divisor = total - less
    mean, other = numbers @ first / total, numbers @ second / total
    middle = (numbers @ both / total - mean * other) * total / divisor
    d = _bound_mean_error(numbers, first, mean, noise, beta * _MEANS_SHARE / (1 if same else 2))
    e = d if same else _bound_mean_error(numbers, second, other, noise, beta * _MEANS_SHARE / 2)
    here = np.abs(
        both - other[:, None] * first - mean[:, None] * second + (mean * other - middle)[:, None]
    )
    wide = (
        e[:, None] * np.abs(first - mean[:, None])
        + d[:, None] * np.abs(second - other[:, None])
        + (d * e)[:, None]
    )
    lost = 16 * _ROUNDING_ERROR * np.abs(numbers).sum(axis=1)
    curved = d * e * total / divisor

    def far(weights: Floats) -> Floats:
        return np.asarray(
            (compute_radii(noise, weights, beta * (1 - _MEANS_SHARE)) + lost) / divisor
        )

    above = _solve_fixed_point(here + wide, curved, far)
    below = _solve_fixed_point(here + wide, 0 * curved, far) if same else above
    ends = np.stack([middle - below, middle + above], axis=1)
    return np.where((sure & (above < _MAX_COVARIANCE))[:, None], ends, np.nan)


def _solve_fixed_point(weights: Floats, curved: Floats, far: Callable[[Floats], Floats]) -> Floats:
    """Return for each group an x above ``curved`` plus the radius for weights that are larger by x;
    ``_MAX_COVARIANCE`` if there is none below.
    """
    x, settled = curved + far(weights), np.zeros(len(weights), dtype=bool)
    for _ in range(_MAX_ITERATIONS):
        tried = np.where(settled, x, np.minimum(x * (1 + _STEP), _MAX_COVARIANCE))
        again = curved + far(weights + tried[:, None])
        settled |= (again < tried) | (tried >= _MAX_COVARIANCE)
        x = np.where(settled, tried, again)
        if settled.all():
            break
    return np.where(settled, x, _MAX_COVARIANCE)


def _bound_mean_error(
    numbers: Floats, counts: Floats, mean: Floats, noise: AdditiveNoise | WeightedNoise, beta: float
) -> Floats:
    """Return how far the exact mean may be from the noisy one."""
    return np.asarray(
        np.abs(compute_mean_intervals(numbers, counts, noise, beta) - mean[:, None]).max(axis=1)
    )


def _count_draws(noise: AdditiveNoise | WeightedNoise) -> int:
    return len(noise.terms) if isinstance(noise, WeightedNoise) else 1
