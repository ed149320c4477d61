"""Radii of weighted sums of noisy numbers.

**Discrete and continuous noise.** Discrete Laplace noise Z of scale s has Pr[|Z| >= k] = 2 q^k/(1 +
q), q = e^(-1/s), which is Pr[|L| >= k - c] for Laplace noise L of that scale, c = s ln(2/(1 + q))
<= 1/2. So draw |L|, let |Z| be k where k - c <= |L| < k + 1 - c, and give both one sign: then Z has
its distribution and lies within 1 - c of L. Discrete Gaussian noise lies within a step of
continuous noise in the same way. So a weighted sum of discrete noise has the tail of the continuous
sum, shifted by these steps for each number.

**Sums of Laplace noise.** With different scales b_i,  Pr[|S| > t] = sum of b_i^(2n-2) e^(-t/b_i) /
prod over j != i of (b_i^2 - b_j^2) (partial fractions of prod 1/(1 + (b_i u)^2)). A larger scale
never makes a tail smaller, since all of them are symmetric and unimodal: so equal scales are pushed
apart, upwards. For more than four numbers Chernoff's bound is used, which takes no time: for every
c below 1/b_i, Pr[|S| > t] <= 2 e^(-ct) prod 1/(1 - (c b_i)^2), so t = (ln(2/beta) - sum of ln(1 -
(c b_i)^2))/c is far enough. Every c is right; the least t of a grid of them is taken.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from functools import lru_cache

import numpy as np

from hedgerow.accuracy.weighted_noise import WeightedNoise
from hedgerow.mechanisms.gaussian import Gaussian
from hedgerow.numeric.tails.gaussian import gaussian_radius
from hedgerow.numeric.vectorised import Floats
from hedgerow.release.noise import AdditiveNoise

__all__ = ["compute_mean_error", "compute_radii", "compute_radius"]

_MAX_CLOSED_DRAWS = 4  # of up to so many scales the sum over partial fractions keeps its digits
# of more, weights are such parts of the largest, coarser where they are many: so they are often the
# same
_MAX_FINE_ROWS, _WEIGHT_GRIDS = 128, (128, 16)
_ROUND_UP = 1 + 1e-9


def compute_radius(
    noise: AdditiveNoise | WeightedNoise, weights: Sequence[Fraction], beta: Fraction
) -> Fraction:
    """Return a bound on the error of a weighted sum of noisy numbers that fails with probability at
    most ``beta``: by independent noise, and by truncation, up to the bias.

    One number: exact. Several: for Gaussian noise that of the same variance, plus a step for being
    discrete; for Laplace noise that of the continuous sum, plus up to a step for each number. If
    there is noise of both kinds, each gets half of ``beta``.
    """
    if isinstance(noise, WeightedNoise) and noise.bias:
        return compute_radius(WeightedNoise(noise.terms), weights, beta) + noise.bias * sum(
            map(abs, weights)
        )
    if len(kinds := _split_by_kind(noise)) > 1:
        return sum((compute_radius(kind, weights, beta / 2) for kind in kinds), Fraction(0))
    # where totals and parts are made consistent, thousands are alike
    known = Counter(_list_draws(noise, weights))
    if known.total() == 1:
        ((one, weight),) = known
        return weight * int(one.error(beta))
    largest = max(one.scale * weight for one, weight in known)
    if any(isinstance(one, Gaussian) for one, _ in known):
        unit = max(weight for _, weight in known)
        size = math.sqrt(
            sum(
                many * float(one.scale * (weight / unit)) ** 2
                for (one, weight), many in known.items()
            )
        )
        return unit * (gaussian_radius(size, float(beta)) + 1)
    sizes = tuple(sorted(float(one.scale * weight / largest) for one, weight in known.elements()))
    steps = sum(
        many * weight * Fraction(_bound_coupling_distance(one))
        for (one, weight), many in known.items()
    )
    far = Fraction(_find_laplace_radius(sizes, float(beta))) * largest + steps
    return min(
        far,
        sum(
            (
                many * weight * int(one.error(beta / known.total()))
                for (one, weight), many in known.items()
            ),
            Fraction(0),
        ),
    )


def compute_radii(noise: AdditiveNoise | WeightedNoise, weights: Floats, beta: float) -> Floats:
    """Return for each row of weights an upper bound on r, the radius of the continuous sum plus
    some steps for each number.

    r grows with the absolute value of each weight, and doubles if all weights do. With many draws,
    which take time, weights are rounded up.
    """
    if isinstance(noise, WeightedNoise) and noise.bias:
        return np.asarray(
            compute_radii(WeightedNoise(noise.terms), weights, beta)
            + float(noise.bias) * _ROUND_UP * np.abs(weights).sum(axis=1)
        )
    if len(kinds := _split_by_kind(noise)) > 1:
        return np.asarray(sum(compute_radii(kind, weights, beta / 2) for kind in kinds))
    parts = noise.terms if isinstance(noise, WeightedNoise) else ((noise, Fraction(1)),)
    each = np.array([float(one.scale * share) for one, share in parts])
    size = np.abs(weights)
    steps = size.sum(axis=1) * float(
        sum(share * Fraction(_bound_coupling_distance(one)) for one, share in parts)
    )
    if any(isinstance(one, Gaussian) for one, _ in parts):
        return np.asarray(
            _find_normal_radius(beta)
            * np.sqrt(np.square(size).sum(axis=1) * np.square(each).sum())
            * _ROUND_UP
            + steps
        )
    most = np.maximum(size.max(axis=1), 1e-300)
    size = size / most[:, None]
    if size.shape[1] > _MAX_CLOSED_DRAWS:
        far = _find_chernoff_radii(size, each / each.max(), beta)
        return np.asarray(far * most * each.max() * _ROUND_UP + steps)
    slow = size.shape[1] * len(parts) > _MAX_CLOSED_DRAWS
    grain = _WEIGHT_GRIDS[len(size) > _MAX_FINE_ROWS]
    size = np.ceil(size * grain) / grain if slow else size
    sizes = np.sort(
        (size[:, :, None] * (each / each.max())).reshape(len(size), size.shape[1] * len(each)),
        axis=1,
    )
    radii = (
        [_find_laplace_radius(tuple(row[row > 0].tolist()), beta) for row in sizes]
        if slow
        else _find_closed_radii(sizes, beta)
    )
    return np.asarray(np.asarray(radii) * most * each.max() * _ROUND_UP + steps)


def _split_by_kind(noise: AdditiveNoise | WeightedNoise) -> list[AdditiveNoise | WeightedNoise]:
    """Split noise into its Gaussian and its Laplace terms: totals and parts may have noise of
    different kinds.
    """
    if not isinstance(noise, WeightedNoise):
        return [noise]
    each = [
        tuple(part for part in noise.terms if isinstance(part[0], Gaussian) == gaussian)
        for gaussian in (True, False)
    ]
    return [WeightedNoise(parts) for parts in each if parts]


def _list_draws(
    noise: AdditiveNoise | WeightedNoise, weights: Sequence[Fraction]
) -> list[tuple[AdditiveNoise, Fraction]]:
    """Return every draw of noise, with its absolute weight."""
    used = [abs(weight) for weight in weights if weight]
    mechanisms = noise.terms if isinstance(noise, WeightedNoise) else ((noise, Fraction(1)),)
    return [(one, weight * share) for weight in used for one, share in mechanisms if share]


def _bound_coupling_distance(noise: AdditiveNoise) -> float:
    """Return a bound on the distance of a draw from the continuous one, in steps."""
    if isinstance(noise, Gaussian) or noise.scale < Fraction(1, 500):
        return 1.0
    scale = float(noise.scale)
    return min(1.0, 1 - scale * math.log(2 / (1 + math.exp(-1 / scale))) + 1e-9)


def _find_normal_radius(beta: float) -> float:
    """Return where the two tails of a standard normal hold ``beta``, or slightly less."""
    low, high = 0.0, 40.0
    while high - low > 1e-12:
        middle = (low + high) / 2
        low, high = (low, middle) if math.erfc(middle / math.sqrt(2)) <= beta else (middle, high)
    return high


@lru_cache(maxsize=1024)
def _find_laplace_radius(sizes: tuple[float, ...], beta: float) -> float:
    """Return where the tails of a sum of continuous Laplace noise of these scales, the largest of
    which is 1, hold ``beta`` or slightly less.
    """
    if len(sizes) <= _MAX_CLOSED_DRAWS:
        return float(_find_closed_radii(np.array([sizes]), beta)[0])
    low, high = 0.0, len(sizes) * math.log(len(sizes) / beta) + 1
    while high - low > 1e-6 * high:
        middle = (low + high) / 2
        low, high = (
            (low, middle) if _compute_tail(middle, sizes) <= beta * 0.999 else (middle, high)
        )
    return high


def _find_closed_radii(sizes: Floats, beta: float) -> Floats:
    """Return the Laplace radius of each row by partial fractions; the scales of a row rise to 1."""
    many = sizes.shape[1]
    spread = np.maximum(sizes, 1e-6)
    for i in range(1, many):
        spread[:, i] = np.maximum(spread[:, i], spread[:, i - 1] * (1 + 10.0 ** (-12 / many)))
    below = np.ones_like(spread)
    for i in range(many):
        for j in range(many):
            if i != j:  # the difference of two doubles that are near is exact
                below[:, i] *= (spread[:, i] - spread[:, j]) * (spread[:, i] + spread[:, j])
    parts = spread ** (2 * many - 2) / below
    low, high = np.zeros(len(spread)), np.full(len(spread), many * math.log(many / beta) + 1)
    for _ in range(44):
        middle = (low + high) / 2
        with np.errstate(under="ignore"):
            each = parts * np.exp(-middle[:, None] / spread)
        # what rounding may have cost is added
        inside = each.sum(axis=1) + 1e-13 * np.abs(each).sum(axis=1) <= beta
        low, high = np.where(inside, low, middle), np.where(inside, middle, high)
    return np.asarray(high)


def _find_chernoff_radii(size: Floats, each: Floats, beta: float) -> Floats:
    """Return the Laplace radius of each row of weights by Chernoff's bound; each number has noise
    of all scales ``each``, and the largest products are 1."""
    best = np.full(len(size), np.inf)
    for c in np.linspace(0.02, 0.98, 49):
        logs = sum(np.log1p(-np.square(c * size * scale)).sum(axis=1) for scale in each)
        best = np.minimum(best, (math.log(2 / beta) - logs) / c)
    return np.asarray(best)


def _compute_tail(t: float, sizes: tuple[float, ...]) -> float:
    """Return Pr[|S| > t]: twice the integral of e^(-zt) M(z)/(2 pi i z) over z = c + iy, M(z) =
    prod 1/(1 - (b z)^2), at a c near the saddle.
    """
    tried, (squares, many) = (
        np.linspace(0.01, 0.99, 99),
        np.unique(np.square(sizes), return_counts=True),
    )
    c = tried[np.argmin(-tried * t - np.log1p(-np.outer(tried**2, squares)) @ many - np.log(tried))]
    # up to 800 scales, closest together at 0: right to a millionth
    y = np.sinh(np.linspace(0, 12, 4_001)) / 100
    z = c + 1j * y
    under = -z * t - np.log(z)  # as logarithms: of thousands the product is beyond all doubles
    for square, times in zip(squares, many, strict=True):
        under -= times * np.log(1 - square * z * z)
    return float(2 * np.trapezoid(np.exp(under).real, y) / math.pi)


def compute_mean_error(noise: AdditiveNoise | WeightedNoise, weights: Sequence[Fraction]) -> float:
    """Return the mean absolute value of a weighted sum of independent noise.

    One number: 1/sinh(1/t) steps for discrete Laplace noise of scale t, about sigma sqrt(2/pi) for
    discrete Gaussian noise. Several Laplace ones: the integral of (1 - f(u))/u^2 over u > 0, times
    2/pi, where f is the characteristic function, prod 1/(1 + (w b u)^2).
    """
    known = _list_draws(noise, weights)
    # squares of parts of it are doubles
    largest = max((one.scale * weight for one, weight in known), default=Fraction(1))
    sizes = np.array([float(one.scale * weight / largest) for one, weight in known])
    # the square of Laplace noise is twice that of its scale
    if any(isinstance(one, Gaussian) for one, _ in known):
        twice = np.array([1 if isinstance(one, Gaussian) else 2 for one, _ in known])
        return (
            float(largest)
            * math.sqrt(2 / math.pi)
            * math.sqrt(float((np.square(sizes) * twice).sum()))
        )
    if len(known) == 1:
        ((one, weight),) = known
        return (
            float(weight) / math.sinh(1 / float(one.scale)) if one.scale > Fraction(1, 500) else 0.0
        )
    u = np.tan((np.arange(20_000) + 0.5) * (math.pi / 2 / 20_000)) / sizes.max()
    near = -np.expm1(-np.log1p((u[:, None] * sizes) ** 2).sum(axis=1))
    slope = (1 + (u * sizes.max()) ** 2) / sizes.max() * (math.pi / 2 / 20_000)
    return float(largest) * float(2 / math.pi * np.sum(near / u**2 * slope))
