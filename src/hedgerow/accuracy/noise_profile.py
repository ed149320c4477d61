"""The noise profile of one answer: how many draws of which noise it has, with which weights. It
gives nearly the smallest radius.

| symbol | meaning |
|---|---|
| S, f | the sum of weighted noise, and its characteristic function |
| h | a fiftieth of the deviation of S |
| Y | a sum of 8 independent uniform numbers that stays within h |
| L | the length of a circle; u_n = 2 pi n/L |
| v | u h/8 |

**Statement.** The sum of weights times discrete noise exceeds ``NoiseProfile.radius(beta)`` with
probability at most ``beta``, and about a fiftieth of a standard deviation is given away.

**Proof.** If |S| > r + h then |S + Y| > r. S + Y has the characteristic function f(u) (sin(v)/v)^8,
f being the product of those of the draws. On a circle of length L its distribution is the Fourier
series of these at u_n, so

    Pr[|S + Y| <= x] = 2x/L + (2/pi) sum over n >= 1 of f(u_n) (sin(v_n)/v_n)^8 sin(u_n x)/n

except for the mass beyond L/2, which a bound keeps below a tenth of the slack; the slack is a
millionth of beta, and at least 10^-10. From n on the series adds up to less than (2/pi) v_n^-8/8,
since |f| <= 1: it is cut off where that is a tenth of the slack or less. Its terms are doubles, and
tens of thousands of them are added by a Fourier transform. The slack is added to every tail. []

It takes about a millisecond for each different weight: right for tens of answers, not for a
million; ``compute_profile_radii`` knows when to stop. ``compute_sum_radii`` is for answers that are
sums of few kinds of independent parts: the characteristic functions of the kinds are computed once
for all answers of about one size, and these share h and L.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import Any, Final

import numpy as np

from hedgerow.accuracy.noise_sum import (
    AdditiveNoise,
    bound_sum_radii,
    compute_characteristic,
    find_single_radius,
    find_sum_radius,
)
from hedgerow.accuracy.noise_variance import compute_noise_variance
from hedgerow.numeric.exact_number import Number, parse_probability
from hedgerow.numeric.vectorised import Floats, Integers

__all__ = [
    "NoiseProfile",
    "build_profiles",
    "compute_equal_radii",
    "compute_profile_radii",
    "compute_sum_radii",
]

_MIN_LEVEL: Final = 1e-8  # level below which the added 10^-10 would matter
_SLACK: Final = 1e-10
_MAX_WEIGHTS: Final = 6000  # different weights, in all answers together
_MAX_SUMS: Final = 4096  # answers of ``compute_sum_radii``, some tenths of a millisecond each
_BATCH_SUMS: Final = 64
_CIRCLE_POINTS: Final = 8192  # of a circle at which tails are computed: some 250 to the deviation
# a characteristic function below it is made as large; the slack is far more
_MIN_CHARACTERISTIC: Final = 1e-35
_MAX_EXACT_DRAWS: Final = 64  # draws up to which every number of them has its own radius
_WEIGHT_DIGITS: Final = 10  # digits to which weights are the same


@dataclass(frozen=True, slots=True)
class NoiseProfile:
    """The noise of one answer; ``parts``: a mechanism, the absolute weight, and the number of
    draws.
    """

    parts: tuple[tuple[AdditiveNoise, float, int], ...]

    @classmethod
    def from_parts(cls, parts: Sequence[tuple[AdditiveNoise, float, int]]) -> NoiseProfile:
        """Build a profile with equal parts merged; of weights that differ by rounding only, the
        larger is kept.
        """
        top = max((abs(weight) for _, weight, _ in parts), default=0.0)
        found: dict[tuple[AdditiveNoise, float], tuple[float, int]] = {}
        for mechanism, weight, many in parts:
            if many and abs(weight) > 1e-12 * top:
                key = (mechanism, float(f"{abs(weight):.{_WEIGHT_DIGITS}g}"))
                size, count = found.get(key, (0.0, 0))
                found[key] = (max(size, abs(weight)), count + many)
        return cls(
            tuple((mechanism, size, count) for (mechanism, _), (size, count) in found.items())
        )

    @property
    def variance(self) -> float:
        """The variance of the answer."""
        return sum(
            many * weight**2 * compute_noise_variance(mechanism)
            for mechanism, weight, many in self.parts
        )

    def radius(self, beta: Number) -> float:
        """Return the smallest radius for a few equal draws, and nearly the smallest otherwise."""
        level = float(parse_probability(beta, "beta"))
        if len(self.parts) == 1:
            ((mechanism, weight, many),) = self.parts
            return weight * find_sum_radius(mechanism, many, beta)
        bound = self._bound_radius(beta)
        return bound if level < _MIN_LEVEL or not bound else min(bound, _invert_tail(self, level))

    def log_characteristic(self, angles: Floats) -> Floats:
        """Return the logarithm of the characteristic function, which is positive."""
        with np.errstate(under="ignore"):
            waves = [
                (many, compute_characteristic(mechanism, np.asarray(angles * weight)))
                for mechanism, weight, many in self.parts
            ]
        return np.asarray(
            np.sum(
                [many * np.log(np.maximum(wave, _MIN_CHARACTERISTIC)) for many, wave in waves],
                axis=0,
            )
        )

    def _bound_radius(self, beta: Number) -> float:
        """Return the smaller of ``bound_sum_radii`` and the sum of all radii, each with its part of
        the probability.
        """
        if not self.parts:
            return 0.0
        largest = max(
            weight**2 * compute_noise_variance(mechanism) for mechanism, weight, _ in self.parts
        )
        together = float(
            bound_sum_radii(
                np.array([self.variance]),
                [mechanism for mechanism, _, _ in self.parts],
                largest,
                beta,
            )[0]
        )
        part = parse_probability(beta, "beta") / sum(many for _, _, many in self.parts)
        return min(
            together,
            sum(
                weight * many * find_single_radius(mechanism, part)
                for mechanism, weight, many in self.parts
            ),
        )


@lru_cache(maxsize=1024)
def _invert_tail(profile: NoiseProfile, level: float) -> float:
    far, spread = profile._bound_radius(_choose_slack(level) / 10), math.sqrt(profile.variance)
    circle = _FourierSeries.for_spread(far, spread, level)
    with np.errstate(under="ignore"):
        for mechanism, weight, many in profile.parts:
            circle.factors[:] *= (
                compute_characteristic(mechanism, np.asarray(circle.angles * weight)) ** many
            )
    return float(circle.find_radii(circle.factors[None], level)[0])


def _choose_slack(level: float) -> Fraction:
    return max(Fraction(_SLACK), Fraction(level) / 10**6)


@dataclass(frozen=True, slots=True)
class _FourierSeries:
    """The parameters of one Fourier series: its length, h, the angles u_n, and the factors of Y."""

    length: float
    margin: float
    angles: Floats
    factors: Floats

    @classmethod
    def for_spread(cls, far: float, spread: float, level: float) -> _FourierSeries:
        """Build the series for sums that stay within ``far``, with a deviation of at least
        ``spread``.
        """
        # noise that is hardly there has tails far beyond its deviation
        near = max(spread / 50, far / 20_000)
        length = 2 * (far + near)
        cut = 8 * (10 / (4 * math.pi) / float(_choose_slack(level))) ** 0.125  # u h, with 8 v = u h
        turns = math.ceil(cut * length / (2 * math.pi * near) / _CIRCLE_POINTS)
        n = np.arange(turns * _CIRCLE_POINTS + 0.0)
        angles: Floats = np.asarray(2 * math.pi * n / length)
        n[0] = np.inf  # it has no term
        return cls(length, near, angles, np.sinc(angles * near / 8 / math.pi) ** 8 / n)

    def find_radii(self, series: Floats, level: float) -> Floats:
        """Return for each row of terms the first point beyond which the tail is small enough.

        Terms whose indices differ by the number of points are equal at each point, and are added up
        first.
        """
        # less the sum of sines
        waves = np.fft.rfft(
            series.reshape(len(series), -1, _CIRCLE_POINTS).sum(axis=1), axis=1
        ).imag
        x = np.arange(_CIRCLE_POINTS // 2 + 1) * (self.length / _CIRCLE_POINTS)
        tails = 1 - 2 * x / self.length + 2 / math.pi * waves
        return np.asarray(
            x[np.argmax(tails + float(_choose_slack(level)) <= level, axis=1)] + self.margin
        )


def compute_equal_radii(mechanism: AdditiveNoise, draws: Integers, beta: Number) -> Floats:
    """Return the smallest radius for each number of draws, all of weight 1.

    Beyond 64 draws it is that of up to a sixteenth more, which is no smaller: more independent,
    symmetric noise never makes a unimodal sum stay within a radius more often.
    """
    ends, most = [_MAX_EXACT_DRAWS], int(draws.max())
    while ends[-1] < most:
        ends.append(min(most, ends[-1] + ends[-1] // 16))
    steps = np.array([*range(1, _MAX_EXACT_DRAWS), *ends])
    places, which = np.unique(np.searchsorted(steps, draws), return_inverse=True)
    far = np.array(
        [float(find_sum_radius(mechanism, many, beta)) for many in steps[places].tolist()]
    )[which]
    one = compute_noise_variance(mechanism)
    return np.asarray(
        np.minimum(
            far, bound_sum_radii(np.asarray(one * draws, dtype=np.float64), [mechanism], one, beta)
        )
    )


def compute_sum_radii(
    kinds: Sequence[NoiseProfile], counts: Integers, beta: Number
) -> Floats | None:
    """Return a radius for each row of ``counts``, the numbers of independent answers of each kind
    that are summed; None if that would take long.
    """
    level = float(parse_probability(beta, "beta"))
    variances = counts @ np.array([kind.variance for kind in kinds])
    if len(counts) > _MAX_SUMS or level < _MIN_LEVEL or not variances.all():
        return None
    mechanisms = [mechanism for kind in kinds for mechanism, _, _ in kind.parts]
    largest = max(
        weight**2 * compute_noise_variance(mechanism)
        for kind in kinds
        for mechanism, weight, _ in kind.parts
    )
    far = bound_sum_radii(
        variances, mechanisms, np.minimum(largest, variances), _choose_slack(level) / 10
    )
    found, sizes = np.empty(len(counts)), np.floor(2 * np.log2(variances))
    for size in np.unique(sizes):
        which = np.flatnonzero(sizes == size)
        circle = _FourierSeries.for_spread(
            float(far[which].max()), math.sqrt(float(variances[which].min())), level
        )
        logs = np.array([kind.log_characteristic(circle.angles) for kind in kinds])
        for some in np.array_split(which, -(-len(which) // _BATCH_SUMS)):
            waves = np.exp(np.maximum(counts[some] @ logs, math.log(_MIN_CHARACTERISTIC)))
            found[some] = circle.find_radii(circle.factors * waves, level)
    return found


def compute_profile_radii(profiles: Sequence[NoiseProfile], beta: Number) -> Floats | None:
    """Return a radius for each profile, or None if that would take long."""
    if sum(len(profile.parts) for profile in set(profiles)) > _MAX_WEIGHTS:
        return None
    known: dict[NoiseProfile, float] = {
        profile: profile.radius(beta) for profile in dict.fromkeys(profiles)
    }
    return np.array([known[profile] for profile in profiles])


def build_profiles(
    weights: Any, mechanisms: Sequence[AdditiveNoise], counts: Sequence[int]
) -> list[NoiseProfile]:
    """Build a profile for each row of weights, of ``counts[0]`` draws of the first mechanism, then
    of the next.
    """
    cuts = np.cumsum(counts)[:-1]
    found = []
    for row in np.abs(weights):
        parts: list[tuple[AdditiveNoise, float, int]] = []
        for mechanism, some in zip(mechanisms, np.split(row, cuts), strict=True):
            sizes, many = np.unique(some, return_counts=True)
            parts.extend(
                (mechanism, size, count)
                for size, count in zip(sizes.tolist(), many.tolist(), strict=True)
            )
        found.append(NoiseProfile.from_parts(parts))
    return found
