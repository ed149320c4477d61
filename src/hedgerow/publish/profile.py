"""The law of one answer: how many draws of which noise it has, and how much each counts. From it, nearly the smallest radius.

**Statement.** ``Profile.radius(beta)`` is left by the sum of weights times discrete noise with probability at most ``beta``, and about a
fiftieth of a standard deviation is given away.

**Proof.** Let S be the sum, Y a sum of 8 independent uniform numbers that stays within h, a fiftieth of the deviation of S. Where
|S| > r + h there |S + Y| > r. S + Y has the characteristic function f(u) (sin(v)/v)^8, v = u h/8, f the product of those of the draws.
On a circle of length L its law is the Fourier series of these at u = 2 pi n/L, so

    Pr[|S + Y| <= x] = 2x/L + (2/pi) sum over n >= 1 of f(u_n) (sin(v_n)/v_n)^8 sin(u_n x)/n

but for what lies beyond L/2, which a bound holds below 10^-12. Cut off where u h = 160, the series misses 10^-11 at most; its terms
are doubles, of which a hundred thousand are added by a Fourier transform. 10^-10 is added to every tail. []

It takes some milliseconds for each different weight: right for tens of answers, not for a million. ``radii`` knows when to stop.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import Any, Final

import numpy as np

from hedgerow.numeric.number import Number, probability
from hedgerow.publish.designs import Floats, noise_variance
from hedgerow.publish.intervals import characteristic, single_radius, sum_radii, sum_radius
from hedgerow.publish.terms import Law

__all__ = ["Profile", "profiles_of", "radii"]

_LEAST: Final = 1e-8  # level below which the added 10^-10 would matter
_SLACK: Final = 1e-10
_WORK: Final = 6000  # different weights, in all answers together
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
    far = profile._bound(Fraction(1, 10**12))
    near = max(math.sqrt(profile.variance) / 50, far / 20_000)  # noise that is hardly there has tails far beyond its deviation
    length = 2 * (far + near)
    terms = math.ceil(160 * length / (2 * math.pi * near))
    n = np.arange(1, terms + 1)
    angles: Floats = np.asarray(2 * math.pi * n / length, dtype=np.float64)
    series = np.sinc(angles * near / 8 / math.pi) ** 8 / n
    with np.errstate(under="ignore"):
        for law, weight, many in profile.parts:
            series *= characteristic(law, np.asarray(angles * weight)) ** many
    points = 2 ** math.ceil(math.log2(2 * terms + 2))
    spectrum = np.zeros(points // 2 + 1, dtype=np.complex128)
    spectrum[1 : terms + 1] = -0.5j * points * series
    x = np.arange(points // 2) * (length / points)
    tails = 1 - 2 * x / length - 2 / math.pi * np.fft.irfft(spectrum, points)[: points // 2]
    return float(x[np.argmax(tails + _SLACK <= level)]) + near


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
