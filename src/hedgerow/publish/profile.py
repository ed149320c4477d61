"""The law of one answer: how many draws of which noise it has, and how much each counts. From it, nearly the smallest radius.

**Statement.** ``Profile.radius(beta)`` is left by the sum of weights times discrete noise with probability at most ``beta``, and about a
fiftieth of a standard deviation is given away.

**Proof.** Let S be the sum, Y a sum of 8 independent uniform numbers that stays within h, a fiftieth of the deviation of S. Where
|S| > r + h there |S + Y| > r. S + Y has the characteristic function f(u) (sin(v)/v)^8, v = u h/8, f the product of those of the draws.
On a circle of length L its law is the Fourier series of these at u = 2 pi n/L, so

    Pr[|S + Y| <= x] = 2x/L + (2/pi) sum over n >= 1 of f(u_n) (sin(v_n)/v_n)^8 sin(u_n x)/n

but for what lies beyond L/2, which a bound holds below a tenth of the slack; that is a millionth of beta, and 10^-10 at least. From n on
the series adds up to less than (2/pi) v_n^-8/8, since |f| <= 1: it is cut off where that is a tenth of the slack or less. Its terms are
doubles, of which ten thousands are added by a Fourier transform. The slack is added to every tail. []

It takes about a millisecond for each different weight: right for tens of answers, not for a million. ``radii`` knows when to stop.
``radii_of_sums`` is for answers that are sums of few kinds of independent parts: the characteristic functions of the kinds are computed
once for all answers of about one size, and these share h and L.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import Any, Final

import numpy as np

from hedgerow.numeric.chunk import Integers
from hedgerow.numeric.number import Number, probability
from hedgerow.publish.designs import Floats, noise_variance
from hedgerow.publish.intervals import characteristic, single_radius, sum_radii, sum_radius
from hedgerow.publish.terms import Law

__all__ = ["Profile", "equal_radii", "profiles_of", "radii", "radii_of_sums"]

_LEAST: Final = 1e-8  # level below which the added 10^-10 would matter
_SLACK: Final = 1e-10
_WORK: Final = 6000  # different weights, in all answers together
_ROWS: Final = 4096  # answers of ``radii_of_sums``, some tenths of a millisecond each
_AT_ONCE: Final = 64
_POINTS: Final = 8192  # of a circle at which tails are computed: some 250 to the deviation
_NOTHING: Final = 1e-35  # a characteristic function below it is made as large; the slack is far more
_ALL: Final = 64  # draws up to which every number of them has its own radius
_ALIKE: Final = 10  # digits to which weights are the same


@dataclass(frozen=True, slots=True)
class Profile:
    """``parts``: a law, the size of its weight, and how many draws have it."""

    parts: tuple[tuple[Law, float, int], ...]

    @classmethod
    def of(cls, parts: Sequence[tuple[Law, float, int]]) -> Profile:
        """With like parts put together; weights that differ by rounding only are made the larger."""
        top = max((abs(weight) for _, weight, _ in parts), default=0.0)
        found: dict[tuple[Law, float], tuple[float, int]] = {}
        for law, weight, many in parts:
            if many and abs(weight) > 1e-12 * top:
                key = (law, float(f"{abs(weight):.{_ALIKE}g}"))
                size, count = found.get(key, (0.0, 0))
                found[key] = (max(size, abs(weight)), count + many)
        return cls(tuple((law, size, count) for (law, _), (size, count) in found.items()))

    @property
    def variance(self) -> float:
        """That of the answer."""
        return sum(many * weight**2 * noise_variance(law) for law, weight, many in self.parts)

    def radius(self, beta: Number) -> float:
        """Of a few draws alike the smallest; else nearly."""
        level = float(probability(beta, "beta"))
        if len(self.parts) == 1:
            ((law, weight, many),) = self.parts
            return weight * sum_radius(law, many, beta)
        bound = self._bound(beta)
        return bound if level < _LEAST or not bound else min(bound, _radius(self, level))

    def log_characteristic(self, angles: Floats) -> Floats:
        """The logarithm of the characteristic function, which is positive."""
        with np.errstate(under="ignore"):
            waves = [(many, characteristic(law, np.asarray(angles * weight))) for law, weight, many in self.parts]
        return np.asarray(np.sum([many * np.log(np.maximum(wave, _NOTHING)) for many, wave in waves], axis=0))

    def _bound(self, beta: Number) -> float:
        """The smaller of that of ``sum_radii`` and the sum of all radii, each with its part of the chance."""
        if not self.parts:
            return 0.0
        largest = max(weight**2 * noise_variance(law) for law, weight, _ in self.parts)
        together = float(sum_radii(np.array([self.variance]), [law for law, _, _ in self.parts], largest, beta)[0])
        part = probability(beta, "beta") / sum(many for _, _, many in self.parts)
        return min(together, sum(weight * many * single_radius(law, part) for law, weight, many in self.parts))


@lru_cache(maxsize=1024)
def _radius(profile: Profile, level: float) -> float:
    far, spread = profile._bound(_slack(level) / 10), math.sqrt(profile.variance)
    circle = _Circle.of(far, spread, level)
    with np.errstate(under="ignore"):
        for law, weight, many in profile.parts:
            circle.series[:] *= characteristic(law, np.asarray(circle.angles * weight)) ** many
    return float(circle.radii(circle.series[None], level)[0])


def _slack(level: float) -> Fraction:
    return max(Fraction(_SLACK), Fraction(level) / 10**6)


@dataclass(frozen=True, slots=True)
class _Circle:
    """The parameters of one Fourier series: its length, h, the angles u_n, and what Y makes of its terms."""

    length: float
    near: float
    angles: Floats
    series: Floats

    @classmethod
    def of(cls, far: float, spread: float, level: float) -> _Circle:
        """For sums that stay within ``far``, and deviate by ``spread`` or more."""
        near = max(spread / 50, far / 20_000)  # noise that is hardly there has tails far beyond its deviation
        length = 2 * (far + near)
        cut = 8 * (10 / (4 * math.pi) / float(_slack(level))) ** 0.125  # u h, with 8 v = u h
        turns = math.ceil(cut * length / (2 * math.pi * near) / _POINTS)
        n = np.arange(turns * _POINTS + 0.0)
        angles: Floats = np.asarray(2 * math.pi * n / length)
        n[0] = np.inf  # it has no term
        return cls(length, near, angles, np.sinc(angles * near / 8 / math.pi) ** 8 / n)

    def radii(self, series: Floats, level: float) -> Floats:
        """For each row of terms, the first of so many points beyond which there is little enough. Terms of which the numbers differ by that
        many are alike at each point."""
        waves = np.fft.rfft(series.reshape(len(series), -1, _POINTS).sum(axis=1), axis=1).imag  # less the sum of sines
        x = np.arange(_POINTS // 2 + 1) * (self.length / _POINTS)
        tails = 1 - 2 * x / self.length + 2 / math.pi * waves
        return np.asarray(x[np.argmax(tails + float(_slack(level)) <= level, axis=1)] + self.near)


def equal_radii(law: Law, draws: Integers, beta: Number) -> Floats:
    """Return for each number of draws, all of weight 1, the smallest radius that the discrete law of their sum allows.

    Beyond 64 draws it is that of up to a sixteenth more, which is no smaller: more noise, independent and symmetric, never makes a sum of
    one peak stay within a radius more often.
    """
    ends, most = [_ALL], int(draws.max())
    while ends[-1] < most:
        ends.append(min(most, ends[-1] + ends[-1] // 16))
    steps = np.array([*range(1, _ALL), *ends])
    places, which = np.unique(np.searchsorted(steps, draws), return_inverse=True)
    far = np.array([float(sum_radius(law, many, beta)) for many in steps[places].tolist()])[which]
    one = noise_variance(law)
    return np.asarray(np.minimum(far, sum_radii(np.asarray(one * draws, dtype=np.float64), [law], one, beta)))


def radii_of_sums(kinds: Sequence[Profile], counts: Integers, beta: Number) -> Floats | None:
    """Return a radius for each row of ``counts``, a sum of so many independent answers of each kind, or None where that would take long."""
    level = float(probability(beta, "beta"))
    variances = counts @ np.array([kind.variance for kind in kinds])
    if len(counts) > _ROWS or level < _LEAST or not variances.all():
        return None
    laws = [law for kind in kinds for law, _, _ in kind.parts]
    largest = max(weight**2 * noise_variance(law) for kind in kinds for law, weight, _ in kind.parts)
    far = sum_radii(variances, laws, np.minimum(largest, variances), _slack(level) / 10)
    found, sizes = np.empty(len(counts)), np.floor(2 * np.log2(variances))
    for size in np.unique(sizes):
        which = np.flatnonzero(sizes == size)
        circle = _Circle.of(float(far[which].max()), math.sqrt(float(variances[which].min())), level)
        logs = np.array([kind.log_characteristic(circle.angles) for kind in kinds])
        for some in np.array_split(which, -(-len(which) // _AT_ONCE)):
            waves = np.exp(np.maximum(counts[some] @ logs, math.log(_NOTHING)))
            found[some] = circle.radii(circle.series * waves, level)
    return found


def radii(profiles: Sequence[Profile], beta: Number) -> Floats | None:
    """One for each profile, or None where that would take long."""
    if sum(len(profile.parts) for profile in set(profiles)) > _WORK:
        return None
    known: dict[Profile, float] = {profile: profile.radius(beta) for profile in dict.fromkeys(profiles)}
    return np.array([known[profile] for profile in profiles])


def profiles_of(weights: Any, laws: Sequence[Law], counts: Sequence[int]) -> list[Profile]:
    """For each row of weights, of so many draws of the first law, then of the next."""
    cuts = np.cumsum(counts)[:-1]
    found = []
    for row in np.abs(weights):
        parts: list[tuple[Law, float, int]] = []
        for law, some in zip(laws, np.split(row, cuts), strict=True):
            sizes, many = np.unique(some, return_counts=True)
            parts.extend((law, size, count) for size, count in zip(sizes.tolist(), many.tolist(), strict=True))
        found.append(Profile.of(parts))
    return found
